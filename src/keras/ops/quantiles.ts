/** @file Quantiles of keras.ops. `q` may be a tensor, and NaN may be ignored. */
import { isPlainObject } from '../../core/options.ts';
import { normalizeAxes } from '../../core/shape.ts';
import type { CompositeOp } from '../../ops/define/composite.ts';
import { any } from '../../ops/reductions/anyAll.ts';
import { add, div, mul, sub } from '../../ops/elementwise/arithmetic.ts';
import { cast } from '../../ops/elementwise/cast.ts';
import { clip } from '../../ops/elementwise/clip.ts';
import { logicalNot } from '../../ops/elementwise/logical.ts';
import { maximum } from '../../ops/elementwise/maximum.ts';
import { moveAxis } from '../../ops/arrangement/moveAxis.ts';
import { isNaN as isNaNOf } from '../../ops/elementwise/predicates.ts';
import { quantile as libraryQuantile, type QuantileOptions } from '../../ops/reductions/quantile.ts';
import {
  reduceOptionNames,
  type ReduceOptions,
  type ReducePositions,
} from '../../ops/reductions/reduction.ts';
import { reshape } from '../../ops/arrangement/reshape.ts';
import { ceil, floor, round } from '../../ops/elementwise/rounding.ts';
import { sort } from '../../ops/sorting/sort.ts';
import { sum } from '../../ops/reductions/sum.ts';
import { takeAlongAxis } from '../../ops/indexing/takeAlongAxis.ts';
import { where } from '../../ops/elementwise/where.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { composeFloats } from './composites.ts';
import { isTensor } from './promotion.ts';

/** Options of `quantile`, `percentile`, `nanQuantile` and `nanPercentile`. */
export interface KerasQuantileOptions extends ReduceOptions {
  /** The quantile, or a list or tensor of quantiles, whose axes come first in the result. */
  q: number | readonly number[] | Tensor;
  /** How to interpolate between two elements. Default 'linear'. */
  method?: QuantileOptions['method'];
}

/** Which elements of sorted lines: numbers of a list, or values on the device. */
type Parts = number | readonly number[] | Tensor;

/** Quantiles of the elements that aren't NaN; NaN is sorted behind the others. */
function nanQuantiles(
  op: string,
  x: Tensor,
  q: Parts,
  { axis = null, method = 'linear', keepDims = false }: ReduceOptions & Pick<QuantileOptions, 'method'>,
): Tensor {
  // It rejects invalid quantiles and other arguments.
  const { shape } = libraryQuantile(x, { q: isTensor(q) ? 0 : q, axis, method, keepDims });
  const axes = axis === null ? x.shape.map((_, i) => i) : normalizeAxes(op, axis, x.shape.length);
  const moved = moveAxis(x, { source: axes, destination: axes.map((_, i) => i - axes.length) });
  const lines = reshape(moved, { shape: [...moved.shape.slice(0, x.shape.length - axes.length), -1] });
  const sorted = sort(lines);
  const count = sum(cast(logicalNot(isNaNOf(sorted)), 'float32'), { axis: -1, keepDims: true });
  const last = maximum(sub(count, 1), 0);
  // The quantiles are the last axis.
  const position = mul(
    last,
    isTensor(q) ? clip(reshape(q, { shape: [-1] }), { min: 0, max: 1 }) : [q].flat(),
  );
  const at = (place: Tensor) => {
    const index = clip(place, { min: 0, max: (sorted.shape.at(-1) as number) - 1 });
    return takeAlongAxis(sorted, cast(index, 'int32'), { axis: -1 });
  };
  const found = moveAxis(elementsAt(position, at, method), { source: -1, destination: 0 });
  return reshape(found, { shape: isTensor(q) ? [...q.shape, ...shape] : shape });
}

function elementsAt(
  position: Tensor,
  at: (place: Tensor) => Tensor,
  method: QuantileOptions['method'],
): Tensor {
  const below = floor(position);
  if (method === 'lower') return at(below);
  if (method === 'higher') return at(ceil(position));
  if (method === 'nearest') return at(round(position));
  const weight = method === 'linear' ? sub(position, below) : 0.5;
  return add(mul(at(below), sub(1, weight)), mul(at(ceil(position)), weight));
}

