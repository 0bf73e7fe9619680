/** @file dilation2d and its derivatives against its formula in float64; the gradient of overlapping patches. */
import { beforeAll, describe, expect, test } from 'vitest';
import {
  add,
  type Dilation2dOptions,
  dilation2d,
  type ExtractPatchesOptions,
  extractPatches,
  grad,
  grads,
  init,
  mul,
  square,
  stack,
  sum,
  type Tensor,
  tensor,
  unstack,
  vmap,
} from '../../src/index.ts';
import { adapterClasses, asAdapter } from '../support/adapterClass.ts';
import { random } from '../support/random.ts';

beforeAll(async () => {
  await init();
});

const low = Number.NEGATIVE_INFINITY;
const range = (n: number) => Array.from({ length: n }, (_, i) => i);

/** Multiples of 1/8 within ±2: sums are exact, and some are equal. */
function draw(shape: readonly number[], seed: number): number[] {
  const { below } = random(seed);
  return range(shape.reduce((a, b) => a * b, 1)).map(() => below(33) / 8 - 2);
}

interface Case {
  x: readonly [number, number, number, number];
  window: readonly [number, number];
  strides?: [number, number];
  dilationRate?: [number, number];
  padding?: Dilation2dOptions['padding'];
}

/** Windows, taps and padding of one axis, as TensorFlow documents them. */
function axisOf({ x, window, strides, dilationRate, padding }: Case, axis: 0 | 1) {
  const [size, taps] = [x[axis + 1] as number, window[axis]];
  const [stride, dilation] = [strides?.[axis] ?? 1, dilationRate?.[axis] ?? 1];
  const extent = (taps - 1) * dilation + 1;
  const same = Math.max(0, (Math.ceil(size / stride) - 1) * stride + extent - size);
  const pairs: Record<string, number[]> = {
    valid: [0, 0],
    same: [Math.floor(same / 2), Math.ceil(same / 2)],
  };
  const [before, after] = (typeof padding === 'object' ? padding[axis] : pairs[padding ?? 'valid']) as [
    number,
    number,
  ];
  const count = Math.floor((size + before + after - extent) / stride) + 1;
  return { size, taps, count, at: (i: number, tap: number) => i * stride + tap * dilation - before };
}

/** The result, and for each of its elements the flat positions of its maximum in x and in the filter; null for none. */
function reference(given: Case, x: readonly number[], filter: readonly number[]) {
  const [n, height, width, channels] = given.x;
  const [rows, columns] = [axisOf(given, 0), axisOf(given, 1)];
  const found: { value: number; x: number | null; tap: number | null }[] = [];
  for (const image of range(n))
    for (const i of range(rows.count))
      for (const j of range(columns.count))
        for (const c of range(channels)) {
          const best = { value: low, x: null as number | null, tap: null as number | null };
          for (const p of range(rows.taps))
            for (const q of range(columns.taps)) {
              const [row, column] = [rows.at(i, p), columns.at(j, q)];
              if (row < 0 || row >= height || column < 0 || column >= width) continue;
              const at = ((image * height + row) * width + column) * channels + c;
              const tap = (p * columns.taps + q) * channels + c;
              const value = (x[at] as number) + (filter[tap] as number);
              const wins = value > best.value || (Number.isNaN(value) && !Number.isNaN(best.value));
              if (best.x === null || wins) Object.assign(best, { value, x: at, tap });
            }
          found.push(best);
        }
  return { found, shape: [n, rows.count, columns.count, channels] };
}

/** Sums `values` into the positions that `targets` name. */
function placed(size: number, targets: readonly (number | null)[], values: readonly number[]): number[] {
  const sums = new Array<number>(size).fill(0);
  targets.forEach((at, i) => {
    if (at !== null) sums[at] = (sums[at] as number) + (values[i] as number);
  });
  return sums;
}

const cases: Record<string, Case> = {
  'three channels': { x: [2, 5, 6, 3], window: [3, 2] },
  'four channels, same': { x: [1, 7, 5, 4], window: [3, 3], padding: 'same' },
  'many channels': { x: [1, 4, 3, 20], window: [2, 2], padding: 'same' },
  'enough for several channels per invocation': { x: [2, 21, 20, 6], window: [3, 3], padding: 'same' },
  strides: { x: [1, 8, 9, 2], window: [3, 3], strides: [2, 3], padding: 'same' },
  'strides longer than the window': { x: [1, 9, 8, 1], window: [2, 1], strides: [3, 2] },
  dilation: { x: [1, 9, 8, 2], window: [3, 2], dilationRate: [2, 3], padding: 'same' },
  'dilation and strides': {
    x: [1, 11, 10, 3],
    window: [3, 2],
    strides: [2, 2],
    dilationRate: [3, 2],
    padding: 'same',
  },
  'explicit padding, with empty windows': {
    x: [1, 3, 4, 2],
    window: [2, 2],
    padding: [
      [3, 0],
      [1, 3],
    ],
  },
  'padding between dilated taps': {
    x: [1, 1, 2, 1],
    window: [2, 2],
    dilationRate: [3, 3],
    padding: [
      [2, 2],
      [2, 2],
    ],
  },
  'taps beyond the image': { x: [1, 2, 2, 1], window: [5, 3], padding: 'same' },
};

