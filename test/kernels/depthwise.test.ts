/**
 * @file Depthwise convolutions in their three directions, by each algorithm, against float64 on the host.
 */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  depthwiseConv2d,
  depthwiseConv2dFilterGrad,
  depthwiseConv2dInputGrad,
  getDevice,
  init,
  tensor,
  tidy,
} from '../../src/index.ts';
import { adapterProfiles } from '../../src/kernels/selection/adapterProfiles.ts';
import { createProfile } from '../../src/kernels/selection/deviceProfile.ts';
import { selectDepthwise } from '../../src/kernels/depthwise/depthwise.ts';
import { asAdapter, profileFor, withProfile } from '../support/adapterClass.ts';
import { allowedError, convolution } from '../support/convolutions.ts';
import {
  type Convolution,
  convolve,
  draw,
  filterGradient,
  inputGradient,
  largestError,
  sizes,
} from '../support/reference.ts';

await init();

/** A depthwise convolution is one of as many groups as there are channels; its kernel [h, w, 1, c · m] is [h, w, c, m]. */
function depthwise(c: Parameters<typeof convolution>[0]): Convolution {
  return convolution({ ...c, groups: c.image[2] });
}

/** All three directions. */
function run(c: Convolution, image: Float32Array, kernel: Float32Array, dy: Float32Array) {
  const inputShape = [c.batch, ...c.image];
  const kernelShape = [c.kernel[0], c.kernel[1], c.image[2], c.kernel[2] / c.image[2]];
  const after = (axis: 0 | 1) =>
    (c.result[axis] - 1) * c.strides[axis] +
    (c.kernel[axis] - 1) * c.dilation[axis] +
    1 -
    c.before[axis] -
    c.image[axis];
  const options = {
    strides: c.strides,
    dilationRate: c.dilation,
    padding: ([0, 1] as const).map((axis) => [c.before[axis], Math.max(0, after(axis))] as [number, number]),
  };
  return tidy(() => {
    const x = tensor(image, { shape: inputShape });
    const w = tensor(kernel, { shape: kernelShape });
    const cotangent = tensor(dy, { shape: [c.batch, ...c.result, c.kernel[2]] });
    return [
      depthwiseConv2d(x, w, options),
      depthwiseConv2dInputGrad(cotangent, w, { ...options, inputShape }),
      depthwiseConv2dFilterGrad(x, cotangent, { ...options, kernelShape }),
    ] as const;
  });
}

const drawn = (c: Convolution) =>
  [draw(sizes.image(c), 1), draw(sizes.kernel(c), 2), draw(sizes.result(c), 3)] as const;

type Way = 'in strips' | 'in blocks' | 'as on a GPU' | 'as on a GPU of few registers';

/** Runs `body` with strips for all kernels that have programs, however small the image. */
function inStrips<T>(body: () => T): Promise<T> {
  const profile = profileFor('cpu');
  const size = { minWork: 1, minIterations: 6 };
  const strips = { 3: size, 5: size, 7: size };
  return withProfile({ ...profile, depthwise: { ...profile.depthwise, strips } }, body);
}

async function expectDepthwise(c: Convolution, way: Way): Promise<void> {
  const [image, kernel, dy] = drawn(c);
  const all = () => run(c, image, kernel, dy);
  const running: Record<Way, () => Promise<ReturnType<typeof all>>> = {
    'in strips': () => inStrips(all),
    'in blocks': () => asAdapter('cpu', all),
    'as on a GPU': () => asAdapter('gpu', all),
    'as on a GPU of few registers': () => withProfile(createProfile(getDevice(), 'apple'), all),
  };
  const [y, dx, dk] = await running[way]();
  const taps = c.kernel[0] * c.kernel[1];
  expect(largestError(await y.data(), convolve(c, image, kernel)), 'result').toBeLessThan(allowedError(taps));
  expect(largestError(await dx.data(), inputGradient(c, dy, kernel)), 'input gradient').toBeLessThan(
    allowedError((taps * c.kernel[2]) / c.groups),
  );
  expect(largestError(await dk.data(), filterGradient(c, image, dy)), 'filter gradient').toBeLessThan(
    allowedError(c.batch * c.result[0] * c.result[1]),
  );
  for (const t of [y, dx, dk]) t.dispose();
}

const ways: readonly Way[] = ['in strips', 'in blocks', 'as on a GPU'];

