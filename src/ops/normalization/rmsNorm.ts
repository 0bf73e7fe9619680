/** @file rmsNorm and its gradients */
import type { TensorSpec } from '../../core/spec.ts';
import { hasRmsLineGradient, rmsNormGradKernel, rmsNormKernel } from '../../kernels/normalization/rmsNorm.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { add, mul, sub } from '../elementwise/arithmetic.ts';
import { defineOp, type Op } from '../define/define.ts';
import { mean } from '../reductions/mean.ts';
import {
  axesTogether,
  inShape,
  otherAxes,
  requireEpsilon,
  requireParameters,
  sizesAlong,
} from './normalization.ts';
import { reshaped, secondOrder, spreadShape, type Standardized } from './normalizationGrad.ts';
import { sum } from '../reductions/sum.ts';
import { rsqrt, square } from '../elementwise/unary.ts';
import { requireDType } from '../../core/dtype.ts';

// The gradient of rmsNorm in few launches, as separate ops. With x̂ = x r, r = 1 / √(mean x² + epsilon) and g = gamma · dy:
//
// dx = r P(g) + dTotal, P(z) = z - x̂ mean(z x̂); dGamma = Σ dy x̂
//
// dTotal is the cotangent of x itself, where x is a sum that is also a result. P is symmetric as for layerNorm, so the
// gradients of these gradients have the same form (normalizationGrad.ts).

/** Which axes are normalized, and how. */
export interface RmsOptions {
  /** The axes over which the mean of squares is taken, ascending. */
  axes: readonly number[];
  epsilon: number;
}

type Optional = Tensor | null;
type Inputs = [dy: Tensor, x: Tensor, gamma: Optional, dTotal: Optional];

/** Returns x r, and r. */
export function rmsStandardized(x: Tensor, { axes, epsilon }: RmsOptions): Standardized {
  const r = rsqrt(add(mean(square(x), { axis: axes, keepDims: true }), epsilon));
  return { normalized: mul(x, r), r };
}

/** The gradients composed of ops. */
function composed(
  [dy, x, gamma, dTotal]: readonly [Tensor, Tensor, Optional, Optional],
  options: RmsOptions,
  needsGamma: boolean,
): [dx: Tensor, dGamma: Optional] {
  const { axes } = options;
  const { normalized, r } = rmsStandardized(x, options);
  const spread = reshaped(gamma, spreadShape(x, axes));
  const g = spread ? mul(dy, spread) : dy;
  const along = mean(mul(g, normalized), { axis: axes, keepDims: true });
  const dx = mul(sub(g, mul(normalized, along)), r);
  const dGamma = needsGamma ? sum(mul(dy, normalized), { axis: otherAxes(x.rank, axes) }) : null;
  return [dTotal ? add(dx, dTotal) : dx, dGamma];
}

/** Gradient of rmsNorm over adjacent axes, if gamma needs none: only dx. */
export const rmsNormInputGrad: Op<Inputs, RmsOptions> = /* @__PURE__ */ defineOp({
  name: 'rmsNormInputGrad',
  inputs: ['dy', 'x', 'gamma?', 'dTotal?'],
  save: { inputs: [0, 1, 2], outputs: [0] },
  infer: ([, { shape, dtype }]) => ({ shape, dtype }),
  forward: ([dy, x, gamma, dTotal], _, { options }) =>
    rmsNormGradKernel('rmsNormGrad', { dy, x, gamma, dTotal, ...options }, false)[0],
  formula: (inputs, _, options) => composed(inputs, options, false)[0],
  backward: ([u], { inputs, outputs: [dx], needs, options, inputSpecs }) =>
    rmsSecondOrder([u, null], inputs, dx, { options, needs, hasTotal: inputSpecs[3] !== null }),
});

/** Gradient of rmsNorm over adjacent axes: dx and dGamma. gamma and dGamma have the sizes of the axes. */
export const rmsNormGrad: Op<Inputs, RmsOptions, [dx: Tensor, dGamma: Tensor]> = /* @__PURE__ */ defineOp({
  name: 'rmsNormGrad',
  inputs: ['dy', 'x', 'gamma?', 'dTotal?'],
  takesNull: true,
  save: { inputs: [0, 1, 2], outputs: [0] },
  infer: ([, { shape, dtype }], { axes }) => {
    const parameter: TensorSpec = { shape: sizesAlong(shape, axes), dtype };
    return [{ shape, dtype }, parameter] as const;
  },
  forward: ([dy, x, gamma, dTotal], _, { options }) =>
    rmsNormGradKernel('rmsNormGrad', { dy, x, gamma, dTotal, ...options }, true) as [Tensor, Tensor],
  formula: (inputs, _, options) => composed(inputs, options, true) as [Tensor, Tensor],
  backward: (cotangents, { inputs, outputs: [dx], needs, options, inputSpecs }) =>
    rmsSecondOrder(cotangents, inputs, dx, { options, needs, hasTotal: inputSpecs[3] !== null }),
});

interface SecondOrderCall {
  options: RmsOptions;
  needs: readonly boolean[];
  hasTotal: boolean;
}

/** `dx` includes dTotal, which secondOrder must not see. */
function rmsSecondOrder(
  [u, v]: readonly [u: Optional, v: Optional],
  [dy, x, gamma]: readonly [Tensor, Tensor, Optional, ...unknown[]],
  dx: Tensor,
  { options, needs, hasTotal }: SecondOrderCall,
): [Optional, Optional, Optional, Optional] {
  const { axes } = options;
  const shape = spreadShape(x, axes);
  const own = hasTotal ? rmsNormInputGrad(dy, x, gamma, null, options) : dx;
  const [ddy, ddx, dGamma] = secondOrder([u, reshaped(v, shape), null], {
    dy,
    gamma: reshaped(gamma, shape),
    dx: own,
    axes,
    sharedAxes: otherAxes(x.rank, axes),
    needs,
    ...rmsStandardized(x, options),
    project: (z) => rmsNormInputGrad(z, x, null, null, options),
  });
  return [ddy, ddx, inShape(dGamma, gamma), hasTotal ? u : null];
}

/** The gradients for x and gamma of rmsNorm, from the cotangents of its result and, where x is a sum, of that sum. */
export function rmsGradients(
  [dy, x, gamma, dTotal]: readonly [Tensor, Tensor, Optional, Optional],
  options: RmsOptions,
  needsGamma: boolean,
): [dx: Tensor, dGamma: Optional] {
  if (!hasRmsLineGradient(x, options.axes)) {
    const [dx, dGamma] = composed([dy, x, gamma, dTotal], options, needsGamma);
    return [dx, dGamma];
  }
  if (needsGamma) return rmsNormGrad(dy, x, gamma, dTotal, options);
  return [rmsNormInputGrad(dy, x, gamma, dTotal, options), null];
}

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
