/** @file avgPool, avgPool1d */
import { requireDType } from '../core/dtype.ts';
import type { Shape } from '../core/shape.ts';
import type { TensorSpec } from '../core/spec.ts';
import { averagePoolGradientKernel, poolKernel } from '../kernels/pool.ts';
import type { Tensor } from '../tensor/tensor.ts';
import { defineOp, type Op } from './define.ts';
import { poolCost, poolGeometry, type PoolOptions, pooledSpec } from './pooling.ts';

interface SpreadOptions {
  shape: Shape;
  pool: PoolOptions;
}

/** A pool of means over `spatialRank` axes, and its adjoint: the two are each other's gradient. */
/* @__NO_SIDE_EFFECTS__ */
function defineAveragePool(name: string, spatialRank: 1 | 2): Op<[x: Tensor], PoolOptions, Tensor> {
  const average: Op<[x: Tensor], PoolOptions, Tensor> = defineOp<[x: Tensor], PoolOptions>({
    name,
    inputs: ['x'],
    infer: ([input], options) => {
      const x = input as TensorSpec;
      const geometry = poolGeometry(name, x, options, spatialRank);
      requireDType(name, 'x', x.dtype, ['float32']);
      return pooledSpec(x, geometry);
    },
    forward: ([input], options, { outputs: [spec] }) => {
      const x = input as Tensor;
      return poolKernel(
        name,
        'average',
        { x },
        poolGeometry(name, x, options, spatialRank),
        spec as TensorSpec,
      );
    },
    backward: ([dy], { inputSpecs: [x] }, pool) => [
      spread(dy as Tensor, { shape: (x as TensorSpec).shape, pool }),
    ],
    save: { inputs: [] },
    cost: ([x], [y], options) => poolCost(y, poolGeometry(name, x as TensorSpec, options, spatialRank)),
  });

  /** Divides each element of dy over its window of an image of `shape`. */
  const spread: Op<[dy: Tensor], SpreadOptions, Tensor> = defineOp<[dy: Tensor], SpreadOptions>({
    name: `${name}Gradient`,
    inputs: ['dy'],
    infer: ([dy], { shape }) => ({ shape, dtype: (dy as TensorSpec).dtype }),
    forward: ([dy], { pool }, { op, outputs }) => {
      const x = outputs[0] as TensorSpec;
      return averagePoolGradientKernel(op, dy as Tensor, poolGeometry(name, x, pool, spatialRank), x);
    },
    backward: ([ddx], _, { pool }) => [average(ddx as Tensor, pool)],
    save: { inputs: [] },
    cost: ([dy], [x], { pool }) => poolCost(dy, poolGeometry(name, x as TensorSpec, pool, spatialRank)),
  });

  return average;
}

/**
 * The mean of each window of an image, of those elements alone that lie in the image. float32.
 * Shapes: x [n, h, w, c] → [n, windows down, windows across, c].
 * Errors: ShapeError for another rank, or windows larger than the image; ValueError for options; DTypeError.
 */
export const avgPool: Op<[x: Tensor], PoolOptions, Tensor> = /* @__PURE__ */ defineAveragePool('avgPool', 2);

/**
 * The mean of each window of a sequence: `avgPool` over one axis.
 * Shapes: x [n, w, c] → [n, windows, c]. Errors are those of `avgPool`.
 */
export const avgPool1d: Op<[x: Tensor], PoolOptions, Tensor> = /* @__PURE__ */ defineAveragePool(
  'avgPool1d',
  1,
);
