// @ts-check
/**
 * @file Runs the list of `npm run bench:gpu`: each task in a process of its own kind, with a limit, until the list or the time
 * ends. Knows neither files nor builds, so that a test can run it with processes of its own.
 */
import { Worker } from './gpu-processes.mjs';

/** @typedef {import('../../bench/gpu/plan.ts').Task} Task */
/** @typedef {import('../../bench/gpu/result.ts').GpuResult} GpuResult */
/** @typedef {import('../../bench/job.ts').Library} Library */
/** @typedef {import('../../bench/result.ts').RowResult} RowResult */
/** @typedef {typeof import('../../bench/gpu/outside.ts')} Outside */

/** How often a row is run again without the contenders that failed. */
const ATTEMPTS = 3;
/** The share of the time after which verification is interrupted: the rest of it comes before the unit tests. */
const VERIFICATION_SHARE = 0.2;
/** A task that would have less time than this isn't begun. */
const LEAST_MS = 2000;

/** Thrown when the time of the run ends within a task, which stays undone. */
class TimeIsUp extends Error {}

/**
 * @typedef {object} GpuRunOptions
 * @property {GpuResult} result grows; tasks that it has done are skipped
 * @property {readonly Task[]} tasks
 * @property {Outside} outside
 * @property {(float16: boolean) => Worker} startWorker
 * @property {() => Worker} startTests
 * @property {(filter: string, milliseconds: number, onRow: (row: any) => void) => Promise<string>} runPyTorch returns its
 *   setting, or why it did not run
 * @property {number} end when no task is begun any more, by `now`
 * @property {number} budget milliseconds for each library in each row
 * @property {number} rowLimit milliseconds for each row
 * @property {(text: string) => void} say
 * @property {() => void} save
 * @property {() => number} [now]
 */

/** What PyTorch runs for each of its tasks: names that match. */
const nativeFilters = /** @type {Record<string, string>} */ ({
  'PyTorch, training steps': '^(?!.*torch.compile).*step',
  'PyTorch, training steps, torch.compile': 'step.*torch.compile',
  'PyTorch, products and convolutions': '^(matMul|dense|conv|attention)',
});

/** @param {unknown} error */
const firstLine = (error) => String(error instanceof Error ? error.message : error).split('\n')[0];

export class GpuRun {
  /** @type {GpuRunOptions} */
  #options;
  #now;
  /** @type {Worker | null} */
  #worker = null;
  #isFloat16 = false;

  /** @param {GpuRunOptions} options */
  constructor(options) {
    this.#options = options;
    this.#now = options.now ?? (() => performance.now());
  }

