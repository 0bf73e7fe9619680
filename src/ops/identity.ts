/** @file identity */
import type { TensorSpec } from '../core/spec.ts';
import { view } from '../kernels/output.ts';
import type { Tensor } from '../tensor/tensor.ts';
import { defineOp, type Op } from './define.ts';

/** The same values as a tensor of its own, without a copy. The gradient passes unchanged. */
export const identity: Op<[x: Tensor], object, Tensor> = /* @__PURE__ */ defineOp<[x: Tensor]>({
  name: 'identity',
  inputs: ['x'],
  acceptsFloat16: true,
  infer: ([x]) => ({ shape: (x as TensorSpec).shape, dtype: (x as TensorSpec).dtype }),
  forward: ([x]) => view(x as Tensor, x as Tensor, 'identity'),
  backward: ([dy]) => [dy as Tensor],
  save: { inputs: [] },
});
