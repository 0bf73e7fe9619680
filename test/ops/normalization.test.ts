/** @file Normalizations and moments of inputs whose mean is large compared with their spread. */
import { beforeAll, describe, expect, test } from 'vitest';
import {
  batchNormTrain,
  groupNorm,
  init,
  layerNorm,
  moments,
  tensor,
  type Tensor,
  variance,
} from '../../src/index.ts';
import { adapterClasses, asAdapter } from '../support/adapterClass.ts';
import { generator } from './samples/draw.ts';

beforeAll(async () => {
  await init();
});

const [rows, n] = [3, 600];
const far = (() => {
  const random = generator(11);
  return Float32Array.from({ length: rows * n }, () => 10_000 + 2 * random());
})();

/** Mean and variance of each row, in float64. */
const exact = Array.from({ length: rows }, (_, row) => {
  const line = Array.from(far.subarray(row * n, (row + 1) * n));
  const mean = line.reduce((a, b) => a + b) / n;
  return { mean, variance: line.reduce((a, b) => a + (b - mean) ** 2, 0) / n };
});

const worst = (found: ArrayLike<number>, expected: (i: number) => number) =>
  Array.from(found).reduce((max, value, i) => Math.max(max, Math.abs(value - expected(i))), 0);

const normalized = (i: number) => {
  const { mean, variance } = exact[Math.floor(i / n)] as (typeof exact)[number];
  return ((far[i] as number) - mean) / Math.sqrt(variance + 1e-3);
};

describe.each(adapterClasses)('a mean of 10,000 and a spread of 1, as on a %s', (kind) => {
  test('moments', () =>
    asAdapter(kind, async () => {
      const [mean, spread] = moments(tensor(far, { shape: [rows, n] }), { axis: 1 }) as [Tensor, Tensor];
      // Half a unit in the last place of the mean.
      expect(worst(await mean.data(), (i) => exact[i]?.mean ?? 0)).toBeLessThan(5e-4);
      expect(worst(await spread.data(), (i) => exact[i]?.variance ?? 0)).toBeLessThan(1e-6);
    }));

  test('layerNorm keeps the digits that the inputs have', () =>
    asAdapter(kind, async () => {
      const y = layerNorm(tensor(far, { shape: [rows, n] }), null, null);
      expect(worst(await y.data(), normalized)).toBeLessThan(2e-6);
    }));

  test('batchNormTrain and groupNorm are as good as a float32 mean', () =>
    asAdapter(kind, async () => {
      const x = tensor(far, { shape: [rows, n] });
      const [y] = batchNormTrain(x, null, null, { axis: 0 });
      expect(worst(await y.data(), normalized)).toBeLessThan(1e-3);
      const z = groupNorm(x, null, null, { groups: 1 });
      expect(worst(await z.data(), normalized)).toBeLessThan(1e-3);
    }));
});

test('the variance of equal values is exactly 0', async () => {
  const x = tensor(new Float32Array(5000).fill(0.1));
  expect(await variance(x).item()).toBe(0);
});
