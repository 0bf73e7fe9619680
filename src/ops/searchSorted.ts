/** @file searchSorted */
import { requireOneOf, requireRank } from '../core/shape.ts';
import type { Tensor } from '../tensor/tensor.ts';
import { add } from './arithmetic.ts';
import { cast } from './cast.ts';
import { less, lessEqual } from './comparison.ts';
import { type CompositeOp, defineComposite } from './composite.ts';
import { fill } from './creation.ts';
import { floorDiv } from './division.ts';
import { gather } from './gather.ts';
import { logicalAnd, logicalNot } from './logical.ts';
import { isNaN as isNaNOf } from './predicates.ts';
import { sum } from './sum.ts';
import { where } from './where.ts';

/** Options of `searchSorted`. */
export interface SearchSortedOptions {
  /** Where a value is inserted among equal elements: before them ('left', default) or after them ('right'). */
  side?: 'left' | 'right';
}

/**
 * The index at which each of `values` would be inserted into the ascending vector `sorted`. int32, without a gradient.
 * Shapes: sorted [n], values any → that of values. By binary search, in ⌈log₂(n + 1)⌉ steps. NaN counts as larger than every
 * number, as in `sort`.
 * Errors: ShapeError unless sorted is a vector, ValueError for the option.
 */
export const searchSorted: CompositeOp<
  [sorted: Tensor, values: Tensor],
  SearchSortedOptions,
  Tensor,
  ['side']
> = /* @__PURE__ */ defineComposite({
  name: 'searchSorted',
  inputs: ['sorted', 'values'],
  options: { side: true },
  backward: null,
  compose: ([sorted, values], { side = 'left' }) => {
    requireRank('searchSorted', 'sorted', sorted.shape, 1);
    requireOneOf('searchSorted', 'side', side, ['left', 'right']);
    const n = sorted.shape[0] as number;
    const isBefore = side === 'left' ? less : lessEqual;
    let low: Tensor = fill(values.shape, 0, { dtype: 'int32' });
    let high: Tensor = fill(values.shape, n, { dtype: 'int32' });
    // The answer is in [low, high]; each step bisects that.
    for (let steps = Math.ceil(Math.log2(n + 1)); steps > 0; steps--) {
      const middle = floorDiv(add(low, high), 2);
      const isOpen = less(low, high);
      const element = gather(sorted, middle, { validateIndices: false });
      const isAbove = logicalAnd(isOpen, isBefore(element, values));
      high = where(isAbove, high, where(isOpen, middle, high));
      low = where(isAbove, add(middle, 1), low);
    }
    // Comparisons with NaN are false, so the search gives 0 for it.
    return values.dtype === 'float32' ? where(isNaNOf(values), firstNaN(sorted, side), low) : low;
  },
});

/** Returns where NaN is inserted: behind all numbers, and on side 'right' behind other NaN, too. */
function firstNaN(sorted: Tensor, side: 'left' | 'right'): Tensor | number {
  if (side === 'right' || sorted.dtype !== 'float32') return sorted.shape[0] as number;
  return sum(cast(logicalNot(isNaNOf(sorted)), { dtype: 'int32' }));
}
