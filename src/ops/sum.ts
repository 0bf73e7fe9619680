/** @file sum */
import type { DType } from '../core/dtype.ts';
import { requireDType } from '../core/dtype.ts';
import { normalizeAxes, reducedShape } from '../core/shape.ts';
import type { TensorSpec } from '../core/spec.ts';
import { reduceKernel } from '../kernels/reduce.ts';
import type { Tensor } from '../tensor/tensor.ts';
import { broadcastTo } from './broadcastTo.ts';
import { defineOp, type Op } from './define.ts';
import { reshape } from './reshape.ts';

export interface ReduceOptions {
  /** Axes to reduce; null or left out: all. Negative axes count from the last. */
  axis?: number | readonly number[] | null;
  /** Keeps reduced axes with size 1. Default false. */
  keepDims?: boolean;
}

const numbers: readonly DType[] = ['float32', 'int32', 'uint32'];

/** The spec of a reduction of `x`. */
export function reducedSpec(
  op: string,
  x: TensorSpec,
  { axis, keepDims = false }: ReduceOptions,
  dtype = x.dtype,
): TensorSpec {
  return { shape: reducedShape(x.shape, normalizeAxes(op, axis, x.shape.length), keepDims), dtype };
}

/** Brings the cotangent of a reduction back to the shape of its input. */
export function spread(dy: Tensor, x: TensorSpec, { axis }: ReduceOptions): Tensor {
  const axes = normalizeAxes('spread', axis, x.shape.length);
  return broadcastTo(reshape(dy, { shape: reducedShape(x.shape, axes, true) }), { shape: x.shape });
}

/**
 * The sum of elements along `axis`. Shape: x without the reduced axes, or with size 1 where `keepDims`. An empty sum is 0.
 * Errors: ShapeError for an axis that x lacks, DTypeError for bools.
 */
export const sum: Op<[x: Tensor], ReduceOptions, Tensor> = /* @__PURE__ */ defineOp<
  [x: Tensor],
  ReduceOptions
>({
  name: 'sum',
  inputs: ['x'],
  infer: ([x], options) => {
    requireDType('sum', 'x', (x as TensorSpec).dtype, numbers);
    return reducedSpec('sum', x as TensorSpec, options);
  },
  forward: ([x], { axis }, { outputs: [spec] }) =>
    reduceKernel('sum', x as Tensor, normalizeAxes('sum', axis, (x as Tensor).rank), spec as TensorSpec, {
      initial: '0',
      combine: 'accumulator + value',
    }),
  backward: ([dy], { inputSpecs: [x] }, options) => [spread(dy as Tensor, x as TensorSpec, options)],
  save: { inputs: [] },
});
