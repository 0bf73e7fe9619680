/** @file zerosLike and onesLike. */
import type { TensorSpec } from '../core/spec.ts';
import { fillKernel } from '../kernels/fill.ts';
import type { Tensor } from '../tensor/tensor.ts';
import { defineOp } from './define.ts';
import type { UnaryOp } from './elementwise.ts';

/* @__NO_SIDE_EFFECTS__ */
function defineLike(name: string, value: number): UnaryOp {
  return defineOp<[x: Tensor]>({
    name,
    inputs: ['x'],
    infer: ([x]) => ({ shape: (x as TensorSpec).shape, dtype: (x as TensorSpec).dtype }),
    forward: ([x], _, { outputs: [spec] }) =>
      fillKernel((x as Tensor).device, spec as TensorSpec, value, name),
    backward: null,
  });
}

/** Zeros in the shape and dtype of x, on its device. No gradient. */
export const zerosLike: UnaryOp = /* @__PURE__ */ defineLike('zerosLike', 0);

/** Ones in the shape and dtype of x, on its device. No gradient. */
export const onesLike: UnaryOp = /* @__PURE__ */ defineLike('onesLike', 1);
