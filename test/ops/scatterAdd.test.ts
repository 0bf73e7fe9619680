/**
 * @file Scatter-add against sums in float64, and bit for bit the same on every run. All ways of grouping give one list,
 * so sums are tested only with the cheapest: a radix sort takes a CPU seconds.
 */
import { beforeAll, describe, expect, test } from 'vitest';
import { init, ones, scatterAdd, scatterNd, segmentSum, type Tensor, tensor, tidy } from '../../src/index.ts';
import { adapterProfiles } from '../../src/kernels/selection/adapterProfiles.ts';
import { type Indexing, unchecked } from '../../src/kernels/indexing/indexing.ts';
import {
  type ScatterAlgorithm,
  scatterAddKernel,
  selectScatter,
} from '../../src/kernels/indexing/scatter.ts';
import { groupByKey } from '../../src/kernels/sorting/sort.ts';
import { generator } from './samples/draw.ts';

beforeAll(async () => {
  await init();
});

interface Problem {
  batch: number;
  outer: number;
  rows: number;
  entries: number;
  inner: number;
  indices: Int32Array;
  updates: Float32Array;
}

type Geometry = Omit<Problem, 'indices' | 'updates'>;
type Distribution = (random: () => number, rows: number, entry: number) => number;

const distributions: Record<string, Distribution> = {
  uniform: (random, rows) => Math.floor(random() * rows),
  // Frequency falls as 1 / rank: the first rows get most of the entries.
  zipf: (random, rows) => Math.min(rows - 1, Math.floor(rows ** random()) - 1),
  equal: (_, rows) => Math.min(3, rows - 1),
  'partly outside': (random, rows) => Math.floor(random() * 1.5 * rows - 0.25 * rows),
};

function problem(geometry: Geometry, distribution: Distribution): Problem {
  const random = generator(geometry.entries + geometry.rows);
  const { batch, outer, rows, entries, inner } = geometry;
  return {
    ...geometry,
    indices: Int32Array.from({ length: batch * entries }, (_, entry) => distribution(random, rows, entry)),
    updates: Float32Array.from({ length: batch * outer * entries * inner }, () => 2 * random() - 1),
  };
}

function expected({ batch, outer, rows, entries, inner, indices, updates }: Problem) {
  const sums = new Float64Array(batch * outer * rows * inner);
  const magnitudes = new Float64Array(sums.length);
  for (let run = 0; run < batch * outer * entries; run++) {
    const block = Math.floor(run / entries);
    const row = indices[Math.floor(block / outer) * entries + (run % entries)] as number;
    if (row < 0 || row >= rows) continue;
    for (let i = 0; i < inner; i++) {
      const at = (block * rows + row) * inner + i;
      const value = updates[run * inner + i] as number;
      sums[at] = (sums[at] as number) + value;
      magnitudes[at] = (magnitudes[at] as number) + Math.abs(value);
    }
  }
  return { sums, magnitudes };
}

async function run(given: Problem, algorithm?: ScatterAlgorithm): Promise<Float32Array> {
  const { batch, outer, rows, entries, inner } = given;
  const indexing: Indexing = {
    addressing: 'axis',
    mode: 'outside',
    batch,
    outer,
    rows,
    entries,
    inner,
    limit: rows,
  };
  const out = tidy(() => {
    const indices = tensor(given.indices) as Tensor;
    const updates = tensor(given.updates) as Tensor;
    const spec = { shape: [batch, outer, rows, inner], dtype: 'float32' } as const;
    return scatterAddKernel('scatterAdd', indices, updates, spec, indexing, unchecked, algorithm);
  });
  const data = (await out.data()) as Float32Array;
  out.dispose();
  return data;
}

/** Elementwise matchers take seconds on arrays of this length. */
const sameBits = (a: ArrayBufferView, b: ArrayBufferView) => {
  const words = ({ buffer, byteOffset, byteLength }: ArrayBufferView) =>
    new Uint32Array(buffer, byteOffset, byteLength / 4);
  const [first, second] = [words(a), words(b)];
  return first.length === second.length && first.every((word, i) => word === second[i]);
};

function expectSums(found: Float32Array, given: Problem): void {
  const { sums, magnitudes } = expected(given);
  found.forEach((value, i) => {
    const allowed = 1e-6 * (magnitudes[i] as number);
    if (Math.abs(value - (sums[i] as number)) > allowed) {
      expect.fail(`element ${i}: ${value} against ${sums[i]}, allowed ${allowed}`);
    }
  });
}

