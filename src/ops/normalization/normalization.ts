/** @file Common code of normalizations: their checks and their gradient. */
import { requireDType } from '../../core/dtype.ts';
import { ShapeError, ValueError } from '../../core/errors.ts';
import { describe, formatShape, normalizeAxes, type Shape, sameShape, sizeOf } from '../../core/shape.ts';
import { formatSpec, type TensorSpec } from '../../core/spec.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { add, mul, neg, sub } from '../elementwise/arithmetic.ts';
import { mulAdd } from '../elementwise/mulAdd.ts';
import { reshape } from '../arrangement/reshape.ts';
import { sum } from '../reductions/sum.ts';
import { rsqrt } from '../elementwise/unary.ts';
import { moments } from '../reductions/variance.ts';

/** Keras's default. */
export const defaultEpsilon = 1e-3;

/** Throws unless `epsilon` is a finite number of at least 0. */
export function requireEpsilon(op: string, epsilon: unknown): asserts epsilon is number {
  if (typeof epsilon === 'number' && Number.isFinite(epsilon) && epsilon >= 0) return;
  throw new ValueError({
    op,
    rule: '`epsilon` must be a finite number of at least 0.',
    received: `epsilon: ${describe(epsilon)}`,
    hint: `pass a small number such as ${defaultEpsilon}.`,
  });
}

/** Returns the axes that are normalized together, ascending. Default: the last. Errors: ShapeError if there are none. */
export function axesTogether(
  op: string,
  axis: number | readonly number[] | undefined,
  rank: number,
): number[] {
  const axes = axis === null ? [] : normalizeAxes(op, axis ?? -1, rank);
  if (axes.length > 0) return axes;
  throw new ShapeError({
    op,
    rule: '`axis` must name at least one axis.',
    received: `axis: ${axis === null ? 'null' : '[]'}`,
    hint: 'name the axes of one sample that are normalized together, such as -1.',
  });
}

export const sizesAlong = (shape: Shape, axes: readonly number[]) =>
  axes.map((axis) => shape[axis] as number);

/** Throws unless each of `parameters` is float32 and of `shape`, or null. */
export function requireParameters(
  op: string,
  shape: Shape,
  parameters: Readonly<Record<string, TensorSpec | null | undefined>>,
): void {
  for (const [name, parameter] of Object.entries(parameters)) {
    if (!parameter) continue;
    requireDType(op, name, parameter.dtype, ['float32']);
    if (sameShape(parameter.shape, shape)) continue;
    throw new ShapeError({
      op,
      rule: `\`${name}\` must have the sizes of the axes that it scales or shifts: ${formatShape(shape)}.`,
      received: `${name} ${formatSpec(parameter)}`,
      hint: `reshape \`${name}\`, or name other axes.`,
    });
  }
}

/** Throws unless `x` and the `residual` that is added to it are float32 and of one shape. */
export function requireSummands(op: string, x: TensorSpec, residual: TensorSpec | null | undefined): void {
  requireDType(op, 'x', x.dtype, ['float32']);
  if (!residual) return;
  requireDType(op, 'residual', residual.dtype, ['float32']);
  if (sameShape(x.shape, residual.shape)) return;
  throw new ShapeError({
    op,
    rule: '`x` and `residual` have the same shape.',
    received: `${formatSpec(x)} and ${formatSpec(residual)}`,
    hint: 'broadcast the smaller one first: broadcastTo(x, { shape }).',
  });
}

/** The shape of [n] along `axis` of a tensor of `rank`. */
export function shapeAlong(n: number, axis: number, rank: number): number[] {
  return Array.from({ length: rank }, (_, i) => (i === axis ? n : 1));
}

/** All axes but `axis`. */
export function otherAxes(rank: number, axes: readonly number[]): number[] {
  return Array.from({ length: rank }, (_, i) => i).filter((i) => !axes.includes(i));
}

export interface Normalized {
  x: Tensor;
  /** In a shape that broadcasts over x: 1 along all axes except those that it scales. */
  gamma: Tensor | null;
  /** The axes over which mean and variance are taken. */
  axes: readonly number[];
  /** The axes along which gamma and beta are constant. */
  sharedAxes: readonly number[];
  epsilon: number;
}

/**
 * The gradients for x, gamma and beta of γ (x - mean) r + β, with r = 1 / √(variance + epsilon) and moments of x itself:
 * dx = r (g - mean g - x̂ mean(g x̂)) with g = γ dy and x̂ = (x - mean) r. Those of gamma and beta have shape 1 along
 * `sharedAxes`. Ioffe and Szegedy, "Batch normalization", 2015, section 3; Ba, Kiros and Hinton, "Layer normalization", 2016.
 */
export function normalizationGradient(
  dy: Tensor,
  { x, gamma, axes, sharedAxes, epsilon }: Normalized,
  needs: readonly [x: boolean, gamma: boolean, beta: boolean],
): [dx: Tensor | null, dGamma: Tensor | null, dBeta: Tensor | null] {
  const over = { axis: axes, keepDims: true };
  const shared = { axis: sharedAxes, keepDims: true };
  const n = sizeOf(axes.map((axis) => x.shape[axis] as number));
  const dBeta = needs[2] ? sum(dy, shared) : null;
  if (!needs[0] && !needs[1]) return [null, null, dBeta];

  const [mean, variance] = moments(x, over);
  const r = rsqrt(add(variance, epsilon));
  const centred = sub(x, mean);
  const product = mul(dy, centred);
  const dGamma = needs[1] ? sum(mul(product, r), shared) : null;
  if (!needs[0]) return [null, dGamma, dBeta];

  const g = gamma ? mul(dy, gamma) : dy;
  const gSum = sum(g, over);
  const gCentredSum = sum(gamma ? mul(product, gamma) : product, over);
  const weight = neg(mul(mul(gCentredSum, 1 / n), mul(r, mul(r, r))));
  const shift = neg(mul(mul(gSum, 1 / n), r));
  return [mulAdd(g, r, mulAdd(centred, weight, shift)), dGamma, dBeta];
}

/** A gradient in the shape of its parameter. */
export function inShape(gradient: Tensor | null, spec: TensorSpec | null): Tensor | null {
  return gradient && spec ? reshape(gradient, { shape: spec.shape }) : null;
}
