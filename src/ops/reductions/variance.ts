/** @file variance, std and moments: means, and squared deviations from them. */
import { type DType, requireDType } from '../../core/dtype.ts';
import { meanOf, momentsReduction, varianceOf } from '../../kernels/reduce/moments.ts';
import { kernels } from '../../kernels/loading/loadKernels.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { add, div, mul, sub } from '../elementwise/arithmetic.ts';
import { equal } from '../elementwise/comparison.ts';
import { defineOp, type Op } from '../define/define.ts';
import { mean } from './mean.ts';
import {
  defineReduction,
  planReduction,
  reduceOptionNames,
  type ReduceOptions,
  type ReductionOp,
  type ReductionPlan,
  reducedSize,
  restoreAxes,
} from './reduction.ts';
import { where } from '../elementwise/where.ts';

const floats: readonly DType[] = ['float32'];

/** Returns the deviations of x from its mean along the axes. */
function deviations(x: Tensor, { axes }: ReductionPlan): Tensor {
  return sub(x, mean(x, { axis: axes, keepDims: true }));
}

/**
 * The population variance (divided by n, not n - 1) along `axis`. Shape: x without the reduced axes, or with
 * size 1 where `keepDims`. An empty variance is NaN.
 * Errors: ShapeError for an axis that x lacks, DTypeError for integers and bools.
 */
export const variance: ReductionOp<Tensor<'float32'>> = /* @__PURE__ */ defineReduction({
  name: 'variance',
  dtypes: floats,
  reduction: () => momentsReduction([varianceOf]),
  save: { inputs: [0] },
  gradient: (dy, { inputs: [x], plan }) => {
    const centre = mean(x, { axis: plan.axes, keepDims: true });
    const scaled = restoreAxes(mul(dy, 2 / reducedSize(plan)), plan);
    // All deviations from an infinite mean are NaN.
    return mul(sub(x, centre), add(scaled, sub(centre, centre)));
  },
});

/**
 * The population standard deviation along `axis`: √variance. Shape: x without the reduced axes, or with size 1 where
 * `keepDims`. Where the deviation is 0, and not differentiable, the gradient is 0: the subgradient of least norm.
 * Errors: ShapeError for an axis that x lacks, DTypeError for integers and bools.
 */
export const std: ReductionOp<Tensor<'float32'>> = /* @__PURE__ */ defineReduction({
  name: 'std',
  dtypes: floats,
  reduction: () => momentsReduction([`sqrt(${varianceOf})`]),
  save: { inputs: [0], outputs: [0] },
  gradient: (dy, { inputs: [x], outputs: [y], plan }) => {
    const isZero = equal(y, 0);
    // Select twice: otherwise the branch not taken would bring NaN into higher-order derivatives.
    const deviation = where(isZero, 1, y);
    const scaled = where(isZero, 0, div(dy, mul(deviation, reducedSize(plan))));
    return mul(deviations(x, plan), restoreAxes(scaled, plan));
  },
});

/**
 * [mean, variance] of the elements along `axis`, in one pass; the population variance. Shapes: x without the reduced axes,
 * or with size 1 where `keepDims`. Both are NaN if there are no elements.
 * Errors: ShapeError for an axis that x lacks, DTypeError for integers and bools.
 */
export const moments: Op<
  [x: Tensor],
  ReduceOptions,
  [mean: Tensor<'float32'>, variance: Tensor<'float32'>],
  'unknown',
  ['axis', 'keepDims']
> = /* @__PURE__ */ defineOp({
  name: 'moments',
  inputs: ['x'],
  options: reduceOptionNames,
  save: { inputs: [0], outputs: [0] },
  infer: ([x], options) => {
    requireDType('moments', 'x', x.dtype, floats);
    const plan = planReduction('moments', x, options);
    return [plan, plan];
  },
  forward: ([x], plan) =>
    kernels().reduceKernel('moments', x, plan[0].axes, plan, momentsReduction([meanOf, varianceOf])),
  backward: ([dMean, dVariance], { inputs: [x], outputs: [mean], plan: [plan] }) => {
    const n = reducedSize(plan);
    const centred = sub(x, restoreAxes(mean, plan));
    const scaled = mul(dVariance, 2 / n);
    const shift = restoreAxes(div(dMean, n), plan);
    return [add(mul(centred, restoreAxes(scaled, plan)), shift)];
  },
});
