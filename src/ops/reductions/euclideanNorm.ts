/** @file The Euclidean norm of vectors along axes, as one reduction. */
import * as math from '../../kernels/elementwise/math.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { div, mul } from '../elementwise/arithmetic.ts';
import { equal } from '../elementwise/comparison.ts';
import { defineReduction, type ReductionOp, restoreAxes } from './reduction.ts';
import { where } from '../elementwise/where.ts';

/** The square root of the sum of squares. Its gradient at 0 is 0: the subgradient of least norm. */
export const euclideanNorm: ReductionOp<Tensor<'float32'>> = /* @__PURE__ */ defineReduction({
  name: 'euclideanNorm',
  dtypes: ['float32'],
  reduction: () => ({
    prepare: 'value * value',
    combine: 'a + b',
    // Drivers may return a number for the square root of NaN.
    finish: [`select(sqrt(a), a, ${math.isNan('a')})`],
  }),
  save: { inputs: [0], outputs: [0] },
  gradient: (dy, { inputs: [x], outputs: [y], plan }) => {
    const isZero = equal(y, 0);
    // Select twice: otherwise the branch not taken would bring NaN into higher-order derivatives.
    const scaled = where(isZero, 0, div(dy, where(isZero, 1, y)));
    return mul(x, restoreAxes(scaled, plan));
  },
});
