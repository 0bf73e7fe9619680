/**
 * @file The bytes that the device stores for host values. Floats round to the nearest float32, as in NumPy: values that are
 * too large become infinite. Integers drop fractions, as in NumPy, and are rejected out of range: an id that wrapped around
 * would silently name another row.
 */
import type { DType } from '../core/dtype.ts';
import { numberToFloat16 } from '../core/float16.ts';
import { type IntegerDType, notHeld, rangeOf } from '../core/integers.ts';
import { formatShape, type Shape, unravel } from '../core/shape.ts';

export type HostArray =
  | Float32Array
  | Float64Array
  | Int32Array
  | Uint32Array
  | Int16Array
  | Uint16Array
  | Int8Array
  | Uint8Array
  | Uint8ClampedArray;

type Encoded = Float32Array<ArrayBuffer> | Int32Array<ArrayBuffer> | Uint32Array<ArrayBuffer>;

const storedAs = { float32: Float32Array, int32: Int32Array, uint32: Uint32Array } as const;

/**
 * Returns the stored form of `values`, which have `shape`, in `dtype`. An array in that form already is neither copied nor
 * checked. For bool, anything but 0 is true, NaN included, as in NumPy and in cast.
 * `saturates`: integers out of range become the nearest that the dtype holds. For indices: the op checks their
 * range itself.
 * Errors: ValueError for a value that an integer dtype doesn't hold.
 */
export function encodeValues(
  op: string,
  values: readonly number[] | HostArray,
  dtype: DType,
  shape: Shape,
  saturates: boolean,
): Encoded {
  if (dtype === 'bool') return Uint32Array.from(values, (value) => Number(value !== 0));
  if (dtype === 'float16') return encodeFloat16(values);
  const Stored = storedAs[dtype];
  const isReady = values instanceof Stored && values.buffer instanceof ArrayBuffer;
  if (isReady) return values as InstanceType<typeof Stored>;
  const stored = new Stored(values);
  if (dtype !== 'float32' && !holdsAll(dtype, values))
    settleIntegers(op, values, stored, dtype, shape, saturates);
  return stored;
}

/** Returns whether the type of `values` guarantees that the integer dtype holds them. */
function holdsAll(dtype: IntegerDType, values: readonly number[] | HostArray): boolean {
  if (values instanceof Uint8Array || values instanceof Uint8ClampedArray || values instanceof Uint16Array)
    return true;
  if (dtype === 'uint32') return values instanceof Uint32Array;
  return values instanceof Int8Array || values instanceof Int16Array || values instanceof Int32Array;
}

/** Saturates or rejects values that storing changed by more than their fraction: NaN, infinities and those out of range. */
function settleIntegers(
  op: string,
  values: readonly number[] | HostArray,
  stored: Encoded,
  dtype: IntegerDType,
  shape: Shape,
  saturates: boolean,
): void {
  const [lowest, highest] = rangeOf(dtype);
  for (let i = 0; i < stored.length; i++) {
    const value = values[i] as number;
    // As in NumPy, fractions are dropped: 3.9 is 3.
    if (stored[i] === Math.trunc(value)) continue;
    if (saturates && Number.isInteger(value)) {
      stored[i] = Math.min(Math.max(value, lowest), highest);
      continue;
    }
    const what = shape.length === 0 ? 'value' : `value at position ${formatShape(unravel(i, shape))}`;
    throw notHeld(op, what, value, dtype);
  }
}

/** Two values per word, the first in the low half; the high half of the last word may be unused. */
function encodeFloat16(values: readonly number[] | HostArray): Uint32Array<ArrayBuffer> {
  const words = new Uint32Array(Math.ceil(values.length / 2));
  for (let i = 0; i < values.length; i++) {
    words[i >> 1] = (words[i >> 1] as number) | (numberToFloat16(values[i] as number) << (16 * (i & 1)));
  }
  return words;
}
