/** @file maxPool, maxPool1d, maxPoolWithArgmax */
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
import { requireBoolean, stridesOf } from '../../core/shape.ts';
import { add, mul } from '../elementwise/arithmetic.ts';
import { type CompositeOp, defineComposite } from '../define/composite.ts';
import { range } from '../creation/range.ts';
import { reshape } from '../arrangement/reshape.ts';

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

export interface MaxPoolWithArgmaxOptions extends PoolOptions {
  /** Whether indices count through the whole batch, or within each image (default). */
  includeBatchInIndex?: boolean;
}

/** The position of each window's maximum in its image, row-major, with channels. */
const positions: Op<
  [x: Tensor],
  PoolOptions,
  Tensor<'int32'>,
  'unknown',
  PoolPositions
> = /* @__PURE__ */ defineOp({
  name: 'maxPoolPositions',
  inputs: ['x'],
  options: poolOptionNames,
  infer: ([x], options) => ({ ...planPool('maxPoolWithArgmax', x, options, 2), dtype: 'int32' as const }),
  forward: ([x], plan, { op }) => poolKernel(op, 'element', { x }, plan.geometry, plan),
  backward: null,
  cost: (_, [y], plan) => poolCost(y, plan),
});

/**
 * [values, indices] of the maximum of each window of an image; values are those of `maxPool`, with its gradient. Indices
 * count the elements of x in row-major order; ties go to the first. float32, int32, uint32; indices are int32.
 * Shapes: x [n, h, w, c] → [n, windows down, windows across, c].
 * Errors: as for `maxPool`.
 */
export const maxPoolWithArgmax: CompositeOp<
  [x: Tensor],
  MaxPoolWithArgmaxOptions,
  [values: Tensor, indices: Tensor],
  [...PoolPositions, 'includeBatchInIndex']
> = /* @__PURE__ */ defineComposite({
  name: 'maxPoolWithArgmax',
  acceptsFloat16: false,
  inputs: ['x'],
  options: { ...poolOptionNames, includeBatchInIndex: true },
  compose: ([x], { includeBatchInIndex = false, ...options }) => {
    requireBoolean('maxPoolWithArgmax', 'includeBatchInIndex', includeBatchInIndex);
    requireDType('maxPoolWithArgmax', 'x', x.dtype, ['float32', 'int32', 'uint32']);
    const values = maxPool(x, options);
    const inImage = positions(x, options);
    if (!includeBatchInIndex) return [values, inImage];
    const n = x.shape[0] as number;
    const image = mul(range(0, n, 1, { dtype: 'int32' }), stridesOf(x.shape)[0] as number);
    return [values, add(inImage, reshape(image, { shape: [n, 1, 1, 1] }))];
  },
});
