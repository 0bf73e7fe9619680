/** @file oneHot */
import { type DType, requireDType } from '../core/dtype.ts';
import { requireNumber } from '../core/integers.ts';
import { checkShape, normalizeAxis, requireInteger } from '../core/shape.ts';
import { oneHotKernel } from '../kernels/oneHot.ts';
import { checkDType } from '../tensor/create.ts';
import type { Tensor } from '../tensor/tensor.ts';
import { defineOp, type Op } from './define.ts';
import { requireInt32 } from './indices.ts';

export interface OneHotOptions {
  /** Size of the new axis. */
  depth: number;
  /** Where the new axis goes; negative axes count from the last of the result. Default -1. */
  axis?: number;
  /** Default 1. */
  onValue?: number;
  /** Default 0. */
  offValue?: number;
  /** Default float32. */
  dtype?: DType;
}

/**
 * Indices (int32 or uint32) as rows along a new axis: `onValue` at the index, `offValue` elsewhere. An index outside
 * [0, depth) is no fault: its row holds `offValue` alone.
 * Shape: that of the indices, with `depth` inserted at `axis`. It has no gradient.
 */
export const oneHot: Op<[indices: Tensor], OneHotOptions> = /* @__PURE__ */ defineOp({
  name: 'oneHot',
  inputs: ['indices:int32'],
  options: { depth: true, onValue: true, offValue: true, dtype: true, axis: false },
  infer: ([{ shape, dtype }], options) => {
    const { depth, axis = -1, onValue = 1, offValue = 0, dtype: result = 'float32' } = options;
    requireDType('oneHot', 'indices', dtype, ['int32', 'uint32']);
    requireInteger('oneHot', 'depth', depth, 0);
    checkDType('oneHot', result);
    requireNumber('oneHot', 'onValue', onValue, result);
    requireNumber('oneHot', 'offValue', offValue, result);
    const at = normalizeAxis('oneHot', axis, shape.length + 1);
    const out = [...shape.slice(0, at), depth, ...shape.slice(at)];
    checkShape('oneHot', out);
    return { shape: out, dtype: result, axis: at, onValue, offValue };
  },
  forward: ([indices], plan, { operands }) => {
    requireInt32('oneHot', 'indices', operands[0]);
    return oneHotKernel(indices, plan, plan.axis, plan.onValue, plan.offValue);
  },
  backward: null,
});
