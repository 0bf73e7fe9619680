/** @file maxPoolWithArgmax */
import { requireBoolean, stridesOf } from '../../core/shape.ts';
import { requireDType } from '../../core/dtype.ts';
import { poolKernel } from '../../kernels/images/pool.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { add, mul } from '../elementwise/arithmetic.ts';
import { type CompositeOp, defineComposite } from '../define/composite.ts';
import { defineOp, type Op } from '../define/define.ts';
import { maxPool } from './maxPool.ts';
import { planPool, poolCost, poolOptionNames, type PoolOptions, type PoolPositions } from './pooling.ts';
import { range } from '../creation/range.ts';
import { reshape } from '../arrangement/reshape.ts';

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
