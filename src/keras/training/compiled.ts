/** @file Compiled: the optimizer, losses and metrics that a model was compiled with. */
import { runAll } from '../../core/cleanup.ts';
import { ValueError } from '../../core/errors.ts';
import { describe, requireBoolean, requireInteger } from '../../core/shape.ts';
import type { Metric } from '../metrics/metric.ts';
import type { Optimizer } from '../optimizers/optimizer.ts';
import { CompiledLoss, type LossArgument, LossTracker, type LossWeights } from './compiledLoss.ts';
import { CompiledMetrics, type MetricsArgument } from './compiledMetrics.ts';
import { type OptimizerLike, optimizerOf } from '../optimizers/get.ts';
import { checkOptions } from '../../core/options.ts';
import { type MemoryPlan, requireMemory } from './memoryOption.ts';

/** Options of `compile`. */
export interface CompileOptions {
  /** A name, a configuration or an optimizer. Default 'rmsprop', as in Keras. */
  optimizer?: OptimizerLike;
  /** One for all outputs, or one per output. Default: only the losses that layers add. */
  loss?: LossArgument | null;
  /** Weight of the loss of each output. Default 1. */
  lossWeights?: LossWeights | null;
  /** Metrics over each epoch, ignoring sample weights. */
  metrics?: MetricsArgument | null;
  /** Metrics over each epoch, with sample and class weights. */
  weightedMetrics?: MetricsArgument | null;
  /** Whether to run every step eagerly instead of capturing it, for debugging. Default false. */
  runEagerly?: boolean;
  /**
   * Batches for which callbacks are called once: `onTrainBatchBegin` with the index of the first, `onTrainBatchEnd` with that
   * of the last. Steps run ahead of the device in any case. Default 1.
   */
  stepsPerExecution?: number;
  /**
   * Bytes that a training step may take. Layers that keep the most for gradients run again in the backward pass instead, as by `remat`,
   * until an estimate for the first batch is small enough: `explainStep().memory` says which and why. If all are too few, that is
   * warned of. Default null: nothing runs again.
   */
  memory?: number | null;
  /** Keras's option. It changes nothing: steps are recorded and replayed unless `runEagerly` is set. */
  jitCompile?: boolean | 'auto';
}

const known = [
  'optimizer',
  'loss',
  'lossWeights',
  'metrics',
  'weightedMetrics',
  'runEagerly',
  'stepsPerExecution',
  'memory',
  'jitCompile',
];

export class Compiled {
  readonly optimizer: Optimizer;
  readonly loss: CompiledLoss | null;
  readonly metrics: CompiledMetrics;
  readonly lossTracker: LossTracker;
  readonly runEagerly: boolean;
  readonly stepsPerExecution: number;
  readonly memory: number | null;
  /** What was chosen for `memory`; null before the first step. */
  memoryPlan: MemoryPlan | null = null;

  /** `outputs` are the names of the model's outputs, null if they are not known yet. Errors: ValueError. */
  constructor(
    readonly options: CompileOptions,
    outputs: readonly string[] | null,
  ) {
    requireOptions(options);
    const {
      optimizer = 'rmsprop',
      loss = null,
      lossWeights = null,
      metrics = null,
      weightedMetrics = null,
      runEagerly = false,
      stepsPerExecution = 1,
      memory = null,
      jitCompile = 'auto',
    } = options;
    requireBoolean('compile', 'runEagerly', runEagerly);
    if (jitCompile !== 'auto') requireBoolean('compile', 'jitCompile', jitCompile);
    requireInteger('compile', 'stepsPerExecution', stepsPerExecution, 1);
    requireMemory(memory);
    this.stepsPerExecution = stepsPerExecution;
    this.memory = memory;
    this.runEagerly = runEagerly;
    const ownLoss = loss === null ? null : new CompiledLoss(loss, lossWeights, outputs);
    this.loss = ownLoss;
    const ownMetrics = orDispose([ownLoss], () => new CompiledMetrics(metrics, weightedMetrics, outputs));
    this.metrics = ownMetrics;
    this.optimizer = orDispose([ownLoss, ownMetrics], () => optimizerOf(optimizer));
    // Created last, because it has variables, which would have to be freed if something else fails.
    this.lossTracker = new LossTracker({ name: 'loss' });
  }

  /** All metrics with their names in logs, in Keras's order: the loss, the compiled metrics, the loss of each output. */
  get entries(): readonly { readonly key: string; readonly metric: Metric<never> }[] {
    const trackers = this.loss?.trackers.map((metric) => ({ key: metric.name, metric })) ?? [];
    return [{ key: 'loss', metric: this.lossTracker }, ...this.metrics.entries, ...trackers];
  }

  /** Frees what was created here. An optimizer or metrics passed as objects belong to the caller. */
  dispose(): void {
    const isOwn = this.optimizer !== this.options.optimizer;
    const held = [isOwn ? this.optimizer : null, this.lossTracker, this.loss, this.metrics];
    runAll(held.map((one) => () => one?.dispose()));
  }
}

function requireOptions(options: unknown): void {
  if (typeof options === 'object' && options !== null) {
    checkOptions('compile', options, known);
    return;
  }
  throw new ValueError({
    op: 'compile',
    rule: 'compile takes an object of options.',
    received: describe(options),
    hint: "call compile({ optimizer: 'adam', loss: 'mse' }).",
  });
}

/** Returns the value of `body`. If it fails, `held` are freed. */
function orDispose<T>(held: readonly ({ dispose(): void } | null)[], body: () => T): T {
  try {
    return body();
  } catch (error) {
    for (const one of held) one?.dispose();
    throw error;
  }
}
