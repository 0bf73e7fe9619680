/** @file Faults and repeated indices of segment ops and updates; cumulative ops on long axes. */
import { beforeAll, expect, test } from 'vitest';
import {
  cumprod,
  cummax,
  GradientTape,
  IndexOutOfRangeError,
  init,
  segmentMax,
  sum,
  type Tensor,
  tensor,
  tensorScatterUpdate,
} from '../../src/index.ts';

beforeAll(async () => {
  await init();
});

const listOf = async (x: Tensor) => Array.from(await x.data(), Number);
const ints = (values: number[], shape = [values.length]) => tensor(values, { shape, dtype: 'int32' });

test('an id beyond the segments is a fault, unless validation is off', async () => {
  const x = tensor([5, 1, 7]);
  const ids = ints([0, 2, 0]);
  await expect(segmentMax(x, ids, { numSegments: 2 }).data()).rejects.toThrow(
    /segmentMax: index 2 at position \[1\]/,
  );
  const found = segmentMax(x, ids, { numSegments: 2, validateIndices: false });
  expect(await listOf(found)).toEqual([7, Number.NEGATIVE_INFINITY]);
});

test('an update outside is a fault that names its axis, and is dropped', async () => {
  const x = tensor([1, 2, 3, 4], { shape: [2, 2] });
  // Position 3 in row-major order, were it not outside.
  const indices = ints([0, 3, 1, 0], [2, 2]);
  const faulty = tensorScatterUpdate(x, indices, tensor([8, 9]));
  await expect(faulty.data()).rejects.toBeInstanceOf(IndexOutOfRangeError);
  const unchecked = tensorScatterUpdate(x, indices, tensor([8, 9]), { validateIndices: false });
  expect(await listOf(unchecked)).toEqual([1, 2, 9, 4]);
});

test('of updates of one slice the last one stays, and takes the gradient', async () => {
  const updates = tensor([5, 6, 7]);
  using tape = new GradientTape();
  tape.watch(updates);
  const y = tensorScatterUpdate(tensor([1, Number.NaN, 3]), ints([1, 0, 1], [3, 1]), updates);
  const [gradient] = tape.gradient(sum(y), [updates]);
  expect(await listOf(y)).toEqual([6, 7, 3]);
  expect(await listOf(gradient as Tensor)).toEqual([0, 1, 1]);
});

test('long axes', async () => {
  const values = Array.from({ length: 1000 }, (_, i) => Math.fround(1 + 0.01 * Math.sin(i * i)));
  const running = (fold: (a: number, b: number) => number) =>
    values.map((_, i) => values.slice(0, i + 1).reduce(fold));
  const products = running((a, b) => a * b);
  const found = await listOf(cumprod(tensor(values)));
  for (const [i, value] of found.entries())
    expect(Math.abs(value / (products[i] as number) - 1)).toBeLessThan(1e-5);
  expect(await listOf(cummax(tensor(values)))).toEqual(running((a, b) => Math.max(a, b)));
});
