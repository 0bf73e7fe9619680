/**
 * @file Elementwise functions against JavaScript's own in float64, in units in the last place, on grids that reach from
 * subnormal numbers to the largest; and their values at NaN, infinity, zeros and beyond their domains.
 */
import { beforeAll, describe, expect, test } from 'vitest';
import * as ops from '../../src/index.ts';
import { init, type Tensor, tensor } from '../../src/index.ts';
import { ulpsApart } from '../support/ulps.ts';

beforeAll(async () => {
  await init();
});

type Unary = (x: Tensor, options?: object) => Tensor;
const opOf = (name: string) => (ops as unknown as Record<string, Unary>)[name] as Unary;

const { fround } = Math;

/** Returns `count` floats from `low` to `high`, evenly spaced. */
const between = (low: number, high: number, count = 4001) =>
  Array.from({ length: count }, (_, i) => fround(low + ((high - low) * i) / (count - 1)));

/** Both signs of floats from 2^low to 2^high, evenly spaced in their logarithm. */
const magnitudes = (low: number, high: number, count = 2001) =>
  Array.from({ length: count }, (_, i) => fround(2 ** (low + ((high - low) * i) / (count - 1)))).flatMap(
    (x) => [x, -x],
  );

async function worst(
  op: string,
  grid: readonly number[],
  reference: (x: number) => number,
  options?: object,
): Promise<{ ulps: number; at: number; actual: number; expected: number }> {
  const values = await opOf(op)(tensor(Float32Array.from(grid)), options).data();
  let found = { ulps: 0, at: 0, actual: 0, expected: 0 };
  grid.forEach((x, i) => {
    const actual = values[i] as number;
    const ulps = ulpsApart(actual, reference(x));
    if (!(ulps <= found.ulps)) found = { ulps, at: x, actual, expected: reference(x) };
  });
  return found;
}

/** erf by its series and, far out, the continued fraction of erfc (Abramowitz and Stegun 7.1.5 and 7.1.14). */
function erfc(x: number): number {
  if (x < 0) return 2 - erfc(-x);
  if (x < 2) {
    let [term, total] = [x, x];
    for (let n = 1; Math.abs(term) > 1e-18 * Math.abs(total); n++) {
      term *= (-x * x) / n;
      total += term / (2 * n + 1);
    }
    return 1 - (2 / Math.sqrt(Math.PI)) * total;
  }
  let fraction = x;
  for (let n = 120; n > 0; n--) fraction = x + n / 2 / fraction;
  return Math.exp(-x * x) / Math.sqrt(Math.PI) / fraction;
}

const sigmoid = (x: number) => (x >= 0 ? 1 / (1 + Math.exp(-x)) : Math.exp(x) / (1 + Math.exp(x)));
const softplus = (x: number) => Math.max(x, 0) + Math.log1p(Math.exp(-Math.abs(x)));
const geluTanh = (x: number) => x * sigmoid(2 * Math.sqrt(2 / Math.PI) * (x + 0.044715 * x ** 3));

const wide = magnitudes(-126, 127);

const positive = (grid: readonly number[]) => grid.map(Math.abs);

