/** @file cumprod and cummax: scans by recursive doubling. Their gradients are those of mul and maximum. */
import { normalizeAxis, requireBoolean } from '../core/shape.ts';
import { type DType, requireDType } from '../core/dtype.ts';
import type { Tensor } from '../tensor/tensor.ts';
import { mul } from './arithmetic.ts';
import { type CompositeOp, defineComposite } from './composite.ts';
import type { CumsumOptions } from './cumsum.ts';
import { flip } from './flip.ts';
import { identity } from './identity.ts';
import { maximum } from './maximum.ts';
import { numbers } from './reduction.ts';
import { pad, slice } from './slice.ts';

/** Options of `cummax`. */
export interface CummaxOptions {
  /** The axis along which maxima run. Default 0. */
  axis?: number;
  /** Runs from the end of the axis. Default false. */
  reverse?: boolean;
}

const lowest: Partial<Record<DType, number>> = {
  float32: Number.NEGATIVE_INFINITY,
  int32: -(2 ** 31),
  uint32: 0,
};

/**
 * Running products of `x` along `axis`: element k holds the product of the elements up to and including k. Shape: that of x;
 * float32, int32, uint32. Gradients are exact at zeros, too.
 * Source: W. D. Hillis, G. L. Steele, "Data parallel algorithms", 1986: log₂ n elementwise products.
 * Errors: ShapeError for an axis that x lacks, ValueError for options, DTypeError for bools.
 */
export const cumprod: CompositeOp<[x: Tensor], CumsumOptions, Tensor, ['axis', 'exclusive', 'reverse']> =
  /* @__PURE__ */ defineComposite({
    name: 'cumprod',
    inputs: ['x'],
    options: { axis: true, exclusive: true, reverse: true },
    compose: ([x], { axis = 0, exclusive = false, reverse = false }) => {
      requireDType('cumprod', 'x', x.dtype, numbers);
      requireBoolean('cumprod', 'exclusive', exclusive);
      requireBoolean('cumprod', 'reverse', reverse);
      const along = normalizeAxis('cumprod', axis, x.shape.length);
      const flipped = reverse ? flip(x, { axis: along }) : x;
      const first = exclusive ? shifted(flipped, along, 1, 1) : flipped;
      const products = runningFold(first, along, mul, 1);
      return reverse ? flip(products, { axis: along }) : products;
    },
  });

/**
 * Running maxima of `x` along `axis`: element k holds the largest element up to and including k. NaN propagates.
 * Shape: that of x; float32, int32, uint32. Equal elements share the gradient.
 * Errors: ShapeError for an axis that x lacks, ValueError for options, DTypeError for bools.
 */
export const cummax: CompositeOp<[x: Tensor], CummaxOptions, Tensor, ['axis', 'reverse']> =
  /* @__PURE__ */ defineComposite({
    name: 'cummax',
    inputs: ['x'],
    options: { axis: true, reverse: true },
    compose: ([x], { axis = 0, reverse = false }) => {
      requireDType('cummax', 'x', x.dtype, numbers);
      requireBoolean('cummax', 'reverse', reverse);
      const along = normalizeAxis('cummax', axis, x.shape.length);
      const flipped = reverse ? flip(x, { axis: along }) : x;
      const maxima = runningFold(flipped, along, maximum, lowest[x.dtype] as number);
      return reverse ? flip(maxima, { axis: along }) : maxima;
    },
  });

/** Folds each element with all before it: after step i an element holds the fold of the last 2^i. */
function runningFold(
  x: Tensor,
  axis: number,
  fold: (a: Tensor, b: Tensor) => Tensor,
  neutral: number,
): Tensor {
  const n = x.shape[axis] as number;
  // A new tensor, even if there is nothing to fold.
  let folded = n > 1 ? x : identity(x);
  for (let distance = 1; distance < n; distance *= 2)
    folded = fold(shifted(folded, axis, distance, neutral), folded);
  return folded;
}

/** Returns `x` shifted towards the end of `axis` by `distance`, at most its size; the gap is filled with `value`. */
function shifted(x: Tensor, axis: number, distance: number, value: number): Tensor {
  const size = x.shape.map((n, i) => (i === axis ? Math.max(0, n - distance) : n));
  const rest = slice(x, { begin: x.shape.map(() => 0), size });
  const added = (x.shape[axis] as number) - (size[axis] as number);
  return pad(rest, {
    paddings: x.shape.map((_, i) => (i === axis ? [added, 0] : [0, 0])),
    constantValue: value,
  });
}
