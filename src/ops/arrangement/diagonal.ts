/** @file diag, diagonal, trace */
import { ShapeError } from '../../core/errors.ts';
import { formatShape, requireInteger, type Shape } from '../../core/shape.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { type CompositeOp, defineComposite } from '../define/composite.ts';
import { moveAxis } from './moveAxis.ts';
import { reshape } from './reshape.ts';
import { stridedScatter, stridedSlice } from './stridedSlice.ts';
import { sum } from '../reductions/sum.ts';

export interface DiagOptions {
  /** Which diagonal: 0 is the main one, positive ones lie above it. Default 0. */
  k?: number;
}

export interface DiagonalOptions {
  /** Which diagonal: 0 is the main one, positive ones lie above it. Default 0. */
  offset?: number;
  /** The axis of the rows. Default 0. */
  axis1?: number;
  /** The axis of the columns. Default 1. */
  axis2?: number;
}

const diagonalOptionNames = { offset: true, axis1: true, axis2: true } as const;

/**
 * For a vector [n], the matrix [n + |k|, n + |k|] with it on diagonal `k` and zeros elsewhere. For a matrix, its diagonal
 * `k`, a vector. Any dtype. As in NumPy and Keras.
 * Errors: ShapeError for other ranks, ValueError for a fractional k.
 */
export const diag: CompositeOp<[x: Tensor], DiagOptions, Tensor, ['k']> = /* @__PURE__ */ defineComposite({
  name: 'diag',
  inputs: ['x'],
  options: { k: true },
  compose: ([x], { k = 0 }) => {
    requireInteger('diag', 'k', k, Number.MIN_SAFE_INTEGER);
    if (x.shape.length === 1) return matrixOf(x, k);
    if (x.shape.length === 2) return diagonalOf(x, k);
    throw new ShapeError({
      op: 'diag',
      rule: '`x` must be a vector or a matrix.',
      received: `x ${formatShape(x.shape)}`,
      hint: 'use diagonal for matrices along further axes.',
    });
  },
});

/**
 * Diagonal `offset` of each matrix that the axes `axis1` and `axis2` of x span; it becomes the last axis. Any dtype. As in
 * NumPy and Keras.
 * Errors: ShapeError for axes that x lacks or that are the same, ValueError for a fractional offset.
 */
export const diagonal: CompositeOp<[x: Tensor], DiagonalOptions, Tensor, ['offset', 'axis1', 'axis2']> =
  /* @__PURE__ */ defineComposite({
    name: 'diagonal',
    inputs: ['x'],
    options: diagonalOptionNames,
    compose: ([x], options) => diagonalAlong('diagonal', x, options),
  });

/**
 * The sum of diagonal `offset` of each matrix that `axis1` and `axis2` span. float32, int32, uint32.
 * Errors: as for `diagonal`; DTypeError for bools.
 * Shape: x without both axes.
 */
export const trace: CompositeOp<[x: Tensor], DiagonalOptions, Tensor, ['offset', 'axis1', 'axis2']> =
  /* @__PURE__ */ defineComposite({
    name: 'trace',
    inputs: ['x'],
    options: diagonalOptionNames,
    compose: ([x], options) => sum(diagonalAlong('trace', x, options), { axis: -1 }),
  });

function diagonalAlong(op: string, x: Tensor, { offset = 0, axis1 = 0, axis2 = 1 }: DiagonalOptions): Tensor {
  requireInteger(op, 'offset', offset, Number.MIN_SAFE_INTEGER);
  return diagonalOf(moveAxis(x, { source: [axis1, axis2], destination: [-2, -1] }), offset);
}

/** Row-major positions of diagonal `k` in a matrix of `rows` and `columns`. */
function positions(rows: number, columns: number, k: number) {
  const length = Math.max(0, Math.min(rows + Math.min(k, 0), columns - Math.max(k, 0)));
  const first = k >= 0 ? k : -k * columns;
  const stride = columns + 1;
  return { first, stride, end: length === 0 ? first : first + (length - 1) * stride + 1 };
}

/** Diagonal `k` of the last two axes, as the last axis. */
export function diagonalOf(x: Tensor, k: number): Tensor {
  const outer: Shape = x.shape.slice(0, -2);
  const [rows, columns] = x.shape.slice(-2) as [number, number];
  const { first, stride, end } = positions(rows, columns, k);
  return stridedSlice(reshape(x, { shape: [...outer, rows * columns] }), {
    begin: [...outer.map(() => 0), first],
    end: [...outer, end],
    strides: [...outer.map(() => 1), stride],
  });
}

function matrixOf(x: Tensor, k: number): Tensor {
  const n = (x.shape[0] as number) + Math.abs(k);
  const { first, stride, end } = positions(n, n, k);
  const flat = stridedScatter(x, { begin: [first], end: [end], strides: [stride], shape: [n * n] });
  return reshape(flat, { shape: [n, n] });
}
