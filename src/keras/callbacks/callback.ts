/**
 * @file Callback: code that is called while a model trains, is evaluated or predicts, and may influence the run.
 *
 * Metrics stay on the device while batches run, because reading them makes training wait for the GPU. Batch logs are
 * therefore read only for callbacks that set `readsBatchLogs`.
 */
import { ValueError } from '../../core/errors.ts';
import type { TensorLike } from '../../ops/define/operands.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import type { Variable } from '../../tensor/variable.ts';
import type { Metric } from '../metrics/metric.ts';
import type { Nest } from '../tensorNest.ts';
import { checkOptions } from '../../core/options.ts';
import { inheritedDeclaration } from '../options/declaration.ts';
import { defineFields, readOptions } from '../options/option.ts';

/**
 * Names and values: `{ loss: 0.3, accuracy: 0.9, val_loss: 0.4 }`. Callbacks may add to those of an epoch.
 * A metric of several values, such as `recall({ thresholds: [0.3, 0.6] })`, logs a list, as in Keras. The type is that of the others, so
 * read it as `logs.recall as unknown as number[]`.
 */
export type Logs = Record<string, number>;

/** Whether a value of logs is a list. */
export function isList(value: unknown): value is readonly number[] {
  return Array.isArray(value);
}

/** The parameters of a run. */
export interface RunParams {
  /** Total number of epochs; 1 outside of `fit`. */
  epochs: number;
  /** Batches per epoch; null if unknown before the first epoch ends. */
  steps: number | null;
  /** 0: silent, 1: progress bar, 2: one line per epoch. */
  verbose: 0 | 1 | 2;
  /** Whether epochs are validated. */
  validation?: boolean;
  [other: string]: unknown;
}

/** The part of an optimizer that callbacks use. */
export interface CallbackOptimizer {
  readonly name: string;
  /** The rate of the next step. Can be set only if there is no schedule. */
  learningRate: number;
  /** The learning rate schedule; null if the rate is a number. */
  readonly schedule: object | null;
  /** Whether the model holds moving averages instead of its weights. */
  readonly holdsAverages?: boolean;
  /** Swaps the weights with their moving averages. Errors: ValueError if there are none. */
  swapAverages?(): void;
}

/** The part of a model that callbacks use. */
export interface CallbackModel {
  readonly name: string;
  /** If set to true, training ends after the current batch. */
  stopTraining: boolean;
  /** All weights, in a fixed order. */
  readonly weights: readonly Variable[];
  /** Copies of the values of the weights, in their order. */
  getWeights(): Tensor[];
  /** Sets the weights, in their order. */
  setWeights(values: readonly TensorLike[]): void;
  /** Null for a model that isn't compiled. */
  readonly optimizer: CallbackOptimizer | null;
  readonly metrics: readonly Metric<never>[];
}

/** The result of a hook: training waits for promises. */
export type HookResult = void | Promise<void>;

/** The input of a training step: tensors on the device, which are freed after the step. */
export interface StepBatch {
  readonly x: Nest<Tensor>;
  readonly y: Nest<Tensor> | null;
  /** Sample weights, those of classes included. Null: all samples count the same. */
  readonly sampleWeight: Nest<Tensor> | null;
}

/**
 * Base class of callbacks. All hooks may be async: training waits for them. Epochs and batches are counted from 0.
 *
 *     class Announce extends Callback {
 *       onEpochEnd(epoch, logs) { console.log(epoch, logs.loss); }
 *     }
 */
export abstract class Callback {
  /**
   * The logs that batch hooks receive. false: none, `{}`. true: those of that batch, for which training waits. 'latest':
   * the newest that have arrived, without waiting.
   */
  readonly readsBatchLogs: boolean | 'latest' = false;

  /** The epoch to start at, set in `onTrainBegin` by a callback that restored a run. */
  initialEpoch: number | null = null;

  /** Weak: a callback, such as the history that `fit` returns, may outlive the model. */
  #model: WeakRef<CallbackModel> | null = null;
  #params: RunParams | null = null;

  constructor(options: object = {}) {
    const declaration = inheritedDeclaration(new.target);
    if (!declaration) return;
    const { className, table } = declaration;
    checkOptions(className, options, Object.keys(table));
    defineFields(this, table, readOptions(className, table, options));
  }

  /** The model of the last run. Throws before any run, and after the model has been garbage-collected. */
  get model(): CallbackModel {
    const model = this.#model?.deref();
    if (model) return model;
    throw notRunning(this, 'model');
  }

  /** The parameters of the last run. Throws before any run. */
  get params(): RunParams {
    if (this.#params) return this.#params;
    throw notRunning(this, 'params');
  }

  setModel(model: CallbackModel): void {
    this.#model = new WeakRef(model);
  }

  setParams(params: RunParams): void {
    this.#params = params;
  }

  onTrainBegin(_logs: Logs): HookResult {}
  /** Called with the logs of the last epoch. */
  onTrainEnd(_logs: Logs): HookResult {}
  onEpochBegin(_epoch: number, _logs: Logs): HookResult {}
  /** Called with the metrics of the epoch; those of validation have names that start with `val_`. */
  onEpochEnd(_epoch: number, _logs: Logs): HookResult {}
  onTrainBatchBegin(_batch: number, _logs: Logs): HookResult {}
  /** Called with the metrics of the epoch so far: see `readsBatchLogs`. */
  onTrainBatchEnd(_batch: number, _logs: Logs): HookResult {}

  /**
   * Runs the training step of a batch, for callbacks that act both before and after it, such as a recording. It must call
   * `step` once, and may wait before and after. `read` reads the metrics of the epoch so far.
   */
  aroundTrainStep(_batch: StepBatch, step: () => HookResult, _read: () => Promise<Logs>): HookResult {
    return step();
  }

  onTestBegin(_logs: Logs): HookResult {}
  onTestEnd(_logs: Logs): HookResult {}
  onTestBatchBegin(_batch: number, _logs: Logs): HookResult {}
  onTestBatchEnd(_batch: number, _logs: Logs): HookResult {}

  onPredictBegin(_logs: Logs): HookResult {}
  onPredictEnd(_logs: Logs): HookResult {}
  onPredictBatchBegin(_batch: number, _logs: Logs): HookResult {}
  onPredictBatchEnd(_batch: number, _logs: Logs): HookResult {}

  /** Called at the end of every run, even if it failed or was aborted. Frees resources of the callback. */
  release(): void {}
}

function notRunning(callback: Callback, what: string): ValueError {
  return new ValueError({
    op: callback.constructor.name,
    rule: `a callback has its \`${what}\` from the run in which it takes part.`,
    received: `${what} outside of a run`,
    hint: 'pass the callback to fit({ callbacks: [callback] }).',
  });
}
