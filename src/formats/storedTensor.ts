/** @file StoredTensor: a tensor in a file, whose values are read on demand, a part at a time. */
import type { ComputeDType } from '../core/dtype.ts';
import { type Shape, sizeOf } from '../core/shape.ts';
import type { HostTensor } from './hostTensor.ts';
import type { HostArray } from './numbers.ts';
import type { NarrowFloat } from '../core/packedWeights.ts';
import type { ReadMemory } from './readMemory.ts';

/** A rearrangement of a tensor's axes: a reshape, a transpose and another reshape. */
export interface Layout {
  /** Shape that the tensor is reshaped to first. */
  readonly from: Shape;
  /** Order of the axes afterwards. */
  readonly perm: readonly number[];
  /** Final shape. */
  readonly to: Shape;
}

export interface StoredTensor {
  /** Where it is in the file, for errors. */
  readonly place: string;
  readonly shape: Shape;
  /** The dtype that the tensor has once it is loaded. */
  readonly dtype: ComputeDType;
  /** How values are reordered, if they are stored in another order than that of `shape`; `read` returns them as stored. */
  readonly layout?: Layout;
  /**
   * Checks that the file holds as many values as `shape` says, if that requires reading. Afterwards it is safe to allocate
   * memory for them. Errors: FormatError.
   */
  verify?(): Promise<void>;
  /**
   * The elements from `begin` to `end` in row-major order; with `memory`, they may be in it. Errors: FormatError for values
   * that can't be decoded.
   */
  read(begin: number, end: number, memory?: ReadMemory): Promise<HostArray>;
  /** How to read floats of 16 bits as they are stored, if they are. */
  readonly bits?: StoredBits;
  /** The floats that the values are pairs of, if they are words of two. */
  readonly pairsOf?: NarrowFloat;
}

/** Floats of 16 bits in a file. */
export interface StoredBits {
  readonly format: NarrowFloat;
  /** As `StoredTensor.read`. */
  read(begin: number, end: number, memory?: ReadMemory): Promise<Uint16Array<ArrayBuffer>>;
}

/** Reads all values. Errors: those of `StoredTensor.read`. */
export async function readWhole(stored: StoredTensor): Promise<HostTensor> {
  const { shape, dtype } = stored;
  return { shape, dtype, data: await stored.read(0, sizeOf(shape)) };
}
