/**
 * @file gatherNd and scatterNd. Each is the gradient of the other, so they share a file.
 */
import { ShapeError } from '../../core/errors.ts';
import { checkShape, formatShape, type Shape, sizeOf } from '../../core/shape.ts';
import { formatSpec, type TensorSpec } from '../../core/spec.ts';
import { bitsOf } from '../../core/bits.ts';
import { kernels } from '../../kernels/loading/loadKernels.ts';
import type { Indexing } from '../../kernels/indexing/indexing.ts';
import type { Tensor } from '../../tensor/tensor.ts';
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
  normalizeBatchDims,
  readsAsZeros,
  requireSharedBatch,
  requireUpdates,
} from '../define/indices.ts';

export interface CoordinateOptions extends IndexOptions {
  /** Leading axes that indices and the table share. Negative: counted from the rank of the indices. Default 0. */
  batchDims?: number;
}

export interface GatherNdOptions extends CoordinateOptions {
  /** The value of out-of-range slices in mode 'fill'. Default 0. */
  fillValue?: number;
}

export interface ScatterNdOptions extends CoordinateOptions {
  /** Shape of the result. */
  shape: Shape;
}

/**
 * Takes slices of `x` by coordinates: the last axis of `indices` holds d indices, into the d axes of x after the batch.
 * Shapes: x [..batch, s1 … sd, ..inner], indices [..batch, ..k, d] → [..batch, ..k, ..inner]. Any dtype of x. The
 * gradient is summed into the slices that were read.
 * Errors: IndexOutOfRangeError as for `gather`; it names the axis whose coordinate is out of range.
 */
export const gatherNd: Op<[x: Tensor, indices: Tensor], GatherNdOptions, Tensor, 'first', ['batchDims']> =
  /* @__PURE__ */ defineOp({
    name: 'gatherNd',
    inputs: ['x', 'indices:int32'],
    options: { batchDims: true, fillValue: false, validateIndices: false, mode: false },
    save: { inputs: [1] },
    infer: ([x, indices], options) => {
      checkIndices('gatherNd', 'indices', indices, options);
      checkFillValue('gatherNd', options, x.dtype);
      const geometry = coordinateGeometry('gatherNd', 'x', x.shape, indices.shape, options);
      return { shape: geometry.gathered, dtype: x.dtype, geometry };
    },
    indexTarget: ([x], { geometry }) => gatherTarget(x, geometry),
    forward: ([x, indices], plan, call) => {
      const { indexing } = plan.geometry;
      const checking = checkingOf(call, indices, call.options, gatherTarget(x, plan.geometry));
      const fill = bitsOf(call.options.fillValue ?? 0, x.dtype);
      return kernels().gatherKernel(call.op, x, indices, plan, indexing, checking, fill);
    },
    backward: ([dy], { inputs: [, indices], inputSpecs: [x], options: { batchDims, mode } }) => [
      scatterNd(indices, dy, { shape: x.shape, batchDims, mode, validateIndices: false }),
      null,
    ],
  });

/**
 * Zeros of `shape`, to which slices of `updates` are added at coordinates: the adjoint of `gatherNd`. Slices with the
 * same coordinates are summed in ascending order.
 * Shapes: indices [..batch, ..k, d], updates [..batch, ..k, ..inner] → [..batch, s1 … sd, ..inner]. Float32, int32 and
 * uint32.
 * Errors: IndexOutOfRangeError as for `gatherNd`; updates of out-of-range slices are dropped.
 */
export const scatterNd: Op<
  [indices: Tensor, updates: Tensor],
  ScatterNdOptions,
  Tensor,
  'second',
  ['shape']
> = /* @__PURE__ */ defineOp({
  name: 'scatterNd',
  inputs: ['indices:int32', 'updates'],
  options: { shape: true, batchDims: false, validateIndices: false, mode: false },
  save: { inputs: [0] },
  infer: ([indices, updates], options) => {
    const { shape } = options;
    checkIndices('scatterNd', 'indices', indices, options);
    checkShape('scatterNd', shape);
    const geometry = coordinateGeometry('scatterNd', 'shape', shape, indices.shape, options);
    requireUpdates('scatterNd', updates, geometry.gathered, shape);
    return { shape: [...shape], dtype: updates.dtype, geometry };
  },
  indexTarget: (_, plan) => scatterTarget(plan),
  forward: ([indices, updates], plan, call) => {
    const { indexing } = plan.geometry;
    const checking = checkingOf(call, indices, call.options, scatterTarget(plan));
    return kernels().scatterAddKernel(call.op, indices, updates, plan, indexing, checking);
  },
  backward: ([dy], { inputs: [indices], options: { shape: _, ...options } }) => [
    null,
    gatherNd(dy, indices, { ...options, validateIndices: false }),
  ],
});

function gatherTarget(x: TensorSpec, { axes, indexing }: CoordinateGeometry): IndexTarget {
  const limits = indexing.sizes ?? [];
  return { input: 1, name: 'indices', of: named('x', x), axes, limits, hint: readsAsZeros };
}

export function scatterTarget(plan: TensorSpec & { readonly geometry: CoordinateGeometry }): IndexTarget {
  const { axes, indexing } = plan.geometry;
  const limits = indexing.sizes ?? [];
  return { input: 0, name: 'indices', of: `the result ${formatSpec(plan)}`, axes, limits, hint: isDropped };
}

export interface CoordinateGeometry {
  /** Shape of the gathered slices. */
  gathered: number[];
  /** The axes that successive coordinates point into. */
  axes: number[];
  indexing: Indexing;
}

/** Returns the geometry of coordinates `indices` into a table of shape `table`, called `name` in messages. */
export function coordinateGeometry(
  op: string,
  name: string,
  table: Shape,
  indices: Shape,
  options: CoordinateOptions,
): CoordinateGeometry {
  if (indices.length === 0) {
    throw new ShapeError({
      op,
      rule: '`indices` must have at least one axis: the last one holds coordinates.',
      received: 'indices of rank 0',
      hint: 'pass [i, j] for one slice, [[i, j], …] for several.',
    });
  }
  const batchDims = normalizeBatchDims(op, options.batchDims, indices.length - 1);
  requireSharedBatch(op, name, table, indices, batchDims);
  const depth = indices.at(-1) as number;
  if (depth > table.length - batchDims) {
    throw new ShapeError({
      op,
      rule: 'the last axis of `indices` holds at most one coordinate for each axis after the batch.',
      received: `${depth} coordinates, for ${name} ${formatShape(table)} with batchDims ${batchDims}`,
      hint: 'put the coordinates of one slice along the last axis of the indices.',
    });
  }
  const axes = Array.from({ length: depth }, (_, i) => batchDims + i);
  const sizes = axes.map((axis) => table[axis] as number);
  const inner = table.slice(batchDims + depth);
  const gathered = [...indices.slice(0, -1), ...inner];
  checkShape(op, gathered);
  return {
    gathered,
    axes,
    indexing: {
      addressing: 'coordinates',
      mode: kernelMode(options),
      batch: 1,
      outer: 1,
      rows: sizeOf(table.slice(0, batchDims)) * sizeOf(sizes),
      entries: sizeOf(indices.slice(0, -1)),
      inner: sizeOf(inner),
      limit: 0,
      slab: sizeOf(indices.slice(batchDims, -1)),
      sizes,
    },
  };
}
