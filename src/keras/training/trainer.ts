/**
 * @file Trainer: the training state of a model, next to its layers: what it was compiled with, its metrics, and what is
 * running on it.
 */
import { leavesOf, type Nest } from '../tensorNest.ts';
import { classOf, registeredNameOf } from '../serialization/registered.ts';
import { Compiled, type CompileOptions } from './compiled.ts';
import { declarationOf } from '../options/declaration.ts';
import { finishing } from '../../core/cleanup.ts';
import { ValueError } from '../../core/errors.ts';
import type { Pieces } from '../../core/pieces.ts';
import { keep } from '../../tensor/scope.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { Variable } from '../../tensor/variable.ts';
import type { History } from '../callbacks/history.ts';
import { findInProperties } from '../layers/base/findInProperties.ts';
import { Metric } from '../metrics/metric.ts';
import type { AnyBatch, StepLogs } from './batch.ts';
import type { Slots } from './data/slots.ts';
import { joinLogs, type PendingLogs } from './readLogs.ts';
import { explainRun, type LastRunners, type StepExplanation, type StepKind } from './explainStep.ts';
import { requireOutputs, requireStepLogs, requireTrackedLoss } from './stepLogs.ts';
import { isOwnCode as runsOwnCode, stateOf } from './recordedState.ts';
import { type StepModel, StepRunner, type StepRunnerOptions } from './stepRunner.ts';
import { type Freezable, requireKnownToOptimizer, TrainableFlags } from './trainableFlags.ts';
import { planMemory, type PlannedModel } from './memoryPlan.ts';
import { UpdateWatch } from './updates.ts';

export interface CustomizableModel {
  /** Layers inside it, at any depth. */
  readonly layersInside: readonly object[];
}

/**
 * Returns whether `model` has classes or functions of the app, or its losses or metrics are functions. Only then is a recorded step
 * compared with a new trace: the library's own layers, losses and metrics compute the same each time, and a trace of a large model
 * takes a while.
 */
function hasCustomCode(model: CustomizableModel, options: CompileOptions | null): boolean {
  if ([model, ...model.layersInside].some(isCustom)) return true;
  const given = [options?.loss, options?.metrics, options?.weightedMetrics];
  return leavesOf(given as Nest<unknown>).some((leaf) => typeof leaf === 'function');
}

/** The library's classes have their own names and aren't registered. A Lambda runs a function of the app. */
function isCustom(layer: object): boolean {
  const { className } = layer.constructor as { className?: string };
  const isNamed = Object.hasOwn(layer.constructor, 'className') || declarationOf(layer.constructor) !== null;
  return !isNamed || className === 'Lambda' || registeredNameOf(classOf(layer)) !== null;
}

/** The part of a model that its trainer uses. */
export interface TrainerModel extends StepModel {
  readonly name: string;
  readonly weights: readonly Variable[];
  /** Layers inside it, at any depth. */
  readonly layersInside: readonly Freezable[];
  readonly trainable: boolean;
  /** Whether its weights exist. */
  readonly built: boolean;
  /** The model's inputs and outputs, as far as they are known before the first call. */
  readonly slots: Slots;
  /** Metrics that are properties of the model or of layers inside it. */
  readonly ownMetrics: readonly Metric<never>[];
  trainStep(batch: AnyBatch): StepLogs;
  testStep(batch: AnyBatch): StepLogs;
  predictStep(batch: AnyBatch): Nest<Tensor>;
}

type Runner = StepRunner<StepLogs> | StepRunner<Nest<Tensor>>;

/** The operation that is running on a model. */
export interface Run {
  readonly op: string;
  /** Whether no step is running, as between epochs: callbacks may evaluate the model then. */
  idle: boolean;
  isOver: boolean;
  /** The run that contains it. */
  readonly outer: Run | null;
}

export class Trainer {
  compiled: Compiled | null = null;
  /** The history of the last `fit`, even if it failed. */
  history: History | null = null;
  /** Runners between two runs. */
  readonly #kept = new Map<StepKind, Runner>();
  /** Runners for steps on single batches, kept between calls. */
  #single: { train: StepRunner<StepLogs>; test: StepRunner<StepLogs> } | null = null;
  #run: Run | null = null;
  /** The last runners, for `explainStep`. */
  readonly #last: LastRunners = {};
  #flags: TrainableFlags | null = null;

  constructor(private readonly model: TrainerModel) {}

  /** Errors: ValueError for invalid options, or while something is running. */
  compile(options: CompileOptions): void {
    this.requireIdle('compile');
    const outputs = this.model.slots.outputs?.map(({ name }) => name) ?? null;
    const compiled = new Compiled(options, outputs);
    const before = this.compiled;
    this.compiled = compiled;
    this.#flags = new TrainableFlags(this.model);
    finishing(
      () => this.#forget(),
      () => before?.dispose(),
    );
  }

