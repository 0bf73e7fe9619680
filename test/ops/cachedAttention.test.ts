/** @file Attention with a cache of keys and values, step by step, against float64 loops over all rows so far, and PyTorch. */
import { beforeAll, describe, expect, test } from 'vitest';
import {
  cachedAttention,
  type CachedAttentionOptions,
  compile,
  DTypeError,
  IndexOutOfRangeError,
  init,
  keyValueCache,
  type KeyValueCacheOptions,
  memory,
  ShapeError,
  type Tensor,
  tensor,
  tidy,
  ValueError,
  zeros,
} from '../../src/index.ts';
import { float16ToNumber, numberToFloat16 } from '../../src/core/float16.ts';
import { getDevice } from '../../src/webgpu/current.ts';
import golden from '../fixtures/attention/cachedAttention.json' with { type: 'json' };
import { adapterClasses, asAdapter } from '../support/adapterClass.ts';
import { generator } from './samples/draw.ts';

beforeAll(async () => {
  await init();
});

interface Step {
  rows: number;
  /** Rows of each sequence that aren't padding. */
  counts?: number[];
}

interface Case {
  name: string;
  cache: Omit<KeyValueCacheOptions, 'layers'>;
  heads: number;
  options?: CachedAttentionOptions;
  steps: Step[];
}

const decoding = (count: number): Step[] => Array.from({ length: count }, () => ({ rows: 1 }));

const cases: Case[] = [
  {
    name: 'one head, a row at a time',
    cache: { batch: 1, maxLength: 5, heads: 1, size: 4 },
    heads: 1,
    steps: decoding(5),
  },
  {
    name: 'a padded prompt, then steps',
    cache: { batch: 2, maxLength: 12, heads: 2, size: 8 },
    heads: 2,
    steps: [{ rows: 6, counts: [6, 2] }, ...decoding(3), { rows: 2, counts: [1, 2] }],
  },
  {
    name: 'grouped queries, values of another size',
    cache: { batch: 2, maxLength: 40, heads: 2, size: 64, valueSize: 20 },
    heads: 6,
    steps: [{ rows: 9 }, { rows: 1 }, { rows: 3 }],
  },
  {
    name: 'odd sizes, one head of keys for seven of queries',
    cache: { batch: 1, maxLength: 30, heads: 1, size: 5, valueSize: 3 },
    heads: 7,
    options: { scale: 0.7 },
    steps: [{ rows: 4 }, { rows: 1 }],
  },
  {
    name: 'several blocks of keys, a window and a softcap',
    cache: { batch: 1, maxLength: 400, heads: 2, size: 12 },
    heads: 4,
    options: { window: 150, softcap: 2 },
    steps: [{ rows: 290 }, ...decoding(2), { rows: 5 }],
  },
  {
    name: 'a window of one row',
    cache: { batch: 1, maxLength: 20, heads: 1, size: 4 },
    heads: 2,
    options: { window: 1 },
    steps: [{ rows: 7 }, { rows: 1 }],
  },
  {
    name: 'float16, keys that workgroups share',
    cache: { batch: 1, maxLength: 1300, heads: 1, size: 16, dtype: 'float16' },
    heads: 2,
    steps: [{ rows: 1100 }, ...decoding(2)],
  },
  {
    name: 'workgroups that share few keys, and a window',
    cache: { batch: 2, maxLength: 1024, heads: 1, size: 8 },
    heads: 3,
    options: { window: 5, softcap: 1.5 },
    steps: [{ rows: 2, counts: [2, 0] }, ...decoding(2), { rows: 8 }],
  },
  {
    name: 'large heads',
    cache: { batch: 1, maxLength: 9, heads: 1, size: 272, valueSize: 512 },
    heads: 3,
    steps: [{ rows: 3 }, { rows: 1 }],
  },
];

/** Drawn rows in [-1, 1), [batch, length, heads, size]. */
function draw(shape: readonly number[], seed: number): Float32Array {
  const random = generator(seed);
  return Float32Array.from({ length: shape.reduce((a, b) => a * b, 1) }, () => 2 * random() - 1);
}

/** All rows of each sequence so far, in float64. */
class Reference {
  readonly #keys: Float64Array[][];
  readonly #values: Float64Array[][];

  constructor(private readonly given: Case) {
    this.#keys = Array.from({ length: given.cache.batch }, () => []);
    this.#values = Array.from({ length: given.cache.batch }, () => []);
  }

