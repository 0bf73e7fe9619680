/** @file sum */
import type { TensorSpec } from '../core/spec.ts';
import { defineReduction, numbers, type ReductionOp, spread } from './reduction.ts';

/**
 * The sum of elements along `axis`. Shape: x without the reduced axes, or with size 1 where `keepDims`. An empty sum is 0.
 * Errors: ShapeError for an axis that x lacks, DTypeError for bools.
 */
export const sum: ReductionOp = /* @__PURE__ */ defineReduction({
  name: 'sum',
  dtypes: numbers,
  reduction: () => ({ combine: 'a + b' }),
  gradient: (dy, { inputSpecs: [x] }, options) => spread(dy, x as TensorSpec, options),
  save: { inputs: [] },
});
