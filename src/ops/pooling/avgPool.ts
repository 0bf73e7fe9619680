/** @file avgPool, avgPool1d */
import { requireDType } from '../../core/dtype.ts';
import type { Shape } from '../../core/shape.ts';
import { averagePoolGradientKernel, poolKernel } from '../../kernels/images/pool.ts';
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

interface SpreadOptions {
  shape: Shape;
  pool: PoolOptions;
}

/** Average pooling over `spatialRank` axes, and its adjoint: each is the gradient of the other. */
/* @__NO_SIDE_EFFECTS__ */
function defineAveragePool(
  name: 'avgPool' | 'avgPool1d',
  spatialRank: 1 | 2,
): Op<[x: Tensor], PoolOptions, Tensor, 'unknown', PoolPositions> {
  const average: Op<[x: Tensor], PoolOptions, Tensor, 'unknown', PoolPositions> = defineOp({
    name,
    inputs: ['x'],
    options: poolOptionNames,
    save: { inputs: [] },
    infer: ([x], options) => {
      const plan = planPool(name, x, options, spatialRank);
      requireDType(name, 'x', x.dtype, ['float32']);
      return plan;
    },
    forward: ([x], plan) => poolKernel(name, 'average', { x }, plan.geometry, plan),
    backward: ([dy], { inputSpecs: [x], options }) => [spread(dy, { shape: x.shape, pool: options })],
    cost: (_, [y], plan) => poolCost(y, plan),
  });

  /** Distributes each element of dy over its window of an image of `shape`. */
  const spread: Op<[dy: Tensor], SpreadOptions> = defineOp({
    name: `${name}Gradient` as const,
    inputs: ['dy'],
    save: { inputs: [] },
    infer: ([{ dtype }], { shape, pool }) => {
      const x = { shape, dtype };
      return { ...x, geometry: poolGeometry(name, x, pool, spatialRank) };
    },
    forward: ([dy], plan, { op }) => averagePoolGradientKernel(op, dy, plan.geometry, plan),
    backward: ([ddx], { options: { pool } }) => [average(ddx, pool)],
    cost: ([dy], _, plan) => poolCost(dy, plan),
  });

  return average;
}

/**
 * The mean of each window of an image; padding doesn't count. float32.
 * Shapes: x [n, h, w, c] → [n, windows down, windows across, c].
 * Errors: ShapeError for another rank, or windows larger than the image; ValueError for options; DTypeError.
 */
export const avgPool: Op<
  [x: Tensor],
  PoolOptions,
  Tensor<'float32'>,
  'unknown',
  PoolPositions
> = /* @__PURE__ */ defineAveragePool('avgPool', 2);

/**
 * The mean of each window of a sequence: `avgPool` over one axis.
 * Shapes: x [n, w, c] → [n, windows, c]. Errors are those of `avgPool`.
 * Dtype: float32. Errors: those of `avgPool`.
 */
export const avgPool1d: Op<
  [x: Tensor],
  PoolOptions,
  Tensor<'float32'>,
  'unknown',
  PoolPositions
> = /* @__PURE__ */ defineAveragePool('avgPool1d', 1);
