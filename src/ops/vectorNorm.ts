/** @file The norms of vectors along axes, shared by `norm`, `normalize` and `eigh`. */
import { describe } from '../core/describe.ts';
import { ValueError } from '../core/errors.ts';
import * as math from '../kernels/math.ts';
import type { Tensor } from '../tensor/tensor.ts';
import { div, mul } from './arithmetic.ts';
import { cast } from './cast.ts';
import { equal, notEqual } from './comparison.ts';
import { max, min } from './extrema.ts';
import { pow } from './pow.ts';
import { defineReduction, type ReductionOp, restoreAxes } from './reduction.ts';
import { abs } from './rounding.ts';
import { sum } from './sum.ts';
import { where } from './where.ts';

/** The axes of a norm, and whether the result keeps them with size 1. */
export interface NormAxes {
  readonly axis: readonly number[];
  readonly keepDims: boolean;
}

/** The square root of the sum of squares. Its gradient at 0 is 0: the subgradient of least norm. */
export const euclideanNorm: ReductionOp<Tensor<'float32'>> = /* @__PURE__ */ defineReduction({
  name: 'euclideanNorm',
  dtypes: ['float32'],
  reduction: () => ({
    prepare: 'value * value',
    combine: 'a + b',
    // Drivers may return a number for the square root of NaN.
    finish: [`select(sqrt(a), a, ${math.isNan('a')})`],
  }),
  save: { inputs: [0], outputs: [0] },
  gradient: (dy, { inputs: [x], outputs: [y], plan }) => {
    const isZero = equal(y, 0);
    // Select twice: otherwise the branch not taken would bring NaN into higher-order derivatives.
    const scaled = where(isZero, 0, div(dy, where(isZero, 1, y)));
    return mul(x, restoreAxes(scaled, plan));
  },
});

/** The norm of order `ord`: a number, Infinity or -Infinity. */
export function vectorNorm(x: Tensor, ord: number, over: NormAxes): Tensor {
  if (ord === 2) return euclideanNorm(x, over);
  if (ord === Number.POSITIVE_INFINITY) return max(abs(x), over);
  if (ord === Number.NEGATIVE_INFINITY) return min(abs(x), over);
  if (ord === 0) return sum(cast(notEqual(x, 0), { dtype: 'float32' }), over);
  if (ord === 1) return sum(abs(x), over);
  return pow(sum(pow(abs(x), ord), over), 1 / ord);
}

/** Throws unless `ord` is the order of a vector norm. */
export function requireVectorOrder(op: string, what: string, ord: unknown): asserts ord is number {
  if (typeof ord === 'number' && !Number.isNaN(ord)) return;
  throw new ValueError({
    op,
    rule: `\`${what}\` must be a number, Infinity or -Infinity.`,
    received: `${what}: ${describe(ord)}`,
    hint: 'leave it out for the Euclidean norm.',
  });
}
