/**
 * @file Properties of binary ops that the battery doesn't cover: IEEE 754's special cases, integers, numbers as operands, dtypes.
 */
import { beforeAll, describe, expect, test } from 'vitest';
import { DTypeError, ValueError } from '../../src/core/errors.ts';
import {
  add,
  atan2,
  div,
  equal,
  floorDiv,
  greater,
  greaterEqual,
  GradientTape,
  init,
  less,
  lessEqual,
  logicalXor,
  maximum,
  minimum,
  mod,
  mul,
  notEqual,
  pow,
  sqrt,
  sub,
  type Tensor,
  tensor,
  where,
} from '../../src/index.ts';
import { generator } from './samples/draw.ts';

beforeAll(async () => {
  await init();
});

const inf = Number.POSITIVE_INFINITY;
const nan = Number.NaN;

const ints = (...values: number[]) => tensor(values, { dtype: 'int32' });
const uints = (...values: number[]) => tensor(values, { dtype: 'uint32' });
const bools = (...values: boolean[]) => tensor(values, { dtype: 'bool' });
const listOf = async (x: Tensor) => Array.from(await x.data());

type Binary = (x: Tensor, y: Tensor) => Tensor;

/** Checks rows of [x, y, result]; zeros are distinguished by their sign where the table has -0. */
async function expectTable(op: Binary, rows: readonly (readonly [number, number, number])[]): Promise<void> {
  const column = (i: number) => tensor(rows.map((row) => row[i] as number));
  const results = await listOf(op(column(0), column(1)));
  rows.forEach(([x, y, expected], i) => {
    const actual = results[i] as number;
    const wanted = Math.fround(expected);
    const same = Object.is(wanted, -0)
      ? Object.is(actual, -0)
      : actual === wanted || (Number.isNaN(actual) && Number.isNaN(wanted));
    expect(same, `${op.name || 'op'}(${x}, ${y}) is ${actual}, expected ${wanted}`).toBe(true);
  });
}

test('pow follows IEEE 754', async () => {
  await expectTable(pow, [
    [nan, 0, 1],
    [1, nan, 1],
    [nan, 2, nan],
    [2, nan, nan],
    [0, 0, 1],
    [0, 3, 0],
    [-0, 3, -0],
    [-0, 2, 0],
    [0, -1, inf],
    [-0, -1, -inf],
    [0, 0.5, 0],
    [0, -0.5, inf],
    [-8, 1 / 3, nan],
    [-2, 3, -8],
    [-2, -3, -0.125],
    [-2, 99, -(2 ** 99)],
    [-2, 100, 2 ** 100],
    [inf, 0.5, inf],
    [inf, -0.5, 0],
    [-inf, 3, -inf],
    [-inf, 2, inf],
    [2, inf, inf],
    [2, -inf, 0],
    [0.5, inf, 0],
    [0.5, -inf, inf],
    [-1, inf, 1],
    [7, 2, 49],
    [3, 13, 3 ** 13],
    [10, -2, 0.01],
    [2, 127, 2 ** 127],
    [2, 128, inf],
    [2, -200, 0],
    [1e30, 1e30, inf],
    [1e-30, 1e30, 0],
  ]);
});

test('pow is accurate for fractional exponents', async () => {
  const random = generator(5);
  const x = Float32Array.from({ length: 2000 }, () => Math.exp(8 * random() - 4));
  const y = Float32Array.from({ length: 2000 }, () => 20 * random() - 10);
  const z = await pow(tensor(x), tensor(y)).data();
  const errors = z.map((value, i) => Math.abs(value / (x[i] as number) ** (y[i] as number) - 1));
  expect(Math.max(...errors)).toBeLessThan(3e-6);
});

test('pow of integers is exact and wraps around', async () => {
  expect(await listOf(pow(ints(3, -3, 7, 2, -1, -1, 5, 0, 0), ints(4, 3, 0, 31, 5, -4, -2, 0, -1)))).toEqual([
    81,
    -27,
    1,
    -(2 ** 31),
    -1,
    1,
    0,
    1,
    0,
  ]);
  expect(await listOf(pow(uints(3, 2, 0), uints(20, 31, 0)))).toEqual([3486784401, 2 ** 31, 1]);
});

