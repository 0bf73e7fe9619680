/** @file cumsum */
import { requireDType } from '../core/dtype.ts';
import { normalizeAxis, requireBoolean } from '../core/shape.ts';
import type { TensorSpec } from '../core/spec.ts';
import { cumsumKernel } from '../kernels/scan.ts';
import type { Tensor } from '../tensor/tensor.ts';
import { perResult } from './cost.ts';
import { defineOp, type Op } from './define.ts';
import { numbers } from './reduction.ts';

export interface CumsumOptions {
  /** The axis along which sums run. Default 0. */
  axis?: number;
  /** Leaves each element out of its own sum, so that the first is 0. Default false. */
  exclusive?: boolean;
  /** Sums from the end. Default false. */
  reverse?: boolean;
}

/**
 * Running sums of `x` along `axis`: element k holds the sum of the elements up to and including k. Shape: that of x.
 * Errors: ShapeError for an axis that x lacks, ValueError for options, DTypeError for bools.
 */
export const cumsum: Op<[x: Tensor], CumsumOptions, Tensor> = /* @__PURE__ */ defineOp<
  [x: Tensor],
  CumsumOptions
>({
  name: 'cumsum',
  inputs: ['x'],
  infer: ([input], { axis = 0, exclusive = false, reverse = false }) => {
    const { shape, dtype } = input as TensorSpec;
    requireDType('cumsum', 'x', dtype, numbers);
    normalizeAxis('cumsum', axis, shape.length);
    requireBoolean('cumsum', 'exclusive', exclusive);
    requireBoolean('cumsum', 'reverse', reverse);
    return { shape, dtype };
  },
  forward: ([input], { axis = 0, exclusive = false, reverse = false }) => {
    const x = input as Tensor;
    return cumsumKernel(x, normalizeAxis('cumsum', axis, x.rank), { exclusive, reverse });
  },
  backward: ([dy], _, { reverse = false, ...options }) => [
    cumsum(dy as Tensor, { ...options, reverse: !reverse }),
  ],
  save: { inputs: [] },
  cost: perResult,
});
