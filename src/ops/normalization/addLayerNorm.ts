/** @file addLayerNorm, addRmsNorm: a residual connection and the norm that follows it. */
import type { TensorSpec } from '../../core/spec.ts';
import {
  hasLineGradient,
  layerNormGradKernel,
  layerNormKernel,
} from '../../kernels/normalization/layerNorm.ts';
import { view } from '../../kernels/launch/output.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { add, mul } from '../elementwise/arithmetic.ts';
import { defineOp, type Op } from '../define/define.ts';
import { layerNorm, layerNormGradients, type LayerNormOptions } from './layerNorm.ts';
import {
  axesTogether,
  defaultEpsilon,
  requireEpsilon,
  requireParameters,
  requireSummands,
  sizesAlong,
} from './normalization.ts';
import { layerNormGrad, layerNormInputGrad, reshaped, spreadShape } from './normalizationGrad.ts';
import { activeRecorders } from '../define/recorders.ts';
import { rmsNormKernel } from '../../kernels/normalization/rmsNorm.ts';
import { rmsGradients, type RmsNormOptions, rmsStandardized } from './rmsNorm.ts';

const name = 'addLayerNorm';

interface GradOptions {
  axes: readonly number[];
  epsilon: number;
  /** Whether there are gradients of gamma and beta, too. */
  parameters: boolean;
}

type GradInputs = [dy: Tensor, total: Tensor, gamma: Tensor | null, dTotal: Tensor];

/** The gradients of total, and of gamma and beta if asked for. Where they may be differentiated again, other ops compute them. */
const gradient: Op<GradInputs, GradOptions, readonly Tensor[]> = /* @__PURE__ */ defineOp({
  name: `${name}Grad`,
  inputs: ['dy', 'total', 'gamma?', 'dTotal'],
  infer: ([, { shape, dtype }], { axes, parameters }) => {
    const parameter: TensorSpec = { shape: sizesAlong(shape, axes), dtype };
    const whole: TensorSpec = { shape, dtype };
    return parameters ? [whole, parameter, parameter] : [whole];
  },
  forward: ([dy, total, gamma, dTotal], _, { options: { axes, epsilon, parameters } }) =>
    layerNormGradKernel(dy, total, gamma, axes, epsilon, parameters, dTotal),
  formula: ([dy, total, gamma, dTotal], _, { axes, epsilon, parameters }) => {
    if (!parameters) return [add(layerNormInputGrad(dy, total, gamma, { axes, epsilon }), dTotal)];
    const [dx, ...others] = layerNormGrad(dy, total, gamma, { axes, epsilon });
    return [add(dx, dTotal), ...others];
  },
  backward: null,
});

/**
 * total = x + residual, and its layerNorm: [normalized, total] in one launch, and one for the gradient of both (a second one for those
 * of gamma and beta). Without a residual total is x, whose gradients of both uses are then added in that launch. float32. Shapes: x
 * and residual of one shape → the same; gamma and beta as for `layerNorm`.
 * Errors: ShapeError for tensors that don't fit, ValueError for epsilon, DTypeError for integers and bools.
 */
export const addLayerNorm: Op<
  [x: Tensor, residual: Tensor | null, gamma: Tensor | null, beta: Tensor | null],
  LayerNormOptions,
  [normalized: Tensor<'float32'>, total: Tensor<'float32'>]
> = /* @__PURE__ */ defineOp({
  name,
  inputs: ['x', 'residual?', 'gamma?', 'beta?'],
  options: { axis: false, epsilon: false },
  takesNull: true,
  save: { inputs: [2], outputs: [1] },
  infer: ([x, residual, gamma, beta], { axis, epsilon = defaultEpsilon }) => {
    requireSummands(name, x, residual);
    requireEpsilon(name, epsilon);
    const axes = axesTogether(name, axis, x.shape.length);
    requireParameters(name, sizesAlong(x.shape, axes), { gamma, beta });
    const spec = { shape: x.shape, dtype: x.dtype };
    return [{ ...spec, axes, epsilon }, spec] as const;
  },
  forward: ([x, residual, gamma, beta], [plan, spec]) => {
    const [normalized, total] = layerNormKernel({ ...plan, x, residual, gamma, beta });
    return [normalized, total ?? view(x, spec, name)] as [Tensor<'float32'>, Tensor<'float32'>];
  },
  formula: ([x, residual, gamma, beta], [{ axes, epsilon }]) => {
    const total = residual ? add(x, residual) : x;
    const normalized = layerNorm(total, gamma, beta, { axis: axes, epsilon });
    return [normalized, total] as [Tensor<'float32'>, Tensor<'float32'>];
  },
  backward: ([dy, dTotal], { inputs: [, , gamma], outputs: [, total], inputSpecs, needs, plan: [plan] }) => {
    const { axes, epsilon } = plan;
    const hasResidual = inputSpecs[1] !== null;
    const ofBoth = (dx: Tensor | null) => [dx, hasResidual ? dx : null] as const;
    if (!dy) return [...ofBoth(dTotal), null, null];
    if (dTotal && hasLineGradient(total, axes) && activeRecorders().length === 0) {
      const parameters = needs[2] || needs[3];
      const [dx, dGamma = null, dBeta = null] = gradient(dy, total, gamma, dTotal, {
        axes,
        epsilon,
        parameters,
      });
      return [...ofBoth(dx as Tensor), dGamma, dBeta];
    }
    const [dx, ...others] = layerNormGradients(dy, total, gamma, plan, {
      needs: [true, needs[2], needs[3]],
      specs: [inputSpecs[0], inputSpecs[2], inputSpecs[3]],
    });
    return [...ofBoth(dTotal && dx ? add(dx, dTotal) : dx), ...others];
  },
});

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
