/** @file StepRecording: records steps as they run, and replays any of them from a checkpoint. */
import { requireInteger } from '../../core/shape.ts';
import { DisposedError, ValueError } from '../../core/errors.ts';
import { version } from '../../core/version.ts';
import { rewindSeeds, seedPosition } from '../../ops/define/seeds.ts';
import { Snapshot } from '../../tensor/snapshot.ts';
import type { SaveTarget } from '../../storage/targets.ts';
import type { Device } from '../../webgpu/device.ts';
import { adapterName } from '../step/adapterName.ts';
import { htmlOf } from '../step/html.ts';
import { inspectTarget } from '../step/inspect.ts';
import { type InspectedStep, stepOf, type StepState } from '../step/inspectedStep.ts';
import type { Finding, StepReportData } from '../step/reportData.ts';
import { showPage } from '../step/show.ts';
import { StepReport } from '../step/stepReport.ts';
import { writeText } from '../step/writeText.ts';
import { curveFindings } from './curveFindings.ts';
import { freeArguments, retainArguments, type RetainedStep, RetainedSteps } from './retainedSteps.ts';
import type { RecordedStep, StepRecordingData } from './recordingData.ts';
import type { RecordOptions } from './recordOptions.ts';
import { stateOf } from './stateOf.ts';
import { isBranch } from '../../core/nest.ts';
import { Tensor } from '../../tensor/tensor.ts';

/** A batch of `fit`, as passed to its callbacks. */
interface FitBatch {
  readonly x: unknown;
  readonly y: unknown;
  readonly sampleWeight: unknown;
}

/** A step that is about to be recorded. */
interface NextStep {
  readonly args: unknown[];
  /** Whether metrics are reset before it. */
  readonly resets: boolean;
  /** Runs the step, for a step of `fit`, whose callbacks may assign weights between steps. */
  readonly fitted?: () => unknown;
}

type Settings = RecordOptions & { checkpointEvery: number; keep: number; device: Device };

/** A recording of steps: see `recordSteps`. Dispose of it to free its checkpoints. */
export class StepRecording<A extends readonly unknown[] = readonly unknown[]> {
  readonly #target: unknown;
  readonly #settings: Settings;
  readonly #retained: RetainedSteps;
  readonly #steps: RecordedStep[] = [];
  readonly #opened = new Map<number, StepReportData>();
  #name: string | undefined;
  /** Whether the next step of `fit` is the first of its epoch. */
  #beginsEpoch = false;
  /** The end of the current step or replay: they run one after the other. */
  #last: Promise<unknown> = Promise.resolve();

  /** Called by `recordSteps`. */
  constructor(target: unknown, settings: Settings) {
    this.#target = target;
    this.#settings = settings;
    this.#name = settings.name;
    this.#retained = new RetainedSteps(settings.checkpointEvery, settings.keep);
  }

  /** The steps so far. */
  get steps(): readonly RecordedStep[] {
    return this.#steps;
  }

