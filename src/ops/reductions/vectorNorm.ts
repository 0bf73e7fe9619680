/** @file The norms of vectors along axes, shared by `norm`, `normalize` and pairwise distances. */
import { describe } from '../../core/describe.ts';
import { ValueError } from '../../core/errors.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { cast } from '../elementwise/cast.ts';
import { notEqual } from '../elementwise/comparison.ts';
import { euclideanNorm } from './euclideanNorm.ts';
import { max, min } from './extrema.ts';
import { pow } from '../elementwise/pow.ts';
import { abs } from '../elementwise/rounding.ts';
import { sum } from './sum.ts';

/** The axes of a norm, and whether the result keeps them with size 1. */
export interface NormAxes {
  readonly axis: readonly number[];
  readonly keepDims: boolean;
}

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
