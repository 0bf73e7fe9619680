/**
 * @file Random tensors and dropout: the generator against its published test vectors, the distributions by their moments,
 * seeds by determinism and independence.
 */
import { beforeAll, describe, expect, test } from 'vitest';
import { DTypeError, type RetrogradError, ShapeError, ValueError } from '../../src/core/errors.ts';
import { setRandomSeed } from '../../src/ops/define/seeds.ts';
import {
  checkpoint,
  dropout,
  fill,
  GradientTape,
  init,
  mul,
  ones,
  randomNormal,
  randomUniform,
  square,
  sum,
  type Tensor,
  tensor,
  truncatedNormal,
} from '../../src/index.ts';

beforeAll(async () => {
  await init();
});

/** Philox4x32-10 in integers of any size. */
function philox(counter: readonly number[], seed: readonly number[]): number[] {
  const word = (x: bigint) => Number(x & 0xffffffffn);
  let [a, b, c, d] = counter.map(BigInt) as [bigint, bigint, bigint, bigint];
  let [k, l] = seed.map(BigInt) as [bigint, bigint];
  for (let round = 0; round < 10; round++) {
    const first = 0xd2511f53n * a;
    const second = 0xcd9e8d57n * c;
    [a, b, c, d] = [
      (second >> 32n) ^ b ^ k,
      second & 0xffffffffn,
      (first >> 32n) ^ d ^ l,
      first & 0xffffffffn,
    ];
    [k, l] = [(k + 0x9e3779b9n) & 0xffffffffn, (l + 0xbb67ae85n) & 0xffffffffn];
  }
  return [a, b, c, d].map(word);
}

/** All 32 bits of the words behind a seed. */
const words = async (length: number, seed: number) =>
  Array.from(await randomUniform([length], { seed, min: 0, max: 2 ** 32, dtype: 'uint32' }).data());

function moments(values: ArrayLike<number>): {
  mean: number;
  deviation: number;
  skew: number;
  kurtosis: number;
} {
  const list = Array.from(values);
  const mean = list.reduce((total, x) => total + x, 0) / list.length;
  const central = (power: number) => list.reduce((total, x) => total + (x - mean) ** power, 0) / list.length;
  const deviation = Math.sqrt(central(2));
  return { mean, deviation, skew: central(3) / deviation ** 3, kurtosis: central(4) / deviation ** 4 };
}

/** Of two lists, as far as both reach. */
function correlation(a: ArrayLike<number>, b: ArrayLike<number>): number {
  const length = Math.min(a.length, b.length);
  const [first, second] = [a, b].map((values) => Array.from(values).slice(0, length)) as [number[], number[]];
  const [x, y] = [moments(first), moments(second)];
  const products = first.map((value, i) => (value - x.mean) * ((second[i] as number) - y.mean));
  return products.reduce((total, p) => total + p, 0) / length / x.deviation / y.deviation;
}

const count = 40_000;
/** Five standard errors of a mean of `count` values with deviation 1. */
const noise = 5 / Math.sqrt(count);

describe('the generator', () => {
  test('the reference in this file gives the published vectors', () => {
    // Random123 1.14, tests/kat_vectors.
    expect(philox([0, 0, 0, 0], [0, 0])).toEqual([0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8]);
    const full = 0xffffffff;
    expect(philox([full, full, full, full], [full, full])).toEqual([
      0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd,
    ]);
    expect(philox([0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344], [0xa4093822, 0x299f31d0])).toEqual([
      0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1,
    ]);
  });

  test.each([0, 1, 42, 2 ** 32 - 1, 2 ** 32 + 5, 2 ** 53 - 1])('seed %d gives its words', async (seed) => {
    const expected = [0, 1, 2].flatMap((i) =>
      philox([i, 0, 0, 0], [seed % 2 ** 32, Math.floor(seed / 2 ** 32)]),
    );
    expect(await words(11, seed)).toEqual(expected.slice(0, 11));
  });
});