/** Quantiles at `q` on the device; NaN where an element is NaN. */
function quantilesAt(op: string, x: Tensor, q: Tensor, { axis, ...options }: ReduceOptions): Tensor {
  const isUnknown = any(isNaNOf(x), { axis: axis ?? null, keepDims: options.keepDims ?? false });
  return where(isUnknown, Number.NaN, nanQuantiles(op, x, q, { axis: axis ?? null, ...options }));
}

type OtherOptions = Omit<QuantileOptions, 'q'>;
type Formula = (x: Tensor, q: Parts, options: OtherOptions) => Tensor;

/** The quantiles of x, or those of its elements that are numbers: with options, or q and options after x. */
export type QuantileOp = CompositeOp<
  [x: Tensor],
  KerasQuantileOptions,
  Tensor,
  ['q', 'axis', 'method', 'keepDims']
>;

/** A `q` on the device is an operand, as x is. */
/* @__NO_SIDE_EFFECTS__ */
function defineQuantile(name: string, formula: Formula): QuantileOp {
  const names = { axis: true, method: true, keepDims: true } as const;
  const listed = composeFloats<[x: Tensor], QuantileOptions, Tensor, ['q', 'axis', 'method', 'keepDims']>({
    name,
    inputs: ['x'],
    options: { q: true, ...names },
    compose: ([x], { q, ...options }) => formula(x, q, options),
  });
  const onDevice = composeFloats<
    [x: Tensor, q: Tensor],
    OtherOptions,
    Tensor,
    ['axis', 'method', 'keepDims']
  >({
    name,
    inputs: ['x', 'q'],
    options: names,
    compose: ([x, q], options) => formula(x, q, options),
  });
  const call = (x: Tensor, ...others: unknown[]) => {
    const [first, ...rest] = others;
    if (isTensor(first)) return onDevice(x, first, ...(rest as []));
    if (!isPlainObject(first) || !isTensor(first.q)) return listed(x, ...(others as [never]));
    const { q, ...options } = first;
    return onDevice(x, q as Tensor, options);
  };
  return Object.assign(call, { definition: listed.definition }) as unknown as QuantileOp;
}

/**
 * The quantiles `q` in [0, 1], as numbers or on the device. float32, of any dtype. Shape: q, then x without the reduced axes. NaN where an
 * element is NaN. Errors: those of the library's `quantile`.
 */
export const quantile: QuantileOp = /* @__PURE__ */ defineQuantile('quantile', (x, q, options) =>
  isTensor(q) ? quantilesAt('quantile', x, q, options) : libraryQuantile(x, { q, ...options }),
);

/** The percentiles `q` in [0, 100], as numbers or on the device. Shapes, dtypes and errors: as of `quantile`. */
export const percentile: QuantileOp = /* @__PURE__ */ defineQuantile('percentile', (x, q, options) =>
  isTensor(q)
    ? quantilesAt('percentile', x, div(q, 100), options)
    : libraryQuantile(x, { q: hundredthOf(q), ...options }),
);

/** The quantiles `q` in [0, 1] of the elements that aren't NaN. Shapes, dtypes and errors: as of `quantile`. */
export const nanQuantile: QuantileOp = /* @__PURE__ */ defineQuantile('nanQuantile', (x, q, options) =>
  nanQuantiles('nanQuantile', x, q, options),
);

/** The percentiles `q` in [0, 100] of the elements that aren't NaN. Shapes, dtypes and errors: as of `quantile`. */
export const nanPercentile: QuantileOp = /* @__PURE__ */ defineQuantile('nanPercentile', (x, q, options) =>
  nanQuantiles('nanPercentile', x, isTensor(q) ? div(q, 100) : hundredthOf(q), options),
);

/** Percentiles as quantiles. Invalid values are left for `quantile` to reject. */
function hundredthOf(q: number | readonly number[]): number | readonly number[] {
  if (typeof q === 'number') return q / 100;
  return Array.isArray(q) && q.every((p) => typeof p === 'number') ? q.map((p) => p / 100) : q;
}

/** The median of the elements that aren't NaN. float32. Shapes: as of `median`. Errors: as of `median`. */
export const nanMedian: CompositeOp<[x: Tensor], ReduceOptions, Tensor, ReducePositions> =
  /* @__PURE__ */ composeFloats({
    name: 'nanMedian',
    inputs: ['x'],
    options: reduceOptionNames,
    compose: ([x], options) => nanQuantiles('nanMedian', x, 0.5, options),
  });
