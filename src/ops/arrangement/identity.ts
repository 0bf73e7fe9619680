/** @file identity */
import { specOf } from '../../core/spec.ts';
import { view } from '../../kernels/launch/output.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { defineOp, type Op } from '../define/define.ts';

/**
 * A new tensor that shares the values of x, without a copy. The gradient passes unchanged.
 * Shape and dtype: those of x, which may be any. Errors: DisposedError.
 */
export const identity: Op<[x: Tensor], object, Tensor, 'first'> = /* @__PURE__ */ defineOp({
  name: 'identity',
  inputs: ['x'],
  options: {},
  acceptsFloat16: true,
  save: { inputs: [] },
  elementwise: true,
  infer: ([x]) => specOf(x),
  forward: ([x], plan) => view(x, plan, 'identity'),
  backward: ([dy]) => [dy],
});
