/** @file scatterNd */
import { checkShape, type Shape } from '../core/shape.ts';
import { formatSpec, type TensorSpec } from '../core/spec.ts';
import { core } from '../kernels/loadCore.ts';
import type { Tensor } from '../tensor/tensor.ts';
import { defineOp, type Op } from './define.ts';
import { type CoordinateOptions, coordinateGeometry, gatherNd } from './gatherNd.ts';
import { checkIndices, checkingOf, isDropped, requireUpdates } from './indices.ts';

export interface ScatterNdOptions extends CoordinateOptions {
  /** Shape of the result. */
  shape: Shape;
}

/**
 * Zeros of `shape`, to which slices of `updates` are added at coordinates: the adjoint of `gatherNd`. Slices with the
 * same coordinates are summed in ascending order.
 * Shapes: indices [..batch, ..k, d], updates [..batch, ..k, ..inner] → [..batch, s1 … sd, ..inner]. Float32, int32 and
 * uint32.
 * Errors: IndexOutOfRangeError as of `gatherNd`; slices outside are dropped.
 */
export const scatterNd: Op<[indices: Tensor, updates: Tensor], ScatterNdOptions, Tensor> =
  /* @__PURE__ */ defineOp<[indices: Tensor, updates: Tensor], ScatterNdOptions>({
    name: 'scatterNd',
    inputs: ['indices:int32', 'updates'],
    infer: (inputs, options) => {
      const [indices, updates] = inputs as [TensorSpec, TensorSpec];
      const { shape } = options;
      checkIndices('scatterNd', 'indices', indices, options);
      checkShape('scatterNd', shape);
      const { gathered } = coordinateGeometry('scatterNd', 'shape', shape, indices.shape, options);
      requireUpdates('scatterNd', updates, gathered, shape);
      return { shape: [...shape], dtype: updates.dtype };
    },
    forward: (inputs, options, call) => {
      const [indices, updates] = inputs as [Tensor, Tensor];
      const spec = call.outputs[0] as TensorSpec;
      const { indexing, axes } = coordinateGeometry(call.op, 'shape', spec.shape, indices.shape, options);
      const checking = checkingOf(call, indices, options, {
        input: 0,
        name: 'indices',
        of: `the result ${formatSpec(spec)}`,
        axes,
        limits: indexing.sizes ?? [],
        hint: isDropped,
      });
      return core().scatterAddKernel(call.op, indices, updates, spec, indexing, checking);
    },
    backward: ([dy], { inputs: [indices] }, { shape: _, ...options }) => [
      null,
      gatherNd(dy as Tensor, indices as Tensor, { ...options, validateIndices: false }),
    ],
    save: { inputs: [0] },
  });
