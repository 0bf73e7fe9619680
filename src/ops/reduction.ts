/**
 * @file What reductions have in common: their options, their shapes, and the way of a cotangent back.
 */
import { type DType, requireDType } from '../core/dtype.ts';
import { normalizeAxes, reducedShape, requireBoolean, type Shape, sizeOf } from '../core/shape.ts';
import type { TensorSpec } from '../core/spec.ts';
import type { Reduction } from '../kernels/reduce.ts';
import { core } from '../kernels/loadCore.ts';
import type { Tensor } from '../tensor/tensor.ts';
import { broadcastTo } from './broadcastTo.ts';
import { perInput } from './cost.ts';
import { defineOp, type Op, type Saved } from './define.ts';
import { reshape } from './reshape.ts';

export interface ReduceOptions {
  /** Axes to reduce; null or left out: all. Negative axes count from the last. */
  axis?: number | readonly number[] | null;
  /** Keeps reduced axes with size 1. Default false. */
  keepDims?: boolean;
}

export type ReductionOp = Op<[x: Tensor], ReduceOptions, Tensor>;

export interface ReductionDefinition {
  name: string;
  /** Dtypes it takes. */
  dtypes: readonly DType[];
  /** Dtype of the result. Default: the input's. */
  result?: (dtype: DType) => DType;
  /** How values fold. */
  reduction: (dtype: DType) => Reduction;
  /** The gradient in the shape of x; null where there is none. */
  gradient: ((dy: Tensor, saved: Saved, options: ReduceOptions) => Tensor) | null;
  /** What `gradient` reads. */
  save: { inputs: readonly number[]; outputs?: readonly number[] };
}

export const numbers: readonly DType[] = ['float32', 'int32', 'uint32'];

/** A reduction to one result over any set of axes. */
/* @__NO_SIDE_EFFECTS__ */
export function defineReduction(definition: ReductionDefinition): ReductionOp {
  const { name, dtypes, result, reduction, gradient, save } = definition;
  return defineOp<[x: Tensor], ReduceOptions>({
    name,
    inputs: ['x'],
    infer: ([input], options) => {
      const x = input as TensorSpec;
      requireDType(name, 'x', x.dtype, dtypes);
      return reducedSpec(name, x, options, result ? result(x.dtype) : x.dtype);
    },
    forward: ([input], { axis }, { outputs }) => {
      const x = input as Tensor;
      return core().reduceKernel(
        name,
        x,
        normalizeAxes(name, axis, x.rank),
        outputs,
        reduction(x.dtype),
      )[0] as Tensor;
    },
    backward: gradient && (([dy], saved, options) => [gradient(dy as Tensor, saved, options)]),
    save,
    cost: perInput,
  });
}

/** The spec of a reduction of `x`. */
export function reducedSpec(
  op: string,
  x: TensorSpec,
  { axis, keepDims = false }: ReduceOptions,
  dtype = x.dtype,
): TensorSpec {
  requireBoolean(op, 'keepDims', keepDims);
  return { shape: reducedShape(x.shape, normalizeAxes(op, axis, x.shape.length), keepDims), dtype };
}

/** Number of elements that fold into one result. */
export function reducedSize(shape: Shape, { axis }: ReduceOptions): number {
  return sizeOf(normalizeAxes('reduce', axis, shape.length).map((i) => shape[i] as number));
}

/** A result (or its cotangent) with the reduced axes back as 1, so that it broadcasts over x. */
export function restoreAxes(y: Tensor, x: TensorSpec, { axis, keepDims = false }: ReduceOptions): Tensor {
  if (keepDims) return y;
  return reshape(y, { shape: reducedShape(x.shape, normalizeAxes('reduce', axis, x.shape.length), true) });
}

/** Brings the cotangent of a reduction back to the shape of its input. */
export function spread(dy: Tensor, x: TensorSpec, options: ReduceOptions): Tensor {
  return broadcastTo(restoreAxes(dy, x, options), { shape: x.shape });
}
