/** @file range, linspace, eye, and the shapes and dtypes that creation takes. */
import { beforeAll, describe, expect, test } from 'vitest';
import { DTypeError, type RetrogradError, ShapeError, ValueError } from '../../src/core/errors.ts';
import { eye, fill, init, linspace, onesLike, range, tensor, zerosLike } from '../../src/index.ts';

beforeAll(async () => {
  await init();
});

/** Runs `body`, which must throw `type` with all parts of a message. */
function expectRejection(body: () => unknown, type: new (...args: never[]) => RetrogradError): void {
  let thrown: unknown;
  try {
    body();
  } catch (error) {
    thrown = error;
  }
  expect(thrown).toBeInstanceOf(type);
  const { rule, received, hint } = thrown as RetrogradError;
  expect([rule, received, hint].every(Boolean)).toBe(true);
}

describe('range', () => {
  test.each<[number[], number[]]>([
    [
      [0, 3],
      [0, 1, 2],
    ],
    [
      [-2, 3],
      [-2, -1, 0, 1, 2],
    ],
    [
      [4, -2],
      [4, 3, 2, 1, 0, -1],
    ],
    [
      [4, 15, 4],
      [4, 8, 12],
    ],
    [[3, 3], []],
    [
      [0, -10, -4],
      [0, -4, -8],
    ],
    [[3, 10, -2], []],
    [[10, 3, 2], []],
    [[3, 10, 150], [3]],
    [
      [0, 1, 0.25],
      [0, 0.25, 0.5, 0.75],
    ],
  ])('%j', async ([start, stop, step], expected) => {
    const values = range(start as number, stop as number, step);
    expect(values.shape).toEqual([expected.length]);
    expect(await values.array()).toEqual(expected);
  });

  test('takes a dtype, with or without a step', async () => {
    const countdown = range(3, 0, { dtype: 'int32' });
    expect(countdown.dtype).toBe('int32');
    expect(await countdown.array()).toEqual([3, 2, 1]);
    expect(await range(0, 2 ** 32 - 1, 2 ** 31, { dtype: 'uint32' }).array()).toEqual([0, 2 ** 31]);
    expect(await range(-(2 ** 31), 2 ** 31, 2 ** 31, { dtype: 'int32' }).array()).toEqual([-(2 ** 31), 0]);
  });

  test('counts exactly beyond 2^16, and its floats end where they should', async () => {
    const whole = await range(1, 100_001, { dtype: 'int32' }).data();
    expect(whole.every((value, i) => value === i + 1)).toBe(true);
    const tenths = await range(0, 10_000, 0.1).data();
    expect(tenths.length).toBe(100_000);
    expect(tenths.every((value, i) => Math.abs(value - i / 10) <= 1e-7 * value)).toBe(true);
  });

  test('rejects a step of 0, numbers that aren’t finite, fractions of integers, bools', () => {
    expectRejection(() => range(0, 1, 0), ValueError);
    expectRejection(() => range(0, Number.POSITIVE_INFINITY), ValueError);
    expectRejection(() => range(Number.NaN, 1), ValueError);
    expectRejection(() => range(0, 2, 0.5, { dtype: 'int32' }), ValueError);
    expectRejection(() => range(0, 2, { dtype: 'bool' }), DTypeError);
    expectRejection(() => range(0, 2, { dtype: 'int64' as 'int32' }), DTypeError);
  });
});

describe('linspace', () => {
  test('includes both ends', async () => {
    expect(await linspace(1, 10, 10).array()).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    expect(await linspace(9, 0, 4).array()).toEqual([9, 6, 3, 0]);
    expect(await linspace(2, 5, 1).array()).toEqual([2]);
    const third = await linspace(0, 0.1, 4).data();
    expect(third.at(-1)).toBe(Math.fround(0.1));
  });

  test('rejects counts below 1 or fractional, and infinite ends', () => {
    expectRejection(() => linspace(0, 1, 0), ValueError);
    expectRejection(() => linspace(0, 1, 2.5), ValueError);
    expectRejection(() => linspace(0, Number.NaN, 2), ValueError);
  });
});

describe('eye', () => {
  test('has ones on its diagonal', async () => {
    expect(await eye(2).array()).toEqual([
      [1, 0],
      [0, 1],
    ]);
    expect(await eye(2, { columns: 3, dtype: 'int32' }).array()).toEqual([
      [1, 0, 0],
      [0, 1, 0],
    ]);
    expect(await eye(3, { columns: 1, dtype: 'bool' }).array()).toEqual([[1], [0], [0]]);
    expect(eye(0).shape).toEqual([0, 0]);
  });

  test('repeats over batch axes', async () => {
    const batch = eye(2, { batchShape: [1, 2] });
    expect(batch.shape).toEqual([1, 2, 2, 2]);
    expect(Array.from(await batch.data())).toEqual([1, 0, 0, 1, 1, 0, 0, 1]);
  });

  test('rejects invalid sizes, and too many axes', () => {
    expectRejection(() => eye(-1), ValueError);
    expectRejection(() => eye(2, { columns: 1.5 }), ValueError);
    expectRejection(() => eye(2, { batchShape: [-1] }), ShapeError);
    expectRejection(() => eye(2, { batchShape: [1, 1, 1, 1, 1] }), ShapeError);
  });
});

test('zerosLike and onesLike keep shape and dtype', async () => {
  const x = tensor([[3, 4]], { dtype: 'uint32' });
  expect(await zerosLike(x).array()).toEqual([[0, 0]]);
  expect(onesLike(x).dtype).toBe('uint32');
  expect(await onesLike(x).array()).toEqual([[1, 1]]);
});

test('creation ops reject invalid shapes and dtypes', () => {
  expectRejection(() => fill([2, -1], 0), ShapeError);
  expectRejection(() => fill([1.5], 0), ShapeError);
  expectRejection(() => fill([1, 1, 1, 1, 1, 1, 1], 0), ShapeError);
  expectRejection(() => fill([1], 0, { dtype: 'float64' as 'float32' }), DTypeError);
});
