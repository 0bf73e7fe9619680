/** @file BatchSource: the interface of data that yield batches. */
import { ShapeError } from '../../../core/errors.ts';
import type { Shape } from '../../../core/shape.ts';
import type { Tensor } from '../../../tensor/tensor.ts';
import { leavesOf, type Nest } from '../../tensorNest.ts';
import type { AnyBatch } from '../batch.ts';

/** Finds samples of a batch after its step. */
export interface BatchSamples {
  /** Resolves to the sample, such as "sample 33 of `y`", that holds an index of the batch; null if none is known to. */
  holding(fault: IndexInBatch): Promise<string | null>;
  /** Resolves to the first NaN or infinity of the batch, such as "sample 33 of `x` holds NaN"; null if there is none. */
  nonFinite(): Promise<string | null>;
}

/** An index, and its position in a tensor that was made of a batch. */
export interface IndexInBatch {
  readonly index: number;
  readonly position: readonly number[];
}

export interface BatchSource {
  /** Number of batches in one pass over the data; null if unknown. */
  readonly batches: number | null;
  /** Whether a pass has no end. */
  readonly isEndless?: boolean;
  /** Number of samples in a batch; missing if the app makes the batches. */
  readonly batchSize?: number;
  /**
   * Starts epoch `epoch` of `steps` batches, or of one pass over the data if `steps` is null.
   * Errors: ValueError for an exhausted iterator.
   */
  begin(epoch: number, steps: number | null): void;
  /** Uploads a part of large data. Returns false when everything is uploaded. */
  upload(): boolean;
  /** The next batch, which the caller frees; null at the end. */
  next(): AnyBatch | null | Promise<AnyBatch | null>;
  /** The samples of the last batch; null where they aren't numbered. */
  samples?(): BatchSamples | null;
  /** The samples of a batch of this pass, by its index; missing where they aren't numbered. */
  samplesAt?(batch: number): BatchSamples;
  /**
   * Frees what the source created. Data passed by the caller are not freed. Closes a generator and waits for it.
   * Errors: those of its `finally`.
   */
  dispose(): void | Promise<void>;
}

/** Frees the tensors of a batch. */
export function freeBatch({ x, y, sampleWeight }: AnyBatch): void {
  for (const nest of [x, y, sampleWeight]) {
    if (nest !== null) for (const tensor of leavesOf<Tensor>(nest)) tensor.dispose();
  }
}

/** Returns the number of samples of all `parts`. Errors: ShapeError if they differ, or if there are none. */
export function commonRows(op: string, parts: readonly { what: string; shape: Shape }[]): number {
  const rows = parts[0]?.shape[0] ?? 0;
  const received = parts.map(({ what, shape }) => `${what}: ${shape[0]}`).join(', ');
  if (parts.some(({ shape }) => shape[0] !== rows)) {
    throw new ShapeError({
      op,
      rule: 'inputs, targets and weights must have the same number of samples.',
      received,
      hint: 'check the first axis of each.',
    });
  }
  if (rows > 0) return rows;
  throw new ShapeError({
    op,
    rule: 'the data must have at least one sample.',
    received: received || 'no data',
    hint: 'check the data that were loaded.',
  });
}

/** Returns the number of samples in a batch. */
export function samplesOf(x: Nest<Tensor>): number {
  return leavesOf<Tensor>(x)[0]?.shape[0] ?? 0;
}
