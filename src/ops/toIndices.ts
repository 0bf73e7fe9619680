/** @file toIndices: numbers that name rows or classes, as integers. */
import * as math from '../kernels/math.ts';
import { cast } from './cast.ts';
import { defineUnary, type UnaryOp } from './elementwise.ts';
import type { Tensor } from '../tensor/tensor.ts';

const floatsToIndices: UnaryOp = /* @__PURE__ */ defineUnary({
  name: 'toIndices',
  expression: () => `select(${math.saturatedI32('a')}, i32(-2147483647 - 1), ${math.isNan('a')})`,
  result: () => 'int32',
  gradient: null,
});

/**
 * Numbers as int32 indices: as by `cast`, truncated towards zero and saturated. But NaN, which names nothing, becomes the
 * smallest int32, so that the check of the indices finds it; by `cast` it would be 0, the first row.
 */
export function toIndices(x: Tensor): Tensor {
  return x.dtype === 'float32' ? floatsToIndices(x) : cast(x, 'int32');
}
