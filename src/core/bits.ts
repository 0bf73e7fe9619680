/** @file The bit patterns of numbers. */
import type { DType } from './dtype.ts';
import { numberToFloat16 } from './float16.ts';

const word = new DataView(new ArrayBuffer(4));

/** Returns the 32-bit word that stores `value`; for float16, its 16 bits twice. */
export function bitsOf(value: number, dtype: DType): number {
  if (dtype === 'float16') return numberToFloat16(value) * 0x10001;
  if (dtype === 'float32') word.setFloat32(0, value);
  // Negative int32 values wrap around to the words that store them.
  else word.setUint32(0, dtype === 'bool' ? Number(value !== 0) : value);
  return word.getUint32(0);
}