const geometries: Geometry[] = [
  { batch: 1, outer: 1, rows: 1, entries: 3000, inner: 3 },
  { batch: 1, outer: 1, rows: 7, entries: 1024, inner: 4 },
  { batch: 1, outer: 1, rows: 300, entries: 1025, inner: 1 },
  { batch: 1, outer: 5, rows: 70, entries: 600, inner: 1 },
  { batch: 3, outer: 2, rows: 40, entries: 333, inner: 8 },
  { batch: 1, outer: 1, rows: 50, entries: 2100, inner: 64 },
  { batch: 1, outer: 1, rows: 70000, entries: 5000, inner: 2 },
];

describe.each(Object.entries(distributions))('%s indices', (_, distribution) => {
  test.each(geometries)(
    'of $entries entries into $batch · $rows rows, $outer · $inner elements each',
    async (geometry) => {
      const given = problem(geometry, distribution);
      const algorithms: ScatterAlgorithm[] = [
        { kind: 'owned', chunks: 1 },
        { kind: 'grouped', by: 'counting' },
      ];
      if (geometry.rows * geometry.entries < 1e6) algorithms.unshift({ kind: 'direct' });
      const results = await Promise.all(algorithms.map((algorithm) => run(given, algorithm)));
      for (const result of results) expectSums(result, given);
      for (const [k, algorithm] of algorithms.entries())
        expect(sameBits(await run(given, algorithm), results[k] as Float32Array), algorithm.kind).toBe(true);
    },
  );
});

// Lavapipe leaves loops after 65,535 iterations: long ones take several launches, and add up to the same bits.
test('more entries and rows than a loop of one launch takes', async () => {
  for (const [rows, entries] of [
    [500, 70_003],
    [150_000, 2100],
  ] as const) {
    const given = problem(
      { batch: 1, outer: 1, rows, entries, inner: 2 },
      distributions.zipf as Distribution,
    );
    for (const algorithm of [
      { kind: 'owned', chunks: 2 },
      { kind: 'grouped', by: 'counting' },
    ] as ScatterAlgorithm[]) {
      const found = await run(given, algorithm);
      expectSums(found, given);
    }
  }
});

// Batches, rows shared by few and by many invocations, many rows in a bin; up to 2,048 entries of a bin fit in workgroup memory.
const binned: Geometry[] = [
  { batch: 1, outer: 1, rows: 1, entries: 3000, inner: 3 },
  { batch: 3, outer: 2, rows: 5, entries: 333, inner: 8 },
  { batch: 1, outer: 1, rows: 50, entries: 2100, inner: 64 },
  { batch: 1, outer: 1, rows: 7000, entries: 2500, inner: 2 },
  { batch: 1, outer: 1, rows: 3, entries: 2048, inner: 4 },
  { batch: 2, outer: 1, rows: 3, entries: 2049, inner: 4 },
  { batch: 1, outer: 1, rows: 200, entries: 30_000, inner: 4 },
];

test.each(binned)(
  'bins of rows: $entries entries into $batch · $rows rows, $outer · $inner elements each',
  async (geometry) => {
    const algorithm: ScatterAlgorithm = { kind: 'binned', workgroups: 7 };
    for (const distribution of Object.values(distributions)) {
      const given = problem(geometry, distribution);
      const found = await run(given, algorithm);
      expectSums(found, given);
      expect(sameBits(await run(given, algorithm), found)).toBe(true);
    }
  },
);

test('bins of rows: a window that is expected to fit may be too large', async () => {
  const geometry = { batch: 1, outer: 1, rows: 4096, entries: 20_000, inner: 4 };
  // The entries of the last row, 9,000 of 20,000, are in two runs.
  const given = problem(geometry, (_, rows, entry) => (entry % 10_000 < 4500 ? rows - 1 : entry % 3000));
  const found = await run(given, { kind: 'binned', workgroups: 8 });
  expectSums(found, given);
});

const chunked: [Geometry, number][] = [
  [{ batch: 1, outer: 1, rows: 7, entries: 1024, inner: 4 }, 32],
  [{ batch: 1, outer: 1, rows: 1, entries: 3000, inner: 3 }, 60],
  [{ batch: 1, outer: 1, rows: 300, entries: 2100, inner: 1 }, 3],
  [{ batch: 3, outer: 2, rows: 40, entries: 333, inner: 5 }, 8],
  [{ batch: 1, outer: 1, rows: 3, entries: 9, inner: 1 }, 8],
];