test('a base that is not positive gives the exponent of pow no gradient', async () => {
  const [x, y] = [tensor([-2, 0, 3, 0]), tensor([2, 2, 2, 0])];
  const tape = new GradientTape();
  tape.watch([x, y]);
  const [dx, dy] = tape.gradient(pow(x, y), [x, y]);
  expect(await listOf(dx as Tensor)).toEqual([-4, 0, 6, 0]);
  const values = await listOf(dy as Tensor);
  expect(values[2]).toBeCloseTo(9 * Math.log(3), 4);
  expect([values[0], values[1], values[3]]).toEqual([0, 0, 0]);
});

test('mod has the divisor’s sign and is exact', async () => {
  await expectTable(mod, [
    [-7.5, 2, 0.5],
    [7.5, -2, -0.5],
    [-7.5, -2, -1.5],
    [6, 3, 0],
    [5, 0, nan],
    [nan, 1, nan],
    [1, nan, nan],
    [inf, 2, nan],
    [3, inf, 3],
    [-3, inf, inf],
    // Quotients that floats can't hold, or round up to an integer.
    [1e9, 3, 1],
    [2 ** 100, 7, 2],
    [Math.fround(3.3e38), Math.fround(1e-3), Math.fround(3.3e38) % Math.fround(1e-3)],
    [Math.fround(0.3), Math.fround(0.1), Math.fround(0.3) % Math.fround(0.1)],
    [Math.fround(5.9999995), 1.5, Math.fround(5.9999995) % 1.5],
    [1, 2 ** -120, 0],
  ]);
});

test('floorDiv rounds down, also where the quotient of floats would round up', async () => {
  await expectTable(floorDiv, [
    [7, 2, 3],
    [-7, 2, -4],
    [7, -2, -4],
    [-7, -2, 3],
    [6, 3, 2],
    [Math.fround(5.9999995), 1.5, 3],
    [Math.fround(0.3), Math.fround(0.1), 3],
    [1, 0, inf],
    [-1, 0, -inf],
    [0, 0, nan],
    [nan, 1, nan],
    [inf, 2, inf],
  ]);
});

test('floorDiv of infinities, and by divisors whose reciprocals are subnormal', async () => {
  const [large, largest] = [Math.fround(1e38), Math.fround(3.4e38)];
  await expectTable(floorDiv, [
    [inf, 3, inf],
    [inf, -3, -inf],
    [-inf, large, -inf],
    [-inf, -large, inf],
    [inf, 0, inf],
    [inf, -inf, nan],
    [largest, large, 3],
    [largest, -large, -4],
    [Math.fround(-2e-38), large, -1],
    [Math.fround(2e-38), -large, -1],
    [2 ** 100, 7, Math.fround(2 ** 100 / 7)],
    [-(2 ** 24), 1.5, -11184811],
    [-largest, largest, -1],
    [5, largest, 0],
    [-5, largest, -1],
  ]);
});

test('floorDiv and mod fit together', async () => {
  const random = generator(11);
  const x = Float32Array.from({ length: 3000 }, () => 200 * random() - 100);
  const y = Float32Array.from({ length: 3000 }, () => (random() < 0.5 ? -1 : 1) * (0.01 + 3 * random()));
  const quotients = await floorDiv(tensor(x), tensor(y)).data();
  const rests = await mod(tensor(x), tensor(y)).data();
  x.forEach((value, i) => {
    const divisor = y[i] as number;
    expect((quotients[i] as number) === Math.floor(value / divisor)).toBe(true);
    const rest = value % divisor;
    expect(rests[i]).toBe(Math.fround(rest !== 0 && rest < 0 !== divisor < 0 ? rest + divisor : rest));
  });
});