  /** Findings about the curves of the steps so far: a loss that isn't finite, never changes, rises, or jumps back and forth. */
  get findings(): readonly Finding[] {
    return curveFindings(this.#steps);
  }

  /**
   * Runs the next step: `step(...args)`, or for a model `trainOnBatch(...args)` with metrics of this batch only. Resolves to
   * its result. Errors: those of the step, which is recorded nevertheless; DisposedError.
   */
  async step(...args: A): Promise<unknown> {
    if (this.#retained.disposed) throw disposed();
    const retained = retainArguments(args);
    return this.#alone(() => this.#record({ args: retained, resets: true }));
  }

  /** Callback hook of `fit`: notes that an epoch begins and metrics are reset. */
  readonly onEpochBegin = (): void => {
    this.#beginsEpoch = true;
  };

  /**
   * Callback hook of `fit`: records each step. Its numbers are the metrics of the epoch so far. Errors: ValueError for a
   * model other than that of the recording.
   */
  readonly aroundTrainStep = async (
    { x, y, sampleWeight }: FitBatch,
    step: () => unknown,
    read: () => Promise<Readonly<Record<string, number>>>,
    model: unknown,
  ): Promise<void> => {
    if (model !== this.#target) throw otherModel(this.#target);
    const args = retainArguments([x, y, { sampleWeight }]);
    const resets = this.#beginsEpoch;
    this.#beginsEpoch = false;
    const fitted = async () => {
      await step();
      return read();
    };
    await this.#alone(() => this.#record({ args, resets, fitted }));
  };

  /**
   * Replays step `index` (from 0) from the checkpoint before it, with the same arguments, random numbers and bits, and
   * reports on it. Afterwards, weights and optimizer are the same as before the call. If the replayed step returns different
   * numbers than the recorded one, the first finding says so.
   * Errors: ValueError for a step that is no longer available, and while the model trains.
   */
  open(index: number): Promise<StepReport> {
    return this.#alone(() => this.#replay(index));
  }

  /** Returns the recording as plain data, with the reports of the steps that were opened. */
  toJSON(): StepRecordingData {
    const finite = (values: RecordedStep['values']) =>
      Object.fromEntries(
        Object.entries(values).map(([name, value]) => [name, Number.isFinite(value) ? value : null]),
      );
    return {
      format: 'retrograd step recording',
      version: 1,
      library: version,
      name: this.#name ?? 'steps',
      adapter: adapterName(this.#settings.device.adapter),
      steps: this.#steps.map((step) => ({ ...step, values: finite(step.values) })),
      findings: this.findings,
      firstRetained: this.#retained.first,
      opened: Object.fromEntries(this.#opened),
    };
  }

  /** One HTML file: the curve of the steps, and the reports of those that were opened. */
  html(): string {
    return htmlOf({ recording: this.toJSON() });
  }

  /** Writes `html()`, or the JSON if the name ends in `.json`. Targets as for `StepReport.save`. */
  save(target: SaveTarget): Promise<void> {
    return writeText(target, () => this.html(), this);
  }

  /** In a page: shows the curve of the steps, each of which opens on a click. As `StepReport.show`. */
  show(container?: Element): Promise<HTMLElement> {
    const open = async (index: number) => (await this.open(index)).toJSON();
    return showPage({ recording: this.toJSON() }, container, open);
  }

  /** Frees the checkpoints and the arguments of the steps. Reports of opened steps are kept. */
  dispose(): void {
    this.#retained.dispose();
  }

  [Symbol.dispose](): void {
    this.dispose();
  }

  #alone<T>(work: () => Promise<T>): Promise<T> {
    const running = this.#last.then(work);
    this.#last = running.catch(() => {});
    return running;
  }

  async #record({ args, resets, fitted }: NextStep): Promise<unknown> {
    const { step, state } = await this.#prepared(args).catch((error: unknown) => {
      freeArguments(args);
      throw error;
    });
    this.#name ??= step.name;
    if (resets) state.prepare?.();
    this.#retained.begin(state, fitted !== undefined);
    const before = { numbers: state.numbers.map((number) => number.get()), seeds: seedPosition() };
    const start = performance.now();
    let values: Record<string, number> = {};
    let error: string | null = null;
    try {
      const result = await (fitted ? fitted() : step.run(true));
      values = await returnedNumbers(result);
      return result;
    } catch (thrown) {
      error = String(thrown);
      throw thrown;
    } finally {
      this.#retained.add({ args, resets, ...before, values }, state.variables);
      this.#steps.push({ values, milliseconds: performance.now() - start, error });
    }
  }

  async #prepared(args: readonly unknown[]): Promise<{ step: InspectedStep; state: StepState }> {
    const step = stepOf('recordSteps', this.#target, args);
    const state = await stateOf(step, this.#settings.state);
    return { step, state };
  }

  async #replay(index: number): Promise<StepReport> {
    requireInteger('open', 'index', index, 0);
    const found = index < this.#steps.length ? this.#retained.upTo(index) : null;
    if (!found) throw notRetained(index, this.#retained.first, this.#steps.length);
    const last = found.steps.at(-1) as RetainedStep;
    const { state } = await this.#prepared(last.args);
    state.requireIdle?.('open');
    const present = { numbers: state.numbers.map((number) => number.get()), seeds: seedPosition() };
    const variables = new Snapshot();
    variables.take([...state.variables, ...(state.accumulators ?? [])]);
    try {
      // Metrics that were created after the checkpoint start at zero.
      state.prepare?.();
      found.checkpoint.restore();
      for (const step of found.steps.slice(0, -1)) await this.#repeat(step);
      await this.#rewind(last);
      const report = await this.#inspect(last, index);
      this.#opened.set(index, report.toJSON());
      return report;
    } finally {
      variables.restore();
      variables.dispose();
      setNumbers(state, present);
    }
  }

  /** Runs a step again, up to the point that it reached. */
  async #repeat(retained: RetainedStep): Promise<void> {
    const step = await this.#rewind(retained);
    try {
      await step.run(true);
    } catch {
      // It failed when it was recorded, too: its caller got the error then.
    }
  }

  /** Restores the state that host code changes to that before a step. */
  async #rewind(retained: RetainedStep): Promise<InspectedStep> {
    const { step, state } = await this.#prepared(retained.args);
    if (retained.resets) state.prepare?.();
    setNumbers(state, retained);
    return step;
  }

