/** @file mean */
import type { Tensor } from '../../tensor/tensor.ts';
import { div } from '../elementwise/arithmetic.ts';
import { defineReduction, numbers, type ReductionOp, reducedSize } from './reduction.ts';
import { spread } from './sum.ts';

/**
 * The mean of elements along `axis`, float32 also for integers. Shape: x without the reduced axes, or with size 1 where
 * `keepDims`. An empty mean is NaN.
 * Errors: ShapeError for an axis that x lacks, DTypeError for bools.
 */
export const mean: ReductionOp<Tensor<'float32'>> = /* @__PURE__ */ defineReduction({
  name: 'mean',
  dtypes: numbers,
  result: () => 'float32',
  reduction: () => ({
    prepare: 'f32(value)',
    combine: 'a + b',
    finish: ['a / params.length'],
    empty: [Number.NaN],
  }),
  save: { inputs: [] },
  gradient: (dy, { plan }) => spread(div(dy, reducedSize(plan)), plan),
});
