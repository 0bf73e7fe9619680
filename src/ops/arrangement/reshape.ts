/** @file reshape */
import { ShapeError } from '../../core/errors.ts';
import { checkShape, describe, formatShape, maxRank, type Shape, sizeOf } from '../../core/shape.ts';
import { formatSpec, type TensorSpec } from '../../core/spec.ts';
import { view } from '../../kernels/launch/output.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { defineOp, type Op } from '../define/define.ts';

/**
 * The same values in row-major order with another shape, without a copy. One size may be -1: it is inferred.
 * Errors: ShapeError if the number of elements differs from that of x.
 * Any dtype.
 */
export const reshape: Op<[x: Tensor], { shape: Shape }, Tensor, 'first', ['shape']> =
  /* @__PURE__ */ defineOp({
    name: 'reshape',
    inputs: ['x'],
    options: { shape: true },
    acceptsFloat16: true,
    save: { inputs: [] },
    infer: ([x], { shape }) => ({ shape: resolve(x, shape), dtype: x.dtype }),
    forward: ([x], plan) => view(x, plan, 'reshape'),
    backward: ([dy], { inputSpecs: [x] }) => [reshape(dy, { shape: x.shape })],
  });

function resolve(x: TensorSpec, shape: Shape): number[] {
  // Check the rank first: a list may be of any length.
  if (Array.isArray(shape) && shape.length > maxRank) checkShape('reshape', shape);
  const open = Array.isArray(shape) ? shape.indexOf(-1) : -1;
  const size = sizeOf(x.shape);
  const target = [...(Array.isArray(shape) ? shape : [])];
  if (!Array.isArray(shape)) checkShape('reshape', shape);
  if (open >= 0) {
    target[open] = 1;
    const rest = sizeOf(target);
    target[open] = rest === 0 ? 0 : size / rest;
  }
  if (target.every((n) => Number.isInteger(n) && n >= 0) && sizeOf(target) === size) return target;
  throw new ShapeError({
    op: 'reshape',
    rule: 'the new shape must hold exactly the elements of `x`, with at most one -1.',
    received: `${formatSpec(x)} (${size} elements) to ${describe(shape)}`,
    hint: `choose sizes whose product is ${size}, or let one of them be -1; x has shape ${formatShape(x.shape)}.`,
  });
}
