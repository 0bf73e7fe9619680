/** @file searchSorted */
import { promote } from '../../core/dtype.ts';
import { requireOneOf, requireRank } from '../../core/shape.ts';
import { searchSortedKernel } from '../../kernels/sorting/searchSorted.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { type CompositeOp, defineComposite } from '../define/composite.ts';
import { defineOp, type Op } from '../define/define.ts';
import { converted } from '../elementwise/elementwise.ts';
import { expandDims, squeeze } from '../arrangement/expandDims.ts';

export interface SearchSortedOptions {
  /** Where a value is inserted among equal elements: before them ('left', default) or after them ('right'). */
  side?: 'left' | 'right';
}

/** The search in rows of one dtype: sorted [rows, n], values [rows, ...] → that of values. */
const searchSortedRows: Op<
  [sorted: Tensor, values: Tensor],
  SearchSortedOptions,
  Tensor<'int32'>
> = /* @__PURE__ */ defineOp({
  name: 'searchSortedRows',
  inputs: ['sorted', 'values'],
  options: { side: false },
  infer: ([, { shape }], { side }) => ({ shape, dtype: 'int32' as const, right: side === 'right' }),
  forward: ([sorted, values], plan) => searchSortedKernel(sorted, values, plan, plan.right),
  backward: null,
});

/**
 * The index at which each of `values` would be inserted into the ascending vector `sorted`. int32, without a gradient.
 * Shapes: sorted [n], values any → that of values. By binary search, in ⌊log₂ n⌋ + 1 steps. NaN counts as larger than every
 * number, as in `sort`.
 * Errors: ShapeError unless sorted is a vector, ValueError for the option; DTypeError for int32 with uint32.
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
    const dtype = promote('searchSorted', sorted.dtype, values.dtype);
    const row = (x: Tensor) => expandDims(converted(x, dtype), { axis: 0 });
    return squeeze(searchSortedRows(row(sorted), row(values), { side }), { axis: 0 });
  },
});