describe.each(adapterClasses)('on a %s', (kind) => {
  test.each(Object.entries(cases))('%s', async (_, given) => {
    const { x: shape, window, ...options } = given;
    const filterShape = [...window, shape[3]];
    const [x, filter] = [draw(shape, 1), draw(filterShape, 2)];
    const { found, shape: outShape } = reference(given, x, filter);
    const dy = draw(outShape, 3);
    await asAdapter(kind, async () => {
      const [xs, filters, dys] = [
        tensor(x, { shape: [...shape] }),
        tensor(filter, { shape: filterShape }),
        tensor(dy, { shape: outShape }),
      ];
      const dilate = (a: Tensor, b: Tensor) => dilation2d(a, b, options);
      const y = dilate(xs, filters);
      expect(y.shape).toEqual(outShape);
      expect([...(await y.data())]).toEqual(found.map(({ value }) => value));
      const loss = (a: Tensor, b: Tensor, c: Tensor) => sum(mul(dilate(a, b), c));
      const gradients = grads((a: Tensor, b: Tensor) => loss(a, b, dys));
      const [dx, dFilter] = gradients([xs, filters]) as [Tensor, Tensor];
      expect([...(await dx.data())]).toEqual(
        placed(
          x.length,
          found.map((best) => best.x),
          dy,
        ),
      );
      expect([...(await dFilter.data())]).toEqual(
        placed(
          filter.length,
          found.map(({ tap }) => tap),
          dy,
        ),
      );
      // Gradients are linear in the cotangent: the gradient of <dx, u> + <dFilter, v> with respect to dy is a gather.
      const [u, v] = [draw(shape, 4), draw(filterShape, 5)];
      const paired = grad((c: Tensor) => {
        const [a, b] = grads((p: Tensor, q: Tensor) => loss(p, q, c))([xs, filters]) as [Tensor, Tensor];
        const inX = sum(mul(a, tensor(u, { shape: [...shape] })));
        const inFilter = sum(mul(b, tensor(v, { shape: filterShape })));
        return add(inX, inFilter);
      });
      const expected = found.map((best) =>
        best.x === null ? 0 : (u[best.x] as number) + (v[best.tap as number] as number),
      );
      expect([...(await paired(dys).data())]).toEqual(expected);
    });
  });
});

test('NaN wins its windows, and takes their gradient', async () => {
  const x = tensor([1, 2, Number.NaN, 3, 4, Number.NaN], { shape: [1, 2, 3, 1] });
  const filter = tensor([0, 0, 0, 0], { shape: [2, 2, 1] });
  expect([...(await dilation2d(x, filter).data())]).toEqual([4, Number.NaN]);
  const dx = grad((v: Tensor) => sum(dilation2d(v, filter)))(x);
  expect([...(await dx.data())]).toEqual([0, 0, 1, 0, 1, 0]);
});

test('padding never wins, not even against negative infinity', async () => {
  const x = tensor([low, low, -5, low], { shape: [1, 2, 2, 1] });
  const filter = tensor(new Float32Array(9), { shape: [3, 3, 1] });
  const dilated = (v: Tensor) => dilation2d(v, filter, { padding: 'same', dilationRate: 2 });
  expect([...(await dilated(x).data())]).toEqual([low, low, -5, low]);
  // The only pixel of a window is its maximum.
  expect([...(await grad((v: Tensor) => sum(dilated(v)))(x).data())]).toEqual([1, 1, 1, 1]);
});

test('of a batch of filters, by vmap', async () => {
  const [x, filters] = [draw([2, 1, 5, 4, 3], 6), draw([2, 2, 3, 3], 7)];
  const both = [tensor(x, { shape: [2, 1, 5, 4, 3] }), tensor(filters, { shape: [2, 2, 3, 3] })] as const;
  const squares = (a: Tensor, b: Tensor) =>
    grads((u: Tensor, v: Tensor) => sum(square(dilation2d(u, v))))([a, b]);
  const [dx, dFilter] = vmap(squares)(...both) as [Tensor, Tensor];
  const alone = unstack(both[0]).map((a, i) => squares(a, unstack(both[1])[i] as Tensor) as [Tensor, Tensor]);
  const expected = (k: 0 | 1) => stack(alone.map((pair) => pair[k])).data();
  expect(await dx.data()).toEqual(await expected(0));
  expect(await dFilter.data()).toEqual(await expected(1));
});

const patchCases: [shape: number[], options: ExtractPatchesOptions][] = [
  [[2, 5, 6, 3], { size: [3, 2], strides: 1 }],
  [[1, 7, 5, 4], { size: 3, strides: 2, padding: 'same' }],
  [[1, 9, 8, 2], { size: [2, 3], strides: [1, 2], dilationRate: [3, 2] }],
  [[1, 20, 21, 8], { size: 3, strides: 1, dilationRate: 2, padding: 'same' }],
  [[1, 8, 7, 1], { size: 2, strides: 3 }],
];

describe.each(adapterClasses)('patches on a %s', (kind) => {
  test.each(patchCases)('of %j, %j', async (shape, options) => {
    const [x, y] = [draw(shape, 8), tensor(draw(shape, 8), { shape })];
    const patches = await asAdapter(kind, () => extractPatches(y, options));
    // The positions from which patches are copied; 0 for zeros around the image.
    const places = await extractPatches(
      tensor(
        range(x.length).map((i) => i + 1),
        { shape },
      ),
      options,
    ).data();
    expect([...(await patches.data())]).toEqual([...places].map((at) => (at === 0 ? 0 : x[at - 1])));
    const dy = draw(patches.shape, 9);
    const dx = await asAdapter(kind, () =>
      grad((v: Tensor) => sum(mul(extractPatches(v, options), tensor(dy, { shape: patches.shape }))))(
        y,
      ).data(),
    );
    const targets = [...places].map((at) => (at === 0 ? null : at - 1));
    expect([...dx]).toEqual(placed(x.length, targets, dy));
  });
});
