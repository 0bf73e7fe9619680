/** @file Sizes beyond any device: the correct result or a typed error, without delay. */
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  avgPool,
  avgPool1d,
  broadcastTo,
  conv1d,
  conv2d,
  conv2dTranspose,
  cumsum,
  depthwiseConv2d,
  dropout,
  eye,
  fill,
  grad,
  init,
  linspace,
  max,
  maxPool,
  maxPool1d,
  mean,
  memory,
  oneHot,
  ones,
  pad,
  randomNormal,
  randomUniform,
  range,
  resizeBilinear,
  resizeNearest,
  RetrogradError,
  scatterAdd,
  scatterNd,
  segmentSum,
  slice,
  split,
  sum,
  type Tensor,
  tensor,
  tile,
  topK,
  truncatedNormal,
  unstack,
  upSampling2d,
  zeros,
} from '../../src/index.ts';
import { layers } from '../../src/keras/index.ts';

beforeAll(async () => {
  await init();
});

function expectClose(actual: ArrayLike<number>, expected: readonly number[], digits: number) {
  expect(actual.length).toBe(expected.length);
  for (const [i, value] of expected.entries()) expect(actual[i]).toBeCloseTo(value, digits);
}

const image = () =>
  tensor(
    Float32Array.from({ length: 2 * 8 * 6 * 4 }, (_, i) => Math.sin(i)),
    { shape: [2, 8, 6, 4] },
  );
const huge = [
  2 ** 20,
  2 ** 30,
  2 ** 31 - 1,
  2 ** 31,
  2 ** 32,
  2 ** 32 + 1,
  2 ** 40,
  Number.MAX_SAFE_INTEGER,
  2 ** 60,
];

let begun = 0;
beforeEach(() => {
  begun = performance.now();
});
afterEach(() => {
  // Any of these in a loop over the window would take minutes.
  expect(performance.now() - begun).toBeLessThan(20_000);
});

const filter = () =>
  tensor(
    Float32Array.from({ length: 9 * 4 * 2 }, (_, i) => Math.cos(i)),
    { shape: [3, 3, 4, 2] },
  );

describe('a window beyond the image', () => {
  test.each(huge)('of %d is the whole image', async (poolSize) => {
    const x = image();
    const all = { axis: [1, 2], keepDims: true };
    const pairs: [(x: Tensor) => Tensor, (x: Tensor) => Tensor][] = [
      [(v) => maxPool(v, { poolSize, padding: 'same' }), (v) => max(v, all)],
      [(v) => avgPool(v, { poolSize, padding: 'same' }), (v) => mean(v, all)],
    ];
    for (const [pool, reduction] of pairs) {
      const [pooled, reduced] = [pool(x), reduction(x)];
      expect(pooled.shape).toEqual(reduced.shape);
      const expected = [...(await reduced.data())];
      expectClose(await pooled.data(), expected, 5);
      const gradient = [...(await grad((v) => sum(reduction(v)))(x).data())];
      expectClose(await grad((v) => sum(pool(v)))(x).data(), gradient, 5);
    }
    const line = tensor([[[1], [5], [3]]]);
    expect(await maxPool1d(line, { poolSize, padding: 'same' }).array()).toEqual([[[5]]]);
    expect(await avgPool1d(line, { poolSize, padding: 'same' }).array()).toEqual([[[3]]]);
  });

  test.each(huge)('of %d, at every step', async (poolSize) => {
    const x = image();
    const options = { poolSize, strides: 1, padding: 'same' } as const;
    const values = await maxPool(x, options).array();
    const [whole] = [await max(x, { axis: [1, 2] }).array()] as [number[][]];
    (values as number[][][][]).forEach((rows, b) => {
      for (const pixel of rows.flat()) expect(pixel).toEqual(whole[b]);
    });
    const gradients = await grad((v) => sum(avgPool(v, options)))(x).data();
    for (const gradient of gradients) expect(gradient).toBeCloseTo(1, 5);
  });

  test.each(huge)('of %d doesn’t fit without padding', (poolSize) => {
    for (const padding of [
      'valid',
      [
        [1, 1],
        [1, 1],
      ],
    ] as const)
      for (const pool of [maxPool, avgPool])
        expect(() => pool(image(), { poolSize, padding: padding as never })).toThrow(RetrogradError);
  });

  test.each(huge)('with steps or padding of %d', async (n) => {
    const x = image();
    const corner = await maxPool(x, { poolSize: 2, strides: n, padding: 'same' }).array();
    expect(corner).toEqual(
      await maxPool(slice(x, { begin: [0, 0, 0, 0], size: [2, 2, 2, 4] }), { poolSize: 2 }).array(),
    );
    try {
      const padded = maxPool(x, {
        poolSize: n + 1,
        strides: n,
        padding: [
          [n, n],
          [n, n],
        ],
      });
      await padded.data();
    } catch (error) {
      expect(error).toBeInstanceOf(RetrogradError);
    }
  });

  test('smaller windows are unchanged', async () => {
    const x = tensor(
      Float32Array.from({ length: 7 }, (_, i) => (i * 5) % 7),
      { shape: [1, 7, 1] },
    );
    const values = [...(await x.data())];
    for (let poolSize = 1; poolSize <= 16; poolSize++) {
      for (let strides = 1; strides <= 9; strides++) {
        const output = Math.ceil(7 / strides);
        const before = Math.floor(Math.max(0, (output - 1) * strides + poolSize - 7) / 2);
        const windows = Array.from({ length: output }, (_, i) =>
          values.slice(Math.max(0, i * strides - before), Math.max(0, i * strides - before + poolSize)),
        );
        const options = { poolSize, strides, padding: 'same' } as const;
        expect([...(await maxPool1d(x, options).data())]).toEqual(
          windows.map((window) => Math.max(...window)),
        );
      }
    }
  });
});

