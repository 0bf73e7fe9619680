/**
 * @file takeAlongAxis and scatterAddAlongAxis. Each is the gradient of the other, so they share a file.
 */
import { ShapeError } from '../../core/errors.ts';
import {
  broadcastShapes,
  checkShape,
  formatShape,
  normalizeAxis,
  sameShape,
  type Shape,
  sizeOf,
} from '../../core/shape.ts';
import { formatSpec, type TensorSpec } from '../../core/spec.ts';
import { bitsOf } from '../../core/bits.ts';
import type { Indexing } from '../../kernels/indexing/indexing.ts';
import { kernels } from '../../kernels/loading/loadKernels.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { broadcastTo, sumToShape } from '../reductions/sum.ts';
import { defineOp, type Op } from '../define/define.ts';
import { checkFillValue } from './gather.ts';
import {
  checkIndices,
  checkingOf,
  type IndexOptions,
  type IndexTarget,
  isDropped,
  kernelMode,
  named,
  readsAsZeros,
  requireUpdates,
} from '../define/indices.ts';

export interface AlongAxisOptions extends IndexOptions {
  /** The axis that indices point into. Negative axes count from the last. */
  axis: number;
}

export interface TakeAlongAxisOptions extends AlongAxisOptions {
  /** The value of out-of-range elements in mode 'fill'. Default 0. */
  fillValue?: number;
}

export interface ScatterAddAlongAxisOptions extends AlongAxisOptions {
  /** Shape of the result. */
  shape: Shape;
}

/**
 * Takes elements of `x` along `axis`, each by its own index: out[i, j, k] = x[i, indices[i, j, k], k] for axis 1.
 * The results of argMax, topK and argsort can be used as indices.
 * Shapes: x [..outer, n, ..inner], indices [..outer, k, ..inner] → that of the indices; outer and inner axes broadcast.
 * Any dtype of x. The gradient is summed into the elements that were read.
 * Errors: IndexOutOfRangeError as for `gather`.
 */
export const takeAlongAxis: Op<
  [x: Tensor, indices: Tensor],
  TakeAlongAxisOptions,
  Tensor,
  'first',
  ['axis']
> = /* @__PURE__ */ defineOp({
  name: 'takeAlongAxis',
  inputs: ['x', 'indices:int32'],
  options: { axis: true, fillValue: false, validateIndices: false, mode: false },
  save: { inputs: [1] },
  infer: ([x, indices], options) => {
    checkIndices('takeAlongAxis', 'indices', indices, options);
    checkFillValue('takeAlongAxis', options, x.dtype);
    const { axis, table, out } = sharedShapes(x.shape, indices.shape, options);
    return { shape: out, dtype: x.dtype, axis, table, fill: bitsOf(options.fillValue ?? 0, x.dtype) };
  },
  indexTarget: ([x], { axis }) => takeTarget(x, axis),
  forward: ([x, indices], plan, call) => {
    const { axis, table, shape: out, fill } = plan;
    const { op, options } = call;
    let checking = checkingOf(call, indices, options, takeTarget(x, axis));
    if (!sameShape(indices.shape, out) && checking.check !== 'none') {
      // Faults are reported at positions in the original indices, before broadcasting.
      kernels().rowsKernel(op, indices, alongIndexing(x.shape, indices.shape, axis, options), checking);
      checking = { check: 'none' };
    }
    const indexing = alongIndexing(table, out, axis, options);
    return kernels().gatherKernel(
      op,
      repeated(x, table),
      repeated(indices, out),
      plan,
      indexing,
      checking,
      fill,
    );
  },
  backward: ([dy], { inputs: [, indices], inputSpecs: [x], plan, options: { mode } }) => {
    const full = scatterAddAlongAxis(repeated(indices, plan.shape), dy, {
      shape: plan.table,
      axis: plan.axis,
      mode,
      validateIndices: false,
    });
    return [sumToShape(full, x.shape), null];
  },
});

/**
 * Zeros of `shape`, to which each element of `updates` is added along `axis` at its own index: the adjoint of
 * `takeAlongAxis`. Elements with the same target are summed in ascending order.
 * Shapes: indices and updates [..outer, k, ..inner] → [..outer, n, ..inner]. Float32, int32 and uint32.
 * Errors: IndexOutOfRangeError as for `gather`; out-of-range elements are dropped.
 */
