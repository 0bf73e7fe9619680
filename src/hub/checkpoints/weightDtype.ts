/** @file How the matrices of a checkpoint are kept on the device. */
import type { NarrowFloat } from '../../core/packedWeights.ts';
import { requireOneOf } from '../../core/shape.ts';
import type { StoredTensor } from '../../formats/storedTensor.ts';

/** How matrices are kept: as the checkpoint has them, or as such floats. */
export type WeightDtype = 'auto' | 'float32' | NarrowFloat;

export function requireWeightDtype(op: string, dtype: unknown): asserts dtype is WeightDtype {
  requireOneOf(op, 'dtype', dtype, ['auto', 'float32', 'float16', 'bfloat16'] as const);
}

/** The floats of 16 bits that matrices are kept as; null for float32. */
export function narrowFormat(dtype: WeightDtype, tensors: Iterable<StoredTensor>): NarrowFloat | null {
  if (dtype !== 'auto') return dtype === 'float32' ? null : dtype;
  const formats = new Set<NarrowFloat | null>();
  for (const { shape, bits } of tensors) if (shape.length > 1) formats.add(bits?.format ?? null);
  const [format = null] = formats;
  return formats.size === 1 ? format : null;
}
