/** @file concat */
import { ShapeError } from '../../core/errors.ts';
import { formatShape, normalizeAxis, type Shape, sizeOf } from '../../core/shape.ts';
import type { TensorSpec } from '../../core/spec.ts';
import { copyInto, denseLayout } from '../../kernels/copies/copy.ts';
import { isJoinedAtOnce, joinKernel } from '../../kernels/copies/join.ts';
import { output, view } from '../../kernels/launch/output.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { noFlops } from '../define/cost.ts';
import { defineOp, type Op, requireSameDType } from '../define/define.ts';
import { blockLayout, slice } from './slice.ts';

export interface ConcatOptions {
  /** The axis along which they are joined. Negative axes count from the last. Default 0. */
  axis?: number;
}

/**
 * Tensors joined along `axis`. Shapes: equal except for `axis`, whose sizes add up. Any dtype, the same for all. The
 * gradient of each is its slice of the cotangent.
 * Errors: ShapeError for no tensors, scalars, or sizes that differ on another axis; DTypeError.
 */
export const concat: Op<[tensors: Tensor[]], ConcatOptions, Tensor, 'listed', ['axis']> =
  /* @__PURE__ */ defineOp({
    name: 'concat',
    inputs: ['...tensors'],
    options: { axis: true },
    save: { inputs: [] },
    infer: (tensors, options) => {
      const first = requireTensors('concat', tensors);
      const axis = normalizeAxis('concat', options.axis ?? 0, first.shape.length);
      for (const other of tensors) {
        const fits =
          other.shape.length === first.shape.length &&
          other.shape.every((n, i) => i === axis || n === first.shape[i]);
        if (!fits) throwDifferent('concat', `but for axis ${axis}`, first.shape, other.shape);
      }
      const total = tensors.reduce((sum, { shape }) => sum + (shape[axis] as number), 0);
      return { shape: first.shape.map((n, i) => (i === axis ? total : n)), dtype: first.dtype, axis };
    },
    forward: (tensors, plan) => {
      const shapes = tensors.map((x) => x.shape);
      return joined('concat', tensors, shapes, plan.axis, plan);
    },
    backward: ([dy], { inputSpecs, needs, plan: { axis } }) => {
      let next = 0;
      return inputSpecs.map(({ shape }, i) => {
        const first = next;
        next += shape[axis] as number;
        if (!needs[i]) return null;
        return slice(dy, { begin: shape.map((_, k) => (k === axis ? first : 0)), size: shape });
      });
    },
    cost: noFlops,
  });

/** Concatenates tensors along `axis`, each viewed with its shape from `shapes`. */
export function joined(
  op: string,
  tensors: readonly Tensor[],
  shapes: readonly Shape[],
  axis: number,
  spec: TensorSpec,
): Tensor {
  // `infer` has rejected an empty list.
  const [first] = tensors as [Tensor];
  if (tensors.length === 1) return view(first, spec, op);
  const filled = tensors.filter(({ size }) => size > 0);
  if (isJoinedAtOnce(filled)) {
    const rows = sizeOf(spec.shape.slice(0, axis));
    return joinKernel(
      op,
      filled,
      filled.map(({ size }) => size / rows),
      spec,
    );
  }
  const out = output(first.device, spec, op);
  let next = 0;
  tensors.forEach((x, i) => {
    const shape = shapes[i] as Shape;
    const begin = shape.map((_, k) => (k === axis ? next : 0));
    copyInto(x, denseLayout(shape), out, blockLayout(spec.shape, begin), shape);
    next += shape[axis] as number;
  });
  return out;
}

/** The first of `tensors`. Throws if there is none, or if dtypes differ. */
export function requireTensors(op: string, tensors: readonly TensorSpec[]): TensorSpec {
  const [first, ...others] = tensors;
  if (!first) {
    throw new ShapeError({
      op,
      rule: 'it takes at least one tensor.',
      received: 'an empty list',
      hint: `call ${op}([a, b], options).`,
    });
  }
  for (const other of others) requireSameDType(op, first, other);
  return first;
}

export function throwDifferent(op: string, but: string, first: Shape, other: Shape): never {
  throw new ShapeError({
    op,
    rule: `all tensors must have the same shape${but ? `, ${but}` : ''}.`,
    received: `${formatShape(first)} and ${formatShape(other)}`,
    hint: 'reshape, pad or slice them to one shape.',
  });
}
