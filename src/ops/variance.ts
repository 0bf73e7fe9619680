/** @file variance, std and moments: means, and squared deviations from them. */
import type { DType } from '../core/dtype.ts';
import { requireDType } from '../core/dtype.ts';
import { normalizeAxes } from '../core/shape.ts';
import type { TensorSpec } from '../core/spec.ts';
import { meanOf, momentsReduction, varianceOf } from '../kernels/moments.ts';
import { core } from '../kernels/loadCore.ts';
import type { Tensor } from '../tensor/tensor.ts';
import { add, div, mul, sub } from './arithmetic.ts';
import { equal } from './comparison.ts';
import { defineOp, type Op } from './define.ts';
import { mean } from './mean.ts';
import {
  defineReduction,
  type ReduceOptions,
  type ReductionOp,
  reducedSize,
  reducedSpec,
  restoreAxes,
} from './reduction.ts';
import { where } from './where.ts';

const floats: readonly DType[] = ['float32'];

/** The deviations of x from its mean along the axes. */
function deviations(x: Tensor, { axis = null }: ReduceOptions): Tensor {
  return sub(x, mean(x, { axis, keepDims: true }));
}

/**
 * The population variance (no degree of freedom is taken off) along `axis`. Shape: x without the reduced axes, or with
 * size 1 where `keepDims`. An empty variance is NaN.
 * Errors: ShapeError for an axis that x lacks, DTypeError for integers and bools.
 */
export const variance: ReductionOp = /* @__PURE__ */ defineReduction({
  name: 'variance',
  dtypes: floats,
  reduction: () => momentsReduction([varianceOf]),
  gradient: (dy, { inputs, inputSpecs }, options) => {
    const x = inputSpecs[0] as TensorSpec;
    const scaled = mul(dy, 2 / reducedSize(x.shape, options));
    return mul(deviations(inputs[0] as Tensor, options), restoreAxes(scaled, x, options));
  },
  save: { inputs: [0] },
});

/**
 * The population standard deviation along `axis`: √variance. Shape: x without the reduced axes, or with size 1 where
 * `keepDims`. Where the deviation is 0, which is a kink, the gradient is 0: the subgradient of least norm.
 * Errors: ShapeError for an axis that x lacks, DTypeError for integers and bools.
 */
export const std: ReductionOp = /* @__PURE__ */ defineReduction({
  name: 'std',
  dtypes: floats,
  reduction: () => momentsReduction([`sqrt(${varianceOf})`]),
  gradient: (dy, { inputs, outputs: [y], inputSpecs }, options) => {
    const x = inputSpecs[0] as TensorSpec;
    const isZero = equal(y as Tensor, 0);
    // Both selections: the derivative of the one not taken would bring NaN into derivatives of higher order.
    const deviation = where(isZero, 1, y as Tensor);
    const scaled = where(isZero, 0, div(dy, mul(deviation, reducedSize(x.shape, options))));
    return mul(deviations(inputs[0] as Tensor, options), restoreAxes(scaled, x, options));
  },
  save: { inputs: [0], outputs: [0] },
});

/**
 * [mean, variance] of the elements along `axis`, in one pass; the population variance. Shapes: x without the reduced axes,
 * or with size 1 where `keepDims`. Both are NaN where there are no elements.
 * Errors: ShapeError for an axis that x lacks, DTypeError for integers and bools.
 */
export const moments: Op<[x: Tensor], ReduceOptions, Tensor[]> = /* @__PURE__ */ defineOp<
  [x: Tensor],
  ReduceOptions,
  Tensor[]
>({
  name: 'moments',
  inputs: ['x'],
  infer: ([input], options) => {
    const x = input as TensorSpec;
    requireDType('moments', 'x', x.dtype, floats);
    const spec = reducedSpec('moments', x, options);
    return [spec, spec];
  },
  forward: ([input], { axis }, { outputs }) => {
    const x = input as Tensor;
    const axes = normalizeAxes('moments', axis, x.rank);
    return core().reduceKernel('moments', x, axes, outputs, momentsReduction([meanOf, varianceOf]));
  },
  backward: ([dMean, dVariance], { inputs, outputs, inputSpecs }, options) => {
    const spec = inputSpecs[0] as TensorSpec;
    const n = reducedSize(spec.shape, options);
    const centred = sub(inputs[0] as Tensor, restoreAxes(outputs[0] as Tensor, spec, options));
    const scaled = mul(dVariance as Tensor, 2 / n);
    const shift = restoreAxes(div(dMean as Tensor, n), spec, options);
    return [add(mul(centred, restoreAxes(scaled, spec, options)), shift)];
  },
  save: { inputs: [0], outputs: [0] },
});
