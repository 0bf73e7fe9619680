/** @file Keras's activations that are composed of several ops. Options follow the tensor, with Keras's defaults. */
import { optionsOf } from '../core/options.ts';
import { ShapeError, ValueError } from '../core/errors.ts';
import { describe, normalizeAxis, requireFinite } from '../core/shape.ts';
import { formatSpec } from '../core/spec.ts';
import { sigmoid } from '../ops/activations/activations.ts';
import { add, div, mul, sub } from '../ops/elementwise/arithmetic.ts';
import { cast } from '../ops/elementwise/cast.ts';
import { clip } from '../ops/elementwise/clip.ts';
import { greater, less } from '../ops/elementwise/comparison.ts';
import { gather } from '../ops/indexing/gather.ts';
import { tanh } from '../ops/elementwise/hyperbolic.ts';
import { maximum, minimum } from '../ops/elementwise/maximum.ts';
import { elu, relu } from '../ops/activations/rectifiers.ts';
import { abs } from '../ops/elementwise/rounding.ts';
import { simplexSupport } from '../ops/activations/simplexSupport.ts';
import { sum } from '../ops/reductions/sum.ts';
import { expm1, sqrt, square } from '../ops/elementwise/unary.ts';
import { where } from '../ops/elementwise/where.ts';
import { tidy } from '../tensor/scope.ts';
import type { Tensor } from '../tensor/tensor.ts';

/**
 * x where it is positive, alpha (e^(x / alpha) - 1) elsewhere. Gradient: 1 at 0. Errors: ValueError for an alpha of 0.
 * Source: J. Barron, Continuously differentiable exponential linear units, 2017.
 */
export function celu(x: Tensor, options?: { alpha?: number }): Tensor;
export function celu(x: Tensor, ...args: unknown[]): Tensor {
  const { alpha = 1 }: { alpha?: number } = optionsOf('celu', args, { alpha: true }, ['x']);
  requireFinite('celu', 'alpha', alpha);
  if (alpha === 0) {
    throw new ValueError({
      op: 'celu',
      rule: '`alpha` is not 0.',
      received: `alpha: ${alpha}`,
      hint: 'use relu, which celu tends to for small alphas.',
    });
  }
  if (alpha === 1) return elu(x);
  return tidy(() => {
    // A tape keeps one tensor of elu, and three of a selection.
    if (alpha > 0) return mul(elu(div(x, alpha)), alpha);
    // The exponent is clamped to 0, so that the branch that is not selected stays finite.
    const below = mul(expm1(div(minimum(x, 0), alpha)), alpha);
    return where(greater(x, 0), x, below);
  });
}

/** Returns the size of an axis of `x`; null where it is open. Errors: ShapeError, and ValueError for anything but a tensor. */
function sizeAlong(op: string, x: Tensor, axis: unknown): number | null {
  const { shape } = (x ?? {}) as Partial<Pick<Tensor, 'shape'>>;
  if (Array.isArray(shape)) return shape[normalizeAxis(op, axis, shape.length)] as number | null;
  throw new ValueError({
    op,
    rule: 'it takes a tensor.',
    received: describe(x),
    hint: 'make one of numbers with tensor(values).',
  });
}

/**
 * The first half along `axis`, gated by the sigmoid of the second. Default axis -1. Errors: ShapeError for an odd size.
 * Source: Y. Dauphin et al., Language modeling with gated convolutional networks, 2016.
 */
export function glu(x: Tensor, options?: { axis?: number }): Tensor;
export function glu(x: Tensor, ...args: unknown[]): Tensor {
  const { axis = -1 }: { axis?: number } = optionsOf('glu', args, { axis: true }, ['x']);
  const size = sizeAlong('glu', x, axis);
  if (size === null || size % 2 !== 0) {
    throw new ShapeError({
      op: 'glu',
      rule: 'the axis that is halved has an even size.',
      received: `axis: ${describe(axis)} of ${formatSpec(x)}`,
      hint: 'use twice as many units as the output should have.',
    });
  }
  return tidy(() => {
    // Uses gather instead of split: this function is in the table of named activations, so every layer would bundle split, too.
    const half = (from: number) =>
      gather(
        x,
        new Int32Array(size / 2).map((_, i) => from + i),
        { axis },
      );
    return mul(half(0), sigmoid(half(size / 2)));
  });
}

/** x where |x| is above `threshold` (default 0.5), 0 elsewhere. */
export function hardShrink(x: Tensor, options?: { threshold?: number }): Tensor;
export function hardShrink(x: Tensor, ...args: unknown[]): Tensor {
  const { threshold = 0.5 }: { threshold?: number } = optionsOf('hardShrink', args, { threshold: true }, [
    'x',
  ]);
  requireFinite('hardShrink', 'threshold', threshold);
  return tidy(() => where(greater(abs(x), threshold), x, 0));
}

/** x within [-1, 1], and the nearer bound elsewhere. */
export function hardTanh(x: Tensor): Tensor;
export function hardTanh(x: Tensor, ...args: unknown[]): Tensor {
  optionsOf('hardTanh', args, {}, ['x']);
  return clip(x, { min: -1, max: 1 });
}

