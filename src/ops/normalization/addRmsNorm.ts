/** @file addRmsNorm: a residual connection and the norm that follows it. */
import { rmsNormKernel } from '../../kernels/normalization/rmsNorm.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { add, mul } from '../elementwise/arithmetic.ts';
import { defineOp, type Op } from '../define/define.ts';
import {
  axesTogether,
  requireEpsilon,
  requireParameters,
  requireSummands,
  sizesAlong,
} from './normalization.ts';
import { reshaped, spreadShape } from './normalizationGrad.ts';
import type { RmsNormOptions } from './rmsNorm.ts';
import { rmsGradients, rmsStandardized } from './rmsNormGrad.ts';

/**
 * total = x + residual, and its rmsNorm: [normalized, total] in one launch, and one for the gradient of both (a second one for that
 * of gamma). float32. Shapes: x and residual of one shape → the same; gamma as for `rmsNorm`.
 * Errors: ShapeError for tensors that don't fit, ValueError for epsilon, DTypeError for integers and bools.
 */
export const addRmsNorm: Op<
  [x: Tensor, residual: Tensor, gamma: Tensor | null],
  RmsNormOptions,
  [normalized: Tensor<'float32'>, total: Tensor<'float32'>]
> = /* @__PURE__ */ defineOp({
  name: 'addRmsNorm',
  inputs: ['x', 'residual', 'gamma?'],
  options: { axis: false, epsilon: false },
  takesNull: true,
  save: { inputs: [2], outputs: [1] },
  infer: ([x, residual, gamma], { axis, epsilon = 1e-6 }) => {
    requireSummands('addRmsNorm', x, residual);
    requireEpsilon('addRmsNorm', epsilon);
    const axes = axesTogether('addRmsNorm', axis, x.shape.length);
    requireParameters('addRmsNorm', sizesAlong(x.shape, axes), { gamma });
    const spec = { shape: x.shape, dtype: x.dtype };
    return [{ ...spec, axes, epsilon }, spec] as const;
  },
  forward: ([x, residual, gamma], [{ axes, epsilon }]) =>
    rmsNormKernel('addRmsNorm', { x, residual, gamma, axes, epsilon }) as [
      Tensor<'float32'>,
      Tensor<'float32'>,
    ],
  formula: ([x, residual, gamma], [plan]) => {
    const total = add(x, residual);
    const { normalized } = rmsStandardized(total, plan);
    const spread = reshaped(gamma, spreadShape(x, plan.axes));
    return [spread ? mul(normalized, spread) : normalized, total] as [Tensor<'float32'>, Tensor<'float32'>];
  },
  backward: ([dy, dTotal], { inputs: [, , gamma], outputs: [, total], needs, plan: [{ axes, epsilon }] }) => {
    if (!dy) return [dTotal, dTotal, null];
    const [dx, dGamma] = rmsGradients([dy, total, gamma, dTotal], { axes, epsilon }, needs[2]);
    return [dx, dx, dGamma];
  },
});
