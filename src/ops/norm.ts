/** @file norm, normalize */
import { describe } from '../core/describe.ts';
import { ValueError } from '../core/errors.ts';
import { normalizeAxes, requireBoolean, requireFinite } from '../core/shape.ts';
import type { Tensor } from '../tensor/tensor.ts';
import { div } from './arithmetic.ts';
import { cast } from './cast.ts';
import { equal, notEqual } from './comparison.ts';
import { type CompositeOp, defineComposite } from './composite.ts';
import { max, min } from './extrema.ts';
import { maximum } from './maximum.ts';
import { pow } from './pow.ts';
import { abs } from './rounding.ts';
import { sum } from './sum.ts';
import { sqrt, square } from './unary.ts';
import { where } from './where.ts';

/** Options of `norm`. */
export interface NormOptions {
  /**
   * For vectors: the exponent p of (Σ|x|^p)^(1/p), ±Infinity for the largest or smallest magnitude, 0 for the count of
   * elements that aren't 0. For matrices (two axes): ±1 or ±Infinity, the largest or smallest sum along columns or rows.
   * 'fro' and 'euclidean' are the square root of the sum of squares, over any axes. Default 'euclidean'.
   */
  ord?: number | 'euclidean' | 'fro';
  /** The axis or the two axes of the norm. Default null: all elements, as one vector. */
  axis?: number | readonly number[] | null;
  /** Keeps the axes with size 1. Default false. */
  keepDims?: boolean;
}

/** Options of `normalize`. */
export interface NormalizeOptions {
  /** The axis along which the norm becomes 1. Default -1. */
  axis?: number;
  /** The exponent of the norm. Default 2. */
  order?: number;
  /** The lower bound of the divisor. Default 1e-12. */
  epsilon?: number;
}

/**
 * The norm of vectors or matrices along `axis`. float32. Shape: x without those axes, or with size 1 where `keepDims`. Where
 * the norm is 0, and not differentiable, the gradient is 0.
 * Errors: ShapeError for axes that x lacks; ValueError for an `ord` that isn't one, or that needs singular values.
 */
export const norm: CompositeOp<[x: Tensor], NormOptions, Tensor, ['ord', 'axis', 'keepDims']> =
  /* @__PURE__ */ defineComposite({
    name: 'norm',
    inputs: ['x'],
    options: { ord: true, axis: true, keepDims: true },
    compose: ([x], { ord = 'euclidean', axis = null, keepDims = false }) => {
      requireBoolean('norm', 'keepDims', keepDims);
      const axes = axis === null ? x.shape.map((_, i) => i) : normalizeAxes('norm', axis, x.shape.length);
      const isVector = axis === null || axes.length === 1;
      const over = { axis: axes, keepDims };
      if (ord === 'euclidean' || ord === 'fro' || (ord === 2 && isVector)) return root(sum(square(x), over));
      requireOrder(ord, isVector ? 1 : axes.length);
      return isVector ? vectorNorm(x, ord, over) : matrixNorm(x, ord, axes as [number, number], keepDims);
    },
  });

/**
 * `x` divided by its norm along `axis`, so that the norm becomes 1, or less if it was below `epsilon`. float32. Shape: that
 * of x.
 * Errors: as for `norm`.
 */
export const normalize: CompositeOp<[x: Tensor], NormalizeOptions, Tensor, ['axis', 'order', 'epsilon']> =
  /* @__PURE__ */ defineComposite({
    name: 'normalize',
    inputs: ['x'],
    options: { axis: true, order: true, epsilon: true },
    compose: ([x], { axis = -1, order = 2, epsilon = 1e-12 }) => {
      requireFinite('normalize', 'epsilon', epsilon);
      const length = norm(x, { ord: order, axis, keepDims: true });
      return div(x, maximum(length, epsilon));
    },
  });

/** The square root, whose gradient at 0 is 0: the subgradient of least norm. */
function root(squares: Tensor): Tensor {
  const isZero = equal(squares, 0);
  return where(isZero, 0, sqrt(where(isZero, 1, squares)));
}

type Over = { readonly axis: readonly number[]; readonly keepDims: boolean };

function vectorNorm(x: Tensor, ord: number, over: Over): Tensor {
  if (ord === Number.POSITIVE_INFINITY) return max(abs(x), over);
  if (ord === Number.NEGATIVE_INFINITY) return min(abs(x), over);
  if (ord === 0) return sum(cast(notEqual(x, 0), { dtype: 'float32' }), over);
  if (ord === 1) return sum(abs(x), over);
  return pow(sum(pow(abs(x), ord), over), 1 / ord);
}

function matrixNorm(x: Tensor, ord: number, axes: readonly [number, number], keepDims: boolean): Tensor {
  const [rows, columns] = axes;
  const along = Math.abs(ord) === 1 ? rows : columns;
  const sums = sum(abs(x), { axis: along, keepDims: true });
  return (ord > 0 ? max : min)(sums, { axis: axes, keepDims });
}

function requireOrder(ord: unknown, axes: number): asserts ord is number {
  const isKnown =
    axes === 1
      ? typeof ord === 'number' && !Number.isNaN(ord)
      : axes === 2 && [1, -1, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY].includes(ord as number);
  if (isKnown) return;
  throw new ValueError({
    op: 'norm',
    rule:
      axes === 1
        ? '`ord` must be a number, Infinity, -Infinity, or "euclidean".'
        : 'the norm of a matrix has an `ord` of "fro", 1, -1, Infinity or -Infinity, and two axes.',
    received: `ord: ${describe(ord)} over ${axes} axes`,
    hint: axes === 1 ? 'leave it out for the Euclidean norm.' : 'leave it out for the Frobenius norm.',
  });
}
