/**
 * @file Reductions against plain float64 loops, over lines on both sides of every boundary of the launcher: lanes, vectors,
 * chunks, several passes.
 */
import { beforeAll, describe, expect, test } from 'vitest';
import {
  argMax,
  argMin,
  fill,
  init,
  logSumExp,
  max,
  mean,
  min,
  moments,
  sum,
  tensor,
  type Tensor,
  tidy,
} from '../../src/index.ts';
import { adapterClasses, asAdapter } from '../support/adapterClass.ts';
import { generator } from '../ops/samples/draw.ts';

beforeAll(async () => {
  await init();
});

/** [outer, n, inner], reduced over n. */
const shapes = [
  [1, 1, 1],
  [3, 7, 1],
  [1, 33, 1],
  [2, 256, 1],
  [5, 1031, 1],
  [1, 70001, 1],
  [3000, 3, 1],
  [2999, 10, 1],
  [601, 37, 1],
  [1, 3001, 3],
  [2, 513, 17],
  [1, 9001, 10],
  [2, 1031, 347],
  [1, 2100, 64],
  [3, 9, 300],
  [3, 9, 1023],
  [3, 9, 2048],
  [1, 9, 4099],
  [2, 5, 4100],
  [1, 1032, 4096],
  [4, 9, 2080],
  [1, 1027, 8224],
] as const;

/** Values off zero, so that a rounded mean shows. */
function values(size: number, seed: number): Float32Array {
  const random = generator(seed);
  return Float32Array.from({ length: size }, () => 3 + 2 * random() + 2 * random());
}

/** Returns the lines, in float64. */
function linesOf(x: Float32Array, [outer, n, inner]: readonly [number, number, number]): Float64Array[] {
  return Array.from({ length: outer * inner }, (_, line) => {
    const start = Math.floor(line / inner) * n * inner + (line % inner);
    return Float64Array.from({ length: n }, (_, k) => x[start + k * inner] as number);
  });
}

const largest = (line: Float64Array) => line.reduce((a, b) => Math.max(a, b));
const total = (line: Float64Array) => line.reduce((a, b) => a + b, 0);
const average = (line: Float64Array) => total(line) / line.length;
function spread(line: Float64Array): number {
  const centre = average(line);
  return average(line.map((v) => (v - centre) ** 2));
}

async function expectNear(found: Tensor, expected: number[], relative: number): Promise<void> {
  const data = await found.data();
  expect(data.length).toBe(expected.length);
  const off = expected.map((e, i) => Math.abs((data[i] as number) - e) / Math.max(1e-3, Math.abs(e)));
  expect(Math.max(0, ...off)).toBeLessThanOrEqual(relative);
}

/** The maximum number of elements for GPU variants, which are slow on a software adapter. */
const maxOnGpu = 2 ** 20;

/** Shapes that GPUs reduce instead of larger ones, by the same variants: their width doesn't depend on the number of lines. */
const onGpu = [[1, 520, 1024]] as const;

