/** @file Reductions and scans of keras.ops that ignore NaN. */
import { type DType, isFloating } from '../../core/dtype.ts';
import { all } from '../../ops/reductions/anyAll.ts';
import { argMax, argMin, type ArgOptions } from '../../ops/reductions/argExtrema.ts';
import { div, sub } from '../../ops/elementwise/arithmetic.ts';
import { cast } from '../../ops/elementwise/cast.ts';
import type { CompositeOp } from '../../ops/define/composite.ts';
import { cumprod } from '../../ops/reductions/cumulative.ts';
import { cumsum } from '../../ops/reductions/cumsum.ts';
import { max, min } from '../../ops/reductions/extrema.ts';
import { logicalNot } from '../../ops/elementwise/logical.ts';
import { isNaN as isNaNOf } from '../../ops/elementwise/predicates.ts';
import { prod } from '../../ops/reductions/prod.ts';
import {
  reduceOptionNames,
  type ReduceOptions,
  type ReducePositions,
} from '../../ops/reductions/reduction.ts';
import { reshape } from '../../ops/arrangement/reshape.ts';
import { sum } from '../../ops/reductions/sum.ts';
import { sqrt, square } from '../../ops/elementwise/unary.ts';
import { where } from '../../ops/elementwise/where.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { composeFloats, composeNumbers, composeValues } from './composites.ts';

type Reduction = CompositeOp<[x: Tensor], ReduceOptions, Tensor, ReducePositions>;

/** Returns `x` with `value` instead of NaN, which integers don't have. */
const filled = (x: Tensor, value: number) => (isFloating(x.dtype) ? where(isNaNOf(x), value, x) : x);

const countOf = (x: Tensor, options: ReduceOptions) => sum(cast(logicalNot(isNaNOf(x)), 'float32'), options);

/** `y`, and NaN where all elements of x are NaN. */
const unlessEmpty = (x: Tensor, y: Tensor, options: ReduceOptions) =>
  isFloating(x.dtype) ? where(all(isNaNOf(x), options), Number.NaN, y) : y;

/* @__NO_SIDE_EFFECTS__ */
function defineNanReduction(
  name: string,
  compose: (x: Tensor, options: ReduceOptions) => Tensor,
  define: typeof composeFloats = composeFloats,
): Reduction {
  return define({
    name,
    inputs: ['x'],
    options: reduceOptionNames,
    compose: ([x], options) => compose(x, options),
  });
}

/** The sum of the elements that aren't NaN. float32. Shapes: as of `sum`. Errors: ShapeError, DTypeError. */
export const nanSum: Reduction = /* @__PURE__ */ defineNanReduction(
  'nanSum',
  (x, options) => sum(filled(x, 0), options),
  composeNumbers,
);

/** The product of the elements that aren't NaN. float32. Shapes: as of `prod`. Errors: ShapeError, DTypeError. */
export const nanProd: Reduction = /* @__PURE__ */ defineNanReduction(
  'nanProd',
  (x, options) => prod(filled(x, 1), options),
  composeNumbers,
);

/** The largest element that isn't NaN; NaN where all are. float32. Shapes: as of `max`. Errors: ShapeError, DTypeError. */
export const nanMax: Reduction = /* @__PURE__ */ defineNanReduction(
  'nanMax',
  (x, options) => unlessEmpty(x, max(filled(x, Number.NEGATIVE_INFINITY), options), options),
  composeValues,
);

/** The smallest element that isn't NaN; NaN where all are. float32. Shapes: as of `min`. Errors: ShapeError, DTypeError. */
export const nanMin: Reduction = /* @__PURE__ */ defineNanReduction(
  'nanMin',
  (x, options) => unlessEmpty(x, min(filled(x, Number.POSITIVE_INFINITY), options), options),
  composeValues,
);

/** The mean of the elements that aren't NaN; NaN where all are. float32. Shapes: as of `mean`. Errors: ShapeError, DTypeError. */
export const nanMean: Reduction = /* @__PURE__ */ defineNanReduction('nanMean', (x, options) =>
  div(sum(filled(x, 0), options), countOf(x, options)),
);

