/** @file stridedScatter */
import { ShapeError } from '../core/errors.ts';
import { checkShape, formatShape, sameShape, type Shape, stridesOf } from '../core/shape.ts';
import type { TensorSpec } from '../core/spec.ts';
import { copyInto } from '../kernels/copy.ts';
import { fillKernel } from '../kernels/fill.ts';
import type { Tensor } from '../tensor/tensor.ts';
import { defineOp, type Op } from './define.ts';
import { stridedSlice, type StridedSliceOptions, stridedWalk } from './stridedSlice.ts';

export interface StridedScatterOptions extends StridedSliceOptions {
  /** Shape of the result. */
  shape: Shape;
}

/**
 * Zeros of `shape`, into which `updates` are written at the places that `stridedSlice` reads with the same options: its
 * adjoint. Any dtype.
 * Errors: ShapeError where the updates don't have the shape of that slice; else as of `stridedSlice`.
 */
export const stridedScatter: Op<[updates: Tensor], StridedScatterOptions, Tensor> = /* @__PURE__ */ defineOp<
  [updates: Tensor],
  StridedScatterOptions
>({
  name: 'stridedScatter',
  inputs: ['updates'],
  infer: ([updates], options) => {
    checkShape('stridedScatter', options.shape);
    const { shape } = stridedWalk('stridedScatter', options.shape, options);
    const { shape: given, dtype } = updates as TensorSpec;
    if (!sameShape(given, shape)) {
      throw new ShapeError({
        op: 'stridedScatter',
        rule: '`updates` must have the shape of the slice that they replace.',
        received: `updates ${formatShape(given)} for a slice ${formatShape(shape)} of shape ${formatShape(options.shape)}`,
        hint: 'reshape the updates, or correct begin, end and strides.',
      });
    }
    return { shape: [...options.shape], dtype };
  },
  forward: ([input], options, { outputs: [spec] }) => {
    const updates = input as Tensor;
    const { shape, walk } = stridedWalk('stridedScatter', options.shape, options);
    const out = fillKernel(updates.device, spec as TensorSpec, 0, 'stridedScatter');
    copyInto(updates, { offset: 0, strides: stridesOf(shape) }, out, walk, shape);
    return out;
  },
  backward: ([dy], _, { shape: _shape, ...options }) => [stridedSlice(dy as Tensor, options)],
  save: { inputs: [] },
});
