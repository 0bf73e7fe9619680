/**
 * @file The gradient of a normalization in few launches, as separate ops: layerNormGrad for lines, batchNormGrad for
 * channels. With x̂ = (x - mean) r, r = 1 / √(variance + epsilon) and g = gamma · dy:
 *
 *     dx = r P(g), P(z) = z - mean z - x̂ mean(z x̂);  dGamma = Σ dy x̂;  dBeta = Σ dy
 *
 * with means over the axes that are normalized together, and sums over those along which gamma is constant. P is symmetric,
 * so the gradients of these gradients have the same form.
 */
import type { TensorSpec } from '../../core/spec.ts';
import { batchNormGradKernel } from '../../kernels/normalization/batchNormGrad.ts';
import { layerNormGradKernel } from '../../kernels/normalization/layerNorm.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { add, mul, neg, sub } from '../elementwise/arithmetic.ts';
import { defineOp, type Op } from '../define/define.ts';
import { mean as meanOf } from '../reductions/mean.ts';
import { inShape, otherAxes } from './normalization.ts';
import { reshape } from '../arrangement/reshape.ts';
import { broadcastTo, sum } from '../reductions/sum.ts';
import { rsqrt } from '../elementwise/unary.ts';
import { moments } from '../reductions/variance.ts';

/** Which axes are normalized, and how. */
interface GradOptions {
  /** The axes over which mean and variance are taken, ascending. */
  axes: readonly number[];
  epsilon: number;
}

/** [dx, dGamma, dBeta]. */
type Gradients = [dx: Tensor, dGamma: Tensor, dBeta: Tensor];

/** Returns the specs of the gradients for gamma and beta of `parameterShape`. */
const planOf = (x: TensorSpec, parameterShape: readonly number[]) => {
  const parameter = { shape: parameterShape, dtype: x.dtype };
  return [{ shape: x.shape, dtype: x.dtype }, parameter, parameter] as const;
};

/** Returns the shape of gamma that broadcasts over x: its sizes along `along`, 1 along others. */
export const spreadShape = (x: TensorSpec, along: readonly number[]) =>
  x.shape.map((n, axis) => (along.includes(axis) ? n : 1));

/** x̂, and r with size 1 along the axes that are normalized together. */
export interface Standardized {
  normalized: Tensor;
  r: Tensor;
}

interface SecondOrder extends Standardized {
  dy: Tensor;
  /** Broadcasts over dy. */
  gamma: Tensor | null;
  dx: Tensor;
  axes: readonly number[];
  /** The axes along which gamma is constant. */
  sharedAxes: readonly number[];
  needs: readonly boolean[];
  /** r P(z). */
  project(z: Tensor): Tensor;
}

/** Cotangents of dx, dGamma and dBeta. */
type Cotangents = readonly [u: Tensor | null, v: Tensor | null, w: Tensor | null];

/** Returns (x - mean) r, and r. */
function standardized(x: Tensor, axes: readonly number[], epsilon: number): Standardized {
  const [mean, variance] = moments(x, { axis: axes, keepDims: true });
  const r = rsqrt(add(variance, epsilon));
  return { normalized: mul(sub(x, mean), r), r };
}

/** Returns the sum of the terms that aren't null. */
const total = (...terms: readonly (Tensor | null)[]) =>
  terms.reduce((sum, term) => (sum && term ? add(sum, term) : (sum ?? term)), null);

/**
 * Returns the gradients for dy, x and gamma of ⟨u, dx⟩ + ⟨v, dGamma⟩ + ⟨w, dBeta⟩, with v and w broadcast over x:
 *
 *     for dy: gamma r P(u) + v x̂ + w;  for gamma: Σ dy r P(u)
 *     for x: r P(v dy - r (u mean(g x̂) + g mean(u x̂))) - r x̂ mean(u dx)
 */
export function secondOrder(
  [u, v, w]: Cotangents,
  { dy, gamma, dx, axes, sharedAxes, needs, normalized, r, project }: SecondOrder,
): [Tensor | null, Tensor | null, Tensor | null] {
  const over = { axis: axes, keepDims: true };
  const scaled = (t: Tensor) => (gamma ? mul(t, gamma) : t);
  const projected = u && (needs[0] || needs[2]) ? project(u) : null;
  const forX = () => {
    const direct = v && mul(dy, v);
    if (!u) return direct && project(direct);
    const g = scaled(dy);
    const crossed = add(mul(u, meanOf(mul(g, normalized), over)), mul(g, meanOf(mul(u, normalized), over)));
    const indirect = mul(crossed, neg(r));
    const mixed = direct ? add(direct, indirect) : indirect;
    return sub(project(mixed), mul(mul(normalized, r), meanOf(mul(u, dx), over)));
  };
  return [
    needs[0] ? total(projected && scaled(projected), v && mul(normalized, v), w && spreadOver(w, dy)) : null,
    needs[1] ? forX() : null,
    projected && needs[2] ? sum(mul(dy, projected), { axis: sharedAxes, keepDims: true }) : null,
  ];
}

