/** @file StoredTensor: a tensor in a file, whose values are read when they are wanted, a part at a time. */
import type { ComputeDType } from '../core/dtype.ts';
import { type Shape, sizeOf } from '../core/shape.ts';
import type { HostTensor } from './hostTensor.ts';
import type { HostArray } from './numbers.ts';

/** How the axes of a tensor become those of another. */
export interface Layout {
  /** The tensor is first given this shape, */
  readonly from: Shape;
  /** then its axes this order, */
  readonly perm: readonly number[];
  /** and then this shape. */
  readonly to: Shape;
}

export interface StoredTensor {
  /** Where it is in the file, for errors. */
  readonly place: string;
  readonly shape: Shape;
  /** The dtype that the tensor has once it is loaded. */
  readonly dtype: ComputeDType;
  /** Where values are stored in another order than that of `shape`: `read` gives them as they are stored. */
  readonly layout?: Layout;
  /**
   * Looks whether the file has as many values as `shape` says, where that takes reading. Memory may be taken for them then.
   * Errors: FormatError.
   */
  verify?(): Promise<void>;
  /** Whether each reading takes memory of its own, which the reader may release. */
  readonly isFresh?: boolean;
  /**
   * The elements from `begin` to `end` in row-major order. Errors: FormatError for values that can't be decoded.
   */
  read(begin: number, end: number): Promise<HostArray>;
}

/** All values. Errors: as `StoredTensor.read`. */
export async function readWhole(stored: StoredTensor): Promise<HostTensor> {
  const { shape, dtype } = stored;
  return { shape, dtype, data: await stored.read(0, sizeOf(shape)) };
}
