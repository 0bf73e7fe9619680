/** @file Normalizations and moments of inputs whose mean is large compared with their spread. */
import { beforeAll, describe, expect, test } from 'vitest';
import {
  batchNormTrain,
  groupNorm,
  init,
  layerNorm,
  localResponseNormalization,
  type LocalResponseNormalizationOptions,
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

test.each([
  [[2, 3, 1, 7], { depthRadius: 2, bias: 1.5, alpha: 0.3, beta: 0.75 }],
  [[1, 2, 2, 3], { depthRadius: 5, alpha: 2 }],
  [[1, 1, 2, 1], {}],
] as const)('localResponseNormalization of %j with %j is its formula', async (shape, options) => {
  const { depthRadius = 5, bias = 1, alpha = 1, beta = 0.5 } = options as LocalResponseNormalizationOptions;
  const channels = shape[3];
  const x = Float32Array.from({ length: shape.reduce((a: number, b) => a * b, 1) }, (_, i) =>
    Math.sin(7 * i),
  );
  const expected = [...x].map((value, i) => {
    const c = i % channels;
    const near = [...x.slice(i - c, i - c + channels)].slice(
      Math.max(0, c - depthRadius),
      c + depthRadius + 1,
    );
    return value / (bias + alpha * near.reduce((total, v) => total + v * v, 0)) ** beta;
  });
  const y = await localResponseNormalization(tensor(x, { shape: [...shape] }), options).data();
  for (const [i, value] of y.entries()) expect(value).toBeCloseTo(expected[i] as number, 6);
});