describe('a convolution', () => {
  test.each(huge)('whose taps are %d apart reads its centre alone', async (dilationRate) => {
    const [x, k] = [image(), filter()];
    const centre = slice(k, { begin: [1, 1, 0, 0], size: [1, 1, 4, 2] });
    const loss = (dilation: number | null) => (v: Tensor) =>
      sum(dilation === null ? conv2d(v, centre) : conv2d(v, k, { dilationRate: dilation, padding: 'same' }));
    const values = [...(await conv2d(x, centre).data())];
    expectClose(await conv2d(x, k, { dilationRate, padding: 'same' }).data(), values, 4);
    const gradients = [...(await grad(loss(null))(x).data())];
    expectClose(await grad(loss(dilationRate))(x).data(), gradients, 4);
    const forFilter = grad((v: Tensor) => sum(conv2d(x, v, { dilationRate, padding: 'same' })));
    const gradient = (await forFilter(k).array()) as number[][][][];
    expect(gradient[0]?.flat(2).every((value) => value === 0)).toBe(true);
    expect(gradient[1]?.[1]?.flat().some((value) => value !== 0)).toBe(true);
    // An even number of taps lies around the centre.
    const two = slice(k, { begin: [0, 0, 0, 0], size: [2, 2, 4, 2] });
    expect(new Set(await conv2d(x, two, { dilationRate, padding: 'same' }).data())).toEqual(new Set([0]));
  });

  test.each(huge)('with steps of %d takes one window', async (strides) => {
    const [x, k] = [image(), filter()];
    for (const padding of ['same', 'valid'] as const) {
      const one = conv2d(x, k, { strides, padding });
      expect(one.shape).toEqual([2, 1, 1, 2]);
      const near = conv2d(x, k, { strides: 100, padding });
      expect(await one.array()).toEqual(await near.array());
      const gradient = (step: number) =>
        grad((v: Tensor) => sum(conv2d(v, k, { strides: step, padding })))(x);
      expect(await gradient(strides).array()).toEqual(await gradient(100).array());
    }
  });
});