/** `w` broadcast to the shape of `x`. */
const spreadOver = (w: Tensor, x: Tensor) => broadcastTo(w, { shape: x.shape });

export const reshaped = (t: Tensor | null, shape: readonly number[]) => t && reshape(t, { shape });

/** Gradient of layerNorm over adjacent axes, if no parameter needs one: only dx. */
export const layerNormInputGrad: Op<[dy: Tensor, x: Tensor, gamma: Tensor | null], GradOptions> =
  /* @__PURE__ */ defineOp({
    name: 'layerNormInputGrad',
    inputs: ['dy', 'x', 'gamma?'],
    save: { inputs: [0, 1, 2], outputs: [0] },
    infer: ([, { shape, dtype }]) => ({ shape, dtype }),
    forward: ([dy, x, gamma], _, { options: { axes, epsilon } }) =>
      layerNormGradKernel(dy, x, gamma, axes, epsilon, false)[0],
    backward: ([u], { inputs, outputs: [dx], needs, options }) =>
      layerNormSecondOrder([u, null, null], inputs, dx, options, needs),
  });

/** Gradient of layerNorm over adjacent axes: dx, dGamma and dBeta. gamma, dGamma and dBeta have the sizes of the axes. */
export const layerNormGrad: Op<[dy: Tensor, x: Tensor, gamma: Tensor | null], GradOptions, Gradients> =
  /* @__PURE__ */ defineOp({
    name: 'layerNormGrad',
    inputs: ['dy', 'x', 'gamma?'],
    takesNull: true,
    save: { inputs: [0, 1, 2], outputs: [0] },
    infer: ([, x], { axes }) =>
      planOf(
        x,
        axes.map((axis) => x.shape[axis] as number),
      ),
    forward: ([dy, x, gamma], _, { options: { axes, epsilon } }) =>
      layerNormGradKernel(dy, x, gamma, axes, epsilon, true),
    backward: (cotangents, { inputs, outputs: [dx], needs, options }) =>
      layerNormSecondOrder(cotangents, inputs, dx, options, needs),
  });

function layerNormSecondOrder(
  [u, v, w]: Cotangents,
  [dy, x, gamma]: readonly [Tensor, Tensor, Tensor | null],
  dx: Tensor,
  { axes, epsilon }: GradOptions,
  needs: readonly boolean[],
): [Tensor | null, Tensor | null, Tensor | null] {
  const shape = spreadShape(x, axes);
  const [ddy, ddx, dGamma] = secondOrder([u, reshaped(v, shape), reshaped(w, shape)], {
    dy,
    gamma: reshaped(gamma, shape),
    dx,
    axes,
    sharedAxes: otherAxes(x.rank, axes),
    needs,
    ...standardized(x, axes, epsilon),
    project: (z) => layerNormInputGrad(z, x, null, { axes, epsilon }),
  });
  return [ddy, ddx, inShape(dGamma, gamma)];
}

/**
 * Gradient of batchNormTrain over adjacent axes. `mean` and `variance` are those of x, so they get no gradient here. gamma,
 * mean, variance, dGamma and dBeta have the sizes of the other axes.
 */
export const batchNormGrad: Op<
  [dy: Tensor, x: Tensor, gamma: Tensor | null, mean: Tensor, variance: Tensor],
  GradOptions,
  Gradients
> = /* @__PURE__ */ defineOp({
  name: 'batchNormGrad',
  inputs: ['dy', 'x', 'gamma?', 'mean', 'variance'],
  takesNull: true,
  save: { inputs: [0, 1, 2, 3, 4], outputs: [0] },
  infer: ([, x, , { shape }]) => planOf(x, shape),
  forward: ([dy, x, gamma, mean, variance], _, { options: { axes, epsilon } }) =>
    batchNormGradKernel(dy, x, { gamma, mean, variance }, axes, epsilon),
  backward: ([u, v, w], { inputs: [dy, x, gamma, mean, variance], outputs: [dx], needs, options }) => {
    const { axes, epsilon } = options;
    const shape = spreadShape(x, otherAxes(x.rank, axes));
    const [ddy, ddx, dGamma] = secondOrder([u, reshaped(v, shape), reshaped(w, shape)], {
      dy,
      gamma: reshaped(gamma, shape),
      dx,
      axes,
      sharedAxes: axes,
      needs,
      ...standardized(x, axes, epsilon),
      project: (z) => batchNormGrad(z, x, null, mean, variance, options)[0],
    });
    return [ddy, ddx, inShape(dGamma, gamma), null, null];
  },
});