describe.each<[string, readonly number[], (x: number) => number, number, object?]>([
  ['exp', [...between(-87, 88.72), ...magnitudes(-60, 6)], Math.exp, 2],
  ['expm1', [...between(-87, 88.72), ...magnitudes(-100, 6)], Math.expm1, 3],
  ['log', [...positive(wide), ...between(0.5, 2)], Math.log, 2],
  ['log1p', [...positive(wide), ...between(-0.99, 2), ...magnitudes(-100, -2)], Math.log1p, 3],
  ['sqrt', positive(wide), Math.sqrt, 2],
  ['rsqrt', positive(wide), (x) => 1 / Math.sqrt(x), 3],
  ['reciprocal', magnitudes(-125, 125), (x) => 1 / x, 3],
  ['sin', [...between(-40, 40), ...magnitudes(-100, 127)], Math.sin, 3],
  ['cos', [...between(-40, 40), ...magnitudes(-100, 127)], Math.cos, 3],
  ['tan', [...between(-40, 40), ...magnitudes(-100, 127)], Math.tan, 6],
  ['asin', [...between(-1, 1), ...magnitudes(-100, 0)], Math.asin, 4],
  ['acos', [...between(-1, 1), ...magnitudes(-100, 0)], Math.acos, 4],
  ['atan', wide, Math.atan, 4],
  ['sinh', [...between(-89.4, 89.4), ...magnitudes(-100, 6)], Math.sinh, 5],
  ['cosh', [...between(-89.4, 89.4), ...magnitudes(-100, 6)], Math.cosh, 5],
  ['tanh', [...between(-12, 12), ...wide], Math.tanh, 4],
  ['asinh', wide, Math.asinh, 4],
  ['acosh', [...between(1, 3), ...magnitudes(0, 127).map(Math.abs)], Math.acosh, 4],
  ['atanh', [...between(-0.999, 0.999), ...magnitudes(-100, -1)], Math.atanh, 4],
  ['erf', [...between(-4.5, 4.5), ...magnitudes(-100, 127)], (x) => 1 - erfc(x), 4],
  ['sigmoid', [...between(-87, 87), ...wide], sigmoid, 4],
  ['softplus', [...between(-87, 87), ...positive(wide)], softplus, 4],
  ['logSigmoid', between(-87, 87), (x) => -softplus(-x), 4],
  ['silu', between(-80, 80), (x) => x * sigmoid(x), 5],
  ['mish', between(-80, 80), (x) => x * Math.tanh(softplus(x)), 8],
  // The rounding of the exponent shows in the lower tail.
  ['gelu', between(-6, 12), (x) => (x * erfc(-x / Math.SQRT2)) / 2, 80],
  ['gelu', between(-6, 12), geluTanh, 80, { approximate: true }],
])('%s', (op, grid, reference, allowed, options) => {
  test(`is within ${allowed} ulp`, async () => {
    // 1 - erfc loses the small ones.
    const exact =
      op === 'erf'
        ? (x: number) => (Math.abs(x) < 1e-5 ? (2 / Math.sqrt(Math.PI)) * x : reference(x))
        : reference;
    const found = await worst(op, grid, exact, options);
    expect(found.ulps, JSON.stringify(found)).toBeLessThanOrEqual(allowed);
  });
});

/** Reads `-∞ → 0, 1 → 2` as pairs. */
function pairs(text: string): [number, number][] {
  const number = (word: string) => Number(word.replace('∞', 'Infinity').replace('π/2', String(Math.PI / 2)));
  return text.split(', ').map((pair) => pair.split(' → ').map(number) as [number, number]);
}

