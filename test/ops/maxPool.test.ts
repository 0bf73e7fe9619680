import { beforeAll, describe, expect, test } from 'vitest';
import {
  avgPool,
  GradientTape,
  init,
  maxPool,
  maxPoolWithArgmax,
  ones,
  type Tensor,
  tensor,
  vmap,
} from '../../src/index.ts';
import { adapterClasses, asAdapter } from '../support/adapterClass.ts';

beforeAll(async () => {
  await init();
});

const image = (rows: number[][]) =>
  tensor(rows.flat(), { shape: [1, rows.length, (rows[0] as number[]).length, 1] });

async function gradientOf(x: Tensor, pool: (x: Tensor) => Tensor): Promise<number[]> {
  const tape = new GradientTape();
  tape.watch(x);
  return [...(await (tape.gradient(pool(x), x) as Tensor).data())] as number[];
}

test('the first maximum of a window in row-major order takes the gradient', async () => {
  const x = image([
    [1, 2, 7, 7],
    [2, 2, 7, 7],
  ]);
  expect(await gradientOf(x, (t) => maxPool(t, { poolSize: 2 }))).toEqual([0, 1, 1, 0, 0, 0, 0, 0]);
});

test('in overlapping windows, too', async () => {
  const x = image([[5, 5, 5, 5]]);
  const pool = (t: Tensor) => maxPool(t, { poolSize: [1, 2], strides: 1 });
  expect(await gradientOf(x, pool)).toEqual([1, 1, 1, 0]);
});

test('padding never wins, not even against negative infinity', async () => {
  const low = Number.NEGATIVE_INFINITY;
  const x = image([
    [-3, low, low],
    [-1, low, low],
    [low, low, -2],
  ]);
  const y = maxPool(x, { poolSize: 2, padding: 'same' });
  expect([...(await y.data())]).toEqual([-1, low, low, -2]);
  const pool = (t: Tensor) => maxPool(t, { poolSize: 2, padding: 'same' });
  // A window of negative infinities gives its gradient to the first of them.
  expect(await gradientOf(x, pool)).toEqual([0, 0, 1, 1, 0, 0, 1, 0, 1]);
});

test('NaN wins its windows, and takes their gradient', async () => {
  const x = image([
    [1, 2, 3, 4],
    [5, Number.NaN, 7, Number.NaN],
  ]);
  const y = maxPool(x, { poolSize: 2 });
  expect([...(await y.data())]).toEqual([Number.NaN, Number.NaN]);
  expect(await gradientOf(x, (t) => maxPool(t, { poolSize: 2 }))).toEqual([0, 0, 0, 0, 0, 1, 0, 1]);
});

test('an average leaves padding out of its count', async () => {
  const y = avgPool(ones([1, 3, 3, 4]), { poolSize: 2, padding: 'same' });
  expect(await y.data()).toEqual(new Float32Array(16).fill(1));
  const padded = avgPool(ones([1, 3, 3, 1]), {
    poolSize: 2,
    strides: 1,
    padding: [
      [1, 1],
      [1, 1],
    ],
  });
  expect(await padded.data()).toEqual(new Float32Array(16).fill(1));
});

test('gradients are the same bits on every run', async () => {
  const values = Float32Array.from({ length: 2 * 9 * 9 * 8 }, (_, i) => Math.sin(i * 12.9898) * 43758);
  const x = tensor(values, { shape: [2, 9, 9, 8] });
  const options = { poolSize: 3, strides: 2, padding: 'same' } as const;
  for (const pool of [maxPool, avgPool]) {
    const first = await gradientOf(x, (t) => pool(t, options));
    for (let run = 0; run < 3; run++) expect(await gradientOf(x, (t) => pool(t, options))).toEqual(first);
  }
});

