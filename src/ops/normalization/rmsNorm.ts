/** @file rmsNorm */
import { requireDType } from '../../core/dtype.ts';
import { rmsNormKernel } from '../../kernels/normalization/rmsNorm.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { mul } from '../elementwise/arithmetic.ts';
import { defineOp, type Op } from '../define/define.ts';
import { axesTogether, requireEpsilon, requireParameters, sizesAlong } from './normalization.ts';
import { reshaped, spreadShape } from './normalizationGrad.ts';
import { rmsGradients, rmsStandardized } from './rmsNormGrad.ts';

export interface RmsNormOptions {
  /** The axes that are normalized together. Default -1. */
  axis?: number | readonly number[];
  /** Added to the mean of squares. Default 1e-6, as in Keras. */
  epsilon?: number;
}

/**
 * x / √(mean of x² + epsilon) · gamma, with the mean over `axis`. float32. Shapes: that of x; gamma has the sizes of `axis` in
 * ascending order, and may be null. Zhang and Sennrich, "Root mean square layer normalization", 2019.
 * Errors: ShapeError for axes and a gamma that don't fit, ValueError for epsilon, DTypeError for integers and bools.
 */
export const rmsNorm: Op<
  [x: Tensor, gamma: Tensor | null],
  RmsNormOptions,
  Tensor<'float32'>
> = /* @__PURE__ */ defineOp({
  name: 'rmsNorm',
  inputs: ['x', 'gamma?'],
  options: { axis: false, epsilon: false },
  infer: ([{ shape, dtype }, gamma], { axis, epsilon = 1e-6 }) => {
    requireDType('rmsNorm', 'x', dtype, ['float32']);
    requireEpsilon('rmsNorm', epsilon);
    const axes = axesTogether('rmsNorm', axis, shape.length);
    requireParameters('rmsNorm', sizesAlong(shape, axes), { gamma });
    return { shape, dtype, axes, epsilon };
  },
  forward: ([x, gamma], { axes, epsilon }) =>
    rmsNormKernel('rmsNorm', { x, residual: null, gamma, axes, epsilon })[0],
  formula: ([x, gamma], plan) => {
    const { normalized } = rmsStandardized(x, plan);
    const spread = reshaped(gamma, spreadShape(x, plan.axes));
    return spread ? mul(normalized, spread) : normalized;
  },
  backward: ([dy], { inputs: [x, gamma], needs, plan: { axes, epsilon } }) =>
    rmsGradients([dy, x, gamma, null], { axes, epsilon }, needs[1]),
});
