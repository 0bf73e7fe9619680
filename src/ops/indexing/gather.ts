/**
 * @file gather and scatterAdd. Each is the gradient of the other, so they share a file.
 */
import type { DType } from '../../core/dtype.ts';
import { ValueError } from '../../core/errors.ts';
import { requireNumber } from '../../core/integers.ts';
import { checkShape, describe, type Shape } from '../../core/shape.ts';
import { formatSpec, type TensorSpec } from '../../core/spec.ts';
import { bitsOf } from '../../core/bits.ts';
import { kernels } from '../../kernels/loading/loadKernels.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import type { Call } from '../define/call.ts';
import { noFlops, perUpdate } from '../define/cost.ts';
import { cast } from '../elementwise/cast.ts';
import { defineOp, type Op } from '../define/define.ts';
import {
  type AxisGeometry,
  type AxisOptions,
  axisGeometry,
  checkIndices,
  checkingOf,
  type IndexOptions,
  isDropped,
  type IndexTarget,
  named,
  readsAsZeros,
  requireUpdates,
} from '../define/indices.ts';
import { noteSlices } from './slices.ts';

export interface GatherOptions extends AxisOptions, IndexOptions {
  /** The value of out-of-range rows in mode 'fill'. Default 0. */
  fillValue?: number;
}

export interface ScatterAddOptions extends AxisOptions, IndexOptions {
  /** Shape of the result. */
  shape: Shape;
}

/**
 * Takes slices of `x` along `axis` at integer `indices` (int32 or uint32, any rank). Any dtype of x; float16 needs rows with
 * an even number of elements.
 * Shapes: x [..batch, ..outer, n, ..inner], indices [..batch, ..k] → [..batch, ..outer, ..k, ..inner].
 * The gradient is summed into the rows that were read (`scatterAdd`); out-of-range indices contribute nothing.
 * Errors: IndexOutOfRangeError if `validateIndices` is on (the default): thrown here for indices that the host knows,
 * otherwise by the readback of a tensor that depends on the result, or by `device.sync()`. Out-of-range rows read as
 * zeros; other rows are unaffected.
 */
export const gather: Op<[x: Tensor, indices: Tensor], GatherOptions, Tensor, 'first', ['axis', 'batchDims']> =
  /* @__PURE__ */ defineOp({
    name: 'gather',
    inputs: ['x', 'indices:int32'],
    options: { axis: true, batchDims: true, fillValue: false, validateIndices: false, mode: false },
    acceptsFloat16: [0],
    save: { inputs: [1] },
    infer: ([x, indices], options) => planGather('gather', 'x', x, indices, options),
    remembersPlans: true,
    indexTarget: ([x], plan) => gatherTarget({ x: 'x', indices: 'indices' }, x, plan),
    forward: ([x, indices], plan, call) => gatherRows(call, { x: 'x', indices: 'indices' }, x, indices, plan),
    backward: ([dy], { inputs: [, indices], inputSpecs: [x], plan }) => [
      gatherGradient(dy, x, indices, plan),
      null,
    ],
    cost: noFlops,
  });

/**
 * Zeros of `shape`, to which slices of `updates` are added along `axis` at integer `indices`: the adjoint of `gather`.
 * Slices with the same index are summed in ascending order, so that the same input gives the same bits.
 * Shapes: indices [..batch, ..k], updates [..batch, ..outer, ..k, ..inner] → [..batch, ..outer, n, ..inner]. Float32,
 * int32 and uint32. The gradient of the updates is a gather.
 * Errors: IndexOutOfRangeError as for `gather`; updates of out-of-range rows are dropped.
 */
export const scatterAdd: Op<
  [indices: Tensor, updates: Tensor],
  ScatterAddOptions,
  Tensor,
  'second',
  ['shape']
> = /* @__PURE__ */ defineOp({
  name: 'scatterAdd',
  inputs: ['indices:int32', 'updates'],
  options: { shape: true, axis: false, batchDims: false, validateIndices: false, mode: false },
  save: { inputs: [0] },
  infer: ([indices, updates], options) => {
    const { shape } = options;
    checkIndices('scatterAdd', 'indices', indices, options);
    checkShape('scatterAdd', shape);
    const geometry = axisGeometry('scatterAdd', 'shape', shape, indices.shape, options);
    requireUpdates('scatterAdd', updates, geometry.gathered, shape);
    return { shape: [...shape], dtype: updates.dtype, geometry };
  },
  indexTarget: (_, plan) => scatterTarget(plan),
  forward: ([indices, updates], plan, call) => {
    const { indexing } = plan.geometry;
    const checking = checkingOf(call, indices, call.options, scatterTarget(plan));
    return kernels().scatterAddKernel('scatterAdd', indices, updates, plan, indexing, checking);
  },
  backward: ([dy], { inputs: [indices], options: { shape: _, ...options } }) => [
    null,
    gather(dy, indices, { ...options, validateIndices: false }),
  ],
  cost: perUpdate,
});

