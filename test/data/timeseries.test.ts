/** @file Windows of series, as Keras makes them (test/fixtures/data/timeseries.py). */
import { beforeAll, expect, test } from 'vitest';
import { timeseriesDatasetFromArray, type TimeseriesOptions } from '../../src/data/index.ts';
import { init, Tensor, tensor, ValueError } from '../../src/index.ts';
import cases from '../fixtures/data/timeseries.json' with { type: 'json' };

beforeAll(async () => {
  await init();
});

const series = Array.from({ length: 12 }, (_, i) => [2 * i, 2 * i + 1]);
const targets = series.map((_, i) => 10 * i);

/** A batch, or a single window, as nested lists. */
async function listed(part: unknown): Promise<unknown> {
  if (part instanceof Tensor) return part.array();
  if (!ArrayBuffer.isView(part)) return part;
  return tensor(part as Float32Array).array();
}

test.each(cases.map((one) => [JSON.stringify(one.options), one] as const))('%s', async (_, one) => {
  const named = Object.entries(one.options).map(([name, value]) => [
    name.replace(/_(\w)/g, (__, letter: string) => letter.toUpperCase()),
    value,
  ]);
  const options = Object.fromEntries(named) as TimeseriesOptions;
  for (const data of [series, tensor(series)]) {
    const made = timeseriesDatasetFromArray(data, one.targets ? targets : (null as never), options);
    const found: unknown[] = [];
    for await (const item of made) found.push(await Promise.all([item].flat().map(listed)));
    expect(found).toEqual(one.batches);
    expect(made.cardinality).toBe(found.length);
  }
});

test('a seeded order, with the targets of the windows', async () => {
  const options = { sequenceLength: 3, batchSize: null, shuffle: true, seed: 5 };
  const made = timeseriesDatasetFromArray(series, targets, options) as AsyncIterable<unknown>;
  const order: number[] = [];
  for await (const [window, target] of made as AsyncIterable<[Float32Array, number]>) {
    expect(target).toBe(5 * (window[0] as number));
    order.push(target / 10);
  }
  expect(order).not.toEqual(order.toSorted((a, b) => a - b));
  expect(order.toSorted((a, b) => a - b)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
});

test('rejections', () => {
  const make = timeseriesDatasetFromArray as (...args: unknown[]) => unknown;
  const rejected: unknown[][] = [
    [series, null, { sequenceLength: 13 }],
    [series, null, { sequenceLength: 0 }],
    [series, null, { sequenceLength: 2, endIndex: 13 }],
    [series, null, { sequenceLength: 2, startIndex: 11 }],
    [series, [1], { sequenceLength: 2, startIndex: 5 }],
    [series, 'abc', { sequenceLength: 2 }],
    [[[1], [1, 2]], null, { sequenceLength: 1 }],
    [series, null, { sequenceLenght: 2 }],
    [series, null, {}],
  ];
  for (const args of rejected) expect(() => make(...args)).toThrow(ValueError);
});
