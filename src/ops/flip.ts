/** @file flip */
import { normalizeAxes, stridesOf } from '../core/shape.ts';
import type { TensorSpec } from '../core/spec.ts';
import { copied } from '../kernels/copy.ts';
import type { Tensor } from '../tensor/tensor.ts';
import { defineOp, type Op } from './define.ts';

export interface FlipOptions {
  /** Axes to reverse; null or left out: all. Negative axes count from the last. */
  axis?: number | readonly number[] | null;
}

/**
 * `x` in reverse order along `axis`. Any dtype. The gradient is flipped back.
 * Errors: ShapeError for an axis that x lacks, or one that is named twice.
 */
export const flip: Op<[x: Tensor], FlipOptions, Tensor> = /* @__PURE__ */ defineOp<[x: Tensor], FlipOptions>({
  name: 'flip',
  inputs: ['x'],
  infer: ([x], { axis }) => {
    const { shape, dtype } = x as TensorSpec;
    normalizeAxes('flip', axis, shape.length);
    return { shape, dtype };
  },
  forward: ([input], { axis }, { outputs: [spec] }) => {
    const x = input as Tensor;
    const strides = stridesOf(x.shape);
    let offset = 0;
    for (const reversed of normalizeAxes('flip', axis, x.rank)) {
      const stride = strides[reversed] as number;
      offset += stride * ((x.shape[reversed] as number) - 1);
      strides[reversed] = -stride;
    }
    return copied('flip', x, { offset, strides }, spec as TensorSpec);
  },
  backward: ([dy], _, options) => [flip(dy as Tensor, options)],
  save: { inputs: [] },
});
