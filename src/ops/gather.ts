/** @file gather */
import type { DType } from '../core/dtype.ts';
import { DTypeError, ValueError } from '../core/errors.ts';
import { requireNumber } from '../core/integers.ts';
import { describe } from '../core/shape.ts';
import { formatSpec, type TensorSpec } from '../core/spec.ts';
import { bitsOf } from '../kernels/fill.ts';
import { core } from '../kernels/loadCore.ts';
import type { Tensor } from '../tensor/tensor.ts';
import type { Call } from './call.ts';
import { noFlops } from './cost.ts';
import { defineOp, type Op } from './define.ts';
import {
  type AxisOptions,
  axisGeometry,
  checkIndices,
  checkingOf,
  type IndexOptions,
  named,
  readsAsZeros,
} from './indices.ts';
import { scatterAdd } from './scatterAdd.ts';

export interface GatherOptions extends AxisOptions, IndexOptions {
  /** What rows outside read as, with mode 'fill'. Default 0. */
  fillValue?: number;
}

/**
 * Takes slices of `x` along `axis` at integer `indices` (int32 or uint32, any rank). Any dtype of x; of float16, rows with
 * an even number of elements.
 * Shapes: x [..batch, ..outer, n, ..inner], indices [..batch, ..k] → [..batch, ..outer, ..k, ..inner].
 * The gradient is added up in the rows that were read (`scatterAdd`); a row outside gets none.
 * Errors: IndexOutOfRangeError where `validateIndices` is on (the default): thrown here for indices that the host knows,
 * otherwise by the next readback. The faulty rows read as zeros, and everything else goes on.
 */
export const gather: Op<[x: Tensor, indices: Tensor], GatherOptions, Tensor> = /* @__PURE__ */ defineOp<
  [x: Tensor, indices: Tensor],
  GatherOptions
>({
  name: 'gather',
  inputs: ['x', 'indices:int32'],
  acceptsFloat16: true,
  infer: ([x, indices], options) =>
    gatherSpec('gather', 'x', x as TensorSpec, indices as TensorSpec, options),
  forward: ([x, indices], options, call) =>
    gatherRows(call, { x: 'x', indices: 'indices' }, x as Tensor, indices as Tensor, options),
  backward: ([dy], { inputs: [, indices], inputSpecs: [x] }, options) => [
    gatherGradient(dy as Tensor, x as TensorSpec, indices as Tensor, options),
    null,
  ],
  save: { inputs: [1] },
  cost: noFlops,
});

/** The spec of a gather; `name` is what its table is called in messages. */
export function gatherSpec(
  op: string,
  name: string,
  x: TensorSpec,
  indices: TensorSpec,
  options: GatherOptions,
): TensorSpec {
  checkIndices(op, 'indices', indices, options);
  checkFillValue(op, options, x.dtype);
  const { gathered, indexing } = axisGeometry(op, name, x.shape, indices.shape, options);
  // Halves move two at a time, as words.
  if (x.dtype === 'float16' && indexing.inner % 2 === 1) {
    throw new DTypeError({
      op,
      rule: 'rows of float16 have an even number of elements.',
      received: `${formatSpec(x)}, ${indexing.inner} in a row`,
      hint: `pad the rows by one, or widen them: cast(${name}, 'float32').`,
    });
  }
  return { shape: gathered, dtype: x.dtype };
}

export function checkFillValue(op: string, { fillValue, mode }: GatherOptions, dtype: DType): void {
  if (fillValue === undefined) return;
  requireNumber(op, 'fillValue', fillValue, dtype);
  if (mode === 'fill') return;
  throw new ValueError({
    op,
    rule: "`fillValue` is read with mode: 'fill' alone.",
    received: `fillValue: ${describe(fillValue)} with mode: ${describe(mode)}`,
    hint: "pass mode: 'fill' as well, or leave fillValue out.",
  });
}

/** What the inputs of a gather are called in messages, and the advice for an index outside. */
export interface GatherNames {
  x: string;
  indices: string;
  hint?: string;
}

/** Runs a gather under the op of `call`, whose inputs are called `names`. */
export function gatherRows(
  call: Call,
  names: GatherNames,
  x: Tensor,
  indices: Tensor,
  options: GatherOptions,
): Tensor {
  const { axis, indexing } = axisGeometry(call.op, names.x, x.shape, indices.shape, options);
  const checking = checkingOf(call, indices, options, {
    input: 1,
    name: names.indices,
    of: named(names.x, x),
    axes: [axis],
    limits: [indexing.rows],
    hint: names.hint ?? readsAsZeros,
  });
  const fill = bitsOf(options.fillValue ?? 0, x.dtype);
  return core().gatherKernel(call.op, x, indices, call.outputs[0] as TensorSpec, indexing, checking, fill);
}

/** The forward pass has reported what there is to report: the gradient is unchecked. */
export function gatherGradient(
  dy: Tensor,
  x: TensorSpec,
  indices: Tensor,
  { axis, batchDims, mode }: GatherOptions,
): Tensor {
  return scatterAdd(indices, dy, {
    shape: x.shape,
    ...(axis === undefined ? {} : { axis }),
    ...(batchDims === undefined ? {} : { batchDims }),
    ...(mode === undefined ? {} : { mode }),
    validateIndices: false,
  });
}
