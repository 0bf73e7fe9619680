/** @file Means over batches: values from Keras's documentation, weights, masks, names and what is refused. */
import { beforeAll, describe, expect, test } from 'vitest';
import { GradientTape, init, memory, mul, ShapeError, tensor, tidy, ValueError } from '../../../src/index.ts';
import { losses, metrics } from '../../../src/keras/index.ts';

beforeAll(async () => {
  await init();
});

const { metricOf } = metrics;

test('Mean and Sum', async () => {
  using mean = metrics.mean();
  mean.updateState([1, 3, 5, 7]);
  expect(await mean.result().item()).toBe(4);
  mean.resetState();
  mean.updateState([1, 3, 5, 7], { sampleWeight: [1, 1, 0, 0] });
  expect(await mean.result().item()).toBe(2);
  expect(mean.variables.map(({ name }) => name)).toEqual(['total', 'count']);
  using sum = metrics.sum();
  sum.updateState([1, 3, 5, 7]);
  expect(await sum.result().item()).toBe(16);
  sum.resetState();
  sum.updateState([1, 3, 5, 7], { sampleWeight: [1, 1, 0, 0] });
  expect(await sum.result().item()).toBe(4);
  expect(sum.variables.map(({ name }) => name)).toEqual(['total']);
});