  /** @returns {Promise<boolean>} whether the list is done */
  async run() {
    const { result, tasks, say, save } = this.#options;
    const start = this.#now();
    const before = result.seconds;
    const isPostponed = { verification: false };
    try {
      for (const task of this.#withPostponed(tasks, isPostponed)) {
        if (result.done[task.name] !== undefined) continue;
        if (this.#left() < LEAST_MS) return false;
        if (task.kind !== 'row') say(`${task.name} …`);
        const began = this.#now();
        const end = (/** @type {string} */ how) => {
          result.done[task.name] = { how, seconds: Math.round((this.#now() - began) / 100) / 10 };
        };
        try {
          const how = await this.#runTask(task, isPostponed);
          if (how !== null) end(how);
        } catch (error) {
          if (error instanceof TimeIsUp) return false;
          const how = `failed: ${firstLine(error)}`;
          end(how);
          say(`${task.name}: ${how}`);
        }
        result.seconds = before + (this.#now() - start) / 1000;
        save();
      }
      return true;
    } finally {
      result.seconds = before + (this.#now() - start) / 1000;
      save();
      await this.#worker?.end();
    }
  }

  /** The list, with an interrupted verification again before the unit tests. */
  *#withPostponed(
    /** @type {readonly Task[]} */ tasks,
    /** @type {{ verification: boolean }} */ isPostponed,
  ) {
    for (const task of tasks) {
      if (task.kind === 'tests' && isPostponed.verification) {
        const verification = tasks.find(({ kind }) => kind === 'verify');
        if (verification) yield verification;
      }
      yield task;
    }
  }

  #left() {
    return this.#options.end - this.#now();
  }

  /** @param {Task} task @param {{ verification: boolean }} isPostponed @returns {Promise<string | null>} how it ended */
  async #runTask(task, isPostponed) {
    if (task.kind === 'verify') {
      // Rows are measured in another process: there, nothing is avoided.
      return this.#verify(isPostponed).finally(() => this.#forget());
    }
    if (task.kind === 'tests') return this.#runTests();
    if (task.kind === 'pytorch') return this.#runNative(task);
    return this.#runRow(task);
  }

  /** The process for a row. A peak of memory needs a new one, and rows in float16 one with other features. */
  async #workerFor(/** @type {string} */ name, /** @type {string} */ family) {
    const isFloat16 = name.endsWith(', float16');
    // A device that executes nothing has little memory.
    const isOwn = family.startsWith('peak bytes') || this.#options.result.isOnNull;
    if (this.#worker && (isOwn || this.#isFloat16 !== isFloat16)) await this.#forget();
    this.#isFloat16 = isFloat16;
    this.#worker ??= this.#options.startWorker(isFloat16);
    return this.#worker;
  }

  async #forget() {
    const worker = this.#worker;
    this.#worker = null;
    await worker?.end();
  }

  /** Whether an error is due to the end of the run's time. */
  #isLate() {
    return this.#left() <= 0;
  }

  /** @param {{ verification: boolean }} isPostponed */
  async #verify(isPostponed) {
    const { result, rowLimit, say, save } = this.#options;
    const isSecond = isPostponed.verification;
    const share = isSecond ? this.#left() : VERIFICATION_SHARE * this.#left();
    const end = this.#now() + share;
    const worker = await this.#workerFor('verify', '');
    /** @type {string[]} */
    const names = await worker.call('variantNames', [], { total: rowLimit });
    for (;;) {
      const known = new Set(result.variants.map(({ name }) => name));
      const waiting = names.filter((name) => !known.has(name));
      if (waiting.length === 0) return 'done';
      /** @type {string | null} */
      let current = null;
      try {
        const total = end - this.#now();
        if (total <= 0) throw new TimeIsUp();
        await worker.call('verifyVariants', [waiting], { total, silence: rowLimit }, (event) => {
          if (event.stage) current = event.stage[0];
          if (!event.variant) return;
          result.variants.push(event.variant);
          if (event.variant.status !== 'right' && !result.isOnNull)
            say(`${event.variant.name}: ${event.variant.status}. ${event.variant.message}`);
          save();
        });
        return 'done';
      } catch (error) {
        if (this.#now() >= end) {
          if (isSecond) throw new TimeIsUp();
          isPostponed.verification = true;
          say(`${result.variants.length} of ${names.length} variants are verified, the others later.`);
          return null;
        }
        if (current === null) throw error;
        const message = firstLine(error) ?? null;
        result.variants.push({ name: current, status: 'failed', message });
        say(`${current}: failed. ${message}`);
      }
    }
  }

