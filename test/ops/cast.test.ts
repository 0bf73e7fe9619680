/** @file cast: what happens to values that the new dtype lacks, both ways to call it, and its gradient. */
import { beforeAll, expect, expectTypeOf, test } from 'vitest';
import { DTypeError } from '../../src/core/errors.ts';
import { cast, type DType, GradientTape, init, mul, type Tensor, tensor } from '../../src/index.ts';
import { input } from '../../src/keras/index.ts';

beforeAll(async () => {
  await init();
});

const inf = Number.POSITIVE_INFINITY;

test.each<[DType, DType, number[], number[]]>([
  [
    'float32',
    'int32',
    [1.9, -1.9, 3e9, -3e9, inf, -inf, Number.NaN],
    [1, -1, 2 ** 31 - 1, -(2 ** 31), 2 ** 31 - 1, -(2 ** 31), 0],
  ],
  [
    'float32',
    'uint32',
    [1.9, -1.9, 3e9, 5e9, inf, -inf, Number.NaN],
    [1, 0, 3e9, 2 ** 32 - 1, 2 ** 32 - 1, 0, 0],
  ],
  ['float32', 'bool', [0, -0, 0.1, -2, Number.NaN, inf], [0, 0, 1, 1, 1, 1]],
  ['int32', 'uint32', [-1, 5], [2 ** 32 - 1, 5]],
  ['uint32', 'int32', [2 ** 32 - 1, 5], [-1, 5]],
  ['int32', 'float32', [-7, 2 ** 24 + 2], [-7, 2 ** 24 + 2]],
  ['uint32', 'float32', [2 ** 32 - 1], [2 ** 32]],
  ['int32', 'bool', [-3, 0, 4], [1, 0, 1]],
  ['bool', 'float32', [1, 0], [1, 0]],
])('%s to %s', async (from, to, values, expected) => {
  const x = tensor(values, { dtype: from });
  const y = cast(x, to);
  expect(y.dtype).toBe(to);
  expect(Array.from(await y.data())).toEqual(expected);
});

test('takes the dtype by itself or as an option, and tells it to TypeScript', async () => {
  const x = tensor([1.5]);
  expectTypeOf(cast(x, 'int32')).toEqualTypeOf<Tensor<'int32'>>();
  expectTypeOf(cast(x, { dtype: 'bool' })).toEqualTypeOf<Tensor<'bool'>>();
  expect(await cast(x, 'int32').array()).toEqual(await cast(x, { dtype: 'int32' }).array());
});

test('takes host values and symbolic tensors', async () => {
  expect(await cast([0, 2.5], 'int32').array()).toEqual([0, 2]);
  const symbolic = cast(input({ shape: [3] }), 'int32');
  expect(symbolic.dtype).toBe('int32');
  expect(symbolic.shape).toEqual([null, 3]);
});

test('to the same dtype shares the values', () => {
  const x = tensor([1, 2]);
  const y = cast(x, 'float32');
  expect(y.storage).toBe(x.storage);
  x.dispose();
  expect(y.disposed).toBe(false);
});

test('passes the gradient between floats, and is cut by integers', async () => {
  const x = tensor([1.5]);
  const tape = new GradientTape({ persistent: true });
  tape.watch(x);
  const floats = mul(cast(x, 'float32'), 3);
  const integers = mul(cast(cast(x, 'int32'), 'float32'), 3);
  expect(await tape.gradient(floats, x)?.array()).toEqual([3]);
  expect(tape.gradient(integers, x)).toBe(null);
  tape.dispose();
});

test('rejects what is not a dtype', () => {
  const x = tensor([1]);
  for (const dtype of ['float64', '', null, undefined, 3, {}])
    expect(() => cast(x, dtype as 'int32'), String(dtype)).toThrow(DTypeError);
});
