/** @file Special functions of keras.ops, by polynomials with the accuracy of float32. */
import { add, div, mul, neg, sub } from '../../ops/elementwise/arithmetic.ts';
import { equal, greater, greaterEqual, less } from '../../ops/elementwise/comparison.ts';
import type { CompositeOp } from '../../ops/define/composite.ts';
import { maximum } from '../../ops/elementwise/maximum.ts';
import { abs } from '../../ops/elementwise/rounding.ts';
import { exp, log, rsqrt, sqrt, square } from '../../ops/elementwise/unary.ts';
import { where } from '../../ops/elementwise/where.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { composeFloats } from './composites.ts';

type OfOne = CompositeOp<[x: Tensor]>;

/* @__NO_SIDE_EFFECTS__ */
function special(name: string, compose: (x: Tensor) => Tensor): OfOne {
  return composeFloats({ name, inputs: ['x'], options: {}, compose: ([x]) => compose(x) });
}

/** By Horner's rule, from the coefficient of the highest power on. */
function polynomial(x: Tensor, [first, ...others]: readonly number[]): Tensor {
  return others.reduce((sum: Tensor | number, c) => add(mul(x, sum), c), first as number) as Tensor;
}

/** Coefficients of polynomials in w - 2.5, for central values, and in √w - 3, for values near ±1, where w = -log(1 - x²). */
const inverseErrorInside = [
  2.81022636e-8, 3.43273939e-7, -3.5233877e-6, -4.39150654e-6, 0.00021858087, -0.00125372503, -0.00417768164,
  0.246640727, 1.50140941,
];
const inverseErrorOutside = [
  -0.000200214257, 0.000100950558, 0.00134934322, -0.00367342844, 0.00573950773, -0.0076224613, 0.00943887047,
  1.00167406, 2.83297682,
];

/**
 * The inverse of `erf`: infinite at -1 and 1, NaN beyond. float32. Shape: that of x. Errors: DTypeError.
 * Source: M. Giles, "Approximating the erfinv function", 2011.
 */
export const erfinv: OfOne = /* @__PURE__ */ special('erfinv', (x) => {
  const isInside = less(abs(x), 1);
  // Outside, a substitute value keeps the polynomials finite.
  const inner = where(isInside, x, 0);
  const w = neg(log(mul(sub(1, inner), add(1, inner))));
  const middle = polynomial(sub(w, 2.5), inverseErrorInside);
  const tail = polynomial(sub(sqrt(maximum(w, 1)), 3), inverseErrorOutside);
  const found = mul(where(less(w, 5), middle, tail), inner);
  // Inside, the factor is finite, so that it leaves the gradient alone.
  const factor = where(isInside, 0, where(equal(abs(x), 1), Number.POSITIVE_INFINITY, Number.NaN));
  return where(isInside, found, mul(x, factor));
});

const complementaryError = [
  0.17087277, -0.82215223, 1.48851587, -1.13520398, 0.27886807, -0.18628806, 0.09678418, 0.37409196,
  1.00002368, -1.26551223,
];

/**
 * 1 - erf(x), without cancellation for large x. float32. Shape: that of x. Errors: DTypeError.
 * Source: W. Press et al., "Numerical Recipes", 1992, 6.2.
 */
export const erfc: OfOne = /* @__PURE__ */ special('erfc', (x) => {
  const isRight = greaterEqual(x, 0);
  // Unlike |x|, it has a derivative at 0.
  const z = where(isRight, x, neg(x));
  const t = div(1, add(mul(z, 0.5), 1));
  const tail = mul(t, exp(sub(polynomial(t, complementaryError), square(z))));
  return where(isRight, tail, sub(2, tail));
});

const besselInside = [0.0045813, 0.0360768, 0.2659732, 1.2067492, 3.0899424, 3.5156229, 1];
const besselOutside = [
  0.00392377, -0.01647633, 0.02635537, -0.02057706, 0.00916281, -0.00157565, 0.00225319, 0.01328592,
  0.39894228,
];

/**
 * The modified Bessel function of the first kind and order 0. float32. Shape: that of x. Errors: DTypeError.
 * Source: M. Abramowitz, I. Stegun, "Handbook of Mathematical Functions", 1964, 9.8.1 and 9.8.2.
 */
export const i0: OfOne = /* @__PURE__ */ special('i0', (x) => {
  const isFar = greater(abs(x), 3.75);
  const far = where(isFar, abs(x), 3.75);
  const near = where(isFar, 0, x);
  const tail = mul(mul(exp(far), rsqrt(far)), polynomial(div(3.75, far), besselOutside));
  return where(isFar, tail, polynomial(square(mul(near, 1 / 3.75)), besselInside));
});
