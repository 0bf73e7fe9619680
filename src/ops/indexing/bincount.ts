/** @file bincount */
import { requireRank } from '../../core/shape.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { type CompositeOp, defineComposite } from '../define/composite.ts';
import { ones } from '../creation/creation.ts';
import { segmentSum } from './segments.ts';

export interface BincountOptions {
  /** How many bins: the size of the result. */
  size: number;
  /** Whether a number ≥ `size` is a fault (default), or isn't counted. */
  validateIndices?: boolean;
}

/**
 * How often each number of [0, size) occurs in `x`, or the sum of its `weights`. Negative numbers aren't counted. Shapes: x
 * [n] of integers, weights [n] or null → [size], int32 or the dtype of the weights. The gradient of the weights is a gather.
 * Errors: ShapeError, DTypeError for tensors that don't fit; IndexOutOfRangeError as for `gather`.
 */
export const bincount: CompositeOp<[x: Tensor, weights: Tensor | null], BincountOptions, Tensor, ['size']> =
  /* @__PURE__ */ defineComposite({
    name: 'bincount',
    inputs: ['x:int32', 'weights?'],
    options: { size: true, validateIndices: false },
    compose: ([x, weights], { size, ...checks }) => {
      requireRank('bincount', 'x', x.shape, 1);
      const counted = weights ?? ones(x.shape, { dtype: 'int32' });
      return segmentSum(counted, x, { numSegments: size, ...checks });
    },
  });
