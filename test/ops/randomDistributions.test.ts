/** @file Random values made of others: their distributions by moments and frequencies, seeds by determinism. */
import { beforeAll, describe, expect, test } from 'vitest';
import {
  categorical,
  compile,
  init,
  permutation,
  randomBeta,
  randomGamma,
  randomPoisson,
  shuffle,
  type Tensor,
  tensor,
  ValueError,
} from '../../src/index.ts';

beforeAll(async () => {
  await init();
});

const listOf = async (x: Tensor) => Array.from(await x.data(), Number);
const meanOf = (list: readonly number[]) => list.reduce((total, x) => total + x, 0) / list.length;
const varianceOf = (list: readonly number[]) => {
  const mean = meanOf(list);
  return meanOf(list.map((x) => (x - mean) ** 2));
};
const count = 20_000;

describe('randomGamma', () => {
  test.each([
    { alpha: 0.3, beta: 1 },
    { alpha: 1, beta: 2 },
    { alpha: 7.5, beta: 0.5 },
  ])('$alpha, $beta', async ({ alpha, beta }) => {
    const values = await listOf(randomGamma([count], { alpha, beta, seed: 5 }));
    expect(Math.min(...values)).toBeGreaterThanOrEqual(0);
    // Five standard errors; the kurtosis of a gamma is 3 + 6 / alpha.
    const [mean, variance] = [alpha / beta, alpha / beta ** 2];
    expect(Math.abs(meanOf(values) - mean)).toBeLessThan(5 * Math.sqrt(variance / count));
    const spread = variance * Math.sqrt((2 + 6 / alpha) / count);
    expect(Math.abs(varianceOf(values) - variance)).toBeLessThan(5 * spread);
  });

  test('rejections', () => {
    for (const options of [{}, { alpha: 0 }, { alpha: 1, beta: -1 }, { alpha: 1, seed: 0.5 }])
      expect(() => randomGamma([2], options as never)).toThrow(ValueError);
  });
});

describe('randomBeta', () => {
  test.each([
    { alpha: 0.02, beta: 0.05 },
    { alpha: 2, beta: 5 },
  ])('$alpha, $beta', async ({ alpha, beta }) => {
    const values = await listOf(randomBeta([count], { alpha, beta, seed: 4 }));
    expect(values.every((x) => x >= 0 && x <= 1)).toBe(true);
    const total = alpha + beta;
    const variance = (alpha * beta) / (total ** 2 * (total + 1));
    expect(Math.abs(meanOf(values) - alpha / total)).toBeLessThan(5 * Math.sqrt(variance / count));
    // The fourth moment is at most the variance, on an interval of length 1.
    expect(Math.abs(varianceOf(values) - variance)).toBeLessThan(5 * Math.sqrt(variance / count));
    expect(await listOf(randomBeta([3], { alpha, beta, seed: 4 }))).toEqual(
      await listOf(randomBeta([3], { alpha, beta, seed: 4 })),
    );
  });

  test('rejections', () => {
    for (const options of [{}, { alpha: 1 }, { alpha: 0, beta: 1 }, { alpha: 1, beta: 1, seed: -1 }])
      expect(() => randomBeta([2], options as never)).toThrow(ValueError);
  });
});

describe('randomPoisson', () => {
  test.each([0, 0.3, 12, 40_000])('%f', async (rate) => {
    const values = await listOf(randomPoisson([count], { rate, seed: 6 }));
    expect(values.every((x) => Number.isInteger(x) && x >= 0)).toBe(true);
    expect(Math.abs(meanOf(values) - rate)).toBeLessThanOrEqual(5 * Math.sqrt(rate / count));
    const spread = Math.sqrt((2 * rate ** 2 + rate) / count);
    expect(Math.abs(varianceOf(values) - rate)).toBeLessThanOrEqual(5 * spread);
  });

  test('rejections', () => {
    for (const options of [{}, { rate: -1 }, { rate: 1e7 }])
      expect(() => randomPoisson([2], options as never)).toThrow(ValueError);
  });
});

test('categorical: frequencies are those of the softmax', async () => {
  const shares = [0.5, 0.3, 0.2, 0];
  const logits = tensor([shares.map((p) => Math.log(p) + 3), [-100, -100, 1, -100]]);
  const drawn = categorical(logits, { numSamples: count, seed: 7 });
  expect([drawn.shape, drawn.dtype]).toEqual([[2, count], 'int32']);
  const classes = await listOf(drawn);
  shares.forEach((share, k) => {
    const found = classes.slice(0, count).filter((one) => one === k).length / count;
    expect(Math.abs(found - share)).toBeLessThanOrEqual(5 * Math.sqrt((share * (1 - share)) / count));
  });
  expect(classes.slice(count).every((one) => one === 2)).toBe(true);
});

test('permutation and shuffle hold each element once, in an order that the seed determines', async () => {
  const order = await listOf(permutation(500, { seed: 8 }));
  expect(order.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 500 }, (_, i) => i));
  expect(order).not.toEqual(order.toSorted((a, b) => a - b));
  expect(await listOf(permutation(500, { seed: 8 }))).toEqual(order);
  expect(await listOf(permutation(500, { seed: 9 }))).not.toEqual(order);
  expect(await listOf(permutation(500))).not.toEqual(await listOf(permutation(500)));
  expect((await listOf(permutation(0))).length).toBe(0);
  const rows = tensor(Array.from({ length: 40 }, (_, i) => [i, -i]));
  const mixed = await listOf(shuffle(rows, { seed: 8 }));
  for (let i = 0; i < 40; i++) expect(mixed[2 * i + 1]).toBe(-(mixed[2 * i] as number));
  expect(new Set(mixed.filter((_, i) => i % 2 === 0)).size).toBe(40);
});

test('each replay draws other values without a seed, and the same with one', async () => {
  const x = tensor([0]);
  const fresh = compile((_: Tensor) => randomGamma([4], { alpha: 2 }));
  const fixed = compile((_: Tensor) => randomGamma([4], { alpha: 2, seed: 3 }));
  const [first, second] = [await listOf(fresh(x)), await listOf(fresh(x))];
  expect(first).not.toEqual(second);
  expect(await listOf(fixed(x))).toEqual(await listOf(fixed(x)));
  fresh.dispose();
  fixed.dispose();
});
