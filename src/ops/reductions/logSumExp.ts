/** @file logSumExp */
import * as math from '../../kernels/elementwise/math.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { div, mul, sub } from '../elementwise/arithmetic.ts';
import { max } from './extrema.ts';
import { isFinite as areFinite } from '../elementwise/predicates.ts';
import { defineReduction, type ReductionOp, restoreAxes } from './reduction.ts';
import { stopGradient } from '../arrangement/stopGradient.ts';
import { sum } from './sum.ts';
import { exp } from '../elementwise/unary.ts';
import { where } from '../elementwise/where.ts';

/**
 * log Σ exp x along `axis`, without overflow: the largest element is factored out of the sum. Shape: x without the reduced
 * axes, or with size 1 where `keepDims`. -Infinity if all elements are -Infinity, or if there are none.
 * Errors: ShapeError for an axis that x lacks, DTypeError for integers and bools.
 */
export const logSumExp: ReductionOp<Tensor<'float32'>> = /* @__PURE__ */ defineReduction({
  name: 'logSumExp',
  dtypes: ['float32'],
  // The accumulator is (m, s) with Σ exp x = s exp m, where m is the largest element so far.
  reduction: () => ({
    accumulator: 'vec2<f32>',
    initial: math.noExponentials(),
    empty: [Number.NEGATIVE_INFINITY],
    prepare: math.exponentialOf('value'),
    combine: math.addExponentials('a', 'b'),
    // If all elements are -Infinity, s is 0, for whose logarithm drivers return a finite number.
    finish: [`select(select(a.x + log(a.y), -${math.infinity()}, a.y == 0.0), a.y, ${math.isNan('a.y')})`],
  }),
  save: { inputs: [0] },
  gradient: (dy, { inputs: [x], plan }) => {
    const over = { axis: plan.axes, keepDims: true };
    // exp(x - y) would include the rounding of y, which is large if y is. The shift doesn't change the quotient. Next to an
    // infinite element, others have no share.
    const largest = stopGradient(max(x, over));
    const exponentials = exp(sub(x, where(areFinite(largest), largest, 0)));
    return mul(exponentials, div(restoreAxes(dy, plan), sum(exponentials, over)));
  },
});
