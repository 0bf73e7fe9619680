/** @file Attention masks: query, value, causal and window masks, and their combination. */
import { cast } from '../../../ops/elementwise/cast.ts';
import { less, lessEqual } from '../../../ops/elementwise/comparison.ts';
import { range } from '../../../ops/creation/range.ts';
import { expandDims } from '../../../ops/arrangement/expandDims.ts';
import { logicalAnd } from '../../../ops/elementwise/logical.ts';
import { reshape } from '../../../ops/arrangement/reshape.ts';
import { abs } from '../../../ops/elementwise/rounding.ts';
import { sub } from '../../../ops/elementwise/arithmetic.ts';
import { softmax } from '../../../ops/activations/softmax.ts';
import { where } from '../../../ops/elementwise/where.ts';
import type { Tensor } from '../../../tensor/tensor.ts';

/** The mask as bool: other dtypes are true where not 0. */
export function asMask(mask: Tensor): Tensor {
  return mask.dtype === 'bool' ? mask : cast(mask, { dtype: 'bool' });
}

/** The logical and of `masks`; null means all true. */
export function allOf(masks: readonly (Tensor | null)[]): Tensor | null {
  return masks.reduce((all, mask) => (all && mask ? logicalAnd(all, mask) : (all ?? mask)), null);
}

/** [batch, queries] as [batch, queries, 1]. */
export function ofQueries(mask: Tensor | null): Tensor | null {
  return mask && expandDims(asMask(mask), { axis: -1 });
}

/** [batch, values] as [batch, 1, values]. */
export function ofValues(mask: Tensor | null): Tensor | null {
  return mask && expandDims(asMask(mask), { axis: -2 });
}

/** [1, queries, values]: true where the value is not later than the query. */
export function causalMask(queries: number, values: number): Tensor {
  const [query, value] = positions(queries, values);
  return lessEqual(value, query);
}

/** [1, queries, values]: true where the value is fewer than `window` steps away. */
export function windowMask(queries: number, values: number, window: number): Tensor {
  const [query, value] = positions(queries, values);
  return less(abs(sub(query, value)), window);
}

function positions(queries: number, values: number): [Tensor, Tensor] {
  const counted = (n: number) => range(0, n, 1, { dtype: 'int32' });
  return [
    reshape(counted(queries), { shape: [1, queries, 1] }),
    reshape(counted(values), { shape: [1, 1, values] }),
  ];
}

/** Keras's substitute for minus infinity: a fully masked row attends to all values equally. */
const farBelow = -1e9;

/** Softmax over the last axis, restricted to where `mask` is true. */
export function maskedSoftmax(scores: Tensor, mask: Tensor | null): Tensor {
  return softmax(mask ? where(mask, scores, farBelow) : scores);
}
