/** @file Convolutions of few channels and their gradients, in blocks of adjacent results. Against float64 on the host. */
import { describe, expect, test } from 'vitest';
import { fusedConv2d, init, tensor } from '../../src/index.ts';
import { adapterProfiles } from '../../src/kernels/selection/adapterProfiles.ts';
import { selectConv2d } from '../../src/kernels/convolution/conv2dAlgorithm.ts';
import { blockAlgorithm } from '../../src/kernels/convolution/convolutionBlocks.ts';
import { withConv2dAlgorithm } from '../support/algorithms.ts';
import { convolution, expectConvolution, geometryOf } from '../support/convolutions.ts';
import { convolve, draw, largestError, sizes } from '../support/reference.ts';

await init();

const blocks = { kind: 'blocks' } as const;
const float32 = ['float32', 'float32'] as const;
const directions = ['forward', 'inputGrad', 'filterGrad'] as const;

/** Returns whether all three directions of a convolution are computed in blocks. */
const isInBlocks = (c: ReturnType<typeof convolution>) =>
  directions.every(
    (direction) => blockAlgorithm({ direction, geometry: geometryOf(c), dtypes: float32 }) !== null,
  );

describe('all directions', () => {
  test.each([
    ['one channel', { batch: 3, image: [9, 13, 1], kernel: [3, 3, 16], before: [1, 1] }],
    ['one filter', { image: [12, 17, 5], kernel: [3, 3, 1], before: [1, 1] }],
    ['three of each, a large window', { image: [14, 15, 3], kernel: [9, 9, 3], before: [4, 4] }],
    ['an odd number of filters', { batch: 2, image: [8, 9, 2], kernel: [3, 2, 7], before: [1, 0] }],
    ['groups of two', { batch: 2, image: [7, 11, 12], kernel: [3, 3, 12], before: [1, 1], groups: 6 }],
    ['groups that widen', { image: [6, 8, 4], kernel: [3, 3, 12], before: [1, 1], groups: 2 }],
    ['groups that narrow', { image: [6, 8, 12], kernel: [3, 3, 4], before: [1, 1], groups: 4 }],
    ['strides', { batch: 2, image: [17, 16, 3], kernel: [5, 5, 4], strides: [2, 2], before: [2, 1] }],
    [
      'strides of groups',
      { image: [9, 21, 8], kernel: [3, 3, 8], strides: [2, 2], before: [1, 1], groups: 4 },
    ],
    ['different axes', { image: [13, 34, 2], kernel: [3, 6, 4], strides: [3, 4], before: [0, 4] }],
    [
      'strides of three',
      { batch: 2, image: [10, 31, 2], kernel: [4, 4, 3], strides: [3, 3], before: [1, 2] },
    ],
    ['rows that no window covers', { image: [8, 9, 3], kernel: [2, 2, 4], strides: [3, 3] }],
    ['strides longer than the window', { image: [9, 13, 2], kernel: [1, 1, 2], strides: [4, 4] }],
    ['more padding than a window', { image: [6, 5, 3], kernel: [3, 3, 4], before: [5, 4] }],
    ['one column', { batch: 2, image: [9, 1, 3], kernel: [3, 1, 2], before: [1, 0] }],
  ] as const)('%s', (_, c) => {
    expect(isInBlocks(convolution(c))).toBe(true);
    return withConv2dAlgorithm(blocks, () => expectConvolution(convolution(c)));
  });
});

test('bias and activation', async () => {
  const c = convolution({ batch: 2, image: [7, 9, 6], kernel: [3, 3, 9], before: [1, 1], groups: 3 });
  const [image, kernel, bias] = [draw(sizes.image(c), 1), draw(sizes.kernel(c), 2), draw(9, 3)];
  const y = withConv2dAlgorithm(blocks, () =>
    fusedConv2d(tensor(image, { shape: [2, 7, 9, 6] }), tensor(kernel, { shape: [3, 3, 2, 9] }), bias, {
      padding: 'same',
      groups: 3,
      activation: 'relu',
    }),
  );
  const expected = convolve(c, image, kernel).map((sum, i) => Math.max(0, sum + (bias[i % 9] as number)));
  expect(largestError(await y.data(), expected)).toBeLessThan(1e-5);
});

describe('the choice', () => {
  const kindFor = (
    direction: (typeof directions)[number],
    image: Parameters<typeof convolution>[0]['image'],
    filters: number,
    options: {
      groups?: number;
      strides?: [number, number];
      dilation?: [number, number];
      kind?: keyof typeof adapterProfiles;
    } = {},
  ) => {
    const { kind = 'software', ...rest } = options;
    const c = convolution({ image, kernel: [3, 3, filters], before: [1, 1], ...rest });
    const problem = { direction, geometry: geometryOf(c), dtypes: float32 } as const;
    return selectConv2d(problem, adapterProfiles[kind]).kind;
  };

  test.each(directions)('%s: small groups, few results', (direction) => {
    expect(kindFor(direction, [56, 56, 64], 64, { groups: 32 })).toBe('blocks');
    expect(kindFor(direction, [56, 56, 64], 64, { groups: 32, strides: [2, 2] })).toBe('blocks');
    expect(kindFor(direction, [64, 64, 2], 2)).toBe('blocks');
    expect(kindFor(direction, [56, 56, 64], 64, { groups: 4 })).toBe('implicitGemm');
    expect(kindFor(direction, [14, 14, 16], 16)).toBe('implicitGemm');
    expect(kindFor(direction, [56, 56, 64], 64, { groups: 32, dilation: [2, 2] })).toBe('implicitGemm');
    expect(kindFor(direction, [56, 56, 64], 64, { groups: 32, kind: 'discrete' })).toBe('implicitGemm');
  });

  test('a forward GEMM of few inputs has long segments, and vectors of filters', () => {
    expect(kindFor('forward', [28, 28, 1], 16)).toBe('implicitGemm');
    expect(kindFor('forward', [64, 64, 8], 8)).toBe('implicitGemm');
    expect(kindFor('inputGrad', [64, 64, 8], 8)).toBe('blocks');
    expect(kindFor('forward', [64, 64, 16], 3)).toBe('blocks');
  });

  test('a gradient of a kernel, where each cotangent has few uses', () => {
    expect(kindFor('filterGrad', [28, 28, 128], 128, { groups: 32 })).toBe('implicitGemm');
    expect(kindFor('filterGrad', [64, 64, 64], 3)).toBe('blocks');
  });
});

test('a filter gradient of many rows is a sum of parts', () =>
  withConv2dAlgorithm(blocks, () =>
    expectConvolution(convolution({ batch: 40, image: [30, 6, 1], kernel: [3, 3, 2], before: [1, 1] })),
  ));