test.each(chunked)('chunks of $entries entries of $rows rows: %#', async (geometry, chunks) => {
  for (const distribution of Object.values(distributions)) {
    const given = problem(geometry, distribution);
    expectSums(await run(given, { kind: 'owned', chunks }), given);
  }
});

test('a CPU sums many indices of few elements in chunks', () => {
  const select = (rows: number, indices: number, inner = 1, blocks = 1) =>
    selectScatter({ results: rows * inner * blocks, inner, rows, indices }, adapterProfiles.software);
  expect(select(100, 100_000)).toEqual({ kind: 'owned', chunks: 16 });
  expect(select(100, 10_007)).toEqual({ kind: 'owned', chunks: 16 });
  expect(select(2000, 8192)).toEqual({ kind: 'owned', chunks: 4 });
  expect(select(1000, 1000)).toEqual({ kind: 'owned', chunks: 1 });
  expect(select(10, 8192, 4)).toEqual({ kind: 'owned', chunks: 4 });
  expect(select(10, 8192, 16)).toEqual({ kind: 'owned', chunks: 1 });
  expect(select(100, 10_000, 1, 16)).toEqual({ kind: 'owned', chunks: 1 });
  // Long loops of one invocation would also be inaccurate.
  expect(select(1000, 1_000_000)).toEqual({ kind: 'owned', chunks: 16 });
  expect(select(1000, 2 ** 20)).toEqual({ kind: 'grouped', by: 'counting' });
});

test('an invalid index in a later chunk is reported at its own position', async () => {
  const indices = new Int32Array(10_000);
  indices[9_876] = 100;
  const sums = scatterAdd(tensor(indices), ones([10_000]), { shape: [100] });
  await expect(sums.data()).rejects.toThrow(/index 100 at position \[9876\]/);
});

test('of several invalid indices, the first in any chunk is reported; negative ids are none', async () => {
  const ids = new Int32Array(4000).fill(-1);
  ids[3_500] = 20;
  ids[1_234] = 21;
  const sums = segmentSum(ones([4000]), tensor(ids), { numSegments: 20 });
  await expect(sums.data()).rejects.toThrow(/index 21 at position \[1234\]/);
});

test('of coordinates, the invalid one is reported', async () => {
  const points = new Int32Array(2 * 600);
  points[2 * 500 + 1] = -1;
  const sums = scatterNd(tensor(points, { shape: [600, 2] }), ones([600, 3]), { shape: [30, 40, 3] });
  await expect(sums.data()).rejects.toThrow(/index -1 at position \[500, 1\]/);
});

test('grouping is stable, and lists every key', async () => {
  const random = generator(5);
  const total = 3000;
  const host = Uint32Array.from({ length: 1100 }, () => Math.floor(random() ** 3 * (total + 1)));
  const sorted = Array.from(host.keys()).sort((a, b) => (host[a] as number) - (host[b] as number) || a - b);
  const keys = tensor(host) as Tensor;
  for (const algorithm of ['counting', 'radix'] as const) {
    const { order, offsets } = groupByKey('sort', keys, total, algorithm);
    expect(sameBits(await order.data(), Uint32Array.from(sorted))).toBe(true);
    const bounds = (await offsets.data()).subarray(0, total + 1);
    const counted = new Uint32Array(total + 2);
    for (const key of host) counted[key + 1] = (counted[key + 1] as number) + 1;
    for (let key = 1; key <= total; key++)
      counted[key] = (counted[key] as number) + (counted[key - 1] as number);
    expect(sameBits(bounds, counted.subarray(0, total + 1))).toBe(true);
  }
});

test('a hundred thousand equal indices give the same bits every time', async () => {
  const entries = 100_000;
  const random = generator(11);
  const indices = tensor(new Int32Array(entries).fill(2)) as Tensor;
  const host = Float32Array.from({ length: entries }, () => random());
  const updates = tensor(host) as Tensor;
  const read = async () => (await scatterAdd(indices, updates, { shape: [5] }).data()) as Float32Array;
  const first = await read();
  const sum = host.reduce((total, value) => total + value, 0);
  expect(Math.abs((first[2] as number) - sum)).toBeLessThan(1e-6 * sum);
  expect(sameBits(await read(), first)).toBe(true);
});
