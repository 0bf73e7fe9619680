/** @file stack */
import { checkShape, normalizeAxis, sameShape } from '../core/shape.ts';
import type { TensorSpec } from '../core/spec.ts';
import type { Tensor } from '../tensor/tensor.ts';
import { joined, requireTensors, throwDifferent } from './concat.ts';
import { noFlops } from './cost.ts';
import { defineOp, type Op } from './define.ts';
import { reshape } from './reshape.ts';
import { slice } from './slice.ts';

export interface StackOptions {
  /** Where the new axis goes; negative axes count from the last of the result. Default 0. */
  axis?: number;
}

const newAxis = (rank: number, { axis = 0 }: StackOptions) => normalizeAxis('stack', axis, rank + 1);
const inserted = (shape: readonly number[], axis: number, n: number) => [
  ...shape.slice(0, axis),
  n,
  ...shape.slice(axis),
];

/**
 * Tensors of one shape side by side along a new axis. Any dtype, the same for all. The gradient of each is its part.
 * Errors: ShapeError for no tensors, or shapes that differ; DTypeError.
 */
export const stack: Op<[tensors: Tensor[]], StackOptions, Tensor> = /* @__PURE__ */ defineOp<
  [tensors: Tensor[]],
  StackOptions
>({
  name: 'stack',
  inputs: ['...tensors'],
  infer: (tensors, options) => {
    const { shape, dtype } = requireTensors('stack', tensors);
    for (const other of tensors)
      if (!sameShape(other.shape, shape)) throwDifferent('stack', '', shape, other.shape);
    const stacked = inserted(shape, newAxis(shape.length, options), tensors.length);
    checkShape('stack', stacked);
    return { shape: stacked, dtype };
  },
  forward: (tensors, options, { outputs: [spec] }) => {
    const { shape } = tensors[0] as Tensor;
    const axis = newAxis(shape.length, options);
    const shapes = tensors.map(() => inserted(shape, axis, 1));
    return joined('stack', tensors, shapes, axis, spec as TensorSpec);
  },
  backward: ([cotangent], { inputSpecs, needs }, options) => {
    const dy = cotangent as Tensor;
    const axis = newAxis(dy.rank - 1, options);
    return inputSpecs.map(({ shape }, i) => {
      if (!needs[i]) return null;
      const begin = dy.shape.map((_, k) => (k === axis ? i : 0));
      return reshape(slice(dy, { begin, size: inserted(shape, axis, 1) }), { shape });
    });
  },
  save: { inputs: [] },
  cost: noFlops,
});
