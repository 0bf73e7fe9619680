/** @file globalMaxPool, globalAveragePool: reductions over the axes of an image, as in Keras. */
import { requireRank } from '../../core/shape.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { perInput } from '../define/cost.ts';
import { defineOp, type Op } from '../define/define.ts';
import { max } from '../reductions/extrema.ts';
import { mean } from '../reductions/mean.ts';
import type { ReduceOptions, ReductionOp } from '../reductions/reduction.ts';

/** Options of `globalMaxPool` and `globalAveragePool`. */
export interface GlobalPoolOptions {
  /** Keeps height and width with size 1. Default false. */
  keepDims?: boolean;
}

/** Defines `reduction` over height and width as a named op. */
/* @__NO_SIDE_EFFECTS__ */
function defineGlobalPool(
  name: 'globalMaxPool' | 'globalAveragePool',
  reduction: () => ReductionOp<Tensor>,
): Op<[x: Tensor], GlobalPoolOptions> {
  const overImage = (options: GlobalPoolOptions): ReduceOptions => ({ ...options, axis: [1, 2] });
  return defineOp({
    name,
    inputs: ['x'],
    options: { keepDims: false },
    infer: ([x], options) => {
      requireRank(name, 'x', x.shape, 4);
      return reduction().definition.infer([x], overImage(options));
    },
    forward: (inputs, plan, call) => reduction().definition.forward(inputs, plan, call),
    backward: (cotangents, saved) => reduction().definition.backward?.(cotangents, saved) ?? [null],
    get save() {
      return reduction().definition.save;
    },
    cost: perInput,
  });
}

/**
 * The maximum of each channel over the whole image.
 * Shapes: x [n, h, w, c] → [n, c], or [n, 1, 1, c] where `keepDims`. Gradient and errors are those of `max`: tied maxima
 * share the gradient, unlike in `maxPool`.
 * Dtypes: float32, int32, uint32. Errors: ShapeError for an x of another rank; DTypeError for bools.
 */
export const globalMaxPool: Op<[x: Tensor], GlobalPoolOptions, Tensor, 'first'> =
  /* @__PURE__ */ defineGlobalPool('globalMaxPool', () => max);

/**
 * The mean of each channel over the whole image.
 * Shapes: x [n, h, w, c] → [n, c], or [n, 1, 1, c] where `keepDims`. Errors are those of `mean`.
 * Dtype: float32. Errors: ShapeError for an x of another rank; DTypeError for bools.
 */
export const globalAveragePool: Op<
  [x: Tensor],
  GlobalPoolOptions,
  Tensor<'float32'>
> = /* @__PURE__ */ defineGlobalPool('globalAveragePool', () => mean);
