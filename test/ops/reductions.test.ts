/** @file Reductions without elements, and of tied values. */
import { beforeAll, describe, expect, test } from 'vitest';
import {
  all,
  any,
  argMax,
  argMin,
  grad,
  init,
  logSumExp,
  max,
  mean,
  min,
  prod,
  sum,
  tensor,
  type Tensor,
  variance,
} from '../../src/index.ts';

beforeAll(async () => {
  await init();
});

describe('of no elements', () => {
  test.each([
    ['sum', sum, 0],
    ['prod', prod, 1],
    ['mean', mean, Number.NaN],
    ['variance', variance, Number.NaN],
    ['max', max, Number.NEGATIVE_INFINITY],
    ['min', min, Number.POSITIVE_INFINITY],
    ['logSumExp', logSumExp, Number.NEGATIVE_INFINITY],
  ] as const)('%s', async (_, op, expected) => {
    const x = tensor([], { shape: [2, 0] });
    expect(Array.from(await op(x, { axis: 1 }).data())).toEqual([expected, expected]);
    expect(await op(x).item()).toBe(expected);
  });

  test('any is false and all is true', async () => {
    const x = tensor([], { shape: [0], dtype: 'bool' });
    expect(await any(x).item()).toBe(0);
    expect(await all(x).item()).toBe(1);
  });

  test('extrema of integers are the ends of their range', async () => {
    const x = tensor([], { shape: [0], dtype: 'int32' });
    expect(await max(x).item()).toBe(-(2 ** 31));
    expect(await min(x).item()).toBe(2 ** 31 - 1);
  });
});

describe('ties', () => {
  test('argMax and argMin take the first, over all elements by their flat position', async () => {
    const x = tensor([
      [2, 5, 5],
      [1, 5, 1],
    ]);
    expect(await argMax(x, { axis: 1 }).array()).toEqual([1, 1]);
    expect(await argMin(x, { axis: 1, keepDims: true }).array()).toEqual([[0], [0]]);
    expect(await argMax(x).item()).toBe(1);
    expect(await argMin(x).item()).toBe(3);
    expect(argMax(x).dtype).toBe('int32');
  });

  test('-0 and 0 are equal', async () => {
    expect(await argMax([-0, 0]).item()).toBe(0);
    expect(await argMin([0, -0]).item()).toBe(0);
  });

  test('tied maxima share the gradient equally', async () => {
    const x = tensor([
      [1, 3, 3],
      [2, 2, 2],
    ]);
    const dx = grad((t: Tensor) => sum(max(t, { axis: 1 })))(x) as Tensor;
    const third = Math.fround(1 / 3);
    expect(await dx.array()).toEqual([
      [0, 0.5, 0.5],
      [third, third, third],
    ]);
  });
});

test('the gradient of a product with zeros is the product of the others', async () => {
  const x = tensor([
    [2, 0, 3, 4, 5],
    [0, 2, 0, 3, 4],
  ]);
  const dx = grad((t: Tensor) => sum(prod(t, { axis: 1 })))(x) as Tensor;
  expect(await dx.array()).toEqual([
    [0, 120, 0, 0, 0],
    [0, 0, 0, 0, 0],
  ]);
});

test('means of integers are floats', async () => {
  const y = mean(tensor([1, 2, 4], { dtype: 'int32' }));
  expect(y.dtype).toBe('float32');
  expect(await y.item()).toBeCloseTo(7 / 3, 6);
});

test('sums of integers wrap around', async () => {
  expect(await sum(tensor([2 ** 31 - 1, 1], { dtype: 'int32' })).item()).toBe(-(2 ** 31));
});
