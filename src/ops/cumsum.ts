/** @file cumsum */
import { requireDType } from '../core/dtype.ts';
import { normalizeAxis, requireBoolean } from '../core/shape.ts';
import { cumsumKernel } from '../kernels/scan.ts';
import type { Tensor } from '../tensor/tensor.ts';
import { perResult } from './cost.ts';
import { defineOp, type Op } from './define.ts';
import { numbers } from './reduction.ts';

/** Options of `cumsum`. */
export interface CumsumOptions {
  /** The axis along which sums run. Default 0. */
  axis?: number;
  /** Excludes each element from its own sum, so that the first sum is 0. Default false. */
  exclusive?: boolean;
  /** Sums from the end. Default false. */
  reverse?: boolean;
}

/**
 * Running sums of `x` along `axis`: element k holds the sum of the elements up to and including k. Shape: that of x.
 * Errors: ShapeError for an axis that x lacks, ValueError for options, DTypeError for bools.
 */
export const cumsum: Op<[x: Tensor], CumsumOptions, Tensor, 'first', ['axis', 'exclusive', 'reverse']> =
  /* @__PURE__ */ defineOp({
    name: 'cumsum',
    inputs: ['x'],
    options: { axis: true, exclusive: true, reverse: true },
    save: { inputs: [] },
    infer: ([{ shape, dtype }], { axis = 0, exclusive = false, reverse = false }) => {
      requireDType('cumsum', 'x', dtype, numbers);
      requireBoolean('cumsum', 'exclusive', exclusive);
      requireBoolean('cumsum', 'reverse', reverse);
      return { shape, dtype, axis: normalizeAxis('cumsum', axis, shape.length), exclusive, reverse };
    },
    forward: ([x], plan) => cumsumKernel(x, plan.axis, plan),
    backward: ([dy], { plan: { axis, exclusive, reverse } }) => [
      cumsum(dy, { axis, exclusive, reverse: !reverse }),
    ],
    cost: perResult,
  });