describe.each(ways)('%s', (way) => {
  test.each([
    ['channels in fours', { batch: 2, image: [11, 13, 8], kernel: [3, 3, 8], before: [1, 1] }],
    ['odd channels', { batch: 2, image: [12, 9, 7], kernel: [3, 3, 7], before: [1, 1] }],
    ['no padding', { batch: 2, image: [12, 10, 5], kernel: [5, 5, 5] }],
    ['strides', { batch: 2, image: [14, 15, 12], kernel: [3, 3, 12], strides: [2, 2], before: [0, 0] }],
    ['strides and padding', { image: [13, 18, 3], kernel: [5, 5, 3], strides: [2, 2], before: [2, 2] }],
    ['more padding than a window', { image: [5, 6, 4], kernel: [3, 3, 4], before: [4, 5] }],
    [
      'more padding than a window, strides',
      { image: [5, 6, 4], kernel: [3, 3, 4], strides: [2, 2], before: [4, 5] },
    ],
    ['pixels behind the last window', { image: [8, 10, 1], kernel: [3, 3, 1], strides: [2, 2] }],
    ['one window', { batch: 3, image: [3, 3, 33], kernel: [3, 3, 33] }],
    ['one pixel', { image: [1, 1, 4], kernel: [7, 7, 4], before: [3, 3] }],
    ['many rows', { image: [70, 5, 4], kernel: [3, 3, 4], before: [1, 1] }],
    ['many rows, strides', { image: [71, 6, 4], kernel: [7, 7, 4], strides: [2, 2], before: [3, 3] }],
    ['strides along one axis', { image: [9, 10, 6], kernel: [3, 3, 6], strides: [2, 1] }],
    ['strides beyond a window', { image: [13, 14, 3], kernel: [3, 3, 3], strides: [3, 4] }],
    ['dilation', { image: [13, 14, 8], kernel: [3, 3, 8], dilation: [2, 3], before: [2, 3] }],
    ['strides and dilation', { image: [15, 16, 5], kernel: [3, 2, 5], strides: [2, 3], dilation: [3, 2] }],
    ['two filters a channel', { batch: 2, image: [9, 8, 3], kernel: [3, 3, 6], before: [1, 1] }],
    ['three filters a channel, strides', { image: [9, 8, 4], kernel: [5, 3, 12], strides: [2, 2] }],
  ] as const)('%s', (_, c) => expectDepthwise(depthwise(c), way));
});

/** Strips of two channels, of three columns, of one channel. */
test.each([
  ['3 × 3', { image: [9, 11, 8], kernel: [3, 3, 8], before: [1, 1] }],
  ['3 × 3, strides', { batch: 2, image: [9, 11, 8], kernel: [3, 3, 8], strides: [2, 2], before: [1, 1] }],
  ['5 × 5', { image: [11, 9, 4], kernel: [5, 5, 4], before: [2, 2] }],
] as const)('%s on a GPU of few registers', (_, c) =>
  expectDepthwise(depthwise(c), 'as on a GPU of few registers'),
);

test('sizes of all kinds, in strips', () => {
  const side = fc.integer({ min: 1, max: 24 });
  const before = fc.integer({ min: 0, max: 4 });
  const kinds = fc.record({
    batch: fc.integer({ min: 1, max: 3 }),
    sides: fc.tuple(side, side),
    channels: fc.constantFrom(1, 3, 4, 5, 8, 12, 33),
    window: fc.constantFrom(3, 5, 7),
    stride: fc.constantFrom(1, 2),
    before: fc.tuple(before, before),
  });
  return fc.assert(
    fc.asyncProperty(kinds, async ({ batch, sides, channels, window, stride, before }) => {
      fc.pre(sides.every((n, axis) => n + 2 * (before[axis] as number) >= window));
      const c = depthwise({
        batch,
        image: [...sides, channels],
        kernel: [window, window, channels],
        strides: [stride, stride],
        before,
      });
      await expectDepthwise(c, 'in strips');
    }),
    { numRuns: 20 },
  );
});

test('sizes of all kinds, in blocks', () => {
  const side = fc.integer({ min: 1, max: 14 });
  const pair = (min: number, max: number) => {
    const number = fc.integer({ min, max });
    return fc.tuple(number, number);
  };
  const kinds = fc.record({
    batch: fc.integer({ min: 1, max: 3 }),
    sides: fc.tuple(side, side),
    channels: fc.constantFrom(1, 3, 4, 5, 8, 12, 33),
    multiplier: fc.constantFrom(1, 1, 2, 3),
    window: pair(1, 6),
    strides: pair(1, 3),
    dilation: pair(1, 3),
    before: pair(0, 4),
  });
  return fc.assert(
    fc.asyncProperty(kinds, async ({ sides, channels, multiplier, window, ...rest }) => {
      fc.pre(
        sides.every(
          (n, i) =>
            n + 2 * (rest.before[i] as number) > ((window[i] as number) - 1) * (rest.dilation[i] as number),
        ),
      );
      const c = { ...rest, image: [...sides, channels], kernel: [...window, channels * multiplier] } as const;
      await expectDepthwise(depthwise(c), 'in blocks');
    }),
    { numRuns: 60 },
  );
});