describe('seeds', () => {
  test('of a program that sets the first are the same at every run', async () => {
    const drawn = async () => {
      setRandomSeed(5);
      return [await randomUniform([4]).data(), await randomNormal([4]).data()];
    };
    expect(await drawn()).toEqual(await drawn());
    expect(() => setRandomSeed(-1)).toThrow(ValueError);
    expect(() => setRandomSeed(2 ** 53)).toThrow(ValueError);
  });

  test('the same seed gives the same values, and a prefix of a longer tensor', async () => {
    for (const make of [randomUniform, randomNormal, truncatedNormal]) {
      const [a, b] = [await make([5, 7], { seed: 9 }).data(), await make([101], { seed: 9 }).data()];
      expect(Array.from(a)).toEqual(Array.from(b.slice(0, 35)));
    }
  });

  test('neighbouring seeds are uncorrelated, also shifted against one another', async () => {
    const draw = async (seed: number) => randomUniform([count], { seed }).data();
    const first = await draw(100);
    for (const seed of [101, 102, 100 + 2 ** 32]) {
      const other = await draw(seed);
      expect(Math.abs(correlation(first, other))).toBeLessThan(noise);
      expect(Math.abs(correlation(first.subarray(1), other))).toBeLessThan(noise);
      expect(Math.abs(correlation(first, other.subarray(4)))).toBeLessThan(2 * noise);
    }
    expect(Math.abs(correlation(first, first.subarray(1)))).toBeLessThan(2 * noise);
  });

  test('without a seed every call is another', async () => {
    const [a, b] = [await words(4, 1), await randomUniform([4]).data()];
    const c = await randomUniform([4]).data();
    expect(Array.from(b)).not.toEqual(Array.from(c));
    expect(a).not.toEqual(Array.from(b));
  });
});

describe('randomUniform', () => {
  test('is uniform in [min, max)', async () => {
    const values = await randomUniform([count], { seed: 3, min: -2, max: 6 }).data();
    const { mean, deviation, kurtosis } = moments(values);
    expect(Math.abs(mean - 2)).toBeLessThan(noise * deviation);
    expect(deviation).toBeCloseTo(8 / Math.sqrt(12), 1);
    expect(kurtosis).toBeCloseTo(1.8, 1);
    expect(Math.min(...values)).toBeGreaterThanOrEqual(-2);
    expect(Math.max(...values)).toBeLessThan(6);
    const bins = new Array<number>(16).fill(0);
    for (const value of values)
      bins[Math.floor((value + 2) * 2)] = (bins[Math.floor((value + 2) * 2)] as number) + 1;
    const expected = count / 16;
    const chiSquared = bins.reduce((total, n) => total + (n - expected) ** 2 / expected, 0);
    // 15 degrees of freedom: more than 44 has a probability of 10^-4.
    expect(chiSquared).toBeLessThan(44);
  });

  test('never reaches the upper bound, even where the sum rounds to it', async () => {
    const values = await randomUniform([count], { seed: 8, min: 1e6, max: 1e6 + 0.25 }).data();
    expect(Math.max(...values)).toBeLessThan(1e6 + 0.25);
    expect(Math.min(...values)).toBe(1e6);
  });

  test('draws integers of any range', async () => {
    const dice = await randomUniform([count], { seed: 4, min: 1, max: 7, dtype: 'int32' }).data();
    const faces = [1, 2, 3, 4, 5, 6].map((face) => dice.filter((value) => value === face).length);
    expect(faces.reduce((total, n) => total + n, 0)).toBe(count);
    for (const n of faces) expect(Math.abs(n - count / 6)).toBeLessThan(5 * Math.sqrt(count / 6));
    const wide = await randomUniform([1000], {
      seed: 4,
      min: -(2 ** 31),
      max: 2 ** 31,
      dtype: 'int32',
    }).data();
    expect(wide.some((value) => value < -(2 ** 30)) && wide.some((value) => value > 2 ** 30)).toBe(true);
    const negative = await randomUniform([1000], { seed: 4, min: -5, max: -3, dtype: 'int32' }).data();
    expect([...new Set(negative)].sort()).toEqual([-4, -5]);
  });

  test('tosses coins as bools', async () => {
    const coins = await randomUniform([count], { seed: 5, dtype: 'bool' }).data();
    const heads = coins.filter((value) => value === 1).length;
    expect(Math.abs(heads - count / 2)).toBeLessThan(2.5 * Math.sqrt(count));
    expect(coins.every((value) => value === 0 || value === 1)).toBe(true);
  });
});

