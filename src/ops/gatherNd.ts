/** @file gatherNd */
import { ShapeError } from '../core/errors.ts';
import { checkShape, formatShape, type Shape, sizeOf } from '../core/shape.ts';
import type { TensorSpec } from '../core/spec.ts';
import { bitsOf } from '../kernels/fill.ts';
import { core } from '../kernels/loadCore.ts';
import type { Indexing } from '../kernels/indexing.ts';
import type { Tensor } from '../tensor/tensor.ts';
import { defineOp, type Op } from './define.ts';
import { checkFillValue } from './gather.ts';
import {
  checkIndices,
  checkingOf,
  type IndexOptions,
  kernelMode,
  named,
  normalizeBatchDims,
  readsAsZeros,
  requireSharedBatch,
} from './indices.ts';
import { scatterNd } from './scatterNd.ts';

export interface CoordinateOptions extends IndexOptions {
  /** Leading axes that indices and the table share. Negative: counted from the rank of the indices. Default 0. */
  batchDims?: number;
}

export interface GatherNdOptions extends CoordinateOptions {
  /** What slices outside read as, with mode 'fill'. Default 0. */
  fillValue?: number;
}

/**
 * Takes slices of `x` by coordinates: the last axis of `indices` holds d indices, into the d axes of x after the batch.
 * Shapes: x [..batch, s1 … sd, ..inner], indices [..batch, ..k, d] → [..batch, ..k, ..inner]. Any dtype of x. The
 * gradient is added up in the slices that were read.
 * Errors: IndexOutOfRangeError as of `gather`; it names the axis whose coordinate is outside.
 */
export const gatherNd: Op<[x: Tensor, indices: Tensor], GatherNdOptions, Tensor> = /* @__PURE__ */ defineOp<
  [x: Tensor, indices: Tensor],
  GatherNdOptions
>({
  name: 'gatherNd',
  inputs: ['x', 'indices:int32'],
  infer: (inputs, options) => {
    const [x, indices] = inputs as [TensorSpec, TensorSpec];
    checkIndices('gatherNd', 'indices', indices, options);
    checkFillValue('gatherNd', options, x.dtype);
    return {
      shape: coordinateGeometry('gatherNd', 'x', x.shape, indices.shape, options).gathered,
      dtype: x.dtype,
    };
  },
  forward: (inputs, options, call) => {
    const [x, indices] = inputs as [Tensor, Tensor];
    const { indexing, axes } = coordinateGeometry(call.op, 'x', x.shape, indices.shape, options);
    const checking = checkingOf(call, indices, options, {
      input: 1,
      name: 'indices',
      of: named('x', x),
      axes,
      limits: indexing.sizes ?? [],
      hint: readsAsZeros,
    });
    const fill = bitsOf(options.fillValue ?? 0, x.dtype);
    return core().gatherKernel(call.op, x, indices, call.outputs[0] as TensorSpec, indexing, checking, fill);
  },
  backward: ([dy], { inputs: [, indices], inputSpecs: [x] }, { batchDims = 0, mode }) => [
    scatterNd(indices as Tensor, dy as Tensor, {
      shape: (x as TensorSpec).shape,
      batchDims,
      ...(mode === undefined ? {} : { mode }),
      validateIndices: false,
    }),
    null,
  ],
  save: { inputs: [1] },
});

/** The geometry of coordinates `indices` into a table of shape `table`, called `name` in messages. */
export function coordinateGeometry(
  op: string,
  name: string,
  table: Shape,
  indices: Shape,
  options: CoordinateOptions,
): { gathered: number[]; axes: number[]; indexing: Indexing } {
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
      span: depth,
      slab: sizeOf(indices.slice(batchDims, -1)),
      sizes,
    },
  };
}