  async #inspect({ args, values }: RetainedStep, index: number): Promise<StepReport> {
    const { featureMaps = 8, device } = this.#settings;
    const options = { name: `${this.#name}, step ${index}`, featureMaps, device };
    const report = await inspectTarget(options, this.#target, args, true);
    const replayed = await returnedNumbers(report.result).catch(() => ({}));
    const finding = differenceOf(index, values, replayed);
    if (!finding) return report;
    const data = report.toJSON();
    return new StepReport({ ...data, findings: [finding, ...data.findings] }, report.result);
  }
}

function setNumbers(
  { numbers }: StepState,
  before: { readonly numbers: readonly number[]; readonly seeds: number },
): void {
  before.numbers.forEach((value, i) => {
    const number = numbers[i];
    // A learning rate that is set by a schedule can't be assigned, and needn't be.
    if (number && !Object.is(number.get(), value)) number.set(value);
  });
  rewindSeeds(before.seeds);
}

/** Returns a finding if a replayed step returned different numbers than the recorded one. */
function differenceOf(
  index: number,
  recorded: Readonly<Record<string, number>>,
  replayed: Readonly<Record<string, number>>,
): Finding | null {
  const names = Object.keys(recorded).filter((name) => !Object.is(recorded[name], replayed[name]));
  const [name] = names;
  if (name === undefined) return null;
  return {
    kind: 'replay',
    severity: 'warning',
    title: `The replay of step ${index} isn't the step that was recorded: '${name}' is ${replayed[name]} now, and was ${recorded[name]}.`,
    text: 'Something changed what the step depends on besides the recorded steps: weights were assigned in between, or the step has state of its own.',
    hint: 'change weights only inside of recorded steps, and name in `state` what a function changes.',
    callSite: null,
    layer: null,
    call: null,
    weights: [],
  };
}

function disposed(): DisposedError {
  return new DisposedError({
    op: 'recordSteps',
    rule: 'a recording that was disposed of records no further step.',
    received: 'a call of step()',
    hint: 'dispose of it after the last step: `using recording` ends with its block.',
  });
}

function otherModel(target: unknown): ValueError {
  return new ValueError({
    op: 'fit',
    rule: 'a recording among the callbacks is a recording of the model that is trained.',
    received: typeof target === 'function' ? 'a recording of a function' : 'a recording of another model',
    hint: 'fit({ callbacks: [recording] }) with recording = recordSteps(net) of the same net.',
  });
}

function notRetained(index: number, first: number, count: number): ValueError {
  return new ValueError({
    op: 'open',
    rule: 'a step can be opened while its checkpoint is kept.',
    received: `step ${index}, where ${count > first ? `steps ${first} to ${count - 1}` : 'none'} are kept`,
    hint: 'keep more steps: recordSteps(net, { keep: 1000 }), and dispose of the recording last.',
  });
}

/** Limit of the numbers that are kept; a step may return predictions. */
const maxNumbers = 24;

/**
 * The numbers in `result`, and tensors of one element, by name: a recording shows them, and compares them after a replay. Errors:
 * those of reading a tensor.
 */
async function returnedNumbers(result: unknown): Promise<Record<string, number>> {
  const found: [string, number | Tensor][] = [];
  const search = (value: unknown, name: string): void => {
    if (found.length >= maxNumbers) return;
    const isNumber = typeof value === 'number' || (value instanceof Tensor && value.size === 1);
    if (isNumber) found.push([name || 'result', value as number | Tensor]);
    else if (isBranch(value))
      for (const [key, part] of Object.entries(value)) search(part, name ? `${name}.${key}` : key);
  };
  search(result, '');
  const read = found.map(async ([name, value]) => {
    const number = typeof value === 'number' ? value : await value.item();
    return [name, Number(number)] as const;
  });
  return Object.fromEntries(await Promise.all(read));
}
