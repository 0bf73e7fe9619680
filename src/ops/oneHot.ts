/** @file oneHot */
import { type DType, requireDType } from '../core/dtype.ts';
import { ValueError } from '../core/errors.ts';
import { checkShape, describe, normalizeAxis, requireInteger } from '../core/shape.ts';
import { oneHotKernel } from '../kernels/oneHot.ts';
import { checkDType } from '../tensor/create.ts';
import type { Tensor } from '../tensor/tensor.ts';
import { defineOp, type Op } from './define.ts';

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
  infer: ([{ shape, dtype }], options) => {
    const { depth, axis = -1, onValue = 1, offValue = 0, dtype: result = 'float32' } = options;
    requireDType('oneHot', 'indices', dtype, ['int32', 'uint32']);
    requireInteger('oneHot', 'depth', depth, 0);
    requireNumber('onValue', onValue);
    requireNumber('offValue', offValue);
    checkDType('oneHot', result);
    const at = normalizeAxis('oneHot', axis, shape.length + 1);
    const out = [...shape.slice(0, at), depth, ...shape.slice(at)];
    checkShape('oneHot', out);
    return { shape: out, dtype: result, axis: at, onValue, offValue };
  },
  forward: ([indices], plan) => oneHotKernel(indices, plan, plan.axis, plan.onValue, plan.offValue),
  backward: null,
});

function requireNumber(what: string, value: unknown): void {
  if (typeof value === 'number') return;
  throw new ValueError({
    op: 'oneHot',
    rule: `\`${what}\` must be a number.`,
    received: `${what}: ${describe(value)}`,
    hint: 'leave it out for 1 and 0.',
  });
}