  /** @param {Task} task */
  async #runRow(task) {
    const { result, outside, say } = this.#options;
    if (task.recorded && (await this.#isUnchanged(task, task.recorded)))
      return 'the same kernels as recorded';
    const row = await this.#measureRow(task);
    result.rows.push(row);
    say(outside.line(row));
    return outside.failuresOf(row).includes('retrograd') ? `failed: ${row.notes.retrograd}` : 'done';
  }

  /** @param {Task} task @param {NonNullable<Task['recorded']>} recorded */
  async #isUnchanged({ name, family }, recorded) {
    const worker = await this.#workerFor(name, family);
    const now = await worker.call('kernelsOfNamed', [name], { total: this.#rowTime() });
    return this.#options.outside.sameKernels(now, recorded);
  }

  /** Milliseconds for a row: no more than are left. */
  #rowTime() {
    return Math.max(1, Math.min(this.#options.rowLimit, this.#left()));
  }

  /** @param {Task} task @returns {Promise<RowResult>} */
  async #measureRow({ name, family }) {
    const { result, outside, budget } = this.#options;
    /** @type {Partial<Record<Library, string>>} */
    const without = {};
    for (let attempt = 1; ; attempt++) {
      const worker = await this.#workerFor(name, family);
      /** @type {Library | null} */
      let current = null;
      /** @type {Partial<Record<Library, string>>} */
      const faults = {};
      try {
        const options = { budget, limits: result.limits, without, checked: !result.isOnNull };
        const row = await worker.call('run', [name, options], { total: this.#rowTime() }, ({ stage }) => {
          current = stage[0];
          if (current && stage[1].startsWith('failed')) faults[current] = stage[1];
        });
        const [first] = /** @type {Library[]} */ (Object.keys(faults));
        // A failure may have broken the devices of the process, …
        if (first) await this.#forget();
        // … and if several were lost, the first one caused the loss of the others.
        const lost = Object.values(faults).filter((fault) => /\blost\b/.test(fault)).length > 1;
        if (!first || !lost || attempt === ATTEMPTS) return row;
        without[first] = /** @type {string} */ (faults[first]);
      } catch (error) {
        await this.#forget();
        if (this.#isLate()) throw new TimeIsUp();
        const message = `failed: ${firstLine(error)}`;
        const guilty = current ?? 'retrograd';
        without[guilty] = message;
        if (guilty === 'retrograd' || attempt === ATTEMPTS)
          return outside.rowResult(name, family, 'ms', { values: {}, notes: without });
      }
    }
  }

  /** @param {Task} task */
  async #runNative({ name }) {
    const { result, runPyTorch, say, save } = this.#options;
    await this.#forget();
    const filter = /** @type {string} */ (nativeFilters[name]);
    const known = new Set(result.native.map((row) => row.name));
    result.nativeSetting = await runPyTorch(filter, this.#left(), (row) => {
      if (known.has(row.name)) return;
      result.native.push(row);
      say(
        `PyTorch ${row.name.padEnd(60)} ${row.pytorch === null ? row.note : `${row.pytorch.toFixed(4)} ${row.unit}`}`,
      );
      save();
    });
    if (this.#isLate()) throw new TimeIsUp();
    return 'done';
  }

  /** The tests of kernels first, then those of what uses them. */
  async #runTests() {
    const { result, startTests, rowLimit, say, save } = this.#options;
    await this.#forget();
    const worker = startTests();
    const folders = ['kernels/', 'ops/', 'autodiff/', 'training', 'keras/'];
    const place = (/** @type {string} */ file) => folders.findIndex((folder) => file.startsWith(folder));
    try {
      /** @type {string[]} */
      const files = await worker.call('files', [], { total: rowLimit });
      const known = new Set(result.tests.map(({ file }) => file));
      for (const file of files.sort((a, b) => place(a) - place(b))) {
        if (known.has(file)) continue;
        if (this.#left() < LEAST_MS) throw new TimeIsUp();
        /** @type {{ passed: number, failures: { name: string, message: string }[] }} */
        let outcome;
        try {
          outcome = await worker.call('runFile', [file], {
            total: Math.max(1, Math.min(3 * rowLimit, this.#left())),
          });
        } catch (error) {
          if (this.#isLate()) throw new TimeIsUp();
          const message = error instanceof Error ? error.message : String(error);
          outcome = { passed: 0, failures: [{ name: 'the file', message }] };
        }
        const { passed, failures } = outcome;
        result.tests.push({ file, passed, failures });
        say(`${file}: ${passed} passed, ${failures.length} failed`);
        for (const { name, message } of failures) say(`  ${name}: ${message.split('\n')[0]}`);
        save();
      }
      return 'done';
    } finally {
      await worker.end();
    }
  }
}
