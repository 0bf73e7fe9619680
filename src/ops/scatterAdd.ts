/** @file scatterAdd */
import { checkShape, type Shape } from '../core/shape.ts';
import { formatSpec, type TensorSpec } from '../core/spec.ts';
import { core } from '../kernels/loadCore.ts';
import type { Tensor } from '../tensor/tensor.ts';
import { perUpdate } from './cost.ts';
import { defineOp, type Op } from './define.ts';
import { gather } from './gather.ts';
import {
  type AxisOptions,
  axisGeometry,
  checkIndices,
  checkingOf,
  type IndexOptions,
  isDropped,
  requireUpdates,
} from './indices.ts';

export interface ScatterAddOptions extends AxisOptions, IndexOptions {
  /** Shape of the result. */
  shape: Shape;
}

/**
 * Zeros of `shape`, to which slices of `updates` are added along `axis` at integer `indices`: the adjoint of `gather`.
 * Slices with one index are summed in ascending order, so that the same input gives the same bits.
 * Shapes: indices [..batch, ..k], updates [..batch, ..outer, ..k, ..inner] → [..batch, ..outer, n, ..inner]. Float32,
 * int32 and uint32. The gradient of the updates is a gather.
 * Errors: IndexOutOfRangeError as of `gather`; updates of a row outside are dropped.
 */
export const scatterAdd: Op<[indices: Tensor, updates: Tensor], ScatterAddOptions, Tensor> =
  /* @__PURE__ */ defineOp<[indices: Tensor, updates: Tensor], ScatterAddOptions>({
    name: 'scatterAdd',
    inputs: ['indices:int32', 'updates'],
    infer: ([indices, updates], options) => {
      const { shape, dtype } = indices as TensorSpec;
      checkIndices('scatterAdd', 'indices', { shape, dtype }, options);
      checkShape('scatterAdd', options.shape);
      const { gathered } = axisGeometry('scatterAdd', 'shape', options.shape, shape, options);
      requireUpdates('scatterAdd', updates as TensorSpec, gathered, options.shape);
      return { shape: [...options.shape], dtype: (updates as TensorSpec).dtype };
    },
    forward: (inputs, options, call) => {
      const [indices, updates] = inputs as [Tensor, Tensor];
      const spec = call.outputs[0] as TensorSpec;
      const { axis, indexing } = axisGeometry('scatterAdd', 'shape', options.shape, indices.shape, options);
      const checking = checkingOf(call, indices, options, {
        input: 0,
        name: 'indices',
        of: `the result ${formatSpec(spec)}`,
        axes: [axis],
        limits: [indexing.rows],
        hint: isDropped,
      });
      return core().scatterAddKernel('scatterAdd', indices, updates, spec, indexing, checking);
    },
    backward: ([dy], { inputs: [indices] }, { shape: _, ...options }) => [
      null,
      gather(dy as Tensor, indices as Tensor, { ...options, validateIndices: false }),
    ],
    save: { inputs: [0] },
    cost: perUpdate,
  });