test('floorDiv and mod of many elements are exact, rare ones among common ones included', async () => {
  const random = generator(12);
  const size = 2 ** 16;
  const y = Float32Array.from({ length: size }, () => (random() < 0.5 ? -1 : 1) * 2 ** (40 * random() - 20));
  const rare = [0, -0, nan, inf, -inf, Math.fround(1e38), 2 ** -101];
  for (let i = 5; i < size; i += 997) y[i] = rare[i % rare.length] as number;
  // Quotients up to 2^21: multiples of 0.5 and their neighbours.
  const x = y.map((divisor) => {
    const quotient = Math.floor(2 ** (22 * random())) / 2;
    return Math.fround(quotient * divisor) * (1 + (Math.floor(3 * random()) - 1) * 2 ** -23);
  });
  for (let i = 7; i < size; i += 499) x[i] = rare[i % rare.length] as number;
  const quotients = await floorDiv(tensor(x), tensor(y)).data();
  const rests = await mod(tensor(x), tensor(y)).data();
  const wrong = Array.from(x, (value, i) => {
    const divisor = y[i] as number;
    const rest = value % divisor;
    const isBelow = rest !== 0 && rest < 0 !== divisor < 0;
    const quotient = Math.floor(value / divisor);
    const isDefined = Number.isFinite(value) && Number.isFinite(divisor) && divisor !== 0;
    const floored = isDefined ? Math.round((value - rest) / divisor) - Number(isBelow) : quotient;
    const modulus = isBelow ? Math.fround(rest + divisor) : rest;
    const isExact = same(quotients[i] as number, Math.fround(floored)) && same(rests[i] as number, modulus);
    return isExact ? [] : [[value, divisor, quotients[i], rests[i]]];
  }).flat();
  expect(wrong).toEqual([]);
});

/** Equal, both NaN, or zeros of any sign. */
const same = (a: number, b: number) => a === b || (Number.isNaN(a) && Number.isNaN(b));

test('integers divide rounding down; by 0 they give 0', async () => {
  const [x, y] = [ints(-7, 7, -7, 7, 6, 5, -5, -(2 ** 31)), ints(2, 2, -2, -2, 3, 0, 0, -1)];
  expect(await listOf(floorDiv(x, y))).toEqual([-4, 3, 3, -4, 2, 0, 0, -(2 ** 31)]);
  expect((await listOf(mod(x, y))).map((value) => value + 0)).toEqual([1, 1, -1, -1, 0, 0, 0, 0]);
  const [u, v] = [uints(7, 4294967295, 5), uints(2, 2, 0)];
  expect(await listOf(floorDiv(u, v))).toEqual([3, 2147483647, 0]);
  expect(await listOf(mod(u, v))).toEqual([1, 1, 0]);
});

test('div of integers is true division, in float32', async () => {
  const quotient = div(ints(7, -7, 1), ints(2, 2, 0));
  expect(quotient.dtype).toBe('float32');
  expect(await listOf(quotient)).toEqual([3.5, -3.5, inf]);
  expect(div(ints(3), bools(true)).dtype).toBe('float32');
});

test('integer arithmetic wraps around', async () => {
  expect(await listOf(add(ints(2 ** 31 - 1), 1))).toEqual([-(2 ** 31)]);
  expect(await listOf(mul(uints(2 ** 31), 2))).toEqual([0]);
  expect(await listOf(sub(uints(0), uints(1)))).toEqual([4294967295]);
});

test('maximum and minimum carry NaN from either side', async () => {
  await expectTable(maximum, [
    [nan, 1, nan],
    [1, nan, nan],
    [nan, inf, nan],
    [-inf, inf, inf],
    [2, -3, 2],
  ]);
  await expectTable(minimum, [
    [nan, 1, nan],
    [-inf, nan, nan],
    [2, -3, -3],
  ]);
});

test('a tie of maximum and minimum gives the whole gradient to the first operand', async () => {
  for (const op of [maximum, minimum]) {
    const [x, y] = [tensor([1, 1]), tensor([1, 1])];
    const tape = new GradientTape();
    tape.watch([x, y]);
    const [dx, dy] = tape.gradient(op(x, y), [x, y]);
    expect(await listOf(dx as Tensor)).toEqual([1, 1]);
    expect(await listOf(dy as Tensor)).toEqual([0, 0]);
  }
});

