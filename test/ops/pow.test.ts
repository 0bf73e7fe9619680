/**
 * @file Powers against JavaScript's in float64: of few elements, and of so many that a software adapter computes the common
 * ones by a shorter formula; and whole exponents, which are products of factors.
 */
import { beforeAll, describe, expect, test } from 'vitest';
import { GradientTape, init, mul, pow, type Tensor, tensor } from '../../src/index.ts';
import { ulpsApart } from '../support/ulps.ts';

beforeAll(async () => {
  await init();
});

const many = 2 ** 16;

/** Pairs that the short formula can't compute, each with its power. */
const rare: readonly (readonly [x: number, y: number])[] = [
  [0, 2.5],
  [0, -2.5],
  [-0, -3],
  [-2, 3],
  [-2, 0.5],
  [-8, -65],
  [3, 4],
  [2.5, -2],
  [Number.NaN, 0],
  [Number.NaN, 1],
  [1, Number.NaN],
  [1, Number.POSITIVE_INFINITY],
  [0.5, Number.POSITIVE_INFINITY],
  [2, Number.NEGATIVE_INFINITY],
  [Number.POSITIVE_INFINITY, 0.5],
  [Number.NEGATIVE_INFINITY, 3],
  [Number.NEGATIVE_INFINITY, -0.5],
  [2 ** -125, -0.5],
  [1.0001, 2 ** 21],
];

/** IEEE 754's pow; JavaScript's gives NaN where it gives 1. */
const exact = (x: number, y: number) => (x === 1 || (x === -1 && Math.abs(y) === Infinity) ? 1 : x ** y);

function worst(x: ArrayLike<number>, y: (i: number) => number, found: ArrayLike<number>) {
  let largest = { ulps: 0, x: 0, y: 0, actual: 0 };
  for (let i = 0; i < x.length; i++) {
    const [base, exponent, actual] = [x[i] as number, y(i), found[i] as number];
    const error = ulpsApart(actual, exact(base, exponent));
    if (!(error <= largest.ulps)) largest = { ulps: error, x: base, y: exponent, actual };
  }
  return largest;
}

describe.each([
  ['few', 512],
  ['many', many],
])('%s powers', (_, count) => {
  test('are within 4 ulp, rare ones among common ones included', async () => {
    const x = Float32Array.from({ length: count }, (_, i) => 2 ** (-40 + (80 * i) / count));
    const y = Float32Array.from({ length: count }, (_, i) => 3 * Math.sin(i));
    rare.forEach(([base, exponent], i) => {
      const at = (i * 29 + 3) % count;
      x[at] = base;
      y[at] = exponent;
    });
    const found = worst(x, (i) => y[i] as number, await pow(tensor(x), tensor(y)).data());
    expect(found.ulps, JSON.stringify(found)).toBeLessThanOrEqual(4);
  });

  test('overflow to infinity and vanish as float32 does', async () => {
    const x = Float32Array.from({ length: count }, (_, i) => 2 ** (-120 + (240 * i) / count));
    const found = worst(x, () => 7.5, await pow(tensor(x), 7.5).data());
    // The error of the logarithm counts y times.
    expect(found.ulps, JSON.stringify(found)).toBeLessThanOrEqual(8);
  });
});

describe.each([-3, -2, -1, 1, 2, 3, 7, 32, 63, 64, 65])('x^%d', (n) => {
  const x = Float32Array.from({ length: 256 }, (_, i) => (i - 128) / 37);

  test('has the same bits for a number as for a tensor', async () => {
    const [number, all] = await Promise.all([
      pow(tensor(x), n).data(),
      pow(tensor(x), tensor(new Float32Array(256).fill(n))).data(),
    ]);
    expect(number).toEqual(all);
  });

  test('has the derivatives of a product', async () => {
    const base = tensor(Float32Array.from({ length: 64 }, (_, i) => (i % 2 ? -1 : 1) * 2 ** ((i - 32) / 48)));
    const derivatives = (power: (x: Tensor) => Tensor) =>
      GradientTape.run((outer) => {
        outer.watch(base);
        const first = GradientTape.run((inner) => {
          inner.watch(base);
          return inner.gradient(power(base), base) as Tensor;
        });
        return [first, outer.gradient(first, base) as Tensor | null];
      });
    const [first, second] = derivatives((base) => pow(base, n));
    const values = await base.data();
    const [firsts, seconds] = [await first?.data(), await second?.data()];
    values.forEach((value, i) => {
      const firstDerivative = n * value ** (n - 1);
      const secondDerivative = n * (n - 1) * value ** (n - 2);
      expect(Math.abs((firsts?.[i] as number) - firstDerivative)).toBeLessThanOrEqual(
        1e-5 * Math.abs(firstDerivative),
      );
      if (n !== 1)
        expect(Math.abs((seconds?.[i] as number) - secondDerivative)).toBeLessThanOrEqual(
          1e-5 * Math.abs(secondDerivative),
        );
    });
  });
});

test('integer powers of integers are exact, among many elements too', async () => {
  const x = Float32Array.from({ length: many }, (_, i) => (i % 21) - 10);
  const y = Float32Array.from({ length: many }, (_, i) => i % 7);
  expect(Array.from(await pow(tensor(x), tensor(y)).data())).toEqual(
    Array.from(x, (base, i) => base ** (y[i] as number)),
  );
  expect(await pow(tensor(x), 2).data()).toEqual(await mul(tensor(x), tensor(x)).data());
});