test('randomNormal has normal moments', async () => {
  const { mean, deviation, skew, kurtosis } = moments(
    await randomNormal([count], { seed: 6, mean: 3, stddev: 2 }).data(),
  );
  expect(Math.abs(mean - 3)).toBeLessThan(2 * noise);
  expect(Math.abs(deviation - 2)).toBeLessThan(2 * noise);
  expect(Math.abs(skew)).toBeLessThan(3 * noise);
  expect(Math.abs(kurtosis - 3)).toBeLessThan(5 * noise);
});

test('randomNormal reaches far into the tails, and pairs are uncorrelated', async () => {
  const values = await randomNormal([4 * count], { seed: 7 }).data();
  const beyond = values.filter((value) => Math.abs(value) > 3).length;
  expect(Math.abs(beyond - 4 * count * 0.0027)).toBeLessThan(5 * Math.sqrt(4 * count * 0.0027));
  expect(values.every(Number.isFinite)).toBe(true);
  const even = values.filter((_, i) => i % 2 === 0);
  const odd = values.filter((_, i) => i % 2 === 1);
  expect(Math.abs(correlation(even, odd))).toBeLessThan(noise);
});

test('randomNormal rounds integers', async () => {
  const values = randomNormal([100], { seed: 1, stddev: 10, dtype: 'int32' });
  const floats = await randomNormal([100], { seed: 1, stddev: 10 }).data();
  expect(Array.from(await values.data())).toEqual(Array.from(floats, (value) => Math.round(value) + 0));
});

test('truncatedNormal stays within two deviations and has the moments of the cut bell', async () => {
  const values = await truncatedNormal([count], { seed: 2, mean: 1, stddev: 3 }).data();
  const { mean, deviation, skew } = moments(values);
  expect(Math.max(...values)).toBeLessThanOrEqual(7);
  expect(Math.min(...values)).toBeGreaterThanOrEqual(-5);
  expect(Math.max(...values)).toBeGreaterThan(6.9);
  expect(Math.abs(mean - 1)).toBeLessThan(3 * noise);
  expect(deviation / 3).toBeCloseTo(0.8796, 1.5);
  expect(Math.abs(skew)).toBeLessThan(3 * noise);
  // Half of the values lie within the quartiles of the cut bell, ±0.6400.
  const inner = values.filter((value) => Math.abs(value - 1) < 3 * 0.64).length;
  expect(Math.abs(inner / count - 0.5)).toBeLessThan(noise / 2);
});

