/** @file tensorScatterUpdate */
import { ShapeError } from '../../core/errors.ts';
import { formatShape, sameShape, type Shape, sizeOf, stridesOf } from '../../core/shape.ts';
import { lastUpdateKernel, replaceRowsKernel } from '../../kernels/indexing/rowUpdates.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { all } from '../reductions/anyAll.ts';
import { mul } from '../elementwise/arithmetic.ts';
import { cast } from '../elementwise/cast.ts';
import { greaterEqual, less } from '../elementwise/comparison.ts';
import { type CompositeOp, defineComposite } from '../define/composite.ts';
import { defineOp, type Op, requireSameDType } from '../define/define.ts';
import { scatterAdd } from './gather.ts';
import {
  coordinateGeometry,
  type CoordinateOptions,
  type ScatterNdOptions,
  scatterTarget,
} from './gatherNd.ts';
import { checkIndices, checkingOf } from '../define/indices.ts';
import { zerosLike } from '../creation/like.ts';
import { logicalAnd } from '../elementwise/logical.ts';
import { reshape } from '../arrangement/reshape.ts';
import { sum } from '../reductions/sum.ts';
import { where } from '../elementwise/where.ts';

export type TensorScatterUpdateOptions = Pick<CoordinateOptions, 'validateIndices'>;

/**
 * `x` with the slices at coordinates `indices` replaced by `updates`; the last of several updates of one slice wins.
 * float32, int32, uint32. Shapes: x [s1 … sd, ..inner], indices [..k, d], updates [..k, ..inner] → that of x. Gradients: none
 * for replaced slices of x, nor for updates that were replaced.
 * Errors: IndexOutOfRangeError as for `gatherNd` (such updates are dropped); ShapeError, DTypeError.
 */
export const tensorScatterUpdate: CompositeOp<
  [x: Tensor, indices: Tensor, updates: Tensor],
  TensorScatterUpdateOptions
> = /* @__PURE__ */ defineComposite({
  name: 'tensorScatterUpdate',
  inputs: ['x', 'indices:int32', 'updates'],
  options: { validateIndices: false },
  compose: ([x, indices, updates], options) => {
    const { table, inner, count } = geometryOf('tensorScatterUpdate', x, indices, updates);
    const last = lastUpdates(indices, { ...options, shape: table });
    return replaceRows(x, reshape(updates, { shape: [count, ...inner] }), last);
  },
});

/** Updates of slices of x, as rows of segments. */
export interface SliceUpdates {
  /** The slice that each row belongs to, by its row-major position; -1 for coordinates out of range. Shape [count]. */
  readonly ids: Tensor;
  /** The updates [count, ..inner]. */
  readonly rows: Tensor;
  /** Number of slices of x. */
  readonly numSegments: number;
  /** Whether a slice has updates. Broadcasts to x. */
  readonly isTouched: Tensor;
}

/** Returns the updates of slices at coordinates. Errors: those of `tensorScatterUpdate`. */
export function slicesAt(
  op: string,
  x: Tensor,
  indices: Tensor,
  updates: Tensor,
  options: TensorScatterUpdateOptions,
): SliceUpdates {
  const { table, inner, count } = geometryOf(op, x, indices, updates);
  return {
    ids: reshape(flatIds(cast(indices, 'int32'), table), { shape: [count] }),
    rows: reshape(updates, { shape: [count, ...inner] }),
    numSegments: sizeOf(table),
    isTouched: isUpdated(lastUpdates(indices, { ...options, shape: table }), inner),
  };
}

interface UpdateGeometry {
  /** The axes of x that coordinates point into, and those of a slice. */
  readonly table: Shape;
  readonly inner: Shape;
  /** Number of updates. */
  readonly count: number;
}

function geometryOf(op: string, x: Tensor, indices: Tensor, updates: Tensor): UpdateGeometry {
  requireSameDType(op, x, updates);
  const depth = requireShapes(op, x.shape, indices.shape, updates.shape);
  return {
    table: x.shape.slice(0, depth),
    inner: x.shape.slice(depth),
    count: sizeOf(indices.shape.slice(0, -1)),
  };
}

/** The position of the last update of each slice; -1 where there is none. Validates the indices. */
const lastUpdates: Op<[indices: Tensor], ScatterNdOptions> = /* @__PURE__ */ defineOp({
  name: 'lastUpdates',
  inputs: ['indices:int32'],
  infer: ([indices], options) => {
    checkIndices('lastUpdates', 'indices', indices, options);
    const { shape } = options;
    const geometry = coordinateGeometry('lastUpdates', 'shape', shape, indices.shape, options);
    return { shape: [...shape], dtype: 'int32', geometry };
  },
  indexTarget: (_, plan) => scatterTarget(plan),
  forward: ([indices], plan, call) => {
    const checking = checkingOf(call, indices, call.options, scatterTarget(plan));
    return lastUpdateKernel(call.op, indices, plan, plan.geometry.indexing, checking);
  },
  backward: null,
});

/**
 * `x` with the rows replaced that have an update, at the position that `last` holds; negative for none. Shapes: x [..table, ..inner],
 * updates [count, ..inner], last [..table] → that of x.
 */
export const replaceRows: Op<[x: Tensor, updates: Tensor, last: Tensor]> = /* @__PURE__ */ defineOp({
  name: 'replaceRows',
  inputs: ['x', 'updates', 'last:int32'],
  save: { inputs: [2] },
  infer: ([x]) => ({ shape: x.shape, dtype: x.dtype }),
  forward: ([x, updates, last], plan, call) => replaceRowsKernel(call.op, x, updates, last, plan),
  backward: ([dy], { inputs: [, , last], inputSpecs: [, updates] }) => {
    const { shape } = updates;
    const isReplaced = isUpdated(last, shape.slice(1));
    return [
      where(isReplaced, zerosLike(dy), dy),
      scatterAdd(last, dy, { axis: 0, shape: [...shape], validateIndices: false }),
      null,
    ];
  },
});

const isUpdated = (last: Tensor, inner: Shape) =>
  reshape(greaterEqual(last, 0), { shape: [...last.shape, ...inner.map(() => 1)] });

/** Coordinates as row-major positions; -1 for those out of range. */
function flatIds(indices: Tensor, table: Shape): Tensor {
  const isInside = all(logicalAnd(greaterEqual(indices, 0), less(indices, int32(table))), { axis: -1 });
  return where(isInside, sum(mul(indices, int32(stridesOf(table))), { axis: -1 }), -1);
}

const int32 = (values: readonly number[]) => Int32Array.from(values);

/** Returns the number of axes that the coordinates point into. Throws if the shapes don't fit. */
function requireShapes(op: string, x: Shape, indices: Shape, updates: Shape): number {
  const depth = indices.at(-1) ?? -1;
  const wanted = [...indices.slice(0, -1), ...x.slice(Math.max(0, depth))];
  if (depth >= 1 && depth <= x.length && sameShape(updates, wanted)) return depth;
  throw new ShapeError({
    op,
    rule: '`updates` must have the shape that the indices would gather from `x`; their last axis holds one coordinate for each of the first axes of x.',
    received: `x ${formatShape(x)}, indices ${formatShape(indices)} and updates ${formatShape(updates)}`,
    hint: 'pass indices [[0], [2]] with updates of two rows of x.',
  });
}
