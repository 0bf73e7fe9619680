/**
 * @file Common code of reductions: their options, their plan, and the restoration of reduced axes.
 */
import { type DType, requireDType } from '../../core/dtype.ts';
import type { OptionNames } from '../../core/options.ts';
import { normalizeAxes, reducedShape, requireBoolean, type Shape } from '../../core/shape.ts';
import type { TensorSpec } from '../../core/spec.ts';
import type { Reduction } from '../../kernels/reduce/reduce.ts';
import { kernels } from '../../kernels/loading/loadKernels.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import type { OpWithRule } from '../define/batching.ts';
import { perInput } from '../define/cost.ts';
import { defineOp, type Op, type Saved } from '../define/define.ts';
import type { Save } from '../define/definition.ts';
import { reshape } from '../arrangement/reshape.ts';

/** Options of reductions: `sum`, `mean`, `max`, … */
export interface ReduceOptions {
  /** Axes to reduce; if null or omitted, all. Negative axes count from the last. */
  axis?: number | readonly number[] | null;
  /** Keeps reduced axes with size 1. Default false. */
  keepDims?: boolean;
}

/** The options that may come by position. */
/** Options of reductions that may follow x by position. */
export type ReducePositions = ['axis', 'keepDims'];

/** For the `options` of definitions. */
export const reduceOptionNames: OptionNames<ReduceOptions, ReducePositions[number]> = {
  axis: true,
  keepDims: true,
};

/** A reduction whose result has the dtype of x, or a fixed one. */
export type ReductionOp<R extends Tensor = Tensor> = Op<
  [x: Tensor],
  ReduceOptions,
  R,
  'first',
  ReducePositions
>;

/** The spec of a reduction of x, and its reduced axes. */
export interface ReductionPlan extends TensorSpec {
  /** Shape of x. */
  readonly from: Shape;
  /** The reduced axes, in ascending order. */
  readonly axes: readonly number[];
  readonly keepDims: boolean;
}

export interface ReductionDefinition<S extends Save> {
  name: OpWithRule;
  /** Accepted dtypes. */
  dtypes: readonly DType[];
  /** Dtype of the result. Default: the input's. */
  result?: (dtype: DType) => DType;
  /** How values are combined. */
  reduction: (dtype: DType) => Reduction;
  /** The values that `gradient` reads. */
  save: S;
  /** The gradient in the shape of x; null if there is none. */
  gradient:
    | ((dy: Tensor, saved: Saved<[x: Tensor], ReduceOptions, Tensor, ReductionPlan, S>) => Tensor)
    | null;
}

export const numbers: readonly DType[] = ['float32', 'int32', 'uint32'];

/** A reduction to one result over any set of axes. */
/* @__NO_SIDE_EFFECTS__ */
export function defineReduction<const S extends Save>(
  definition: ReductionDefinition<S>,
): Op<[x: Tensor], ReduceOptions, Tensor, 'unknown', ReducePositions> {
  const { name, dtypes, result, reduction, gradient, save } = definition;
  return defineOp<[x: Tensor], ReduceOptions, Tensor, ReductionPlan, S, false, ReducePositions>({
    name,
    inputs: ['x'],
    options: reduceOptionNames,
    save,
    infer: ([x], options) => {
      requireDType(name, 'x', x.dtype, dtypes);
      return planReduction(name, x, options, result?.(x.dtype));
    },
    forward: ([x], plan) => {
      const [y] = kernels().reduceKernel(name, x, plan.axes, [plan], reduction(x.dtype));
      return y;
    },
    backward: gradient && (([dy], saved) => [gradient(dy, saved)]),
    cost: perInput,
  });
}

/** The plan of a reduction of `x`. Errors: ShapeError for an axis that x lacks, ValueError for `keepDims`. */
export function planReduction(
  op: string,
  { shape, dtype }: TensorSpec,
  { axis, keepDims = false }: ReduceOptions,
  result: DType = dtype,
): ReductionPlan {
  requireBoolean(op, 'keepDims', keepDims);
  const axes = normalizeAxes(op, axis, shape.length);
  return { shape: reducedShape(shape, axes, keepDims), dtype: result, from: shape, axes, keepDims };
}

/** Number of elements that are combined into one result. */
export function reducedSize({ from, axes }: ReductionPlan): number {
  return axes.reduce((size, axis) => size * (from[axis] ?? 1), 1);
}

/** A result (or its cotangent) with the reduced axes restored as size 1, so that it broadcasts over x. */
export function restoreAxes(y: Tensor, { from, axes, keepDims }: ReductionPlan): Tensor {
  return keepDims ? y : reshape(y, { shape: reducedShape(from, axes, true) });
}
