/** @file Compiled: what `compile()` was told, ready for use. */
import { ValueError } from '../../core/errors.ts';
import { describe, requireBoolean } from '../../core/shape.ts';
import type { Metric } from '../metrics/metric.ts';
import type { Optimizer } from '../optimizers/optimizer.ts';
import { CompiledLoss, type LossArgument, type LossWeights } from './compiledLoss.ts';
import { CompiledMetrics, type MetricsArgument } from './compiledMetrics.ts';
import { LossTracker } from './lossTracker.ts';
import { optimizerOf, type OptimizerLike } from '../optimizers/get.ts';
import { requireKnownOptions } from '../knownOptions.ts';

export interface CompileOptions {
  /** By name, by configuration, or an object. Default 'rmsprop', as in Keras. */
  optimizer?: OptimizerLike;
  /** For all outputs, or by output. Default: none, but those that layers add. */
  loss?: LossArgument | null;
  /** What the loss of each output counts. Default 1. */
  lossWeights?: LossWeights | null;
  /** Measured over each epoch, every sample alike. */
  metrics?: MetricsArgument | null;
  /** Measured with sample and class weights. */
  weightedMetrics?: MetricsArgument | null;
  /** Whether every step runs as it is written, without being captured: for debugging. Default false. */
  runEagerly?: boolean;
}

const known = ['optimizer', 'loss', 'lossWeights', 'metrics', 'weightedMetrics', 'runEagerly'];

export class Compiled {
  readonly optimizer: Optimizer;
  readonly loss: CompiledLoss | null;
  readonly metrics: CompiledMetrics;
  readonly lossTracker = new LossTracker({ name: 'loss' });
  readonly runEagerly: boolean;

  /** `outputs` are the names of the model's outputs, null where it doesn't know them yet. Errors: ValueError. */
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
    } = options;
    requireBoolean('compile', 'runEagerly', runEagerly);
    this.runEagerly = runEagerly;
    this.loss = loss === null ? null : new CompiledLoss(loss, lossWeights, outputs);
    this.metrics = new CompiledMetrics(metrics, weightedMetrics, outputs);
    this.optimizer = optimizerOf(optimizer);
  }

  /** All metrics, with their names in logs: the loss, what was compiled, the losses of outputs. Keras's order. */
  get entries(): readonly { readonly key: string; readonly metric: Metric<never> }[] {
    const trackers = this.loss?.trackers.map((metric) => ({ key: metric.name, metric })) ?? [];
    return [{ key: 'loss', metric: this.lossTracker }, ...this.metrics.entries, ...trackers];
  }

  /** Frees what was made here; an optimizer and metrics that were given as objects stay the caller's. */
  dispose(): void {
    if (this.optimizer !== this.options.optimizer) this.optimizer.dispose();
    this.lossTracker.dispose();
    this.loss?.dispose();
    this.metrics.dispose();
  }
}

function requireOptions(options: unknown): void {
  if (typeof options === 'object' && options !== null) {
    requireKnownOptions('compile', options, known);
    return;
  }
  throw new ValueError({
    op: 'compile',
    rule: 'it takes one object of options.',
    received: describe(options),
    hint: "call compile({ optimizer: 'adam', loss: 'mse' }).",
  });
}
