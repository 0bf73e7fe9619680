/** @file mean */
import type { TensorSpec } from '../core/spec.ts';
import { div } from './arithmetic.ts';
import { defineReduction, numbers, type ReductionOp, reducedSize, spread } from './reduction.ts';

/**
 * The mean of elements along `axis`, float32 also for integers. Shape: x without the reduced axes, or with size 1 where
 * `keepDims`. An empty mean is NaN.
 * Errors: ShapeError for an axis that x lacks, DTypeError for bools.
 */
export const mean: ReductionOp = /* @__PURE__ */ defineReduction({
  name: 'mean',
  dtypes: numbers,
  result: () => 'float32',
  reduction: () => ({
    prepare: 'f32(value)',
    combine: 'a + b',
    finish: ['a / params.length'],
    empty: [Number.NaN],
  }),
  gradient: (dy, { inputSpecs }, options) => {
    const x = inputSpecs[0] as TensorSpec;
    return spread(div(dy, reducedSize(x.shape, options)), x, options);
  },
  save: { inputs: [] },
});
