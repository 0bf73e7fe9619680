/** @file unstack */
import { requireOutputs } from '../../core/outputs.ts';
import { normalizeAxis, stridesOf } from '../../core/shape.ts';
import { copied } from '../../kernels/copies/copy.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { defineOp, type Op } from '../define/define.ts';
import { placeParts } from './slice.ts';
import type { StackOptions } from './stack.ts';

/**
 * The slices of `x` along `axis` (default 0), one tensor each, without that axis. Any dtype. The gradient is the stack of
 * the slices' gradients, zeros for those that nothing depends on.
 * Errors: ShapeError for an axis that x lacks.
 */
export const unstack: Op<[x: Tensor], StackOptions, Tensor[], 'first', ['axis']> = /* @__PURE__ */ defineOp({
  name: 'unstack',
  inputs: ['x'],
  options: { axis: true },
  save: { inputs: [] },
  infer: ([{ shape, dtype }], { axis = 0 }) => {
    const along = normalizeAxis('unstack', axis, shape.length);
    requireOutputs('unstack', shape[along] as number);
    const strides = stridesOf(shape);
    const step = strides[along] as number;
    const others = <T>(list: readonly T[]) => list.filter((_, k) => k !== along);
    const block = shape.map((n, axis) => (axis === along ? 1 : n));
    const [sliced, kept] = [others(shape), others(strides)];
    return Array.from({ length: shape[along] as number }, (_, i) => ({
      shape: sliced,
      dtype,
      begin: shape.map((_, axis) => (axis === along ? i : 0)),
      block,
      layout: { offset: i * step, strides: kept },
    }));
  },
  forward: ([x], plan) => plan.map((slice) => copied('unstack', x, slice.layout, slice)),
  takesNull: true,
  backward: (cotangents, { inputSpecs: [x], plan }) => [placeParts([{ cotangents, plan }], x)],
  joinedBackward: placeParts,
});
