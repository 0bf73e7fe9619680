/** @file Parts of ops: the elements of a tensor as a vector, and indices that count from the last. */
import { add } from '../../ops/elementwise/arithmetic.ts';
import { less } from '../../ops/elementwise/comparison.ts';
import { where } from '../../ops/elementwise/where.ts';
import { reshape } from '../../ops/arrangement/reshape.ts';
import type { Tensor } from '../../tensor/tensor.ts';

export const flat = (x: Tensor) => reshape(x, { shape: [-1] });

/** Indices into an axis of `size`: negative ones count from its last element. */
export const fromTheEnd = (indices: Tensor, size: number) =>
  where(less(indices, 0), add(indices, size), indices);
