/** @file Common code of CutMix and MixUp: mixing weights from a beta distribution, and mixed labels. */
import { add, div, mul, neg, sub } from '../../../../ops/elementwise/arithmetic.ts';
import { gather } from '../../../../ops/indexing/gather.ts';
import { minimum } from '../../../../ops/elementwise/maximum.ts';
import { reshape } from '../../../../ops/arrangement/reshape.ts';
import { cos } from '../../../../ops/elementwise/trigonometric.ts';
import { expm1, log, sqrt, square } from '../../../../ops/elementwise/unary.ts';
import type { Tensor } from '../../../../tensor/tensor.ts';
import { asFloats } from './imageLayer.ts';

/**
 * Values of the distribution Beta(alpha, alpha) from uniform `u` and `v`.
 * Source: L. Devroye, "Random variate generation in one line of code", 1996.
 */
export function symmetricBeta(alpha: Tensor | number, u: Tensor, v: Tensor): Tensor {
  // Larger exponents wouldn't change the result; the bound keeps it finite.
  const odds = expm1(minimum(div(neg(log(u)), alpha), 80));
  const direction = cos(mul(v, 2 * Math.PI));
  const distance = sqrt(div(odds, add(mul(odds, square(direction)), 1)));
  return mul(add(mul(direction, distance), 1), 0.5);
}

/** The samples of a batch in another order. */
export function reordered(x: Tensor, order: Tensor): Tensor {
  return gather(x, order, { axis: 0, validateIndices: false });
}

/** weight · x + (1 - weight) · other, with a weight for each sample. float32. */
export function mixed(x: Tensor, order: Tensor, weight: Tensor): Tensor {
  const own = asFloats(x);
  const share = reshape(weight, { shape: [-1, ...own.shape.slice(1).map(() => 1)] });
  return add(mul(share, own), mul(sub(1, share), reordered(own, order)));
}