test('comparisons of NaN are false, but for notEqual', async () => {
  const [x, y] = [tensor([nan, 1, nan, inf]), tensor([1, nan, nan, inf])];
  for (const op of [equal, greaterEqual, lessEqual]) expect(await listOf(op(x, y))).toEqual([0, 0, 0, 1]);
  for (const op of [greater, less]) expect(await listOf(op(x, y))).toEqual([0, 0, 0, 0]);
  expect(await listOf(notEqual(x, y))).toEqual([1, 1, 1, 0]);
  expect(notEqual(x, y).dtype).toBe('bool');
});

test('atan2 of numbers whose reciprocals are subnormal', async () => {
  const large = Math.fround(2e38);
  const pairs = [
    [large, large],
    [large, -large],
    [-large / 2, large],
    [large, 3],
    [-3, large],
  ];
  const columns = [0, 1].map((k) => tensor(pairs.map((pair) => pair[k] as number)));
  const angles = await listOf(atan2(columns[0] as Tensor, columns[1] as Tensor));
  for (const [i, [y, x]] of pairs.entries())
    expect(angles[i]).toBeCloseTo(Math.atan2(y as number, x as number), 6);
});

test('atan2 tells quadrants, zeros and infinities apart', async () => {
  await expectTable(atan2, [
    [0, 1, 0],
    [-0, 1, -0],
    [0, -1, Math.PI],
    [-0, -1, -Math.PI],
    [0, -0, Math.PI],
    [1, 0, Math.PI / 2],
    [-1, 0, -Math.PI / 2],
    [inf, inf, Math.PI / 4],
    [inf, -inf, (3 * Math.PI) / 4],
    [-inf, 5, -Math.PI / 2],
    [1, inf, 0],
    [nan, 1, nan],
    [1, nan, nan],
  ]);
});

describe('a number as operand', () => {
  test('takes the dtype of the other operand', () => {
    expect(add(ints(1), 2).dtype).toBe('int32');
    expect(mul(3, uints(2)).dtype).toBe('uint32');
    expect(add(tensor([1]), 2).dtype).toBe('float32');
    expect(equal(bools(true), 1).dtype).toBe('bool');
  });

  test('makes integers float32 where it is a fraction', async () => {
    const half = mul(ints(3), 0.5);
    expect(half.dtype).toBe('float32');
    expect(await listOf(half)).toEqual([1.5]);
  });

  test('must fit an integer dtype', () => {
    expect(() => add(ints(1), 2 ** 31)).toThrow(ValueError);
    expect(() => sub(uints(1), -1)).toThrow(ValueError);
    expect(() => maximum(ints(1), 1e12)).toThrow(/within/);
  });

  test('is broadcast with the values, not the condition, of where', () => {
    expect(where(bools(true), uints(1), 0).dtype).toBe('uint32');
    expect(where(bools(true), tensor([1]), 0).dtype).toBe('float32');
    expect(where([true, false], 1, 0).dtype).toBe('float32');
  });
});

test('dtypes meet as bool < uint32 < int32 < float32, and int32 never meets uint32', () => {
  expect(add(bools(true), ints(1)).dtype).toBe('int32');
  expect(add(bools(true), uints(1)).dtype).toBe('uint32');
  expect(add(uints(1), tensor([1])).dtype).toBe('float32');
  expect(() => add(uints(1), ints(1))).toThrow(DTypeError);
  expect(() => logicalXor(bools(true), ints(1))).toThrow(DTypeError);
});

test('what where does not choose has no influence, not even NaN', async () => {
  const x = tensor([4, -1]);
  const tape = new GradientTape();
  tape.watch(x);
  const y = where([true, false], sqrt(x), 0);
  expect(await listOf(y)).toEqual([2, 0]);
  expect(await listOf(where([true, false], [1, nan], [nan, 2]))).toEqual([1, 2]);
  tape.dispose();
});
