/** @file Matrices and constants with Keras's arguments: eye with a diagonal, zerosLike with a dtype, convertToTensor. */
import type { DType } from '../../core/dtype.ts';
import { type OptionNames, optionsOf, type Settings } from '../../core/options.ts';
import { requireInteger } from '../../core/shape.ts';
import { slice } from '../../ops/arrangement/slice.ts';
import { eye as libraryEye, type EyeOptions } from '../../ops/creation/eye.ts';
import { onesLike as libraryOnesLike, zerosLike as libraryZerosLike } from '../../ops/creation/like.ts';
import { type CompositeOp, defineComposite } from '../../ops/define/composite.ts';
import type { TensorLike } from '../../ops/define/operands.ts';
import { cast } from '../../ops/elementwise/cast.ts';
import { tidy } from '../../tensor/scope.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { kerasTensor } from './promotion.ts';

/** Options of `eye`. */
export interface DiagonalMatrixOptions<D extends DType = DType> extends EyeOptions<D> {
  /** Which diagonal has the ones: 1 is the one above the main diagonal, -1 the one below. Default 0. */
  k?: number;
}

const eyeNames: OptionNames<DiagonalMatrixOptions> = {
  columns: true,
  k: true,
  dtype: true,
  batchShape: false,
  name: false,
};

/** Ones on diagonal `k`, zeros elsewhere. Any dtype. Shape [...batchShape, rows, columns]. Errors: as of the library's `eye`. */
export function eye<D extends DType = 'float32'>(
  rows: number,
  ...settings: Settings<DiagonalMatrixOptions<D>, ['columns', 'k', 'dtype']>
): Tensor<D>;
export function eye(rows: number, ...settings: unknown[]): Tensor {
  const { k = 0, ...options }: DiagonalMatrixOptions = optionsOf('eye', settings, eyeNames, ['rows']);
  const { columns = rows, batchShape = [] } = options;
  requireInteger('eye', 'k', k, Number.MIN_SAFE_INTEGER);
  if (k === 0) return libraryEye(rows, options);
  // A part of a larger identity matrix; diagonals beyond the corners are empty.
  const above = Math.min(Math.max(k, 0), columns);
  const below = Math.min(Math.max(-k, 0), rows);
  const first = batchShape.map(() => 0);
  return tidy(() =>
    slice(libraryEye(rows + above, { ...options, columns: columns + below }), {
      begin: [...first, above, below],
      size: [...batchShape, rows, columns],
    }),
  );
}

/** Options of `zerosLike` and `onesLike`. */
export interface LikeOptions {
  /** Dtype of the result. Default: that of x. */
  dtype?: DType | null;
}

type Like = CompositeOp<[x: Tensor], LikeOptions, Tensor, ['dtype']>;

/* @__NO_SIDE_EFFECTS__ */
function defineLike(name: string, like: (x: Tensor) => Tensor): Like {
  return defineComposite({
    name,
    inputs: ['x'],
    options: { dtype: true },
    backward: null,
    compose: ([x], { dtype = null }) => like(dtype === null ? x : cast(x, { dtype })),
  });
}

/** Zeros in the shape of x, and its dtype or `dtype`. No gradient. Errors: DTypeError. */
export const zerosLike: Like = /* @__PURE__ */ defineLike('zerosLike', libraryZerosLike);

/** Ones in the shape of x, and its dtype or `dtype`. No gradient. Errors: DTypeError. */
export const onesLike: Like = /* @__PURE__ */ defineLike('onesLike', libraryOnesLike);

/** Options of `convertToTensor`. */
export interface ConversionOptions {
  /** Dtype of the tensor. Default: int32 for integers and lists of them, bool for booleans, float32 for others. */
  dtype?: DType | null;
}

const conversionNames: OptionNames<ConversionOptions> = { dtype: true };

/**
 * Values as a tensor: numbers, booleans, nested arrays, typed arrays. Tensors stay as they are, or are cast. As in Keras, `[1, 2]` is
 * int32 and `[1, 2.5]` float32: pass a Float32Array or `dtype` for computed values, which may be whole by chance. Shape: that of the
 * values. Errors: as of `tensor`.
 */
export function convertToTensor(x: TensorLike, ...settings: Settings<ConversionOptions, ['dtype']>): Tensor;
export function convertToTensor(x: TensorLike, ...settings: unknown[]): Tensor {
  const { dtype }: ConversionOptions = optionsOf('convertToTensor', settings, conversionNames, ['x']);
  return kerasTensor(x, dtype);
}