function nanVariance(x: Tensor, options: ReduceOptions): Tensor {
  const kept = { ...options, keepDims: true };
  const center = div(sum(filled(x, 0), kept), countOf(x, kept));
  // NaN is replaced before the subtraction: no gradient passes through it.
  const deviations = where(isNaNOf(x), 0, sub(filled(x, 0), center));
  return div(sum(square(deviations), options), countOf(x, options));
}

/**
 * The variance of the elements that aren't NaN; NaN where all are. float32. Shapes: as of `variance`. Errors: ShapeError,
 * DTypeError.
 */
export const nanVar: Reduction = /* @__PURE__ */ defineNanReduction('nanVar', nanVariance);

/**
 * The standard deviation of the elements that aren't NaN; NaN where all are. float32. Shapes: as of `std`. Errors: ShapeError,
 * DTypeError.
 */
export const nanStd: Reduction = /* @__PURE__ */ defineNanReduction('nanStd', (x, options) =>
  sqrt(nanVariance(x, options)),
);

/** Options of `nanCumsum` and `nanCumprod`. */
export interface NanScanOptions {
  /** The axis along which values accumulate. Default null: all elements, flat. */
  axis?: number | null;
  /** The dtype in which they accumulate. Default: that of x, int32 for booleans. */
  dtype?: DType | null;
}

/* @__NO_SIDE_EFFECTS__ */
function defineNanScan(
  name: string,
  scan: (x: Tensor, options: { axis: number }) => Tensor,
  neutral: number,
): CompositeOp<[x: Tensor], NanScanOptions, Tensor, ['axis', 'dtype']> {
  return composeNumbers({
    name,
    inputs: ['x'],
    options: { axis: true, dtype: true },
    compose: ([x], { axis = null, dtype = null }) => {
      const given = filled(x, neutral);
      const clean = dtype === null ? given : cast(given, { dtype });
      return axis === null ? scan(reshape(clean, { shape: [-1] }), { axis: 0 }) : scan(clean, { axis });
    },
  });
}

/** Running sums that skip NaN. float32. Shape: that of x; flat without an axis. Errors: ShapeError, DTypeError. */
export const nanCumsum: CompositeOp<[x: Tensor], NanScanOptions, Tensor, ['axis', 'dtype']> =
  /* @__PURE__ */ defineNanScan('nanCumsum', cumsum, 0);

/** Running products that skip NaN. float32. Shape: that of x; flat without an axis. Errors: ShapeError, DTypeError. */
export const nanCumprod: CompositeOp<[x: Tensor], NanScanOptions, Tensor, ['axis', 'dtype']> =
  /* @__PURE__ */ defineNanScan('nanCumprod', cumprod, 1);

/* @__NO_SIDE_EFFECTS__ */
function defineNanSearch(
  name: string,
  search: (x: Tensor, options: ArgOptions) => Tensor,
  last: number,
): CompositeOp<[x: Tensor], ArgOptions, Tensor, ReducePositions> {
  return composeNumbers({
    name,
    inputs: ['x'],
    options: reduceOptionNames,
    backward: null,
    compose: ([x], options) => {
      const found = search(filled(x, last), options);
      return isFloating(x.dtype) ? where(all(isNaNOf(x), options), -1, found) : found;
    },
  });
}

/**
 * The index of the largest element that isn't NaN; -1 where all are. int32, of float32. Shapes: as of `argMax`. Errors:
 * ShapeError, DTypeError.
 */
export const nanArgMax: CompositeOp<[x: Tensor], ArgOptions, Tensor, ReducePositions> =
  /* @__PURE__ */ defineNanSearch('nanArgMax', argMax, Number.NEGATIVE_INFINITY);

/**
 * The index of the smallest element that isn't NaN; -1 where all are. int32, of float32. Shapes: as of `argMin`. Errors:
 * ShapeError, DTypeError.
 */
export const nanArgMin: CompositeOp<[x: Tensor], ArgOptions, Tensor, ReducePositions> =
  /* @__PURE__ */ defineNanSearch('nanArgMin', argMin, Number.POSITIVE_INFINITY);