/** x moved towards 0 by `threshold` (default 0.5), and 0 where |x| is below it. NaN stays NaN. */
export function softShrink(x: Tensor, options?: { threshold?: number }): Tensor;
export function softShrink(x: Tensor, ...args: unknown[]): Tensor {
  const { threshold = 0.5 }: { threshold?: number } = optionsOf('softShrink', args, { threshold: true }, [
    'x',
  ]);
  requireFinite('softShrink', 'threshold', threshold, 0);
  return tidy(() => sub(x, clip(x, { min: -threshold, max: threshold })));
}

/** x - tanh(x). */
export function tanhShrink(x: Tensor): Tensor;
export function tanhShrink(x: Tensor, ...args: unknown[]): Tensor {
  optionsOf('tanhShrink', args, {}, ['x']);
  return tidy(() => sub(x, tanh(x)));
}

/** x where it is above `threshold`, `defaultValue` elsewhere. Defaults 0. */
export function threshold(x: Tensor, options?: { threshold?: number; defaultValue?: number }): Tensor;
export function threshold(x: Tensor, ...args: unknown[]): Tensor {
  const options: { threshold?: number; defaultValue?: number } = optionsOf(
    'threshold',
    args,
    { threshold: true, defaultValue: true },
    ['x'],
  );
  const { threshold: bound = 0, defaultValue = 0 } = options;
  requireFinite('threshold', 'threshold', bound);
  requireFinite('threshold', 'defaultValue', defaultValue);
  return tidy(() => where(greater(x, bound), x, defaultValue));
}

/**
 * (x + √(x² + b)) / 2, a smooth ReLU without exponentials. Default b 4.
 * Source: J. Barron, Squareplus: a softplus-like algebraic rectifier, 2021.
 */
export function squareplus(x: Tensor, options?: { b?: number }): Tensor;
export function squareplus(x: Tensor, ...args: unknown[]): Tensor {
  const { b = 4 }: { b?: number } = optionsOf('squareplus', args, { b: true }, ['x']);
  requireFinite('squareplus', 'b', b, 0);
  return tidy(() => mul(add(x, sqrt(add(square(x), b))), 0.5));
}

/** 0 below -1, x above 1, (x + 1)² / 4 between. */
export function sparsePlus(x: Tensor): Tensor;
export function sparsePlus(x: Tensor, ...args: unknown[]): Tensor {
  optionsOf('sparsePlus', args, {}, ['x']);
  return tidy(() => {
    // Beyond, a substitute keeps the square finite. NaN stays.
    const inner = where(greater(abs(x), 1), 0, x);
    const between = where(less(x, -1), 0, mul(square(add(inner, 1)), 0.25));
    return where(greater(x, 1), x, between);
  });
}

/** 0 below -1, 1 above 1, (x + 1) / 2 between. */
export function sparseSigmoid(x: Tensor): Tensor;
export function sparseSigmoid(x: Tensor, ...args: unknown[]): Tensor {
  optionsOf('sparseSigmoid', args, {}, ['x']);
  return tidy(() => mul(add(clip(x, { min: -1, max: 1 }), 1), 0.5));
}

/**
 * The point of the simplex nearest to x along `axis` (default -1): like softmax, with exact zeros. Keras 3.15 adds the
 * cumulative sums of the support where the paper adds its values; this is the paper's.
 * Source: Martins and Astudillo, From softmax to sparsemax, ICML 2016.
 */
export function sparsemax(x: Tensor, options?: { axis?: number }): Tensor;
export function sparsemax(x: Tensor, ...args: unknown[]): Tensor {
  const { axis = -1 }: { axis?: number } = optionsOf('sparsemax', args, { axis: true }, ['x']);
  const size = sizeAlong('sparsemax', x, axis);
  if (size === null) {
    throw new ShapeError({
      op: 'sparsemax',
      rule: 'the axis of the classes has a known size.',
      received: `axis: ${describe(axis)} of ${formatSpec(x)}`,
      hint: 'name one of the axes of the input.',
    });
  }
  return tidy(() => {
    const support = simplexSupport(x, { axis });
    const along = { axis, keepDims: true };
    const level = div(sub(sum(mul(x, support), along), 1), sum(support, along));
    return relu(sub(x, level));
  });
}

export interface ReluOptions {
  /** Slope below the threshold. Default 0. */
  negativeSlope?: number;
  /** The largest value of the result. Default null: no bound. */
  maxValue?: number | null;
  /** Values below it become 0, or follow `negativeSlope`. Default 0. */
  threshold?: number;
}

/**
 * Keras's relu with its options: x above `threshold`, up to `maxValue`; below it 0, or a linear slope.
 * Errors: ValueError for options that aren't finite numbers, or a negative slope or bound.
 */
export function reluWith(x: Tensor, options?: ReluOptions): Tensor;
export function reluWith(x: Tensor, ...args: unknown[]): Tensor {
  const options: ReluOptions = optionsOf(
    'relu',
    args,
    { negativeSlope: true, maxValue: true, threshold: true },
    ['x'],
  );
  const { negativeSlope = 0, maxValue = null, threshold: bound = 0 } = options;
  requireFinite('relu', 'negativeSlope', negativeSlope, 0);
  requireFinite('relu', 'threshold', bound, 0);
  if (maxValue !== null) requireFinite('relu', 'maxValue', maxValue, 0);
  return tidy(() => {
    const above = bound === 0 ? relu(x) : mul(x, cast(greater(x, bound), 'float32'));
    const held = maxValue === null ? above : minimum(above, maxValue);
    if (negativeSlope === 0) return held;
    return sub(held, mul(maximum(sub(bound, x), 0), negativeSlope));
  });
}
