/** @file A test file that is imported once and run by vitest's runner as often as asked, each time all or some of its tests. */
import { afterEach, beforeEach, startTests, type VitestRunner } from '@vitest/runner';
import { activeRecorders, stopRecorder } from '../../src/ops/define/recorders.ts';
import { beginTest } from '../support/beginTest.ts';
import { takeUncapturedErrors } from '../support/gpu.ts';

type File = Awaited<ReturnType<typeof startTests>>[number];
type Task = File['tasks'][number];
type Test = Extract<Task, { type: 'test' }>;

/** The result of a test. */
export interface TestRun {
  /** Its position in the file; -1 for a hook that failed. */
  readonly index: number;
  readonly name: string;
  readonly milliseconds: number;
  /** The reason for its failure; null if it passed. */
  readonly message: string | null;
}

/** Which tests run, by position, and how. */
export interface RunOptions {
  /** Default: all. */
  readonly chosen?: ReadonlySet<number>;
  /** Whether the first failure ends the run. Default false. */
  readonly bails?: boolean;
  /** Receives the position of a test before it runs, and null afterwards. */
  readonly onTest?: (index: number | null) => void;
}

/** Milliseconds that a test may take. */
const timeout = 300_000;

const config: VitestRunner['config'] = {
  root: '/',
  setupFiles: [],
  name: undefined,
  passWithNoTests: true,
  testNamePattern: undefined,
  allowOnly: false,
  sequence: { seed: 0, hooks: 'stack', setupFiles: 'list' },
  chaiConfig: undefined,
  maxConcurrency: 1,
  testTimeout: timeout,
  hookTimeout: timeout,
  retry: 0,
  includeTaskLocation: false,
  tags: [],
  tagsFilter: undefined,
  strictTags: false,
};

export class TestFile {
  private readonly file: File;
  private readonly tests: readonly Test[];
  /** The modes of all tasks as they were collected, since a run changes them. */
  private readonly modes: ReadonlyMap<Task | File, Task['mode']>;
  /** Each removes one of the listeners that the present run added. */
  private readonly listeners: (() => void)[] = [];

  private constructor(file: File) {
    const tasks = [file, ...descendants(file)];
    this.file = file;
    this.tests = tasks.filter((task): task is Test => task.type === 'test');
    this.modes = new Map(tasks.map((task) => [task, task.mode]));
    for (const { context } of this.tests) this.noteListeners(context.signal);
  }

  /** The runner listens for the cancellation of a test each time it runs, and keeps listening: a run removes its listeners. */
  private noteListeners(signal: AbortSignal): void {
    const add = signal.addEventListener.bind(signal);
    signal.addEventListener = (type: string, listener: EventListenerOrEventListenerObject) => {
      add(type, listener);
      this.listeners.push(() => signal.removeEventListener(type, listener));
    };
  }

  /** Calls `load`, which registers the tests. Errors: what `load` throws. */
  static async load(name: string, load: () => Promise<unknown>): Promise<TestFile> {
    const found: File[] = [];
    const runner: VitestRunner = {
      config,
      async importFile() {
        beforeEach(beginTest);
        afterEach(leaveNothing);
        await load();
      },
      onCollected: (files) => void found.push(...files.splice(0)),
    };
    await startTests([`/${name}`], runner);
    const file = found[0] as File;
    const message = messageOf(file);
    if (message !== null) throw new Error(message);
    return new TestFile(file);
  }

  /** The places of tests that aren't skipped. */
  get places(): number[] {
    return this.tests.flatMap((test, i) => (this.modes.get(test) === 'run' ? [i] : []));
  }

  /** The number of skipped tests. */
  get skipped(): number {
    return this.tests.length - this.places.length;
  }

  async run({ chosen, bails = false, onTest = () => {} }: RunOptions = {}): Promise<TestRun[]> {
    for (const [task, mode] of this.modes) {
      delete task.result;
      task.mode = mode;
    }
    for (const [i, test] of this.tests.entries()) if (chosen && !chosen.has(i)) test.mode = 'skip';
    const runner: VitestRunner = {
      config,
      importFile() {},
      onCollected: (files) => void files.push(this.file),
      onBeforeRunTask: (test) => onTest(this.tests.indexOf(test)),
      onAfterRunTask: (test) => {
        onTest(null);
        if (bails && test.result?.state === 'fail') this.skipRest();
      },
    };
    await startTests([], runner);
    for (const remove of this.listeners.splice(0)) remove();
    return this.outcome();
  }

  private skipRest(): void {
    for (const test of this.tests) if (!test.result) test.mode = 'skip';
  }

  private outcome(): TestRun[] {
    const runs = this.tests.flatMap((test, index): TestRun[] => {
      const { result } = test;
      if (!result || result.state === 'skip') return [];
      return [{ index, name: pathOf(test), milliseconds: result.duration ?? 0, message: messageOf(test) }];
    });
    // Errors of beforeAll and afterAll are those of suites.
    const hooks = [...this.modes.keys()].flatMap((task): TestRun[] => {
      const message = task.type === 'suite' ? messageOf(task) : null;
      return message === null ? [] : [{ index: -1, name: pathOf(task), milliseconds: 0, message }];
    });
    return [...runs, ...hooks];
  }
}

function descendants(suite: { readonly tasks: readonly Task[] }): Task[] {
  return suite.tasks.flatMap((task) => (task.type === 'suite' ? [task, ...descendants(task)] : [task]));
}

function messageOf(task: Task | File): string | null {
  const [error] = task.result?.errors ?? [];
  return error ? error.message || String(error.stack) : null;
}

const pathOf = (task: Task | File): string =>
  task.suite ? `${pathOf(task.suite)} > ${task.name}` : task.name;

/** Tests share a process: a tape that still records would record the next ones, too. */
async function leaveNothing(): Promise<void> {
  activeRecorders().forEach(stopRecorder);
  const errors = await takeUncapturedErrors();
  if (errors.length > 0)
    throw new Error(`uncaptured GPU errors:\n${errors.map(({ message }) => message).join('\n')}`);
}