describe.each(adapterClasses)('as on a %s', (kind) => {
  const small = shapes.filter(([outer, n, inner]) => outer * n * inner <= maxOnGpu);
  const sizes = kind === 'gpu' ? [...small, ...onGpu] : shapes;

  test.each(sizes.map((shape, i) => [shape, i] as const))('[outer, n, inner] = %j', (shape, i) =>
    asAdapter(kind, async () => {
      const host = values(shape[0] * shape[1] * shape[2], i);
      const lines = linesOf(host, shape);
      const x = tensor(host, { shape });
      await expectNear(sum(x, { axis: 1 }), lines.map(total), 1e-6);
      const [m, v] = moments(x, { axis: 1 }) as [Tensor, Tensor];
      await expectNear(m, lines.map(average), 1e-6);
      await expectNear(v, lines.map(spread), 1e-5);
      const positions = await argMax(x, { axis: 1 }).data();
      expect(Array.from(positions)).toEqual(lines.map((line) => line.indexOf(largest(line))));
      if (kind === 'gpu') return; // Variants don't differ by reduction, and software adapters are slow to compile them.
      await expectNear(max(x, { axis: 1 }), lines.map(largest), 0);
      const logarithms = lines.map((line) => Math.log(total(line.map(Math.exp))));
      await expectNear(logSumExp(x, { axis: 1 }), logarithms, 1e-6);
    }),
  );

  test('non-adjacent axes are reduced one after another, including partial moments', () =>
    asAdapter(kind, async () => {
      const [a, b, c, d] = [3, 70, 5, 600];
      const host = values(a * b * c * d, 99);
      const x = tensor(host, { shape: [a, b, c, d] });
      const lines = Array.from({ length: a * c }, (_, line) => {
        const [i, k] = [Math.floor(line / c), line % c];
        const at = (j: number, l: number) => host[((i * b + j) * c + k) * d + l] as number;
        return Float64Array.from({ length: b * d }, (_, e) => at(Math.floor(e / d), e % d));
      });
      const [m, v] = moments(x, { axis: [1, 3] }) as [Tensor, Tensor];
      await expectNear(m, lines.map(average), 1e-6);
      await expectNear(v, lines.map(spread), 1e-5);
      await expectNear(sum(x, { axis: [1, 3] }), lines.map(total), 1e-6);
    }));

  test('a long sum rounds far less than a chain of additions', () =>
    asAdapter(kind, async () => {
      const host = Float32Array.from({ length: 1 << 20 }, (_, i) => 0.1 + (i % 7) * 0.01);
      const exact = host.reduce((a, b) => a + b, 0);
      let chain = 0;
      for (const value of host) chain = Math.fround(chain + value);
      const found = await sum(tensor(host)).item();
      expect(Math.abs(found - exact)).toBeLessThan(Math.abs(chain - exact) / 100);
      expect(Math.abs(found - exact) / exact).toBeLessThan(2e-7);
    }));

  test('the same input gives the same bits', () =>
    asAdapter(kind, async () => {
      const x = tensor(values(300_007, 5));
      const first = await sum(x).item();
      for (let i = 0; i < 3; i++) expect(await sum(x).item()).toBe(first);
    }));
});

test('a NaN or an infinity anywhere on a long axis reaches the result', async () => {
  for (const kind of adapterClasses) {
    await asAdapter(kind, async () => {
      for (const at of [0, 3000, 9999]) {
        const host = new Float32Array(10_000).fill(1);
        host[at] = Number.NaN;
        const x = tensor(host);
        expect(await max(x).item()).toBeNaN();
        expect(await sum(x).item()).toBeNaN();
        expect(await logSumExp(x).item()).toBeNaN();
        expect(await argMax(x).item()).toBe(at);
        expect(await argMin(x).item()).toBe(at);
        host[at] = Number.POSITIVE_INFINITY;
        const y = tensor(host);
        expect(await max(y).item()).toBe(Number.POSITIVE_INFINITY);
        expect(await logSumExp(y).item()).toBe(Number.POSITIVE_INFINITY);
      }
    });
  }
});

test('the first of equal extremes is found, wherever the others are', async () => {
  for (const kind of adapterClasses) {
    await asAdapter(kind, async () => {
      for (const n of [10, 37, 1031, 9001]) {
        const first = Math.floor(n / 3);
        const host = Float32Array.from({ length: n }, (_, k) => (k >= first && k % 2 === first % 2 ? 5 : 4));
        const same = tensor(new Int32Array(n).fill(-(2 ** 31)));
        expect(await argMax(tensor(host)).item()).toBe(first);
        expect(await argMin(tensor(host.map((v) => -v))).item()).toBe(first);
        expect(await argMax(same).item()).toBe(0);
        expect(await argMin(same).item()).toBe(0);
      }
    });
  }
});

test('more outputs than one dimension of workgroups holds', async () => {
  const ends = tidy(() => {
    const y = mean(fill([65_536 * 256 + 3, 1], 2, { dtype: 'int32' }), { axis: 1 });
    return [min(y), max(y)];
  });
  for (const end of ends) expect(await end.item()).toBe(2);
  for (const end of ends) end.dispose();
});