export const scatterAddAlongAxis: Op<
  [indices: Tensor, updates: Tensor],
  ScatterAddAlongAxisOptions,
  Tensor,
  'second',
  ['shape', 'axis']
> = /* @__PURE__ */ defineOp({
  name: 'scatterAddAlongAxis',
  inputs: ['indices:int32', 'updates'],
  options: { shape: true, axis: true, validateIndices: false, mode: false },
  save: { inputs: [0] },
  infer: ([indices, updates], options) => {
    const op = 'scatterAddAlongAxis';
    const { shape } = options;
    checkIndices(op, 'indices', indices, options);
    checkShape(op, shape);
    const axis = normalizeAxis(op, options.axis, shape.length);
    const fits =
      indices.shape.length === shape.length && indices.shape.every((n, i) => i === axis || n === shape[i]);
    if (!fits) {
      throw new ShapeError({
        op,
        rule: '`indices` must have the sizes of `shape`, except along `axis`.',
        received: `indices ${formatShape(indices.shape)}, shape ${formatShape(shape)} and axis ${axis}`,
        hint: 'broadcast the indices, or correct the shape.',
      });
    }
    requireUpdates(op, updates, indices.shape, shape);
    return { shape: [...shape], dtype: updates.dtype, axis };
  },
  indexTarget: (_, plan) => scatterTarget(plan, plan.axis),
  forward: ([indices, updates], plan, call) => {
    const { shape, axis } = plan;
    const checking = checkingOf(call, indices, call.options, scatterTarget(plan, axis));
    const indexing = alongIndexing(shape, indices.shape, axis, call.options);
    return kernels().scatterAddKernel(call.op, indices, updates, plan, indexing, checking);
  },
  backward: ([dy], { inputs: [indices], options: { shape: _, ...options } }) => [
    null,
    takeAlongAxis(dy, indices, { ...options, validateIndices: false }),
  ],
});

function takeTarget(x: TensorSpec, axis: number): IndexTarget {
  const limits = [x.shape[axis] as number];
  return { input: 1, name: 'indices', of: named('x', x), axes: [axis], limits, hint: readsAsZeros };
}

function scatterTarget(out: TensorSpec, axis: number): IndexTarget {
  const of = `the result ${formatSpec(out)}`;
  const limits = [out.shape[axis] as number];
  return { input: 0, name: 'indices', of, axes: [axis], limits, hint: isDropped };
}

const repeated = (x: Tensor, shape: Shape) => (sameShape(x.shape, shape) ? x : broadcastTo(x, { shape }));

/** Returns the shapes that table and indices broadcast to: equal except for `axis`. */
function sharedShapes(
  x: Shape,
  indices: Shape,
  options: { axis: number },
): { axis: number; table: number[]; out: number[] } {
  const op = 'takeAlongAxis';
  if (x.length !== indices.length) {
    throw new ShapeError({
      op,
      rule: '`x` and `indices` must have the same rank.',
      received: `x ${formatShape(x)} and indices ${formatShape(indices)}`,
      hint: 'expandDims the indices; axes of size 1 are repeated.',
    });
  }
  const axis = normalizeAxis(op, options.axis, x.length);
  const without = (shape: Shape, size: number) => shape.map((n, i) => (i === axis ? size : n));
  const common = broadcastShapes(op, without(x, 1), without(indices, 1));
  return {
    axis,
    table: without(common, x[axis] as number),
    out: without(common, indices[axis] as number),
  };
}

/** Returns the elements of a table of shape `table` by indices of shape `indices`, treated as rows of one element. */
function alongIndexing(table: Shape, indices: Shape, axis: number, options: IndexOptions): Indexing {
  const span = sizeOf(table.slice(axis + 1));
  return {
    addressing: 'along',
    mode: kernelMode(options),
    batch: 1,
    outer: 1,
    rows: sizeOf(table),
    entries: sizeOf(indices),
    inner: 1,
    limit: table[axis] as number,
    span,
    slab: (indices[axis] as number) * span,
  };
}
