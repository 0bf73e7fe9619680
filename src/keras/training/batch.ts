/** @file What a step works on, and what it tells: batches of tensors in, logs of numbers out. */
import type { Tensor } from '../../tensor/tensor.ts';
import type { Nest } from '../tensorNest.ts';

/** One batch on the device. All its tensors have the batch as their first axis. */
export interface Batch {
  /** The inputs, in the nest in which the model takes them. */
  readonly x: Nest<Tensor>;
  /** The targets, by output: one, an array or a record. Null where there are none. */
  readonly y: Nest<Tensor> | null;
  /** How much each sample counts: one for all outputs, or an array or a record by output. Null: all the same. */
  readonly sampleWeight: Nest<Tensor> | null;
}

/** Values by name, such as `{ loss: 0.3, accuracy: 0.9, val_loss: 0.4 }`. */
export type Logs = Record<string, number>;

/** What a step may return: tensors that go into the logs, or nothing, where the metrics say it all. */
export type StepLogs = Readonly<Record<string, Tensor>> | undefined;

/** What `computeLoss` and `computeMetrics` are told. */
export interface Predicted {
  readonly x?: Nest<Tensor>;
  readonly y: Nest<Tensor> | null;
  readonly yPred: Nest<Tensor>;
  readonly sampleWeight?: Nest<Tensor> | null;
}
