/** @file searchSorted against a count on the host. */
import { beforeAll, describe, expect, it, test } from 'vitest';
import {
  compile,
  DTypeError,
  init,
  randomUniform,
  searchSorted,
  sort,
  type Tensor,
  tensor,
  vmap,
  zeros,
} from '../../src/index.ts';
import { adapterClasses, asAdapter } from '../support/adapterClass.ts';
import { generator } from './samples/draw.ts';

beforeAll(async () => {
  await init();
});

/** Whether a comes before b, where NaN comes last. */
const isLess = (a: number, b: number) => a < b || (Number.isNaN(b) && !Number.isNaN(a));

const placeOf = (sorted: readonly number[], value: number, side: 'left' | 'right') =>
  sorted.filter((element) => (side === 'left' ? isLess(element, value) : !isLess(value, element))).length;

const sides = ['left', 'right'] as const;

describe.each(adapterClasses)('on a %s', (kind) => {
  it('finds places in vectors of any length', () =>
    asAdapter(kind, async () => {
      const random = generator(7);
      for (const n of [0, 1, 2, 3, 4, 5, 7, 8, 9, 31, 32, 33, 1000]) {
        // Few different values, so that many are equal.
        const draw = () => Math.floor(random() * 20) / 2 - 5;
        const sorted = Array.from({ length: n }, draw).sort((a, b) => a - b);
        const values = [...Array.from({ length: 70 }, draw), -100, 100];
        for (const side of sides) {
          const found = searchSorted(tensor(sorted, { shape: [n], dtype: 'float32' }), tensor(values), {
            side,
          });
          expect(await found.array(), `${n} elements, ${side}`).toEqual(
            values.map((value) => placeOf(sorted, value, side)),
          );
        }
      }
    }));
});

test.each(sides)('NaN, infinities and zeros of both signs, on the %s', async (side) => {
  const sorted = [-Infinity, -Infinity, -1, -0, 0, 0, 1.2e-38, 2, Infinity, Infinity, Number.NaN, Number.NaN];
  const values = [Number.NaN, Infinity, -Infinity, 0, -0, 1, -1e30, 3.4e38];
  const found = searchSorted(tensor(sorted, { dtype: 'float32' }), tensor(values), { side });
  expect(await found.array()).toEqual(values.map((value) => placeOf(sorted, value, side)));
  expect(found.dtype).toBe('int32');
});

test('integers are compared exactly', async () => {
  const large = 2 ** 24;
  const sorted = [-(2 ** 31), -large - 1, large, large + 1, 2 ** 31 - 1];
  const values = [large + 1, 2 ** 31 - 1, -(2 ** 31), 0];
  const found = searchSorted(tensor(sorted, { dtype: 'int32' }), tensor(values, { dtype: 'int32' }));
  expect(await found.array()).toEqual([3, 4, 0, 2]);
  const unsigned = tensor([0, 2 ** 31, 2 ** 32 - 1], { dtype: 'uint32' });
  expect(await searchSorted(unsigned, tensor([2 ** 32 - 2], { dtype: 'uint32' })).array()).toEqual([2]);
});

test('dtypes promote', async () => {
  const integers = tensor([1, 2, 3], { dtype: 'int32' });
  expect(await searchSorted(integers, tensor([1.5, Number.NaN])).array()).toEqual([1, 3]);
  expect(await searchSorted(tensor([0.5, 1.5]), integers).array()).toEqual([1, 2, 2]);
  expect(await searchSorted(tensor([false, true]), tensor([true, false])).array()).toEqual([1, 0]);
  expect(() => searchSorted(integers, tensor([1], { dtype: 'uint32' }))).toThrow(DTypeError);
});

test('values have any shape', async () => {
  const sorted = tensor([1, 3, 5]);
  expect(await searchSorted(sorted, tensor(3)).array()).toBe(1);
  expect(await searchSorted(sorted, tensor([[[0], [6]]])).array()).toEqual([[[0], [3]]]);
  expect(searchSorted(sorted, zeros([2, 0])).shape).toEqual([2, 0]);
});

test('many values in a long vector', async () => {
  const sorted = sort(randomUniform([5000], { seed: 1 }));
  const values = randomUniform([300, 300], { seed: 2 });
  const [elements, queries] = [await sorted.data(), await values.data()];
  const found = await searchSorted(sorted, values, { side: 'right' }).data();
  for (let i = 0; i < queries.length; i += 97) {
    const value = queries[i] as number;
    expect(found[i]).toBe(elements.filter((element) => element <= value).length);
  }
});

test('is one launch', async () => {
  const search = compile((sorted: Tensor, values: Tensor) => searchSorted(sorted, values));
  for (let call = 0; call < 2; call++)
    expect(await search(tensor([1, 3, 5]), tensor([2, 4])).array()).toEqual([1, 2]);
  expect(search.explain()[0]?.launches).toBe(1);
});

test('maps over values, over vectors and over both', async () => {
  const sorted = tensor([
    [1, 3, 5],
    [2, 2, 9],
  ]);
  const values = tensor([
    [0, 2, 6],
    [2, 3, 10],
  ]);
  const search = (s: Tensor, v: Tensor) => searchSorted(s, v, { side: 'right' });
  expect(await vmap(search, { inAxes: [0, 0] })(sorted, values).array()).toEqual([
    [0, 1, 3],
    [2, 2, 3],
  ]);
  expect(await vmap(search, { inAxes: [null, 0] })(tensor([1, 3, 5]), values).array()).toEqual([
    [0, 1, 3],
    [1, 2, 3],
  ]);
  expect(await vmap(search, { inAxes: [0, null] })(sorted, tensor([2, 9])).array()).toEqual([
    [1, 3],
    [2, 3],
  ]);
});
