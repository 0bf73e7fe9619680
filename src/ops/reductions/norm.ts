/** @file norm */
import { describe } from '../../core/describe.ts';
import { ValueError } from '../../core/errors.ts';
import { axesInOrder, requireBoolean } from '../../core/shape.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { type CompositeOp, defineComposite } from '../define/composite.ts';
import { max, min } from './extrema.ts';
import { moveAxis } from '../arrangement/moveAxis.ts';
import { reshape } from '../arrangement/reshape.ts';
import { abs } from '../elementwise/rounding.ts';
import { sum } from './sum.ts';
import { svd } from '../linalg/svd.ts';
import { type NormAxes, requireVectorOrder, vectorNorm } from './vectorNorm.ts';
import { euclideanNorm } from './euclideanNorm.ts';

export interface NormOptions {
  /**
   * For vectors: the exponent p of (Σ|x|^p)^(1/p), ±Infinity for the largest or smallest magnitude, 0 for the count of
   * elements that aren't 0. For matrices (two axes: rows, columns): ±1, the largest or smallest sum of a column; ±Infinity,
   * of a row; ±2, the largest or smallest singular value; 'nuc', the sum of the singular values. 'fro' and 'euclidean' are
   * the square root of the sum of squares, over any axes. Default 'euclidean'.
   */
  ord?: number | 'euclidean' | 'fro' | 'nuc';
  /** The axis or the two axes of the norm. Default null: all elements, as one vector. */
  axis?: number | readonly number[] | null;
  /** Keeps the axes with size 1. Default false. */
  keepDims?: boolean;
}

/**
 * The norm of vectors or matrices along `axis`. float32. Shape: x without those axes, or with size 1 where `keepDims`. Where
 * the norm is 0, and not differentiable, the gradient is 0.
 * Errors: ShapeError for axes that x lacks; ValueError for an `ord` that isn't one; DTypeError for singular values of
 * another dtype than float32.
 */
export const norm: CompositeOp<[x: Tensor], NormOptions, Tensor, ['ord', 'axis', 'keepDims']> =
  /* @__PURE__ */ defineComposite({
    name: 'norm',
    inputs: ['x'],
    options: { ord: true, axis: true, keepDims: true },
    acceptsFloat16: false,
    compose: ([x], { ord = 'euclidean', axis = null, keepDims = false }) => {
      requireBoolean('norm', 'keepDims', keepDims);
      const axes = axis === null ? x.shape.map((_, i) => i) : axesInOrder('norm', axis, x.shape.length);
      const over = { axis: axes, keepDims };
      if (ord === 'euclidean' || ord === 'fro') return euclideanNorm(x, over);
      if (axis !== null && axes.length === 2) return matrixNorm(x, ord, over);
      requireVectorOrder('norm', 'ord', ord);
      if (axis !== null && axes.length > 2) throw tooManyAxes(ord, axes);
      return vectorNorm(x, ord, over);
    },
  });

function matrixNorm(x: Tensor, ord: unknown, over: NormAxes): Tensor {
  const [rows, columns] = over.axis as [number, number];
  switch (ord) {
    case 1:
    case -1:
      return extremeSum(x, ord, rows, over);
    case Number.POSITIVE_INFINITY:
    case Number.NEGATIVE_INFINITY:
      return extremeSum(x, ord, columns, over);
    case 2:
      return ofSingularValues(max, x, over);
    case -2:
      return ofSingularValues(min, x, over);
    case 'nuc':
      return ofSingularValues(sum, x, over);
    default:
      throw new ValueError({
        op: 'norm',
        rule: 'the norm of a matrix has an `ord` of "fro", "nuc", 1, -1, 2, -2, Infinity or -Infinity.',
        received: `ord: ${describe(ord)}`,
        hint: 'leave it out for the Frobenius norm.',
      });
  }
}

/** Returns the largest (`ord` > 0) or smallest of the sums of magnitudes along axis `along`. */
function extremeSum(x: Tensor, ord: number, along: number, { axis, keepDims }: NormAxes): Tensor {
  const sums = sum(abs(x), { axis: along, keepDims: true });
  return (ord > 0 ? max : min)(sums, { axis, keepDims });
}

function ofSingularValues(
  reduce: (values: Tensor, options: { axis: number }) => Tensor,
  x: Tensor,
  { axis, keepDims }: NormAxes,
): Tensor {
  const matrices = moveAxis(x, { source: axis, destination: [-2, -1] });
  const values = svd(matrices, { fullMatrices: false })[1];
  const norms = reduce(values, { axis: -1 });
  return keepDims ? reshape(norms, { shape: x.shape.map((n, i) => (axis.includes(i) ? 1 : n)) }) : norms;
}

function tooManyAxes(ord: number, axes: readonly number[]): ValueError {
  return new ValueError({
    op: 'norm',
    rule: 'a norm other than "euclidean" is of vectors (one axis) or matrices (two axes).',
    received: `ord: ${ord} over ${axes.length} axes`,
    hint: 'leave `ord` out for the Euclidean norm, or reshape the axes to one.',
  });
}
