/** @file The input and output of a step: batches of tensors, and logs. */
import type { Tensor } from '../../tensor/tensor.ts';
import type { Nest } from '../tensorNest.ts';

export type { Logs } from '../callbacks/callback.ts';

/**
 * One batch on the device. The first axis of every tensor is the batch. A custom step declares the types of its batches:
 * `trainStep({ x, y }: Batch)` for one input and one target, `Batch<Tensor, null>` where there are no targets,
 * `Batch<[Tensor, Tensor], Tensor>` for two inputs.
 */
export interface Batch<X extends Nest<Tensor> = Tensor, Y extends Nest<Tensor> | null = Tensor> {
  /** The inputs, in the nest that the model takes. */
  readonly x: X;
  /** The targets per output: one tensor, an array or a record. Null if there are none. */
  readonly y: Y;
  /** Sample weights: one tensor for all outputs, or an array or a record per output. Null: all samples count the same. */
  readonly sampleWeight: Nest<Tensor> | null;
}

/** A batch for any model. */
export type AnyBatch = Batch<Nest<Tensor>, Nest<Tensor> | null>;

/**
 * What a step may return: tensors for the logs, or nothing where it updates the compiled loss and metrics, as the default
 * steps do.
 */
export type StepLogs = Readonly<Record<string, Tensor>> | undefined;

/** The arguments of `computeLoss` and `computeMetrics`. */
export interface Predicted {
  readonly x?: Nest<Tensor>;
  readonly y: Nest<Tensor> | null;
  readonly yPred: Nest<Tensor>;
  readonly sampleWeight?: Nest<Tensor> | null;
}
