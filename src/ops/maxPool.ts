/** @file maxPool, maxPool1d */
import { type DType, requireDType } from '../core/dtype.ts';
import type { TensorSpec } from '../core/spec.ts';
import { maxPoolGradientKernel, poolKernel } from '../kernels/pool.ts';
import type { Tensor } from '../tensor/tensor.ts';
import { defineOp, type Op } from './define.ts';
import { poolCost, poolGeometry, type PoolOptions, pooledSpec } from './pooling.ts';

const numbers: readonly DType[] = ['float32', 'int32', 'uint32'];

/** A pool of maxima over `spatialRank` axes, with the two ops that its derivatives of any order are made of. */
/* @__NO_SIDE_EFFECTS__ */
function defineMaxPool(name: string, spatialRank: 1 | 2): Op<[x: Tensor], PoolOptions, Tensor> {
  const geometryOf = (x: TensorSpec | undefined, options: PoolOptions) =>
    poolGeometry(name, x as TensorSpec, options, spatialRank);

  /** Puts each element of dy where its window's maximum lies in x. Linear in dy. */
  const place: Op<[x: Tensor, dy: Tensor], PoolOptions, Tensor> = defineOp<
    [x: Tensor, dy: Tensor],
    PoolOptions
  >({
    name: `${name}Gradient`,
    inputs: ['x', 'dy'],
    infer: ([x]) => x as TensorSpec,
    forward: ([x, dy], options, { op, outputs: [spec] }) =>
      maxPoolGradientKernel(op, x as Tensor, dy as Tensor, geometryOf(x, options), spec as TensorSpec),
    backward: ([ddx], { inputs: [x] }, options) => [null, pick(x as Tensor, ddx as Tensor, options)],
    save: { inputs: [0] },
    cost: ([x, dy], _, options) => poolCost(dy, geometryOf(x, options)),
  });

  /** Takes from v what lies where each window's maximum lies in x: the adjoint of `place`. */
  const pick: Op<[x: Tensor, v: Tensor], PoolOptions, Tensor> = defineOp<[x: Tensor, v: Tensor], PoolOptions>(
    {
      name: `${name}Pick`,
      inputs: ['x', 'v'],
      infer: ([x], options) => pooledSpec(x as TensorSpec, geometryOf(x, options)),
      forward: ([x, v], options, { op, outputs: [spec] }) =>
        poolKernel(
          op,
          'pick',
          { x: x as Tensor, v: v as Tensor },
          geometryOf(x, options),
          spec as TensorSpec,
        ),
      backward: ([dy], { inputs: [x] }, options) => [null, place(x as Tensor, dy as Tensor, options)],
      save: { inputs: [0] },
      cost: ([x], [y], options) => poolCost(y, geometryOf(x, options)),
    },
  );

  return defineOp<[x: Tensor], PoolOptions>({
    name,
    inputs: ['x'],
    infer: ([x], options) => {
      const geometry = geometryOf(x, options);
      requireDType(name, 'x', (x as TensorSpec).dtype, numbers);
      return pooledSpec(x as TensorSpec, geometry);
    },
    forward: ([x], options, { outputs: [spec] }) =>
      poolKernel(name, 'max', { x: x as Tensor }, geometryOf(x, options), spec as TensorSpec),
    backward: ([dy], { inputs: [x] }, options) => [place(x as Tensor, dy as Tensor, options)],
    save: { inputs: [0] },
    cost: ([x], [y], options) => poolCost(y, geometryOf(x, options)),
  });
}

/**
 * The maximum of each window of an image. Padding never wins; NaN does. float32, int32, uint32.
 * Shapes: x [n, h, w, c] → [n, windows down, windows across, c].
 * Gradient: the first maximum of a window, in row-major order, takes all (TensorFlow's convention).
 * Errors: ShapeError for another rank, or windows larger than the image; ValueError for options; DTypeError.
 */
export const maxPool: Op<[x: Tensor], PoolOptions, Tensor> = /* @__PURE__ */ defineMaxPool('maxPool', 2);

/**
 * The maximum of each window of a sequence: `maxPool` over one axis.
 * Shapes: x [n, w, c] → [n, windows, c]. Gradient and errors are those of `maxPool`.
 */
export const maxPool1d: Op<[x: Tensor], PoolOptions, Tensor> = /* @__PURE__ */ defineMaxPool('maxPool1d', 1);
