/** @file Reductions and scans of keras.ops that ignore NaN. */
import { type DType, isFloating } from '../../core/dtype.ts';
import { normalizeAxes } from '../../core/shape.ts';
import { all } from '../../ops/reductions/anyAll.ts';
import { argMax, argMin, type ArgOptions } from '../../ops/reductions/argExtrema.ts';
import { add, div, mul, sub } from '../../ops/elementwise/arithmetic.ts';
import { cast } from '../../ops/elementwise/cast.ts';
import { clip } from '../../ops/elementwise/clip.ts';
import type { CompositeOp } from '../../ops/define/composite.ts';
import { cumprod } from '../../ops/reductions/cumulative.ts';
import { cumsum } from '../../ops/reductions/cumsum.ts';
import { max, min } from '../../ops/reductions/extrema.ts';
import { logicalNot } from '../../ops/elementwise/logical.ts';
import { maximum } from '../../ops/elementwise/maximum.ts';
import { moveAxis } from '../../ops/arrangement/moveAxis.ts';
import { isNaN as isNaNOf } from '../../ops/elementwise/predicates.ts';
import { prod } from '../../ops/reductions/prod.ts';
import { quantile, type QuantileOptions } from '../../ops/reductions/quantile.ts';
import {
  reduceOptionNames,
  type ReduceOptions,
  type ReducePositions,
} from '../../ops/reductions/reduction.ts';
import { reshape } from '../../ops/arrangement/reshape.ts';
import { ceil, floor, round } from '../../ops/elementwise/rounding.ts';
import { sort } from '../../ops/sorting/sort.ts';
import { squeeze } from '../../ops/arrangement/expandDims.ts';
import { stack } from '../../ops/arrangement/stack.ts';
import { sum } from '../../ops/reductions/sum.ts';
import { takeAlongAxis } from '../../ops/indexing/takeAlongAxis.ts';
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

/** Options of `nanQuantile`, `nanPercentile` and `percentile`. */
export interface NanQuantileOptions extends ReduceOptions {
  /** The quantile, or a list of quantiles, which become the first axis of the result. */
  q: number | readonly number[];
  /** How to interpolate between two elements. Default 'linear'. */
  method?: QuantileOptions['method'];
}

/** Quantiles of the elements that aren't NaN; NaN is sorted behind the others. */
function nanQuantiles(
  op: string,
  x: Tensor,
  { q, axis = null, method = 'linear', keepDims = false }: NanQuantileOptions,
): Tensor {
  // It rejects invalid quantiles and other arguments.
  const { shape } = quantile(x, { q, axis, method, keepDims });
  const axes = axis === null ? x.shape.map((_, i) => i) : normalizeAxes(op, axis, x.shape.length);
  const moved = moveAxis(x, { source: axes, destination: axes.map((_, i) => i - axes.length) });
  const lines = reshape(moved, { shape: [...moved.shape.slice(0, x.shape.length - axes.length), -1] });
  const sorted = sort(lines);
  const behind = maximum(sub(countOf(sorted, { axis: -1, keepDims: true }), 1), 0);
  const one = (part: number) => {
    const place = mul(behind, part);
    const at = (position: Tensor) => {
      const index = clip(position, { min: 0, max: (sorted.shape.at(-1) as number) - 1 });
      return squeeze(takeAlongAxis(sorted, cast(index, 'int32'), { axis: -1 }), { axis: -1 });
    };
    const below = floor(place);
    if (method === 'lower') return at(below);
    if (method === 'higher') return at(ceil(place));
    if (method === 'nearest') return at(round(place));
    const weight = method === 'linear' ? squeeze(sub(place, below), { axis: -1 }) : 0.5;
    return add(mul(at(below), sub(1, weight)), mul(at(ceil(place)), weight));
  };
  const found = typeof q === 'number' ? one(q) : stack(q.map(one), { axis: 0 });
  return reshape(found, { shape });
}

const nanQuantileOptionNames = { q: true, axis: true, method: true, keepDims: true } as const;

/** The quantiles `q` in [0, 1] of the elements that aren't NaN. float32. Shapes: as of `quantile`. Errors: as of `quantile`. */
export const nanQuantile: CompositeOp<
  [x: Tensor],
  NanQuantileOptions,
  Tensor,
  ['q', 'axis', 'method', 'keepDims']
> = /* @__PURE__ */ composeFloats({
  name: 'nanQuantile',
  inputs: ['x'],
  options: nanQuantileOptionNames,
  compose: ([x], options) => nanQuantiles('nanQuantile', x, options),
});

/**
 * The percentiles `q` in [0, 100] of the elements that aren't NaN. float32. Shapes: as of `quantile`. Errors: as of `quantile`.
 */
export const nanPercentile: CompositeOp<
  [x: Tensor],
  NanQuantileOptions,
  Tensor,
  ['q', 'axis', 'method', 'keepDims']
> = /* @__PURE__ */ composeFloats({
  name: 'nanPercentile',
  inputs: ['x'],
  options: nanQuantileOptionNames,
  compose: ([x], options) => nanQuantiles('nanPercentile', x, { ...options, q: hundredthOf(options.q) }),
});

/** Percentiles as quantiles. Invalid values are left for `quantile` to reject. */
function hundredthOf(q: number | readonly number[]): number | readonly number[] {
  if (typeof q === 'number') return q / 100;
  return Array.isArray(q) && q.every((p) => typeof p === 'number') ? q.map((p) => p / 100) : q;
}

/** The median of the elements that aren't NaN. float32. Shapes: as of `median`. Errors: as of `median`. */
export const nanMedian: Reduction = /* @__PURE__ */ defineNanReduction('nanMedian', (x, options) =>
  nanQuantiles('nanMedian', x, { ...options, q: 0.5 }),
);

/** The percentiles `q` in [0, 100]. float32. Shapes: as of `quantile`. NaN where an element is NaN. Errors: as of `quantile`. */
export const percentile: CompositeOp<
  [x: Tensor],
  NanQuantileOptions,
  Tensor,
  ['q', 'axis', 'method', 'keepDims']
> = /* @__PURE__ */ composeFloats({
  name: 'percentile',
  inputs: ['x'],
  options: nanQuantileOptionNames,
  compose: ([x], options) => quantile(x, { ...options, q: hundredthOf(options.q) }),
});
