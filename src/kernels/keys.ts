/** @file Keys that rank elements: unsigned integers which are the larger, the larger an element is. */
import type { DType } from '../core/dtype.ts';

/** WGSL expressions of the element `value`. NaN has the largest key of all. */
export const ascendingKeys: Readonly<Record<DType, string>> = {
  float32: 'ordered_bits(value)',
  int32: '(bitcast<u32>(value) ^ 0x80000000u)',
  uint32: 'value',
  bool: 'value',
};

/** The other way round: the larger, the smaller an element is. NaN has the largest key here, too. */
export const descendingKeys: Readonly<Record<DType, string>> = {
  float32: 'ordered_bits(-value)',
  int32: '~(bitcast<u32>(value) ^ 0x80000000u)',
  uint32: '~value',
  bool: '~value',
};
