/** @file segmentProd */
import { sizeOf } from '../../core/shape.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { mul } from '../elementwise/arithmetic.ts';
import { cast } from '../elementwise/cast.ts';
import { equal, notEqual } from '../elementwise/comparison.ts';
import { type CompositeOp, defineComposite } from '../define/composite.ts';
import { concat } from '../arrangement/concat.ts';
import { ones } from '../creation/creation.ts';
import { gather } from './gather.ts';
import { reshape } from '../arrangement/reshape.ts';
import { planSegments, segmentSum, type SegmentSumOptions } from './segmentSum.ts';
import { pad } from '../arrangement/pad.ts';
import { slice } from '../arrangement/slice.ts';
import { argsort } from '../sorting/sort.ts';
import { where } from '../elementwise/where.ts';

/**
 * The product of the rows of `x` in each segment; ones for a segment without rows. Ids as for `segmentSum`. float32, int32,
 * uint32. Shapes: x [..ids, ..inner], segmentIds [..ids] → [numSegments, ..inner]. Its launches grow with the logarithm of
 * the number of rows. The gradient is right where rows are zero, too: it doesn't divide.
 * Source: G. Blelloch, "Prefix sums and their applications", 1990, segmented scans.
 * Errors: as for `segmentSum`.
 */
export const segmentProd: CompositeOp<
  [x: Tensor, segmentIds: Tensor],
  SegmentSumOptions,
  Tensor,
  ['numSegments']
> = /* @__PURE__ */ defineComposite({
  name: 'segmentProd',
  acceptsFloat16: false,
  inputs: ['x', 'segmentIds:int32'],
  options: { numSegments: true, validateIndices: false },
  compose: ([x, segmentIds], options) => {
    const { shape, dtype } = planSegments('segmentProd', x, segmentIds, options);
    const { numSegments } = options;
    const n = sizeOf(segmentIds.shape);
    if (n === 0) return ones(shape, { dtype });
    const ids = cast(reshape(segmentIds, { shape: [n] }), 'int32');
    const order = argsort(ids);
    const sorted = gather(ids, order);
    const rows = gather(reshape(x, { shape: [n, sizeOf(shape.slice(1))] }), order);
    // The last row of a segment holds its product. The sum of that row and zeros selects it.
    const isLast = reshape(lastOfSegments(sorted), { shape: [n, 1] });
    const last = where(isLast, scanned(rows, sorted), 0);
    const found = segmentSum(last, sorted, { numSegments, validateIndices: false });
    const counts = segmentSum(ones(segmentIds.shape, { dtype: 'int32' }), segmentIds, options);
    const isEmpty = reshape(equal(counts, 0), { shape: [numSegments, 1] });
    return reshape(where(isEmpty, ones([], { dtype }), found), { shape });
  },
});

/** Returns the product of each row [n, m] with those before it that have the same of the sorted ids [n]. */
function scanned(rows: Tensor, sorted: Tensor): Tensor {
  const { dtype } = rows;
  const n = rows.shape[0] as number;
  let products = rows;
  for (let distance = 1; distance < n; distance *= 2) {
    const isSame = equal(slice(sorted, { begin: distance }), slice(sorted, { begin: 0, size: n - distance }));
    const earlier = slice(products, { begin: [0, 0], size: [n - distance, -1] });
    const factors = where(reshape(isSame, { shape: [n - distance, 1] }), earlier, ones([], { dtype }));
    products = mul(
      products,
      pad(factors, {
        paddings: [
          [distance, 0],
          [0, 0],
        ],
        constantValue: 1,
      }),
    );
  }
  return products;
}

/** Returns whether each of the sorted ids [n] is the last of its kind. */
function lastOfSegments(sorted: Tensor): Tensor {
  const n = sorted.shape[0] as number;
  const differs = notEqual(slice(sorted, { begin: 1 }), slice(sorted, { begin: 0, size: n - 1 }));
  return concat([differs, ones([1], { dtype: 'bool' })]);
}
