/** @file Values of tensors in the element types of files. */
import type { TypedData } from '../../core/dtype.ts';
import { numberToBfloat16 } from '../../core/bfloat16.ts';
import { numberToFloat16 } from '../../core/float16.ts';
import type { WrittenType } from '../../formats/hdf5/index.ts';

/** Returns the bytes of `values` as elements of `type`, to which they are rounded. */
export function bytesAs(type: WrittenType, values: TypedData | BigInt64Array): Uint8Array<ArrayBuffer> {
  const stored = conversions[type]?.(values as Float32Array) ?? values;
  return new Uint8Array(stored.buffer as ArrayBuffer, stored.byteOffset, stored.byteLength);
}

/** Types other than those that tensors have on the host. */
const conversions: Partial<Record<WrittenType, (values: Float32Array) => ArrayBufferView>> = {
  bfloat16: (values) => Uint16Array.from(values, numberToBfloat16),
  float16: (values) => Uint16Array.from(values, numberToFloat16),
  float64: (values) => Float64Array.from(values),
  int8: (values) => Int8Array.from(values),
  uint8: (values) => Uint8Array.from(values),
};
