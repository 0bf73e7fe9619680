/** @file segmentMean */
import { requireDType } from '../../core/dtype.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { div } from '../elementwise/arithmetic.ts';
import { type CompositeOp, defineComposite } from '../define/composite.ts';
import { ones } from '../creation/creation.ts';
import { maximum } from '../elementwise/maximum.ts';
import { reshape } from '../arrangement/reshape.ts';
import { segmentSum, type SegmentSumOptions } from './segmentSum.ts';

/**
 * The mean of the rows of `x` in each segment; zeros for a segment without rows. float32. Ids as for `segmentSum`.
 * Shapes: x [..ids, ..inner], segmentIds [..ids] → [numSegments, ..inner].
 * Errors: as for `segmentSum`.
 */
export const segmentMean: CompositeOp<
  [x: Tensor, segmentIds: Tensor],
  SegmentSumOptions,
  Tensor,
  ['numSegments']
> = /* @__PURE__ */ defineComposite({
  name: 'segmentMean',
  acceptsFloat16: false,
  inputs: ['x', 'segmentIds:int32'],
  options: { numSegments: true, validateIndices: false },
  compose: ([x, ids], options) => {
    requireDType('segmentMean', 'x', x.dtype, ['float32']);
    const sums = segmentSum(x, ids, options);
    const counts = segmentSum(ones(ids.shape), ids, { ...options, validateIndices: false });
    const inner = sums.shape.slice(1).map(() => 1);
    return div(sums, reshape(maximum(counts, 1), { shape: [sums.shape[0] as number, ...inner] }));
  },
});
