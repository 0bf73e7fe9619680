/** @file maxPool, maxPool1d */
import { type DType, requireDType } from '../../core/dtype.ts';
import { specOf } from '../../core/spec.ts';
import { maxPoolGradientKernel, poolKernel } from '../../kernels/images/pool.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { defineOp, type Op } from '../define/define.ts';
import {
  planPool,
  poolCost,
  poolGeometry,
  poolOptionNames,
  type PoolOptions,
  type PoolPositions,
} from './pooling.ts';

const numbers: readonly DType[] = ['float32', 'int32', 'uint32'];

/** Max pooling over `spatialRank` axes, with the two ops from which its derivatives of any order are composed. */
/* @__NO_SIDE_EFFECTS__ */
function defineMaxPool(
  name: 'maxPool' | 'maxPool1d',
  spatialRank: 1 | 2,
): Op<[x: Tensor], PoolOptions, Tensor, 'unknown', PoolPositions> {
  /** Writes each element of dy to the position of its window's maximum in x. Linear in dy. */
  const place: Op<[x: Tensor, dy: Tensor], PoolOptions> = defineOp({
    name: `${name}Gradient` as const,
    inputs: ['x', 'dy'],
    save: { inputs: [0] },
    infer: ([x], options) => ({ ...specOf(x), geometry: poolGeometry(name, x, options, spatialRank) }),
    forward: ([x, dy], plan, { op }) => maxPoolGradientKernel(op, x, dy, plan.geometry, plan),
    backward: ([ddx], { inputs: [x], options }) => [null, pick(x, ddx, options)],
    cost: ([, dy], _, plan) => poolCost(dy, plan),
  });

  /** Reads v at the position of each window's maximum in x: the adjoint of `place`. */
  const pick: Op<[x: Tensor, v: Tensor], PoolOptions> = defineOp({
    name: `${name}Pick` as const,
    inputs: ['x', 'v'],
    save: { inputs: [0] },
    infer: ([x], options) => planPool(name, x, options, spatialRank),
    forward: ([x, v], plan, { op }) => poolKernel(op, 'pick', { x, v }, plan.geometry, plan),
    backward: ([dy], { inputs: [x], options }) => [null, place(x, dy, options)],
    cost: (_, [y], plan) => poolCost(y, plan),
  });

  return defineOp({
    name,
    inputs: ['x'],
    options: poolOptionNames,
    save: { inputs: [0] },
    infer: ([x], options) => {
      const plan = planPool(name, x, options, spatialRank);
      requireDType(name, 'x', x.dtype, numbers);
      return plan;
    },
    forward: ([x], plan) => poolKernel(name, 'max', { x }, plan.geometry, plan),
    backward: ([dy], { inputs: [x], options }) => [place(x, dy, options)],
    cost: (_, [y], plan) => poolCost(y, plan),
  });
}

/**
 * The maximum of each window of an image. Padding never wins; NaN does. float32, int32, uint32.
 * Shapes: x [n, h, w, c] → [n, windows down, windows across, c].
 * Gradient: the first maximum of a window, in row-major order, takes all (TensorFlow's convention).
 * Errors: ShapeError for another rank, or windows larger than the image; ValueError for options; DTypeError.
 */
export const maxPool: Op<[x: Tensor], PoolOptions, Tensor, 'first', PoolPositions> =
  /* @__PURE__ */ defineMaxPool('maxPool', 2);

/**
 * The maximum of each window of a sequence: `maxPool` over one axis.
 * Shapes: x [n, w, c] → [n, windows, c]. Gradient and errors are those of `maxPool`.
 * Dtypes: those of `maxPool`. Errors: ShapeError, DTypeError.
 */
export const maxPool1d: Op<[x: Tensor], PoolOptions, Tensor, 'first', PoolPositions> =
  /* @__PURE__ */ defineMaxPool('maxPool1d', 1);
