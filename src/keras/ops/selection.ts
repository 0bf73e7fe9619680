/** @file Selection and counts of keras.ops. */
import { ValueError } from '../../core/errors.ts';
import { isListOf } from '../../core/lists.ts';
import { checkOptions, isPlainObject } from '../../core/options.ts';
import { describe, requireInteger } from '../../core/shape.ts';
import { add, div, mul, sub } from '../../ops/elementwise/arithmetic.ts';
import { bincount } from '../../ops/indexing/bincount.ts';
import { cast } from '../../ops/elementwise/cast.ts';
import { equal, lessEqual, greaterEqual } from '../../ops/elementwise/comparison.ts';
import type { CompositeOp } from '../../ops/define/composite.ts';
import { max, min } from '../../ops/reductions/extrema.ts';
import { logicalAnd } from '../../ops/elementwise/logical.ts';
import { minimum } from '../../ops/elementwise/maximum.ts';
import { range as counting } from '../../ops/creation/range.ts';
import { reshape } from '../../ops/arrangement/reshape.ts';
import { searchSorted } from '../../ops/sorting/searchSorted.ts';
import { argsort } from '../../ops/sorting/sort.ts';
import { where } from './elementwiseDTypes.ts';
import { tensor } from '../../tensor/create.ts';
import { tidy } from '../../tensor/scope.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { composeFloats, composeNumbers } from './composites.ts';

export interface SelectOptions {
  /** What is chosen where no condition holds. Default 0. */
  default?: Tensor | number;
}

/**
 * Elementwise, the choice of the first condition that holds; `fallback` where none does. Shapes broadcast. Errors: ValueError for
 * lists that differ in length; those of `where`.
 */
export function select(
  conditions: readonly Tensor[],
  choices: readonly (Tensor | number)[],
  fallback: Tensor | number | SelectOptions = 0,
): Tensor {
  const isList = (list: unknown): list is readonly unknown[] => isListOf(list, () => true);
  if (!isList(conditions) || !isList(choices) || !conditions.length || conditions.length !== choices.length) {
    throw new ValueError({
      op: 'select',
      rule: 'there is a condition or more, and a choice for each.',
      received: `${describe(conditions)} and ${describe(choices)}`,
      hint: 'pass as many choices as conditions; the third argument is used where no condition holds.',
    });
  }
  const isOptions = isPlainObject(fallback);
  if (isOptions) checkOptions('select', fallback, ['default']);
  const last = isOptions ? ((fallback as SelectOptions).default ?? 0) : (fallback as Tensor | number);
  return tidy(() =>
    conditions.reduceRight<Tensor | number>(
      (otherwise, condition, i) => where(condition, choices[i] as Tensor, otherwise),
      last,
    ),
  ) as Tensor;
}

export interface ArgpartitionOptions {
  /** The index whose element is the same as in a sorted vector; no larger elements are before it. */
  kth: number;
  /** The axis of the vectors. Default -1. */
  axis?: number;
}

/**
 * Indices that partition vectors along `axis` around element `kth`; here, all elements are sorted. int32. Shape: that of x.
 * Errors: ValueError, ShapeError, DTypeError.
 */
export const argpartition: CompositeOp<[x: Tensor], ArgpartitionOptions, Tensor, ['kth', 'axis']> =
  /* @__PURE__ */ composeNumbers({
    name: 'argpartition',
    inputs: ['x'],
    options: { kth: true, axis: true },
    backward: null,
    compose: ([x], { kth, axis = -1 }) => {
      requireInteger('argpartition', 'kth', kth, Number.MIN_SAFE_INTEGER);
      return argsort(x, { axis });
    },
  });

export interface HistogramOptions {
  /** Number of bins. Default 10. */
  bins?: number;
  /**
   * The lower edge of the first bin and the upper edge of the last; values outside aren't counted. Default null: the range of x.
   */
  range?: readonly [number, number] | null;
}

/**
 * The number of elements in each of several bins of equal width, and the edges of the bins. Shapes: x of any → counts [bins] and
 * edges [bins + 1], float32. A value on an edge belongs to the upper bin, except for the last edge. Errors: ValueError,
 * DTypeError.
 */
export const histogram: CompositeOp<
  [x: Tensor],
  HistogramOptions,
  [counts: Tensor, edges: Tensor],
  ['bins', 'range']
> = /* @__PURE__ */ composeFloats({
  name: 'histogram',
  inputs: ['x'],
  options: { bins: true, range: true },
  backward: null,
  compose: ([x], { bins = 10, range = null }) => {
    requireInteger('histogram', 'bins', bins, 1);
    const values = reshape(x, { shape: [-1] });
    const [low, high] = range ? limitsOf(range) : extremesOf(values);
    const edges = add(low, mul(counting(0, bins + 1), div(sub(high, low), bins)));
    const place = minimum(sub(searchSorted(edges, values, { side: 'right' }), 1), bins - 1);
    const isInside = logicalAnd(greaterEqual(values, low), lessEqual(values, high));
    // Negative indices aren't counted.
    const counts = bincount(where(isInside, place, -1), null, { size: bins });
    return [cast(counts, 'float32'), edges];
  },
});

function limitsOf(range: unknown): [Tensor, Tensor] {
  const isNumber = (n: unknown): n is number => Number.isFinite(n);
  if (isListOf(range, isNumber, 2) && range.length === 2 && (range[0] as number) < (range[1] as number))
    return [tensor(range[0] as number) as Tensor, tensor(range[1] as number) as Tensor];
  throw new ValueError({
    op: 'histogram',
    rule: '`range` is a pair of numbers in ascending order.',
    received: `range: ${describe(range)}`,
    hint: 'leave it out for the smallest and the largest element.',
  });
}

/** As in NumPy, if all elements are the same, they are in the middle of a range of length 1. */
function extremesOf(values: Tensor): [Tensor, Tensor] {
  const [low, high] = [min(values), max(values)];
  const margin = where(equal(low, high), 0.5, 0);
  return [sub(low, margin), add(high, margin)];
}
