/** @file takeAlongAxis */
import { ShapeError } from '../core/errors.ts';
import { broadcastShapes, formatShape, normalizeAxis, sameShape, type Shape, sizeOf } from '../core/shape.ts';
import type { TensorSpec } from '../core/spec.ts';
import { bitsOf } from '../kernels/fill.ts';
import { type Indexing, unchecked } from '../kernels/indexing.ts';
import { core } from '../kernels/loadCore.ts';
import type { Tensor } from '../tensor/tensor.ts';
import { broadcastTo } from './broadcastTo.ts';
import { defineOp, type Op } from './define.ts';
import { sumToShape } from './elementwise.ts';
import { checkFillValue } from './gather.ts';
import { checkIndices, checkingOf, type IndexOptions, kernelMode, named, readsAsZeros } from './indices.ts';
import { scatterAddAlongAxis } from './scatterAddAlongAxis.ts';

export interface AlongAxisOptions extends IndexOptions {
  /** The axis that indices point into. Negative axes count from the last. */
  axis: number;
}

export interface TakeAlongAxisOptions extends AlongAxisOptions {
  /** What an element outside reads as, with mode 'fill'. Default 0. */
  fillValue?: number;
}

/**
 * Takes elements of `x` along `axis`, each by an index of its own: out[i, j, k] = x[i, indices[i, j, k], k] for axis 1.
 * What argMax, topK and a sort give fits as indices.
 * Shapes: x [..outer, n, ..inner], indices [..outer, k, ..inner] → that of the indices; outer and inner axes broadcast.
 * Any dtype of x. The gradient is added up in the elements that were read.
 * Errors: IndexOutOfRangeError as of `gather`.
 */
export const takeAlongAxis: Op<[x: Tensor, indices: Tensor], TakeAlongAxisOptions, Tensor> =
  /* @__PURE__ */ defineOp<[x: Tensor, indices: Tensor], TakeAlongAxisOptions>({
    name: 'takeAlongAxis',
    inputs: ['x', 'indices:int32'],
    infer: (inputs, options) => {
      const [x, indices] = inputs as [TensorSpec, TensorSpec];
      checkIndices('takeAlongAxis', 'indices', indices, options);
      checkFillValue('takeAlongAxis', options, x.dtype);
      return { shape: sharedShapes(x.shape, indices.shape, options).out, dtype: x.dtype };
    },
    forward: (inputs, options, call) => {
      const [x, indices] = inputs as [Tensor, Tensor];
      const { axis, table, out } = sharedShapes(x.shape, indices.shape, options);
      let checking = checkingOf(call, indices, options, {
        input: 1,
        name: 'indices',
        of: named('x', x),
        axes: [axis],
        limits: [x.shape[axis] as number],
        hint: readsAsZeros,
      });
      if (!sameShape(indices.shape, out) && checking.check !== 'none') {
        // Positions are told in the indices as they were given, before they are repeated.
        core().rowsKernel(call.op, indices, alongIndexing(x.shape, indices.shape, axis, options), checking);
        checking = unchecked;
      }
      return core().gatherKernel(
        call.op,
        repeated(x, table),
        repeated(indices, out),
        call.outputs[0] as TensorSpec,
        alongIndexing(table, out, axis, options),
        checking,
        bitsOf(options.fillValue ?? 0, x.dtype),
      );
    },
    backward: ([cotangent], { inputs: [, indices], inputSpecs: [x] }, { axis, mode }) => {
      const { shape } = x as TensorSpec;
      const { table, out } = sharedShapes(shape, (indices as Tensor).shape, { axis });
      const full = scatterAddAlongAxis(repeated(indices as Tensor, out), cotangent as Tensor, {
        shape: table,
        axis,
        ...(mode === undefined ? {} : { mode }),
        validateIndices: false,
      });
      return [sumToShape(full, shape), null];
    },
    save: { inputs: [1] },
  });

const repeated = (x: Tensor, shape: Shape) => (sameShape(x.shape, shape) ? x : broadcastTo(x, { shape }));

/** The shapes that table and indices broadcast to: equal but for `axis`. */
function sharedShapes(
  x: Shape,
  indices: Shape,
  options: { axis: number },
): { axis: number; table: number[]; out: number[] } {
  const op = 'takeAlongAxis';
  if (x.length !== indices.length) {
    throw new ShapeError({
      op,
      rule: '`x` and `indices` must have one rank.',
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

/** Elements of a table of shape `table` by indices of shape `indices`, seen as rows of one element. */
export function alongIndexing(table: Shape, indices: Shape, axis: number, options: IndexOptions): Indexing {
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
