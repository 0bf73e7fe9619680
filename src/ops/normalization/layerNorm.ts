/** @file layerNorm */
import { requireDType } from '../../core/dtype.ts';
import type { TensorSpec } from '../../core/spec.ts';
import { hasLineGradient, layerNormKernel } from '../../kernels/normalization/layerNorm.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { defineOp, type Op } from '../define/define.ts';
import {
  axesTogether,
  defaultEpsilon,
  inShape,
  normalizationGradient,
  otherAxes,
  requireEpsilon,
  requireParameters,
  sizesAlong,
} from './normalization.ts';
import { layerNormGrad, layerNormInputGrad } from './normalizationGrad.ts';
import { reshape } from '../arrangement/reshape.ts';

export interface LayerNormOptions {
  /** The axes that are normalized together. Default -1. */
  axis?: number | readonly number[];
  /** Added to the variance. Default 1e-3, as in Keras. */
  epsilon?: number;
}

/**
 * (x - mean) / √(variance + epsilon) · gamma + beta, with the mean and the population variance over `axis`. Shapes: that of x;
 * gamma and beta have the sizes of `axis` in ascending order, and each may be null.
 * Ba, Kiros and Hinton, "Layer normalization", 2016.
 * Errors: ShapeError for axes and parameters that don't fit, ValueError for epsilon, DTypeError for integers and bools.
 */
export const layerNorm: Op<
  [x: Tensor, gamma: Tensor | null, beta: Tensor | null],
  LayerNormOptions,
  Tensor<'float32'>
> = /* @__PURE__ */ defineOp({
  name: 'layerNorm',
  inputs: ['x', 'gamma?', 'beta?'],
  options: { axis: false, epsilon: false },
  save: { inputs: [0, 1] },
  infer: ([{ shape, dtype }, gamma, beta], options) => {
    const { epsilon = defaultEpsilon } = options;
    requireDType('layerNorm', 'x', dtype, ['float32']);
    requireEpsilon('layerNorm', epsilon);
    const axes = axesTogether('layerNorm', options.axis, shape.length);
    requireParameters('layerNorm', sizesAlong(shape, axes), { gamma, beta });
    return { shape, dtype, axes, epsilon };
  },
  forward: ([x, gamma, beta], { axes, epsilon }) =>
    layerNormKernel({ x, residual: null, gamma, beta, axes, epsilon })[0] as Tensor<'float32'>,
  backward: ([dy], { inputs: [x, gamma], inputSpecs, needs, plan: { axes, epsilon } }) =>
    layerNormGradients(dy, x, gamma, { axes, epsilon }, { needs, specs: inputSpecs }),
});

type Each<T> = readonly [x: T, gamma: T, beta: T];

/** The gradients of layerNorm for x, gamma and beta, as ops. */
export function layerNormGradients(
  dy: Tensor,
  x: Tensor,
  gamma: Tensor | null,
  options: { axes: readonly number[]; epsilon: number },
  { needs, specs }: { needs: Each<boolean>; specs: Each<TensorSpec | null> },
): Each<Tensor | null> {
  const { axes, epsilon } = options;
  if (hasLineGradient(x, axes)) {
    if (needs[1] || needs[2]) return layerNormGrad(dy, x, gamma, options);
    return [layerNormInputGrad(dy, x, gamma, options), null, null];
  }
  const shape = x.shape.map((n, i) => (axes.includes(i) ? n : 1));
  const [dx, dGamma, dBeta] = normalizationGradient(
    dy,
    {
      x,
      gamma: gamma && reshape(gamma, { shape }),
      axes,
      sharedAxes: otherAxes(x.rank, axes),
      epsilon,
    },
    needs,
  );
  return [dx, inShape(dGamma, specs[1]), inShape(dBeta, specs[2])];
}