test('same input, same bits', async () => {
  const c = depthwise({ batch: 2, image: [40, 30, 12], kernel: [3, 3, 12], before: [1, 1] });
  const values = drawn(c);
  const once = async () => {
    const results = await inStrips(() => run(c, ...values));
    return Promise.all(results.map((t) => t.data()));
  };
  expect(await once()).toEqual(await once());
});

test('NaN of the image reaches the windows that see it, and no others', async () => {
  // The last row and the last column lie behind all windows; channel 1 has a NaN in the middle as well.
  const c = depthwise({ image: [16, 18, 4], kernel: [3, 3, 4], strides: [2, 2] });
  const [image, kernel, dy] = drawn(c);
  const at = (y: number, x: number, channel: number) => (y * 18 + x) * 4 + channel;
  for (let channel = 0; channel < 4; channel++) {
    for (let x = 0; x < 18; x++) image[at(15, x, channel)] = Number.NaN;
    for (let y = 0; y < 16; y++) image[at(y, 17, channel)] = Number.NaN;
  }
  image[at(4, 7, 1)] = Number.NaN;
  const [y, , dk] = await inStrips(() => run(c, image, kernel, dy));
  const result = await y.data();
  // Row 4 lies in the windows of rows 1 and 2, column 7 in those of column 3.
  const seen = [1, 2].map((row) => (row * c.result[1] + 3) * 4 + 1);
  expect([...result.keys()].filter((i) => Number.isNaN(result[i]))).toEqual(seen);
  const gradient = await dk.data();
  expect([...gradient.keys()].filter((i) => Number.isNaN(gradient[i])).every((i) => i % 4 === 1)).toBe(true);
});

describe('errors', () => {
  test('at most four times those of a plain sum of float32', async () => {
    const c = depthwise({ batch: 2, image: [40, 40, 8], kernel: [3, 3, 8], before: [1, 1] });
    const [image, kernel, dy] = drawn(c);
    const results = await inStrips(() => run(c, image, kernel, dy));
    const expected = [convolve(c, image, kernel), inputGradient(c, dy, kernel), filterGradient(c, image, dy)];
    const plain = [
      convolve(c, image, kernel, Math.fround),
      inputGradient(c, dy, kernel, Math.fround),
      filterGradient(c, image, dy, Math.fround),
    ];
    for (const [i, result] of results.entries()) {
      const ours = largestError(await result.data(), expected[i] as Float64Array);
      expect(ours).toBeLessThan(4 * largestError(plain[i] as Float64Array, expected[i] as Float64Array));
    }
  });
});

describe('the choice', () => {
  const layer = (size: number, window = 3, stride = 1, dilation = 1, multiplier = 1) => {
    const line = { input: size, output: Math.ceil(size / stride), window, stride, dilation, before: 1 };
    return { batch: 1, rows: line, columns: line, channels: 64, multiplier };
  };

  test('strips on a CPU adapter, for the usual kernels of larger images', () => {
    for (const window of [3, 5, 7])
      for (const stride of [1, 2])
        expect(selectDepthwise(layer(112, window, stride), adapterProfiles.software)).toBe('strips');
  });

  test.each([
    ['small images', layer(8)],
    ['unusual kernels', layer(56, 4)],
    ['large strides', layer(56, 3, 3)],
    ['dilation', layer(56, 3, 1, 2)],
    ['several filters a channel', layer(56, 3, 1, 1, 2)],
  ])('blocks for %s', (_, geometry) =>
    expect(selectDepthwise(geometry, adapterProfiles.software)).toBe('blocks'),
  );

  test('on a GPU, one strip for a small image: no launch adds up parts', async () => {
    const c = depthwise({ image: [7, 7, 8], kernel: [5, 5, 8], before: [2, 2] });
    const [image, kernel, dy] = drawn(c);
    const { statistics } = getDevice().stream;
    const before = statistics.launches;
    const [, , dk] = await asAdapter('gpu', () => run(c, image, kernel, dy));
    expect(statistics.launches - before).toBe(3);
    expect(largestError(await dk.data(), filterGradient(c, image, dy))).toBeLessThan(allowedError(49));
  });

  test('on a GPU, strips where registers hold the taps', () => {
    expect(selectDepthwise(layer(7), adapterProfiles.discrete)).toBe('strips');
    expect(selectDepthwise(layer(56, 5, 2), adapterProfiles.discrete)).toBe('strips');
    expect(selectDepthwise(layer(56, 7), adapterProfiles.discrete)).toBe('blocks');
  });
});