  /** Errors: ValueError if the model is not compiled. */
  requireCompiled(op: string): Compiled {
    if (this.compiled) return this.compiled;
    throw new ValueError({
      op,
      rule: 'a model must be compiled before it is trained or evaluated.',
      received: `'${this.model.name}', which is not`,
      hint: "call compile({ optimizer: 'adam', loss: 'mse' }) first.",
    });
  }

  /** Marks `op` as running until `end` is called. Errors: ValueError if something else is running. */
  begin(op: string): { run: Run; end: () => void } {
    const outer = this.#run;
    if (!(op === 'evaluate' && outer?.idle)) this.requireIdle(op);
    const run = { op, idle: false, isOver: false, outer };
    this.#run = run;
    const end = () => {
      run.isOver = true;
      // An evaluation that no callback waited for may end after the run around it.
      while (this.#run?.isOver) this.#run = this.#run.outer;
    };
    return { run, end };
  }

  /** Awaits callbacks while no step is running, so that they may evaluate the model. */
  async whileIdle(run: Run, callbacks: () => void | Promise<void>): Promise<void> {
    run.idle = true;
    try {
      await callbacks();
    } finally {
      run.idle = false;
    }
    if (this.#run !== run) this.requireIdle(run.op);
  }

  /** Errors: ValueError while something is running. */
  requireIdle(op: string): void {
    if (!this.#run) return;
    throw new ValueError({
      op,
      rule: 'a model does one thing at a time.',
      received: `${op} of '${this.model.name}' while ${this.#run.op} runs`,
      hint: `await ${this.#run.op} first, or abort it by its signal.`,
    });
  }

  /**
   * Returns the runner of a step for a run of so many batches; null if that isn't known. It has the recordings of the run before, where
   * they still hold. The caller gives it back by `keep`, and by `release` at the end, whatever happened.
   */
  take(kind: 'predict', batches: number | null): StepRunner<Nest<Tensor>>;
  take(kind: 'train' | 'test', batches: number | null): StepRunner<StepLogs>;
  take(kind: StepKind, batches: number | null): Runner {
    const make = {
      train: () => this.runTrain(),
      test: () => this.runTest(),
      predict: () => this.runPredict(),
    };
    const kept = this.#kept.get(kind);
    this.#kept.delete(kind);
    const runner = kept ?? make[kind]();
    if (kept && kind === 'train') this.#flags?.warnOfChanges();
    this.#last[kind] = runner;
    runner.begin(batches);
    return runner;
  }

  /** Keeps the recordings of a run that succeeded for the next one, if they may serve it. */
  keep(kind: StepKind, runner: Runner): void {
    if (!runner.end()) return;
    this.#kept.get(kind)?.dispose();
    this.#kept.set(kind, runner);
  }

  /** Frees a runner that isn't kept. */
  release(runner: Runner): void {
    if (![...this.#kept.values()].includes(runner)) runner.dispose();
  }

  /** Returns the runners of the model's steps. The caller disposes them. */
  runTrain(): StepRunner<StepLogs> {
    const { model } = this;
    this.#flags?.warnOfChanges();
    const prepare = (batch: AnyBatch) => this.#prepareTraining(batch);
    const watch = new UpdateWatch(model);
    let isUpdated: boolean | null = null;
    const step = (batch: AnyBatch) => {
      let logs: StepLogs;
      if (this.#isEager()) this.#planMemory(batch);
      const isTracked = this.#lossWatch();
      isUpdated = watch.during(() => {
        logs = model.trainStep(batch);
      });
      requireStepLogs('trainStep', logs);
      requireTrackedLoss('trainStep', logs, isTracked());
      // A step recorded without an update never makes one. An eager step may skip some updates.
      if (isUpdated === false && !this.#isEager()) watch.reject();
      return logs;
    };
    const endEpoch = () => {
      if (isUpdated === false) watch.reject();
    };
    return this.#runner('train', step, { prepare, endEpoch });
  }

  /** Creates, before the first training step, the variables of the optimizer. */
  *#prepareTraining(batch: AnyBatch): Pieces<void> {
    this.#flags?.warnOfChanges();
    const { trainableWeights: weights, built, name } = this.model;
    const optimizer = this.compiled?.optimizer;
    if (!optimizer || !built || weights.length === 0) return;
    requireKnownToOptimizer(`training of '${name}'`, optimizer, weights);
    yield* optimizer.buildInPieces(weights);
    this.#planMemory(batch);
  }

  /** Chooses, before the first training step, which layers run again. */
  #planMemory(batch: AnyBatch): void {
    const { compiled, model } = this;
    if (!compiled || compiled.memory === null || compiled.memoryPlan) return;
    const { optimizer, memory } = compiled;
    compiled.memoryPlan = planMemory(model as unknown as PlannedModel, batch, optimizer, memory);
  }

  runTest(): StepRunner<StepLogs> {
    const step = (batch: AnyBatch) => {
      const isTracked = this.#lossWatch();
      const logs = this.model.testStep(batch);
      requireStepLogs('testStep', logs);
      requireTrackedLoss('testStep', logs, isTracked());
      return logs;
    };
    return this.#runner('test', step);
  }

  /** Returns whether the loss is updated from here on. */
  #lossWatch(): () => boolean {
    const tracker = this.compiled?.lossTracker;
    const before = tracker?.changes;
    return () => tracker?.changes !== before;
  }

  runPredict(): StepRunner<Nest<Tensor>> {
    const step = (batch: AnyBatch) => {
      const outputs = this.model.predictStep(batch);
      requireOutputs(outputs);
      return outputs;
    };
    return this.#runner('predict', step);
  }

  #runner<R extends StepLogs | Nest<Tensor>>(
    kind: StepKind,
    step: (batch: AnyBatch) => R,
    hooks: Pick<StepRunnerOptions<R>, 'prepare' | 'endEpoch'> = {},
  ): StepRunner<R> {
    const { model } = this;
    const isEager = () => this.#isEager();
    const isCustom = () => hasCustomCode(model, this.compiled?.options ?? null);
    const compiled = () => (kind === 'predict' ? null : this.compiled);
    const isOwnCode = () => runsOwnCode(model, compiled());
    const state = () => stateOf(model, compiled());
    const name = `${kind} step of '${model.name}'`;
    const runner = new StepRunner(model, { name, step, isEager, isCustom, isOwnCode, state, ...hooks });
    this.#last[kind] = runner;
    return runner;
  }

  /** Explains how the last steps of `kind` ran. Errors: ValueError for an unknown kind. */
  explainStep(kind: StepKind): StepExplanation {
    const explained = explainRun(kind, this.model.name, this.#last, this.#isEager());
    const plan = kind === 'train' ? (this.compiled?.memoryPlan ?? null) : null;
    return plan ? { ...explained, memory: plan, text: `${explained.text}\nMemory: ${plan.text}` } : explained;
  }

  /** Batches for which callbacks are called once. */
  get stepsPerExecution(): number {
    return this.compiled?.stepsPerExecution ?? 1;
  }

  #isEager(): boolean {
    return this.compiled?.runEagerly ?? false;
  }

  /** Runners for `trainOnBatch` and `testOnBatch`. */
  get single() {
    this.#single ??= { train: this.runTrain(), test: this.runTest() };
    return this.#single;
  }

  /** Frees the runners of single batches, because the model may have changed. */
  forgetSingle(): void {
    const { train, test } = this.#single ?? {};
    this.#single = null;
    train?.dispose();
    test?.dispose();
  }

  /** Frees all runners. */
  #forget(): void {
    this.forgetSingle();
    const kept = [...this.#kept.values()];
    this.#kept.clear();
    for (const runner of kept) runner.dispose();
  }

  /** All metrics with their names in logs: compiled metrics first, then those of the model and its layers. */
  get entries(): readonly { readonly key: string; readonly metric: Metric<never> }[] {
    const compiled = this.compiled?.entries ?? [];
    const own = this.model.ownMetrics.filter((metric) => !compiled.some((entry) => entry.metric === metric));
    return [...compiled, ...own.map((metric) => ({ key: metric.name, metric }))];
  }

  resetMetrics(): void {
    for (const { metric } of this.entries) metric.resetState();
  }

  /** Returns the current logs: what the last step returned, otherwise the results of all metrics. */
  results(stepLogs: StepLogs): PendingLogs {
    if (stepLogs && Object.keys(stepLogs).length > 0) return joinLogs(stepLogs);
    const results: Record<string, Tensor> = {};
    try {
      for (const { key, metric } of this.entries) results[key] = keep(metric.result());
      return joinLogs(results);
    } finally {
      // A metric may return its own variable.
      for (const result of Object.values(results)) if (!(result instanceof Variable)) result.dispose();
    }
  }

  dispose(): void {
    const { compiled } = this;
    this.compiled = null;
    finishing(
      () => this.#forget(),
      () => compiled?.dispose(),
    );
  }
}

/** Frees what a step returned. */
export function freeLogs(logs: StepLogs): void {
  for (const value of Object.values(logs ?? {})) value.dispose();
}

/** Metrics that are properties of a layer. */
export function metricsIn(layer: object): Metric<never>[] {
  return findInProperties(layer, (value): value is Metric<never> => value instanceof Metric);
}