describe.each<[string, string, object?]>([
  ['exp', 'NaN → NaN, ∞ → ∞, -∞ → 0, 200 → ∞, -200 → 0, 0 → 1'],
  ['expm1', 'NaN → NaN, ∞ → ∞, -∞ → -1, 200 → ∞, -200 → -1'],
  ['log', 'NaN → NaN, ∞ → ∞, 0 → -∞, -0 → -∞, -1 → NaN, -∞ → NaN, 1 → 0'],
  ['log1p', 'NaN → NaN, ∞ → ∞, -1 → -∞, -2 → NaN'],
  ['sqrt', 'NaN → NaN, ∞ → ∞, -1 → NaN, 0 → 0'],
  ['rsqrt', 'NaN → NaN, ∞ → 0, -1 → NaN, 0 → ∞'],
  ['reciprocal', 'NaN → NaN, ∞ → 0, 0 → ∞, -0 → -∞'],
  ['sin', 'NaN → NaN, ∞ → NaN, -∞ → NaN'],
  ['cos', 'NaN → NaN, ∞ → NaN, 0 → 1'],
  ['tan', 'NaN → NaN, ∞ → NaN'],
  ['asin', 'NaN → NaN, 2 → NaN, -∞ → NaN'],
  ['acos', 'NaN → NaN, 2 → NaN, 1 → 0'],
  ['atan', 'NaN → NaN, ∞ → π/2, -∞ → -π/2'],
  ['sinh', 'NaN → NaN, ∞ → ∞, -∞ → -∞, -100 → -∞'],
  ['cosh', 'NaN → NaN, ∞ → ∞, -∞ → ∞, -100 → ∞'],
  ['tanh', 'NaN → NaN, ∞ → 1, -∞ → -1'],
  ['asinh', 'NaN → NaN, ∞ → ∞, -∞ → -∞'],
  ['acosh', 'NaN → NaN, ∞ → ∞, 0.5 → NaN, 1 → 0'],
  ['atanh', 'NaN → NaN, 1 → ∞, -1 → -∞, 2 → NaN'],
  ['erf', 'NaN → NaN, ∞ → 1, -∞ → -1'],
  ['sigmoid', 'NaN → NaN, ∞ → 1, -∞ → 0'],
  ['softplus', 'NaN → NaN, ∞ → ∞, -∞ → 0, 1e30 → 1e30'],
  ['logSigmoid', 'NaN → NaN, ∞ → 0, -∞ → -∞, -1e30 → -1e30'],
  ['silu', 'NaN → NaN, ∞ → ∞, -1e30 → 0'],
  ['mish', 'NaN → NaN, ∞ → ∞, -1e30 → 0'],
  ['gelu', 'NaN → NaN, ∞ → ∞, -1e30 → 0'],
  ['gelu', 'NaN → NaN, ∞ → ∞, -1e30 → 0', { approximate: true }],
  // 1e-40 is subnormal.
  ['relu', 'NaN → NaN, ∞ → ∞, -∞ → 0, -0 → 0, 1e-40 → 1e-40'],
  ['relu6', 'NaN → NaN, ∞ → 6, -∞ → 0'],
  ['leakyRelu', 'NaN → NaN, ∞ → ∞, -∞ → -∞'],
  ['elu', 'NaN → NaN, ∞ → ∞, -∞ → -1'],
  ['selu', 'NaN → NaN, ∞ → ∞, -∞ → -1.7580993408473766'],
  ['hardSigmoid', 'NaN → NaN, ∞ → 1, -∞ → 0'],
  ['hardSwish', 'NaN → NaN, ∞ → ∞, -∞ → 0'],
  ['abs', 'NaN → NaN, -∞ → ∞, -0 → 0'],
  ['sign', 'NaN → NaN, -∞ → -1, ∞ → 1, 0 → 0'],
  ['floor', 'NaN → NaN, -∞ → -∞, -0.5 → -1'],
  ['ceil', 'NaN → NaN, ∞ → ∞, 0.5 → 1'],
  ['round', 'NaN → NaN, ∞ → ∞, 2.5 → 2, -3.5 → -4'],
  ['step', 'NaN → NaN, ∞ → 1, -∞ → 2, 0 → 2', { alpha: 2 }],
  ['isNaN', 'NaN → 1, ∞ → 0, -∞ → 0, 1 → 0'],
  ['isInf', 'NaN → 0, ∞ → 1, -∞ → 1, 1 → 0'],
  ['isFinite', 'NaN → 0, ∞ → 0, -∞ → 0, 1 → 1'],
  ['clip', 'NaN → NaN, ∞ → 2, -∞ → 1', { min: 1, max: 2 }],
])('%s at the edges: %s', (op, text, options) => {
  test.each(pairs(text))('%d gives %d', async (x, expected) => {
    const [actual] = await opOf(op)(tensor([x]), options).data();
    expect(ulpsApart(actual as number, expected), `${actual}`).toBeLessThanOrEqual(1);
  });
});

test('logarithms of many elements are within 2 ulp, rare ones among common ones included', async () => {
  const rare = [0, -0, -1, Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 2 ** -126, 1];
  const grid = Array.from({ length: 2 ** 16 }, (_, i) =>
    i % 997 === 5 ? (rare[i % rare.length] as number) : fround(2 ** (-126 + (253 * i) / 2 ** 16)),
  );
  const found = await worst('log', grid, Math.log);
  expect(found.ulps, JSON.stringify(found)).toBeLessThanOrEqual(2);
});

test.each([
  ['asinh', Math.asinh, -126],
  ['acosh', Math.acosh, 0],
] as const)(
  '%s of many elements is within 4 ulp, rare ones among common ones included',
  async (op, exact, low) => {
    const rare = [0, -0, -1, 0.5, 1, Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
    const grid = Array.from({ length: 2 ** 16 }, (_, i) =>
      i % 997 === 5 ? (rare[i % rare.length] as number) : fround(2 ** (low + ((127 - low) * i) / 2 ** 16)),
    );
    const found = await worst(op, grid, exact);
    expect(found.ulps, JSON.stringify(found)).toBeLessThanOrEqual(4);
  },
);
