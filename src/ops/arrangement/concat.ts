/** @file concat, split: each is the gradient of the other. */
import { ShapeError } from '../../core/errors.ts';
import { describe, formatShape, normalizeAxis, type Shape } from '../../core/shape.ts';
import type { TensorSpec } from '../../core/spec.ts';
import { copied, copyInto, denseLayout } from '../../kernels/copies/copy.ts';
import { output, view } from '../../kernels/launch/output.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { noFlops } from '../define/cost.ts';
import { defineOp, type Op, requireSameDType } from '../define/define.ts';
import { blockLayout, placeParts, slice } from './slice.ts';
import { requireOutputs } from '../../core/outputs.ts';

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

export interface SplitOptions {
  /** The number of equal parts, or the size of each part; one size may be -1: it is inferred. */
  numOrSizeSplits: number | readonly number[];
  /** Negative axes count from the last. Default 0. */
  axis?: number;
}

/**
 * `x` split into parts along `axis`. Any dtype. The gradient is the concatenation of the parts' gradients, zeros for parts
 * that nothing depends on.
 * Errors: ShapeError if the parts don't add up to the axis.
 */
export const split: Op<[x: Tensor], SplitOptions, Tensor[], 'first', ['numOrSizeSplits', 'axis']> =
  /* @__PURE__ */ defineOp({
    name: 'split',
    inputs: ['x'],
    options: { numOrSizeSplits: true, axis: true },
    save: { inputs: [] },
    infer: ([{ shape, dtype }], options) => {
      const { axis, sizes } = parts(shape, options);
      let next = 0;
      return sizes.map((size) => {
        const begin = shape.map((_, i) => (i === axis ? next : 0));
        next += size;
        const part = shape.map((n, i) => (i === axis ? size : n));
        return { shape: part, dtype, begin, layout: blockLayout(shape, begin) };
      });
    },
    forward: ([x], plan) => plan.map((part) => copied('split', x, part.layout, part)),
    takesNull: true,
    backward: (cotangents, { inputSpecs: [x], plan }) => [placeParts([{ cotangents, plan }], x)],
    joinedBackward: placeParts,
    cost: noFlops,
  });

function parts(shape: Shape, { numOrSizeSplits, axis = 0 }: SplitOptions): { axis: number; sizes: number[] } {
  const along = normalizeAxis('split', axis, shape.length);
  const count = Array.isArray(numOrSizeSplits) ? numOrSizeSplits.length : numOrSizeSplits;
  if (typeof count === 'number') requireOutputs('split', count);
  const sizes = sizesOf(shape[along] as number, numOrSizeSplits);
  if (sizes) return { axis: along, sizes };
  throw new ShapeError({
    op: 'split',
    rule: '`numOrSizeSplits` must be a count that divides the axis, or sizes that add up to it with at most one -1.',
    received: `numOrSizeSplits: ${describe(numOrSizeSplits)} for axis ${along} of shape ${formatShape(shape)}`,
    hint: 'choose a divisor of the axis, or let one size be -1 for what remains.',
  });
}

function sizesOf(n: number, given: unknown): number[] | null {
  if (Number.isInteger(given) && (given as number) > 0) {
    const count = given as number;
    return n % count === 0 ? new Array<number>(count).fill(n / count) : null;
  }
  if (!Array.isArray(given) || given.length === 0) return null;
  // Copied, since `every` skips holes.
  if (![...given].every((size) => Number.isInteger(size) && size >= -1)) return null;
  const open = given.filter((size) => size === -1).length;
  const sum = given.reduce((total, size) => total + Math.max(0, size), 0);
  if (open > 1 || (open === 0 ? sum !== n : sum > n)) return null;
  return given.map((size) => (size === -1 ? n - sum : size));
}
