/** @file Where batches come from. */
import { ShapeError } from '../../../core/errors.ts';
import type { Shape } from '../../../core/shape.ts';
import type { Tensor } from '../../../tensor/tensor.ts';
import { leavesOf, type Nest } from '../../tensorNest.ts';
import type { Batch } from '../batch.ts';

export interface BatchSource {
  /** Batches in one pass over the data; null where that is not known. */
  readonly batches: number | null;
  /**
   * Begins epoch `epoch`, of `steps` batches where that is given, otherwise of one pass.
   * Errors: ValueError for an iterator that was used up.
   */
  begin(epoch: number, steps: number | null): void;
  /** Uploads a piece of the data, where they are many; false where nothing is left to do. */
  upload(): boolean;
  /** The next batch, which is the caller's to free; null where there is none. */
  next(): Batch | null | Promise<Batch | null>;
  /** Frees what the source made; data that were given stay the caller's. */
  dispose(): void;
}

/** Frees the tensors of a batch. */
export function freeBatch({ x, y, sampleWeight }: Batch): void {
  for (const nest of [x, y, sampleWeight]) {
    if (nest !== null) for (const tensor of leavesOf<Tensor>(nest)) tensor.dispose();
  }
}

/** The number of samples that all of `parts` have. Errors: ShapeError where they differ, or where there are none. */
export function commonRows(op: string, parts: readonly { what: string; shape: Shape }[]): number {
  const rows = parts[0]?.shape[0] ?? 0;
  const received = parts.map(({ what, shape }) => `${what}: ${shape[0]}`).join(', ');
  if (parts.some(({ shape }) => shape[0] !== rows)) {
    throw new ShapeError({
      op,
      rule: 'inputs, targets and weights have the same number of samples.',
      received,
      hint: 'look at the first axis of each.',
    });
  }
  if (rows > 0) return rows;
  throw new ShapeError({
    op,
    rule: 'there is at least one sample.',
    received: received || 'no data',
    hint: 'look at what was loaded.',
  });
}

/** Samples in a batch: the first size of its first input. */
export function samplesOf(x: Nest<Tensor>): number {
  return leavesOf<Tensor>(x)[0]?.shape[0] ?? 0;
}
