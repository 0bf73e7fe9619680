/** @file inspect: runs one step, and reports what it did. */
import { runAll } from '../../core/cleanup.ts';
import { IndexOutOfRangeError, RetrogradError } from '../../core/errors.ts';
import { checkOptions } from '../../core/options.ts';
import type { CaptureReport } from '../../autodiff/compile.ts';
import { setGradientObserver } from '../../autodiff/gradientObserver.ts';
import { isDebugMode, debugMode } from '../../history/callSite.ts';
import { outputSearch, setOutputSearch } from '../../ops/define/outputSearch.ts';
import { getDevice } from '../../webgpu/current.ts';
import type { Device } from '../../webgpu/device.ts';
import { requireDevice } from '../../webgpu/requireDevice.ts';
import { profile } from '../profile.ts';
import type { ProfileReport } from '../report.ts';
import { AllocationLog } from './allocationLog.ts';
import { assemble } from './assemble.ts';
import { FeatureMapTaker } from './observed.ts';
import { type Inspectable, type InspectedStep, stepOf } from './inspectedStep.ts';
import { type InspectOptions, requireReportOptions } from './reportOptions.ts';
import { StepRecorder } from './stepRecorder.ts';
import { StepReport } from './stepReport.ts';
import { UnobservedWork } from './unobserved.ts';
import { StatisticsCollector } from './valueStatistics.ts';
import { WeightWatch } from './weightWatch.ts';

/** The return type of `inspector`. */
export interface Inspect {
  <A extends readonly unknown[]>(step: (...args: A) => unknown, ...args: A): Promise<StepReport>;
  <A extends readonly unknown[]>(model: Inspectable<A>, ...args: A): Promise<StepReport>;
}

/**
 * Runs one step and reports on it: ops forward and backward by layers, with shapes, times and kernels; statistics of
 * activations, gradients and weights; memory; and findings, which explain why a step doesn't learn.
 *
 *     const report = await inspect(step, x, y);           // a function, or a compiled one
 *     const report = await inspect(net, x, y);            // the next training step of a compiled model, as `trainOnBatch`
 *     console.log(report.summary());
 *     await report.save('step.html');
 *
 * The step is actually executed: optimizers update weights. The JavaScript of compiled functions runs, too, so launches are
 * those of an eager call. Errors and faults of the step become findings. Everything that computes on the device until the
 * step ends is part of it. The statistics of each result take two launches on the device; everything is read back together at
 * the end.
 * Errors: ValueError for anything but a step, and while a profile or another inspection runs; errors of the step before its
 * first op.
 */
export const inspect: Inspect = (target: unknown, ...args: unknown[]) => inspectTarget({}, target, args);

/** `inspect` with options: `inspector({ featureMaps: 0 })(step, x, y)`. Errors: ValueError for unknown options. */
export function inspector(options: InspectOptions = {}): Inspect {
  checkOptions('inspector', options, ['name', 'featureMaps', 'device']);
  requireReportOptions('inspector', options);
  if (options.device !== undefined) requireDevice('inspector', options.device);
  return (target: unknown, ...args: unknown[]) => inspectTarget(options, target, args);
}

/** `inspect` for a step that may continue the metrics of the step before it, as in a recording. */
export async function inspectTarget(
  options: InspectOptions,
  target: unknown,
  args: readonly unknown[],
  continues = false,
): Promise<StepReport> {
  const { device = getDevice(), featureMaps = 8 } = options;
  requireDevice('inspect', device);
  const found = stepOf('inspect', target, args);
  const step = { ...found, run: () => found.run(continues) };
  const name = options.name ?? step.name;
  const captures = capturesOf(target);
  const run = new StepRun(device, featureMaps);
  try {
    const profiled = await run.profile(step);
    if (run.error !== null && run.recorder.calls.length === 0) throw run.error;
    const data = await assemble({
      name,
      device,
      profiled,
      recorder: run.recorder,
      statistics: run.statistics,
      weights: run.weights.watched,
      unobserved: run.unobserved,
      log: run.allocations,
      bytesBefore: run.bytesBefore,
      launchesBefore: run.launchesBefore,
      errors: run.errors,
      captures,
    });
    return new StepReport(data, run.result);
  } finally {
    run.dispose();
  }
}

/** One run of a step, with all its observers. */
class StepRun {
  readonly unobserved: UnobservedWork;
  readonly statistics: StatisticsCollector;
  readonly weights: WeightWatch;
  readonly recorder: StepRecorder;
  readonly bytesBefore: number;
  readonly launchesBefore: number;
  /** The error that the step threw; null if it succeeded. */
  error: unknown = null;
  /** The step's result. */
  result: unknown;
  #allocations: AllocationLog | null = null;

  constructor(
    private readonly device: Device,
    featureMaps: number,
  ) {
    this.bytesBefore = device.allocator.statistics.bytesInUse;
    this.launchesBefore = device.stream.statistics.launches;
    this.unobserved = new UnobservedWork(device);
    this.statistics = new StatisticsCollector(device);
    this.weights = new WeightWatch(this.unobserved, this.statistics);
    this.recorder = new StepRecorder({
      device,
      unobserved: this.unobserved,
      statistics: this.statistics,
      maps: new FeatureMapTaker(this.unobserved, featureMaps),
      weights: this.weights,
      allocations: () => this.allocations,
    });
  }

  get allocations(): AllocationLog {
    return this.#allocations as AllocationLog;
  }

  /** Errors and faults of the step, in order. */
  get errors(): readonly Error[] {
    const { error } = this;
    if (!(error instanceof Error)) return error === null ? [] : [new Error(String(error))];
    return error instanceof RetrogradError ? [error, ...error.others] : [error];
  }

  profile(step: InspectedStep): Promise<ProfileReport<unknown>> {
    return profile(() => this.#watched(step), { device: this.device });
  }

  async #watched(step: InspectedStep): Promise<void> {
    const { device, recorder } = this;
    const { executor } = device;
    const before = { search: outputSearch(), debug: isDebugMode() };
    this.#allocations = new AllocationLog(executor, () => recorder.calls.length);
    for (const weight of step.weights) this.weights.watch(weight);
    try {
      device.executor = this.allocations;
      setOutputSearch(recorder);
      setGradientObserver(recorder);
      debugMode(true);
      await this.#noting(async () => {
        this.result = await step.run();
      });
    } finally {
      this.allocations.close();
      device.executor = executor;
      setOutputSearch(before.search);
      setGradientObserver(null);
      debugMode(before.debug);
    }
    this.weights.compare();
    await this.#noting(() => device.sync());
  }

  /** Runs `body`. Its error becomes part of the report. */
  async #noting(body: () => unknown): Promise<void> {
    try {
      await body();
    } catch (error) {
      // A fault is more informative than its consequences.
      if (
        this.error === null ||
        (error instanceof IndexOutOfRangeError && !(this.error instanceof IndexOutOfRangeError))
      )
        this.error = error;
    }
  }

  dispose(): void {
    runAll([() => this.recorder.dispose(), () => this.weights.dispose(), () => this.statistics.dispose()]);
  }
}

/** Returns how a compiled function was captured before this call. */
function capturesOf(target: unknown): CaptureReport[] | null {
  const explain = typeof target === 'function' && (target as { explain?: unknown }).explain;
  return typeof explain === 'function' ? (explain() as CaptureReport[]) : null;
}
