/**
 * @file Numbers as files store them, converted to the dtypes of tensors. Small floats are widened to float32, doubles are
 * rounded to it; 64-bit integers must fit into 32 bits.
 */
import type { ComputeDType } from '../core/dtype.ts';
import { bfloat16ToNumber } from '../core/bfloat16.ts';
import { float16ToNumber } from '../core/float16.ts';

/** Element types of files. */
export type NumberType =
  | 'bool'
  | 'uint8'
  | 'int8'
  | 'uint16'
  | 'int16'
  | 'float16'
  | 'bfloat16'
  | 'uint32'
  | 'int32'
  | 'float32'
  | 'uint64'
  | 'int64'
  | 'float64';

export type HostArray =
  | Float32Array<ArrayBuffer>
  | Int32Array<ArrayBuffer>
  | Uint32Array<ArrayBuffer>
  | Uint8Array<ArrayBuffer>;

interface Conversion {
  /** The dtype of the tensor. */
  readonly dtype: ComputeDType;
  /** Bytes of a stored element. */
  readonly bytes: number;
  readonly read: (view: DataView, at: number, littleEndian: boolean) => number | bigint;
}

const conversions: Readonly<Record<NumberType, Conversion>> = {
  bool: { dtype: 'bool', bytes: 1, read: (view, at) => Number(view.getUint8(at) !== 0) },
  uint8: { dtype: 'int32', bytes: 1, read: (view, at) => view.getUint8(at) },
  int8: { dtype: 'int32', bytes: 1, read: (view, at) => view.getInt8(at) },
  uint16: { dtype: 'int32', bytes: 2, read: (view, at, little) => view.getUint16(at, little) },
  int16: { dtype: 'int32', bytes: 2, read: (view, at, little) => view.getInt16(at, little) },
  float16: {
    dtype: 'float32',
    bytes: 2,
    read: (view, at, little) => float16ToNumber(view.getUint16(at, little)),
  },
  bfloat16: {
    dtype: 'float32',
    bytes: 2,
    read: (view, at, little) => bfloat16ToNumber(view.getUint16(at, little)),
  },
  uint32: { dtype: 'uint32', bytes: 4, read: (view, at, little) => view.getUint32(at, little) },
  int32: { dtype: 'int32', bytes: 4, read: (view, at, little) => view.getInt32(at, little) },
  float32: { dtype: 'float32', bytes: 4, read: (view, at, little) => view.getFloat32(at, little) },
  uint64: { dtype: 'uint32', bytes: 8, read: (view, at, little) => view.getBigUint64(at, little) },
  int64: { dtype: 'int32', bytes: 8, read: (view, at, little) => view.getBigInt64(at, little) },
  float64: { dtype: 'float32', bytes: 8, read: (view, at, little) => view.getFloat64(at, little) },
};

const arrays = { float32: Float32Array, int32: Int32Array, uint32: Uint32Array, bool: Uint8Array };

/** Whether this machine stores numbers as files do. */
const isLittleEndian = new Uint8Array(Uint16Array.of(1).buffer)[0] === 1;

/** Types that are stored in the same form as in the tensor's array. */
const direct: ReadonlySet<NumberType> = new Set(['float32', 'int32', 'uint32']);

/** Returns the dtype that a tensor of `type` has. */
export function dtypeOf(type: NumberType): ComputeDType {
  return conversions[type].dtype;
}

/** Bytes of a stored element. */
export function storedBytes(type: NumberType): number {
  return conversions[type].bytes;
}

/** Returns an array of `length` elements for a tensor of `dtype`. */
export function hostArray(dtype: ComputeDType, length: number): HostArray {
  return new arrays[dtype](length);
}

/** An integer of 64 bits that doesn't fit into 32, and where it is. */
export interface TooLarge {
  readonly index: number;
  readonly value: bigint;
}

/**
 * Returns the numbers in `bytes`, whose length is a multiple of the element size. If they are stored as in the tensor's array,
 * the result is a view of `bytes`. `invalid` creates the error for an integer that doesn't fit.
 */
export function toHostArray(
  type: NumberType,
  bytes: Uint8Array<ArrayBuffer>,
  littleEndian: boolean,
  invalid: (found: TooLarge) => Error,
): HostArray {
  const { dtype, bytes: size, read } = conversions[type];
  const count = bytes.byteLength / size;
  const { buffer, byteOffset } = bytes;
  if (direct.has(type) && littleEndian && isLittleEndian) {
    // A view must be aligned; a copy is.
    return byteOffset % size === 0
      ? new arrays[dtype](buffer, byteOffset, count)
      : new arrays[dtype](buffer.slice(byteOffset, byteOffset + bytes.byteLength));
  }
  const values = hostArray(dtype, count);
  const view = new DataView(buffer, byteOffset, bytes.byteLength);
  for (let i = 0; i < count; i++) {
    const value = read(view, i * size, littleEndian);
    values[i] = Number(value);
    if (typeof value === 'bigint' && BigInt(values[i] as number) !== value)
      throw invalid({ index: i, value });
  }
  return values;
}

/** Returns numbers of 16 bits, little-endian; if possible, as a view of `bytes`. */
export function toBits(bytes: Uint8Array<ArrayBuffer>): Uint16Array<ArrayBuffer> {
  const { buffer, byteOffset, byteLength } = bytes;
  if (isLittleEndian && byteOffset % 2 === 0) return new Uint16Array(buffer, byteOffset, byteLength / 2);
  const view = new DataView(buffer, byteOffset, byteLength);
  return Uint16Array.from({ length: byteLength / 2 }, (_, i) => view.getUint16(2 * i, true));
}
