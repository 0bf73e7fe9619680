/** @file tensorScatterUpdate */
import { ShapeError } from '../core/errors.ts';
import { formatShape, sameShape, type Shape, sizeOf, stridesOf } from '../core/shape.ts';
import type { Tensor } from '../tensor/tensor.ts';
import { all } from './anyAll.ts';
import { mul } from './arithmetic.ts';
import { cast } from './cast.ts';
import { greaterEqual, less } from './comparison.ts';
import { type CompositeOp, defineComposite } from './composite.ts';
import { ones } from './creation.ts';
import { requireSameDType } from './define.ts';
import { gather } from './gather.ts';
import { type CoordinateOptions, scatterNd } from './gatherNd.ts';
import { range } from './range.ts';
import { logicalAnd } from './logical.ts';
import { reshape } from './reshape.ts';
import { segmentMax } from './segmentExtrema.ts';
import { sum } from './sum.ts';
import { where } from './where.ts';

/** Options of `tensorScatterUpdate`. */
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
    const { ids, rows, count, numSegments, isTouched } = slicesAt(
      'tensorScatterUpdate',
      x,
      indices,
      updates,
      options,
    );
    const last = segmentMax(range(0, count, 1, { dtype: 'int32' }), ids, {
      numSegments,
      validateIndices: false,
    });
    // Slices without an update read an arbitrary row, which is discarded.
    const newest = gather(rows, last, { axis: 0, validateIndices: false });
    return where(isTouched, reshape(newest, { shape: x.shape }), x);
  },
});

/** Updates of slices of x, as rows of segments. */
export interface SliceUpdates {
  /** The slice that each row belongs to, by its row-major position; -1 for coordinates out of range. Shape [count]. */
  readonly ids: Tensor;
  /** The updates [count, ..inner]. */
  readonly rows: Tensor;
  readonly count: number;
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
  { validateIndices = true }: TensorScatterUpdateOptions,
): SliceUpdates {
  requireSameDType(op, x, updates);
  const depth = requireShapes(op, x.shape, indices.shape, updates.shape);
  const [table, inner] = [x.shape.slice(0, depth), x.shape.slice(depth)];
  const [numSegments, count] = [sizeOf(table), sizeOf(indices.shape.slice(0, -1))];
  // Also validates the indices, and names the axis of one that is out of range.
  const touched = scatterNd(indices, ones(indices.shape.slice(0, -1)), { shape: table, validateIndices });
  return {
    ids: reshape(flatIds(cast(indices, 'int32'), table), { shape: [count] }),
    rows: reshape(updates, { shape: [count, ...inner] }),
    count,
    numSegments,
    isTouched: reshape(greaterEqual(touched, 0.5), { shape: [...table, ...inner.map(() => 1)] }),
  };
}

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