describe('what would take more than the device has is rejected', () => {
  const x = () =>
    tensor([
      [1, 2],
      [3, 4],
    ]);
  const calls: [string, (n: number) => unknown][] = [
    ['fill', (n) => fill([n, n], 1)],
    ['zeros', (n) => zeros([n, 4096])],
    ['ones', (n) => ones([2, n, 4096])],
    ['eye', (n) => eye(n)],
    ['eye columns', (n) => eye(4096, { columns: n })],
    ['range', (n) => range(0, n * 4096)],
    ['range of small steps', (n) => range(0, 1, 1 / (n * 4096))],
    ['linspace', (n) => linspace(0, 1, n * 4096)],
    ['randomNormal', (n) => randomNormal([n, 4096])],
    ['randomUniform', (n) => randomUniform([n, 4096])],
    ['truncatedNormal', (n) => truncatedNormal([n, 4096])],
    ['oneHot', (n) => oneHot(new Int32Array(4096), { depth: n })],
    ['tile', (n) => tile(x(), { reps: [n, 4096] })],
    [
      'pad',
      (n) =>
        pad(x(), {
          paddings: [
            [n, 0],
            [4096, 0],
          ],
        }),
    ],
    [
      'pad, mirrored',
      (n) =>
        pad(x(), {
          paddings: [
            [n, 0],
            [0, 0],
          ],
          mode: 'symmetric',
        }),
    ],
    ['broadcastTo', (n) => broadcastTo(x(), { shape: [n, 4096, 2, 2] })],
    ['scatterAdd', (n) => scatterAdd([0, 1], x(), { shape: [n * 4096, 2] })],
    ['scatterNd', (n) => scatterNd([[0], [1]], x(), { shape: [n * 4096, 2] })],
    ['segmentSum', (n) => segmentSum(x(), [0, 1], { numSegments: n * 4096 })],
    ['resizeNearest', (n) => resizeNearest(image(), { size: [n, 4096] })],
    ['resizeBilinear', (n) => resizeBilinear(image(), { size: [n, 4096] })],
    ['upSampling2d', (n) => upSampling2d(image(), { size: [n, 4096] })],
    [
      'conv2d padding',
      (n) =>
        conv2d(image(), filter(), {
          padding: [
            [n, n],
            [4096, 0],
          ],
        }),
    ],
    ['conv1d padding', (n) => conv1d(zeros([1, 3, 4]), zeros([3, 4, 2]), { padding: [[n * 4096, 0]] })],
    ['conv2dTranspose', (n) => conv2dTranspose(image(), zeros([3, 3, 2, 4]), { strides: [n, 4096] })],
    [
      'depthwiseConv2d',
      (n) =>
        depthwiseConv2d(image(), zeros([3, 3, 4, 1]), {
          padding: [
            [n, n],
            [4096, 0],
          ],
        }),
    ],
    [
      'maxPool padding',
      (n) =>
        maxPool(image(), {
          poolSize: n + 1,
          strides: 1,
          padding: [
            [n, n],
            [n, n],
          ],
        }),
    ],
    ['topK', (n) => topK(x(), { k: n })],
    ['split', (n) => split(zeros([0, 2]), { numOrSizeSplits: n })],
    ['unstack', (n) => unstack(zeros([n, 0]))],
    ['slice', (n) => slice(x(), { begin: [n, 0], size: [1, 1] })],
    ['tensor with a shape', (n) => tensor([1, 2], { shape: [n, n] })],
    ['an embedding', (n) => layers.embedding({ inputDim: n, outputDim: 4096 }).build()],
    ['a dense layer', (n) => layers.dense({ units: n }).build([null, 4096])],
    ['repeatVector', (n) => layers.repeatVector({ n: n * 4096 }).apply(x())],
    ['zeroPadding2d', (n) => layers.zeroPadding2d({ padding: n }).apply(image())],
    ['upSampling2d', (n) => layers.upSampling2d({ size: n }).apply(image())],
  ];
  test.each(calls)('%s', async (_, call) => {
    const before = memory();
    for (const n of huge) {
      expect(() => call(n), String(n)).toThrow(RetrogradError);
    }
    expect(memory().peakBytes - before.peakBytes).toBeLessThan(2 ** 26);
    expect(memory().bytes - before.bytes).toBeLessThan(2 ** 20);
  });

  test('cumsum and dropout of an empty tensor', () => {
    for (const op of [cumsum, (v: Tensor) => dropout(v, { rate: 0.5 })])
      expect(() => op(broadcastTo(1, { shape: [2 ** 40] }) as Tensor)).toThrow(RetrogradError);
  });
});
