/** @file cumsum */
import { requireDType } from '../../core/dtype.ts';
import { normalizeAxis, requireBoolean } from '../../core/shape.ts';
import type { TensorSpec } from '../../core/spec.ts';
import { scanKernel } from '../../kernels/reduce/scan.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { perResult } from '../define/cost.ts';
import { defineOp, type Op } from '../define/define.ts';
import { numbers } from './reduction.ts';

export interface CumsumOptions {
  /** The axis along which sums run. Default 0. */
  axis?: number;
  /** Excludes each element from its own sum, so that the first sum is 0. Default false. */
  exclusive?: boolean;
  /** Sums from the end. Default false. */
  reverse?: boolean;
}

/** The spec of x, and how it is scanned. */
export type ScanPlan = TensorSpec & Required<CumsumOptions>;

/** Returns the plan of a scan. */
export function planScan(
  op: string,
  { shape, dtype }: TensorSpec,
  { axis = 0, exclusive = false, reverse = false }: CumsumOptions,
): ScanPlan {
  requireDType(op, 'x', dtype, numbers);
  requireBoolean(op, 'exclusive', exclusive);
  requireBoolean(op, 'reverse', reverse);
  return { shape, dtype, axis: normalizeAxis(op, axis, shape.length), exclusive, reverse };
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
    infer: ([x], options) => planScan('cumsum', x, options),
    forward: ([x], plan) => scanKernel('cumsum', x, plan.axis, plan),
    backward: ([dy], { plan: { axis, exclusive, reverse } }) => [
      cumsum(dy, { axis, exclusive, reverse: !reverse }),
    ],
    cost: perResult,
  });