/** The results of a pool with padding 'same', and its gradient for a cotangent of ones, in plain loops. */
function reference(
  kind: 'max' | 'average',
  x: Float32Array,
  [height, width, channels]: readonly [number, number, number],
  window: number,
  stride: number,
) {
  const along = (size: number) => {
    const count = Math.ceil(size / stride);
    const before = Math.max(0, (count - 1) * stride + window - size) >> 1;
    return Array.from({ length: count }, (_, i) => {
      const first = i * stride - before;
      return [Math.max(0, first), Math.min(size, first + window)] as const;
    });
  };
  const y: number[] = [];
  const dx = new Float32Array(x.length);
  for (const [top, bottom] of along(height))
    for (const [left, right] of along(width))
      for (let channel = 0; channel < channels; channel++) {
        const places: number[] = [];
        for (let row = top; row < bottom; row++)
          for (let column = left; column < right; column++)
            places.push((row * width + column) * channels + channel);
        const values = places.map((place) => x[place] as number);
        const best = values.findIndex(Number.isNaN);
        const winner = best >= 0 ? best : values.indexOf(Math.max(...values));
        y.push(kind === 'max' ? (values[winner] as number) : values.reduce((a, b) => a + b) / values.length);
        places.forEach((place, i) => {
          const share = kind === 'max' ? Number(i === winner) : 1 / places.length;
          dx[place] = (dx[place] as number) + share;
        });
      }
  return { y: Float32Array.from(y), dx };
}

describe.each(adapterClasses)('several channels of a pixel, as on a %s', (kind) => {
  test.each([
    [64, 64, 12, 2, 2],
    [40, 41, 17, 2, 2],
    [64, 65, 3, 3, 2],
    [30, 31, 100, 3, 3],
    [12, 12, 64, 3, 1],
  ])('image %d × %d × %d, windows of %d, stride %d', (height, width, channels, window, stride) =>
    asAdapter(kind, async () => {
      const shape = [height, width, channels] as const;
      const values = Float32Array.from({ length: height * width * channels }, (_, i) => (i * 37) % 101);
      values[5 * channels + 1] = Number.NaN;
      const options = { poolSize: window, strides: stride, padding: 'same' } as const;
      for (const [name, pool] of [['max', maxPool] as const, ['average', avgPool] as const]) {
        const x = tensor(values, { shape: [1, ...shape] });
        const expected = reference(name, values, shape, window, stride);
        const y = await pool(x, options).data();
        expect(Math.max(...y.map((v, i) => off(v, expected.y[i] as number)))).toBeLessThan(1e-5);
        const dx = await gradientOf(x, (t) => pool(t, options));
        expect(Math.max(...dx.map((v, i) => off(v, expected.dx[i] as number)))).toBeLessThan(1e-6);
      }
    }),
  );
});

/** The difference relative to `right`, 0 for two NaN. */
const off = (found: number, right: number) =>
  Object.is(found, right) ? 0 : Math.abs(found - right) / Math.max(1, Math.abs(right));

test('an image of more than 65,535 workgroups', async () => {
  const x = ones([1, 4200, 4100, 1]);
  const y = maxPool(x, { poolSize: [1, 1] });
  const edge = maxPool(y, { poolSize: [4200, 4100] });
  expect(await edge.item()).toBe(1);
  for (const t of [x, y, edge]) t.dispose();
});

test.each([1, 3, 4, 8])(
  'the indices of the maxima of %d channels count all elements of an image, or of the batch',
  async (channels) => {
    const shape = [2, 4, 5, channels];
    const values = Float32Array.from({ length: 40 * channels }, (_, i) => Math.sin(i * i));
    const x = tensor(values, { shape });
    const options = { poolSize: [2, 3], strides: [2, 1], padding: 'same' } as const;
    const [maxima, inBatch] = maxPoolWithArgmax(x, { ...options, includeBatchInIndex: true });
    const [, inImage] = maxPoolWithArgmax(x, options);
    expect(inImage.dtype).toBe('int32');
    const at = await inBatch.data();
    expect(await maxima.data()).toEqual(Float32Array.from(at, (i) => values[i] as number));
    expect(at.every((element, i) => element % channels === i % channels)).toBe(true);
    expect(await inImage.data()).toEqual(at.map((element) => element % (20 * channels)));
    const mapped = vmap((image: Tensor) => maxPoolWithArgmax(image, options)[1])(
      tensor(values, { shape: [2, 1, 4, 5, channels] }),
    );
    expect([...(await mapped.data())]).toEqual([...(await inImage.data())]);
  },
);
