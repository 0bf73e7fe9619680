/** @file unstack */
import { requireOutputs } from '../core/outputs.ts';
import { normalizeAxis } from '../core/shape.ts';
import type { TensorSpec } from '../core/spec.ts';
import { copied } from '../kernels/copy.ts';
import type { Tensor } from '../tensor/tensor.ts';
import { defineOp, type Op } from './define.ts';
import { blockWalk } from './slice.ts';
import { stack, type StackOptions } from './stack.ts';

/**
 * The slices of `x` along `axis` (default 0), one tensor each, without that axis. Any dtype. The gradient is the slices'
 * gradients, stacked.
 * Errors: ShapeError for an axis that x lacks.
 */
export const unstack: Op<[x: Tensor], StackOptions, Tensor[]> = /* @__PURE__ */ defineOp<
  [x: Tensor],
  StackOptions,
  Tensor[]
>({
  name: 'unstack',
  inputs: ['x'],
  infer: ([x], { axis = 0 }) => {
    const { shape, dtype } = x as TensorSpec;
    const along = normalizeAxis('unstack', axis, shape.length);
    requireOutputs('unstack', shape[along] as number);
    const slice = shape.filter((_, i) => i !== along);
    return Array.from({ length: shape[along] as number }, () => ({ shape: slice, dtype }));
  },
  forward: ([input], { axis = 0 }, { outputs }) => {
    const x = input as Tensor;
    const along = normalizeAxis('unstack', axis, x.rank);
    return outputs.map((spec, i) => {
      const begin = x.shape.map((_, k) => (k === along ? i : 0));
      const { offset, strides } = blockWalk(x.shape, begin);
      return copied('unstack', x, { offset, strides: strides.filter((_, k) => k !== along) }, spec);
    });
  },
  backward: (cotangents, { inputSpecs: [x] }, { axis = 0 }) => [
    stack(cotangents, { axis: normalizeAxis('unstack', axis, (x as TensorSpec).shape.length) }),
  ],
  save: { inputs: [] },
});
