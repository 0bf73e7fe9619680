/** @file zerosLike and onesLike. */
import { specOf } from '../../core/spec.ts';
import { kernels } from '../../kernels/loading/loadKernels.ts';
import { defineOp } from '../define/define.ts';
import type { UnaryOp } from '../elementwise/elementwise.ts';

/* @__NO_SIDE_EFFECTS__ */
function defineLike(name: string, value: number): UnaryOp {
  return defineOp({
    name,
    inputs: ['x'],
    options: {},
    elementwise: true,
    infer: ([x]) => specOf(x),
    forward: ([x], plan) => kernels().fillKernel(x.device, plan, value, name),
    backward: null,
  });
}

/**
 * Zeros in the shape and dtype of x, on its device. No gradient.
 * Errors: DTypeError for float16.
 */
export const zerosLike: UnaryOp = /* @__PURE__ */ defineLike('zerosLike', 0);

/**
 * Ones in the shape and dtype of x, on its device. No gradient.
 * Errors: DTypeError for float16.
 */
export const onesLike: UnaryOp = /* @__PURE__ */ defineLike('onesLike', 1);
