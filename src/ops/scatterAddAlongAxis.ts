/** @file scatterAddAlongAxis */
import { ShapeError } from '../core/errors.ts';
import { checkShape, formatShape, normalizeAxis, type Shape } from '../core/shape.ts';
import { formatSpec, type TensorSpec } from '../core/spec.ts';
import { core } from '../kernels/loadCore.ts';
import type { Tensor } from '../tensor/tensor.ts';
import { defineOp, type Op } from './define.ts';
import { checkIndices, checkingOf, isDropped, requireUpdates } from './indices.ts';
import { type AlongAxisOptions, alongIndexing, takeAlongAxis } from './takeAlongAxis.ts';

export interface ScatterAddAlongAxisOptions extends AlongAxisOptions {
  /** Shape of the result. */
  shape: Shape;
}

/**
 * Zeros of `shape`, to which each element of `updates` is added along `axis` at an index of its own: the adjoint of
 * `takeAlongAxis`. Elements that meet are summed in ascending order.
 * Shapes: indices and updates [..outer, k, ..inner] → [..outer, n, ..inner]. Float32, int32 and uint32.
 * Errors: IndexOutOfRangeError as of `gather`; elements outside are dropped.
 */
export const scatterAddAlongAxis: Op<[indices: Tensor, updates: Tensor], ScatterAddAlongAxisOptions, Tensor> =
  /* @__PURE__ */ defineOp<[indices: Tensor, updates: Tensor], ScatterAddAlongAxisOptions>({
    name: 'scatterAddAlongAxis',
    inputs: ['indices:int32', 'updates'],
    infer: (inputs, options) => {
      const op = 'scatterAddAlongAxis';
      const [indices, updates] = inputs as [TensorSpec, TensorSpec];
      const { shape } = options;
      checkIndices(op, 'indices', indices, options);
      checkShape(op, shape);
      const axis = normalizeAxis(op, options.axis, shape.length);
      const fits =
        indices.shape.length === shape.length && indices.shape.every((n, i) => i === axis || n === shape[i]);
      if (!fits) {
        throw new ShapeError({
          op,
          rule: '`indices` must have the sizes of `shape`, but for `axis`.',
          received: `indices ${formatShape(indices.shape)}, shape ${formatShape(shape)} and axis ${axis}`,
          hint: 'broadcast the indices, or correct the shape.',
        });
      }
      requireUpdates(op, updates, indices.shape, shape);
      return { shape: [...shape], dtype: updates.dtype };
    },
    forward: (inputs, options, call) => {
      const [indices, updates] = inputs as [Tensor, Tensor];
      const spec = call.outputs[0] as TensorSpec;
      const axis = normalizeAxis(call.op, options.axis, spec.shape.length);
      const checking = checkingOf(call, indices, options, {
        input: 0,
        name: 'indices',
        of: `the result ${formatSpec(spec)}`,
        axes: [axis],
        limits: [spec.shape[axis] as number],
        hint: isDropped,
      });
      const indexing = alongIndexing(spec.shape, indices.shape, axis, options);
      return core().scatterAddKernel(call.op, indices, updates, spec, indexing, checking);
    },
    backward: ([dy], { inputs: [indices] }, { shape: _, ...options }) => [
      null,
      takeAlongAxis(dy as Tensor, indices as Tensor, { ...options, validateIndices: false }),
    ],
    save: { inputs: [0] },
  });
