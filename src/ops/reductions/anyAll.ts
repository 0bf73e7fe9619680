/** @file any and all along axes. */
import type { Tensor } from '../../tensor/tensor.ts';
import { defineReduction, type ReductionOp } from './reduction.ts';

/**
 * Whether any element along `axis` is true: bool. Shape: x without the reduced axes, or with size 1 where `keepDims`.
 * False if there are no elements. No gradient.
 * Errors: ShapeError for an axis that x lacks, DTypeError for other dtypes than bool.
 */
export const any: ReductionOp<Tensor<'bool'>> = /* @__PURE__ */ defineReduction({
  name: 'any',
  dtypes: ['bool'],
  reduction: () => ({ identity: 0, combine: 'a | b' }),
  gradient: null,
  save: { inputs: [] },
});

/**
 * Whether all elements along `axis` are true: bool. Shape: x without the reduced axes, or with size 1 where `keepDims`.
 * True if there are no elements. No gradient.
 * Errors: ShapeError for an axis that x lacks, DTypeError for other dtypes than bool.
 */
export const all: ReductionOp<Tensor<'bool'>> = /* @__PURE__ */ defineReduction({
  name: 'all',
  dtypes: ['bool'],
  reduction: () => ({ identity: 1, combine: 'a & b' }),
  gradient: null,
  save: { inputs: [] },
});
