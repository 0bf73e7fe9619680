/** @file Sort keys: unsigned integers in the order of the elements. */
import type { DType } from '../../core/dtype.ts';
import { orderedBits } from '../elementwise/math.ts';

/** WGSL expression of the element `value`. NaN has the largest key of all. */
export function ascendingKey(dtype: DType): string {
  if (dtype === 'float32') return orderedBits('value');
  return dtype === 'int32' ? '(bitcast<u32>(value) ^ 0x80000000u)' : 'value';
}

/** The reverse: larger keys for smaller elements. NaN has the largest key here, too. */
export function descendingKey(dtype: DType): string {
  return dtype === 'float32' ? orderedBits('-value') : `~${ascendingKey(dtype)}`;
}
