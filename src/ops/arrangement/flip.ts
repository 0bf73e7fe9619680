/** @file flip */
import { normalizeAxes, type Shape, stridesOf } from '../../core/shape.ts';
import { copied, type StridedLayout } from '../../kernels/copies/copy.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { defineOp, type Op } from '../define/define.ts';

export interface FlipOptions {
  /** Axes to reverse; if null or omitted, all. Negative axes count from the last. */
  axis?: number | readonly number[] | null;
}

/**
 * `x` in reverse order along `axis`. Any dtype. The gradient is flipped back.
 * Errors: ShapeError for an axis that x lacks, or one that is named twice.
 */
export const flip: Op<[x: Tensor], FlipOptions, Tensor, 'first', ['axis']> = /* @__PURE__ */ defineOp({
  name: 'flip',
  inputs: ['x'],
  options: { axis: true },
  save: { inputs: [] },
  infer: ([{ shape, dtype }], { axis }) => ({
    shape,
    dtype,
    layout: reversedLayout(shape, normalizeAxes('flip', axis, shape.length)),
  }),
  forward: ([x], plan) => copied('flip', x, plan.layout, plan),
  backward: ([dy], { options }) => [flip(dy, options)],
});

/** Returns the layout of the elements of a tensor of `shape`, reversed along `axes`. */
function reversedLayout(shape: Shape, axes: readonly number[]): StridedLayout {
  const strides = stridesOf(shape);
  let offset = 0;
  for (const axis of axes) {
    const stride = strides[axis] as number;
    offset += stride * ((shape[axis] as number) - 1);
    strides[axis] = -stride;
  }
  return { offset, strides };
}