function scatterTarget(plan: TensorSpec & { readonly geometry: AxisGeometry }): IndexTarget {
  const { axis, indexing } = plan.geometry;
  return {
    input: 0,
    name: 'indices',
    of: `the result ${formatSpec(plan)}`,
    axes: [axis],
    limits: [indexing.rows],
    hint: isDropped,
  };
}

/** The spec of a gather, where its indices point, and what happens to those out of range. */
export interface GatherPlan extends TensorSpec, IndexOptions {
  readonly geometry: AxisGeometry;
  /** The bits of the value of out-of-range rows. */
  readonly fill: number;
}

/**
 * The plan of a gather; `name` is the name of its table in messages.
 * Errors: ShapeError, DTypeError, ValueError.
 */
export function planGather(
  op: string,
  name: string,
  x: TensorSpec,
  indices: TensorSpec,
  options: GatherOptions,
): GatherPlan {
  checkIndices(op, 'indices', indices, options);
  checkFillValue(op, options, x.dtype);
  const { fillValue = 0, mode, validateIndices } = options;
  const geometry = axisGeometry(op, name, x.shape, indices.shape, options);
  const { gathered: shape } = geometry;
  const moved = isSplitPair(x, geometry.indexing) ? 'float32' : x.dtype;
  return { shape, dtype: x.dtype, geometry, fill: bitsOf(fillValue, moved), mode, validateIndices };
}

export function checkFillValue(op: string, { fillValue, mode }: GatherOptions, dtype: DType): void {
  if (fillValue === undefined) return;
  requireNumber(op, 'fillValue', fillValue, dtype);
  if (mode === 'fill') return;
  throw new ValueError({
    op,
    rule: "`fillValue` is only used with mode: 'fill'.",
    received: `fillValue: ${describe(fillValue)} with mode: ${describe(mode)}`,
    hint: "pass mode: 'fill' as well, or leave fillValue out.",
  });
}

/** Names of the inputs of a gather in messages, and the hint for an out-of-range index. */
export interface GatherNames {
  x: string;
  indices: string;
  hint?: string;
}

/** What the indices of a gather point into. */
export function gatherTarget(names: GatherNames, x: TensorSpec, { geometry }: GatherPlan): IndexTarget {
  return {
    input: 1,
    name: names.indices,
    of: named(names.x, x),
    axes: [geometry.axis],
    limits: [geometry.indexing.rows],
    hint: names.hint ?? readsAsZeros,
  };
}

/** Whether rows of `x` end in the middle of a word: float16 values are moved two at a time. */
const isSplitPair = ({ dtype }: TensorSpec, { inner }: { readonly inner: number }) =>
  dtype === 'float16' && inner % 2 === 1;

/** Runs a gather on behalf of `call`, whose inputs are called `names`. */
export function gatherRows(
  call: Call,
  names: GatherNames,
  x: Tensor,
  indices: Tensor,
  plan: GatherPlan,
): Tensor {
  const { indexing } = plan.geometry;
  if (isSplitPair(x, indexing)) {
    const wide = gatherRows(call, names, cast(x, 'float32'), indices, { ...plan, dtype: 'float32' });
    return cast(wide, 'float16');
  }
  const checking = checkingOf(call, indices, plan, gatherTarget(names, x, plan));
  return kernels().gatherKernel(call.op, x, indices, plan, indexing, checking, plan.fill);
}

/**
 * The gradient of a gather from `x`: a sum of slices, if it gathers rows. The indices are unchecked here, since the forward pass
 * reports their faults.
 */
export function gatherGradient(dy: Tensor, x: TensorSpec, indices: Tensor, plan: GatherPlan): Tensor {
  const { axis, batchDims } = plan.geometry;
  const addUp = (values: Tensor, ids: Tensor) =>
    scatterAdd(ids, values, { shape: x.shape, axis, batchDims, mode: plan.mode, validateIndices: false });
  const gradient = addUp(dy, indices);
  return axis === 0 && batchDims === 0 ? noteSlices(gradient, dy, indices, addUp) : gradient;
}