describe('bad input', () => {
  const uniform = (options: object) => () => randomUniform([2], options);
  const normal = (options: object) => () => randomNormal([2], options);
  test.each<[string, () => unknown, new (...args: never[]) => RetrogradError]>([
    ['a fractional seed', uniform({ seed: 0.5 }), ValueError],
    ['a negative seed', normal({ seed: -1 }), ValueError],
    ['a seed beyond 2^53', normal({ seed: 2 ** 53 }), ValueError],
    ['a seed that is text', normal({ seed: '1' }), ValueError],
    ['bounds out of order', uniform({ min: 1, max: 1 }), ValueError],
    ['infinite bounds', uniform({ max: Number.POSITIVE_INFINITY }), ValueError],
    ['integers without bound', uniform({ dtype: 'int32' }), ValueError],
    ['fractional bounds of integers', uniform({ dtype: 'int32', max: 2.5 }), ValueError],
    ['bounds beyond the dtype', uniform({ dtype: 'uint32', min: -1, max: 3 }), ValueError],
    ['bounds of coins', uniform({ dtype: 'bool', max: 3 }), ValueError],
    ['an unknown dtype', uniform({ dtype: 'float16' }), DTypeError],
    ['a negative deviation', normal({ stddev: -1 }), ValueError],
    ['a mean that is NaN', normal({ mean: Number.NaN }), ValueError],
    ['normal bools', normal({ dtype: 'bool' }), DTypeError],
    ['a fractional shape', () => truncatedNormal([2.5]), ShapeError],
    ['a negative shape', () => randomUniform([-2]), ShapeError],
  ])('%s', (_, body, type) => {
    let thrown: unknown;
    try {
      body();
    } catch (error) {
      thrown = error;
    }
    expect(thrown).toBeInstanceOf(type);
    const { rule, received, hint } = thrown as RetrogradError;
    expect([rule, received, hint].every(Boolean)).toBe(true);
  });

  test('empty tensors are fine', async () => {
    expect(await randomUniform([0, 3]).array()).toEqual([]);
    expect(randomNormal([]).shape).toEqual([]);
  });
});

describe('dropout', () => {
  test('clears the fraction and scales the rest', async () => {
    for (const rate of [0.1, 0.5, 0.9]) {
      const values = await dropout(ones([count]), { rate, seed: 12 }).data();
      const kept = values.filter((value) => value !== 0);
      expect(new Set(kept)).toEqual(new Set([Math.fround(1 / (1 - rate))]));
      expect(Math.abs(kept.length / count - (1 - rate))).toBeLessThan(noise * Math.sqrt(rate * (1 - rate)));
    }
  });

  test('the gradient uses the mask of the forward call, with a seed and without', async () => {
    for (const seed of [5, undefined]) {
      const x = ones([1000]);
      const tape = new GradientTape();
      tape.watch(x);
      const y = dropout(x, { rate: 0.3, seed });
      const dx = tape.gradient(sum(y), x) as Tensor;
      expect(Array.from(await dx.data())).toEqual(Array.from(await y.data()));
    }
  });

  test('without a seed every call clears others', async () => {
    const x = ones([100]);
    const [a, b] = [await dropout(x, { rate: 0.5 }).data(), await dropout(x, { rate: 0.5 }).data()];
    expect(Array.from(a)).not.toEqual(Array.from(b));
  });

  test('a checkpoint computes the mask of its first run again', async () => {
    const x = fill([64], 2);
    const tape = new GradientTape();
    tape.watch(x);
    const y = checkpoint((input) => square(dropout(input, { rate: 0.5 })))(x);
    const dx = tape.gradient(y, x) as Tensor;
    expect(Array.from(await dx.data())).toEqual(Array.from(await y.data()));
  });

  test('axes of size 1 in the noise shape are cleared as one', async () => {
    const rows = (await dropout(ones([50, 4]), {
      rate: 0.5,
      seed: 1,
      noiseShape: [50, 1],
    }).array()) as number[][];
    expect(rows.every((row) => new Set(row).size === 1)).toBe(true);
    expect(new Set(rows.flat()).size).toBe(2);
  });

  test('cleared elements are 0, even where x is not finite', async () => {
    const x = tensor(new Array<number>(64).fill(Number.POSITIVE_INFINITY));
    for (const noiseShape of [undefined, [1]])
      expect((await dropout(x, { rate: 0.5, seed: 3, noiseShape }).data()).some(Number.isNaN)).toBe(false);
  });

  test('is independent of a random tensor with the same seed', async () => {
    const mask = await dropout(ones([count]), { rate: 0.5, seed: 21 }).data();
    const values = await randomUniform([count], { seed: 21 }).data();
    expect(Math.abs(correlation(mask, values))).toBeLessThan(noise);
  });

  test('a rate of 0 keeps everything', async () => {
    expect(await mul(dropout(tensor([1, 2, 3]), { rate: 0 }), 1).array()).toEqual([1, 2, 3]);
  });
});
