/** @file toIndices, toLabels: floats that are row indices or class labels, as integers. */
import * as math from '../../kernels/elementwise/math.ts';
import { isFloating } from '../../core/dtype.ts';
import { cast } from '../elementwise/cast.ts';
import { defineUnary, type UnaryOp } from '../elementwise/elementwise.ts';
import type { Tensor } from '../../tensor/tensor.ts';

/** Floats as int32, saturated; the smallest int32 if `isNone` holds for `a`. */
const floatsTo = /* @__NO_SIDE_EFFECTS__ */ (name: string, isNone: string): UnaryOp =>
  defineUnary({
    name,
    expression: () => `select(${math.saturatedI32('a')}, i32(-2147483647 - 1), ${isNone})`,
    result: () => 'int32',
    gradient: null,
  });

const floatsToIndices = /* @__PURE__ */ floatsTo('toIndices', math.isNan('a'));
const floatsToLabels = /* @__PURE__ */ floatsTo('toLabels', `${math.isNan('a')} || a != trunc(a)`);

/**
 * Numbers as int32 indices, truncated towards zero and saturated as by `cast`. But NaN becomes the smallest int32, so that
 * the check of the indices finds it; `cast` would make it 0, the first row.
 */
export function toIndices(x: Tensor): Tensor {
  return isFloating(x.dtype) ? floatsToIndices(cast(x, 'float32')) : cast(x, 'int32');
}

/** The same for class labels. Fractions are invalid, too: truncated, they would pass for a class. */
export function toLabels(x: Tensor): Tensor {
  return isFloating(x.dtype) ? floatsToLabels(cast(x, 'float32')) : cast(x, 'int32');
}