  /** Appends rows, and returns the results of the queries. */
  step(query: Float32Array, key: Float32Array, value: Float32Array, { rows, counts }: Step): Float64Array {
    const { cache, heads, options = {} } = this.given;
    const { batch, heads: keyHeads, size, valueSize = size, dtype } = cache;
    const { scale = 1 / Math.sqrt(size), window = Infinity, softcap = null } = options;
    const round = (x: number) => (dtype === 'float16' ? float16ToNumber(numberToFloat16(x)) : x);
    const out = new Float64Array(batch * rows * heads * valueSize);
    for (let b = 0; b < batch; b++) {
      const [keys, values] = [this.#keys[b] as Float64Array[], this.#values[b] as Float64Array[]];
      for (let i = 0; i < (counts?.[b] ?? rows); i++) {
        const rowOf = (x: Float32Array, n: number) =>
          Float64Array.from(
            x.subarray((b * rows + i) * keyHeads * n, (b * rows + i + 1) * keyHeads * n),
            round,
          );
        keys.push(rowOf(key, size));
        values.push(rowOf(value, valueSize));
        const first = Math.max(0, keys.length - (window ?? Infinity));
        for (let h = 0; h < heads; h++) {
          const at = (b * rows + i) * heads + h;
          const group = Math.floor(h / (heads / keyHeads));
          const scores = keys.slice(first).map((line) => {
            let product = 0;
            for (let k = 0; k < size; k++)
              product += (query[at * size + k] as number) * (line[group * size + k] as number);
            const score = product * (scale as number);
            return softcap ? softcap * Math.tanh(score / softcap) : score;
          });
          const largest = scores.reduce((a, c) => Math.max(a, c));
          const powers = scores.map((score) => Math.exp(score - largest));
          const total = powers.reduce((a, c) => a + c);
          for (const [j, power] of powers.entries())
            for (let v = 0; v < valueSize; v++)
              (out[at * valueSize + v] as number) +=
                (power / total) * ((values[first + j] as Float64Array)[group * valueSize + v] as number);
        }
      }
    }
    return out;
  }
}

async function expectClose(found: Tensor, expected: Float64Array): Promise<void> {
  const values = await found.data();
  expect(values.length).toBe(expected.length);
  let worst = 0;
  expected.forEach((value, i) => {
    worst = Math.max(worst, Math.abs((values[i] as number) - value));
  });
  expect(worst).toBeLessThan(3e-6);
}

/** A step of PyTorch: inputs are in units of 1/4096. */
interface GoldenStep extends Step {
  /** The rows of each sequence before, if the last ones are forgotten. */
  lengths?: number[];
  query: number[];
  key: number[];
  value: number[];
  out: number[];
}

const goldenCases = golden.cases as unknown as (Omit<Case, 'steps'> & { steps: GoldenStep[] })[];

describe.each(adapterClasses)('as on a %s', (kind) => {
  test.each(goldenCases.map((given) => [given.name, given] as const))('PyTorch: %s', (_, given) =>
    asAdapter(kind, async () => {
      const { cache: sizes, heads, options, steps } = given;
      const { batch, heads: keyHeads, size, valueSize = size } = sizes;
      const cache = keyValueCache({ layers: 1, ...sizes });
      const [layer] = cache.layers as [(typeof cache.layers)[0]];
      const made = (values: number[], ...shape: number[]) =>
        tensor(
          Float32Array.from(values, (value) => value / 4096),
          { shape },
        );
      for (const { rows, counts, lengths, query, key, value, out } of steps) {
        if (lengths) cache.lengths.assign(tensor(lengths, { dtype: 'int32' }));
        const positions = cache.advance(rows, counts ?? null);
        const found = cachedAttention(
          made(query, batch, rows, heads, size),
          made(key, batch, rows, keyHeads, size),
          made(value, batch, rows, keyHeads, valueSize),
          positions,
          layer,
          options,
        );
        await expectClose(found, Float64Array.from(out));
      }
      cache.dispose();
    }),
  );

  test.each(cases.map((given) => [given.name, given] as const))('%s', (_, given) =>
    asAdapter(kind, async () => {
      const { cache: sizes, heads, options, steps } = given;
      const { batch, heads: keyHeads, size, valueSize = size } = sizes;
      const cache = keyValueCache({ layers: 2, ...sizes });
      const reference = new Reference(given);
      for (const [i, step] of steps.entries()) {
        const shapes = [
          [batch, step.rows, heads, size],
          [batch, step.rows, keyHeads, size],
          [batch, step.rows, keyHeads, valueSize],
        ] as const;
        const host = shapes.map((shape, k) => draw(shape, 10 * i + k)) as [
          Float32Array,
          Float32Array,
          Float32Array,
        ];
        const [query, key, value] = host.map((x, k) => tensor(x, { shape: [...(shapes[k] ?? [])] })) as [
          Tensor,
          Tensor,
          Tensor,
        ];
        const positions = cache.advance(step.rows, step.counts ?? null);
        const found = cachedAttention(query, key, value, positions, cache.layers[1] as never, options);
        await expectClose(found, reference.step(...host, step));
      }
      expect(cache.bytes).toBe(
        2 * batch * sizes.maxLength * keyHeads * (size + valueSize) * (sizes.dtype === 'float16' ? 2 : 4),
      );
      cache.dispose();
    }),
  );

  test('compile replays one recording at every position, with a launch for a layer and one for the positions', () =>
    asAdapter(kind, async () => {
      const given: Case = {
        name: '',
        cache: { batch: 1, maxLength: 20, heads: 2, size: 8, dtype: 'float16' },
        heads: 4,
        steps: [],
      };
      const cache = keyValueCache({ layers: 2, ...given.cache });
      const references = cache.layers.map(() => new Reference(given));
      const step = compile((query: Tensor, key: Tensor, value: Tensor) => {
        const positions = cache.advance(query.shape[1] as number);
        return cache.layers.map((layer) => cachedAttention(query, key, value, positions, layer));
      });
      const { statistics } = getDevice().stream;
      for (let i = 0; i < 12; i++) {
        const host = [draw([1, 1, 4, 8], i), draw([1, 1, 2, 8], i + 50), draw([1, 1, 2, 8], i + 90)] as const;
        const inputs = host.map((x, k) => tensor(x, { shape: [1, 1, k === 0 ? 4 : 2, 8] }));
        const before = statistics.launches;
        const found = step(...(inputs as [Tensor, Tensor, Tensor]));
        expect(statistics.launches - before).toBe(3);
        for (const [l, reference] of references.entries())
          await expectClose(found[l] as Tensor, reference.step(...host, { rows: 1 }));
      }
      expect(step.explain()).toHaveLength(1);
      cache.dispose();
    }));

  test('overflow: the sequence that has no room keeps its rows, others go on', () =>
    asAdapter(kind, async () => {
      const cache = keyValueCache({ layers: 1, batch: 2, maxLength: 4, heads: 1, size: 4 });
      const [layer] = cache.layers as [(typeof cache.layers)[0]];
      const rows = (n: number, seed: number) => tensor(draw([2, n, 1, 4], seed), { shape: [2, n, 1, 4] });
      const attend = (n: number, counts: number[] | null = null) => {
        const positions = cache.advance(n, counts);
        return cachedAttention(rows(n, 1), rows(n, 2), rows(n, 3), positions, layer);
      };
      await attend(3, [3, 1]).data();
      const before = await layer.keys.data();
      const failed = attend(2);
      await expect(failed.data()).rejects.toThrow(IndexOutOfRangeError);
      // What the step wrote reports the fault to its first reader, too.
      for (const written of [layer.keys, cache.lengths])
        await expect(written.data()).rejects.toThrow(IndexOutOfRangeError);
      const after = await layer.keys.data();
      // The first sequence has its three rows.
      expect(Array.from(after.subarray(0, 16))).toEqual(Array.from(before.subarray(0, 16)));
      expect(Array.from(await cache.lengths.data())).toEqual([3, 3]);
      await attend(1).data();
      expect(Array.from(await cache.lengths.data())).toEqual([4, 4]);
      const full = cache.advance(1);
      await expect(full.data()).rejects.toMatchObject({
        op: 'advance',
        position: [0],
        index: 4,
        limit: 4,
        message: expect.stringContaining('room for 4 rows'),
      });
      cache.reset();
      expect(Array.from(await cache.advance(2).data())).toEqual([0, 1, 0, 1]);
      cache.dispose();
    }));
});

test('what doesn’t fit is rejected', () => {
  const cache = keyValueCache({ layers: 1, batch: 1, maxLength: 4, heads: 2, size: 4 });
  const [layer] = cache.layers as [(typeof cache.layers)[0]];
  const [q, k] = [zeros([1, 1, 4, 4]), zeros([1, 1, 2, 4])];
  const positions = tensor([[0]], { dtype: 'int32' });
  const options = { layers: 1, batch: 1, maxLength: 4, heads: 2, size: 4 };
  expect(() => cachedAttention(zeros([1, 1, 3, 4]), k, k, positions, layer)).toThrow(ShapeError);
  expect(() => cachedAttention(q, zeros([1, 1, 1, 4]), k, positions, layer)).toThrow(ShapeError);
  expect(() => cachedAttention(q, k, zeros([1, 1, 2, 5]), positions, layer)).toThrow(ShapeError);
  expect(() => cachedAttention(q, k, k, tensor([0], { dtype: 'int32' }), layer)).toThrow(ShapeError);
  expect(() => cachedAttention(q, k, k, zeros([1, 1]), layer)).toThrow(DTypeError);
  expect(() => cachedAttention(q, k, k, positions, {} as never)).toThrow(ValueError);
  expect(() => cachedAttention(q, k, k, positions, { keys: layer.keys, values: layer.keys })).toThrow(
    ValueError,
  );
  const narrow = keyValueCache({ layers: 1, batch: 1, maxLength: 4, heads: 2, size: 4, dtype: 'float16' });
  const mixed = { keys: narrow.layers[0]?.keys, values: layer.values } as typeof layer;
  expect(() => cachedAttention(q, k, k, positions, mixed)).toThrow(ValueError);
  narrow.dispose();
  expect(() => cache.advance(1, [0.5])).toThrow(/integers/);
  expect(() => cachedAttention(q, k, k, positions, layer, { window: 0 })).toThrow(ValueError);
  expect(() => cachedAttention(q, k, k, positions, layer, { softcap: -1 })).toThrow(ValueError);
  expect(() => cachedAttention(q, k, k, positions, layer, { mask: k } as never)).toThrow(ValueError);
  expect(() => cache.advance(5)).toThrow(ShapeError);
  expect(() => cache.advance(0)).toThrow(ValueError);
  expect(() => cache.advance(1, [1, 1])).toThrow(ShapeError);
  expect(() => keyValueCache({ ...options, batch: 0 })).toThrow(ValueError);
  expect(() => keyValueCache({ ...options, size: 6, dtype: 'float16' })).toThrow(ShapeError);
  expect(() => keyValueCache({ ...options, size: 600 })).toThrow(ShapeError);
  expect(() => keyValueCache({ ...options, dtype: 'int8' as never })).toThrow(ValueError);
  cache.dispose();
});

test('a generation takes the memory of its cache, which dispose frees', () => {
  const { tensors, bytes } = memory();
  const cache = keyValueCache({ layers: 3, batch: 1, maxLength: 64, heads: 2, size: 8, dtype: 'float16' });
  const [query, key] = [zeros([1, 1, 2, 8]), zeros([1, 1, 2, 8])];
  for (let i = 0; i < 20; i++) {
    tidy(() => {
      const positions = cache.advance(1);
      for (const layer of cache.layers) cachedAttention(query, key, key, positions, layer);
    });
  }
  query.dispose();
  key.dispose();
  cache.dispose();
  expect(memory().tensors).toBe(tensors);
  expect(memory().bytes).toBe(bytes);
});

describe.each(adapterClasses)('positions that no cache gave out, as on a %s', (kind) => {
  const made = () => keyValueCache({ layers: 1, batch: 2, maxLength: 8, heads: 2, size: 4 });
  const attend = (cache: ReturnType<typeof made>, positions: Tensor | number[][]) => {
    const rows = tensor(new Float32Array(32).fill(1), { shape: [2, 2, 2, 4] });
    return cachedAttention(rows, rows, rows, positions, cache.layers[0] as never);
  };
  const read = (positions: number[][], isTensor: boolean) =>
    asAdapter(kind, async () => {
      const cache = made();
      const given = isTensor ? tensor(positions, { dtype: 'int32' }) : positions;
      const result = await attend(cache, given).data();
      return { result, keys: await cache.layers[0]?.keys.data() };
    });
  const behind = [
    [6, 7],
    [7, 8],
  ];

  test('one behind the end is reported if the host knows it', () =>
    expect(read(behind, false)).rejects.toMatchObject({
      op: 'cachedAttention',
      position: [1, 1],
      index: 8,
      limit: 8,
    }));

  const outside = { op: 'cachedAttention', position: [1, 1], index: 8, limit: 8, axis: 1 };

  test('otherwise it isn’t written, its result is 0, and readers of the result and of the cache get the fault', () =>
    asAdapter(kind, async () => {
      const cache = made();
      const [{ keys, values }] = cache.layers as [(typeof cache.layers)[0]];
      const attended = attend(cache, tensor(behind, { dtype: 'int32' }));
      const kept = zeros([2]);
      const next = attend(cache, [
        [0, -1],
        [-1, 0],
      ]);
      for (const reader of [attended, keys, values, next])
        await expect(reader.data()).rejects.toMatchObject(outside);
      await kept.data();
      const result = await attended.data();
      // Next to seven keys of zeros, the row itself has a score of 2.
      const weight = Math.exp(2) / (Math.exp(2) + 7);
      for (const [i, x] of result.subarray(16).entries()) expect(x).toBeCloseTo(i < 8 ? weight : 0, 6);
      // Three rows of the first call, two of the second.
      expect((await keys.data()).filter((x) => x !== 0)).toHaveLength(40);
      cache.dispose();
    }));

  test('compiled steps report it at the call that has it', () =>
    asAdapter(kind, async () => {
      const cache = made();
      const step = compile((positions: Tensor) => attend(cache, positions));
      const at = (rows: number[][]) => step(tensor(rows, { dtype: 'int32' })) as Tensor;
      for (const rows of [
        [
          [0, 1],
          [0, -1],
        ],
        [
          [2, 3],
          [1, 2],
        ],
      ])
        await at(rows).data();
      await expect(at(behind).data()).rejects.toMatchObject(outside);
      await expect(cache.layers[0]?.keys.data()).rejects.toMatchObject(outside);
      await at([
        [4, 5],
        [3, 4],
      ]).data();
      cache.dispose();
    }));

  test('positions that a smaller cache gave out aren’t checked, those of a larger one are', () =>
    asAdapter(kind, async () => {
      const [cache, smaller, larger] = [8, 6, 12].map((maxLength) =>
        keyValueCache({ layers: 1, batch: 2, maxLength, heads: 2, size: 4 }),
      ) as [ReturnType<typeof made>, ReturnType<typeof made>, ReturnType<typeof made>];
      const { statistics } = getDevice().stream;
      const launchesOf = (positions: Tensor) => {
        const before = statistics.launches;
        attend(cache, positions);
        return statistics.launches - before;
      };
      expect(launchesOf(cache.advance(2))).toBe(1);
      expect(launchesOf(smaller.advance(2))).toBe(1);
      expect(launchesOf(larger.advance(2))).toBe(2);
      larger.lengths.assign(tensor([8, 7], { dtype: 'int32' }));
      await expect(attend(cache, larger.advance(2)).data()).rejects.toMatchObject({
        ...outside,
        position: [0, 0],
      });
      for (const one of [cache, smaller, larger]) one.dispose();
    }));

  test('all negative positions are padding', async () => {
    const { result, keys } = await read(
      [
        [-2, -1],
        [-(2 ** 31), 0],
      ],
      true,
    );
    expect(Array.from(result)).toEqual([...new Array(24).fill(0), ...new Array(8).fill(1)]);
    // Only the first row of the second sequence is written.
    expect(Array.from(keys as Float32Array).flatMap((x, i) => (x === 0 ? [] : [i]))).toEqual(
      Array.from({ length: 8 }, (_, i) => 64 + i),
    );
  });

  test.each([
    ['below 0', -3, /has a length of -3/],
    ['beyond the end', 9, /room for 8 rows of a sequence: sequence 1 would have 9/],
    ['the largest int32', 2 ** 31 - 1, /would have 2147483647/],
  ])('a length that is %s is reported', (_, length, message) =>
    asAdapter(kind, async () => {
      const cache = made();
      cache.lengths.assign(tensor([3, length], { dtype: 'int32' }));
      await expect(cache.advance(2).data()).rejects.toThrow(message);
      await expect(cache.lengths.data()).rejects.toThrow(IndexOutOfRangeError);
      expect(Array.from(await cache.lengths.data())).toEqual([5, length]);
      cache.dispose();
    }),
  );

  test.each([
    ['more than the rows', [3, 1], 0, 3],
    ['below 0', [1, -4], 1, -4],
  ])('a count that is %s is reported, and keeps its sequence as it is', (_, counts, sequence, index) =>
    asAdapter(kind, async () => {
      const cache = made();
      await expect(cache.advance(2, tensor(counts, { dtype: 'int32' })).data()).rejects.toMatchObject({
        op: 'advance',
        position: [sequence],
        index,
        limit: 3,
      });
      // The lengths, which the call wrote, report it to their first reader, too.
      await expect(cache.lengths.data()).rejects.toThrow(IndexOutOfRangeError);
      expect((await cache.lengths.data())[sequence]).toBe(0);
      expect(() => cache.advance(2, counts)).toThrow(IndexOutOfRangeError);
    }),
  );
});
