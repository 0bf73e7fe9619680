/** @file stack */
import { checkShape, normalizeAxis, sameShape } from '../../core/shape.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { joined, requireTensors, throwDifferent } from './concat.ts';
import { noFlops } from '../define/cost.ts';
import { defineOp, type Op } from '../define/define.ts';
import { reshape } from './reshape.ts';
import { slice } from './slice.ts';

export interface StackOptions {
  /** Where the new axis goes; negative axes count from the last of the result. Default 0. */
  axis?: number;
}

const inserted = (shape: readonly number[], axis: number, n: number) => [
  ...shape.slice(0, axis),
  n,
  ...shape.slice(axis),
];

/**
 * Joins tensors of one shape along a new axis. Any dtype, the same for all. The gradient of each is its slice.
 * Errors: ShapeError for no tensors, or shapes that differ; DTypeError.
 */
export const stack: Op<[tensors: Tensor[]], StackOptions, Tensor, 'listed', ['axis']> =
  /* @__PURE__ */ defineOp({
    name: 'stack',
    inputs: ['...tensors'],
    options: { axis: true },
    save: { inputs: [] },
    infer: (tensors, options) => {
      const { shape, dtype } = requireTensors('stack', tensors);
      for (const other of tensors)
        if (!sameShape(other.shape, shape)) throwDifferent('stack', '', shape, other.shape);
      const axis = normalizeAxis('stack', options.axis ?? 0, shape.length + 1);
      const stacked = inserted(shape, axis, tensors.length);
      checkShape('stack', stacked);
      return { shape: stacked, dtype, axis };
    },
    forward: (tensors, plan) => {
      const shapes = tensors.map((x) => inserted(x.shape, plan.axis, 1));
      return joined('stack', tensors, shapes, plan.axis, plan);
    },
    backward: ([dy], { inputSpecs, needs, plan: { axis } }) =>
      inputSpecs.map(({ shape }, i) => {
        if (!needs[i]) return null;
        const begin = dy.shape.map((_, k) => (k === axis ? i : 0));
        return reshape(slice(dy, { begin, size: inserted(shape, axis, 1) }), { shape });
      }),
    cost: noFlops,
  });
