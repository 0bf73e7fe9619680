/** @file Convolutions whose result has few channels, summed directly. Against float64 on the host. */
import { describe, expect, test } from 'vitest';
import { directLoads } from '../../shaders/convolution/direct.ts';
import { fusedConv2d, init, tensor } from '../../src/index.ts';
import { adapterProfiles } from '../../src/kernels/selection/adapterProfiles.ts';
import { conv2dAlgorithms, selectConv2d } from '../../src/kernels/convolution/conv2dAlgorithm.ts';
import { directShape } from '../../src/kernels/convolution/directShapes.ts';
import { withConv2dAlgorithm } from '../support/algorithms.ts';
import { convolution, expectConvolution, geometryOf } from '../support/convolutions.ts';
import { convolve, draw, largestError, sizes } from '../support/reference.ts';

await init();

const direct = { kind: 'direct' } as const;
const float32 = ['float32', 'float32'] as const;

/** Returns whether a direction of a convolution is computed directly. */
const isDirect = (direction: 'forward' | 'inputGrad', c: ReturnType<typeof convolution>) =>
  directShape({ direction, geometry: geometryOf(c), dtypes: float32 }) !== null;

describe('input gradients', () => {
  test.each([
    ['three channels', { batch: 2, image: [13, 37, 3], kernel: [3, 3, 12], before: [1, 1] }],
    ['one channel, many filters', { image: [9, 8, 1], kernel: [5, 5, 32], before: [2, 2] }],
    ['seven channels', { image: [19, 17, 7], kernel: [2, 2, 8] }],
    ['strides', { batch: 2, image: [41, 40, 2], kernel: [5, 5, 8], strides: [2, 2], before: [2, 1] }],
    ['different axes', { image: [13, 34, 2], kernel: [3, 6, 4], strides: [3, 2], before: [0, 4] }],
    ['rows that no window covers', { image: [8, 9, 3], kernel: [2, 2, 4], strides: [3, 3] }],
    ['more padding than a window', { image: [6, 5, 3], kernel: [3, 3, 4], before: [5, 4] }],
  ] as const)('%s', (_, c) => {
    expect(isDirect('inputGrad', convolution(c))).toBe(true);
    return withConv2dAlgorithm(direct, () => expectConvolution(convolution(c)));
  });
});

describe('results', () => {
  test.each([
    ['three filters', { batch: 2, image: [17, 35, 16], kernel: [3, 3, 3], before: [1, 1] }],
    ['one filter', { image: [9, 8, 4], kernel: [7, 7, 1], before: [3, 3] }],
    ['different axes', { image: [12, 18, 8], kernel: [1, 5, 7], before: [0, 2] }],
  ] as const)('%s', (_, c) => {
    expect(isDirect('forward', convolution(c))).toBe(true);
    return withConv2dAlgorithm(direct, () => expectConvolution(convolution(c)));
  });
});

test('bias and activation', async () => {
  const c = convolution({ batch: 2, image: [7, 9, 8], kernel: [3, 3, 3], before: [1, 1] });
  const [image, kernel, bias] = [draw(sizes.image(c), 1), draw(sizes.kernel(c), 2), draw(3, 3)];
  const y = withConv2dAlgorithm(direct, () =>
    fusedConv2d(tensor(image, { shape: [2, 7, 9, 8] }), tensor(kernel, { shape: [3, 3, 8, 3] }), bias, {
      padding: 'same',
      activation: 'relu',
    }),
  );
  const expected = convolve(c, image, kernel).map((sum, i) => Math.max(0, sum + (bias[i % 3] as number)));
  expect(largestError(await y.data(), expected)).toBeLessThan(1e-5);
});

describe('the choice', () => {
  const layer = (inputs: number, outputs: number, stride = 1, dilation = 1, window = 7) => {
    const line = { input: 224, output: 224 / stride, window, stride, dilation, before: 3 };
    return { batch: 1, rows: line, columns: line, inputs, outputs, groups: 1 };
  };
  const gpus = Object.values(adapterProfiles).filter(({ kind }) => kind !== 'software');

  test.each(gpus)('on a $kind adapter', (profile) => {
    const kindFor = (direction: 'forward' | 'inputGrad', geometry: ReturnType<typeof layer>) =>
      selectConv2d({ direction, geometry, dtypes: float32 }, profile).kind;
    expect(kindFor('inputGrad', layer(3, 64, 2))).toBe('direct');
    expect(kindFor('inputGrad', layer(3, 64))).toBe('direct');
    expect(kindFor('forward', layer(64, 3))).toBe('direct');
    expect(kindFor('inputGrad', layer(3, 62, 2))).toBe('gemmCol2im');
    expect(kindFor('inputGrad', layer(3, 64, 1, 2))).toBe('gemmCol2im');
    expect(kindFor('forward', layer(64, 3, 1, 1, 9))).toBe('gemmCol2im');
  });

  test('a GPU measures it among others', () => {
    const problem = { direction: 'inputGrad', geometry: layer(3, 64), dtypes: float32 } as const;
    const names = conv2dAlgorithms(problem, adapterProfiles.discrete).map(({ name }) => name);
    expect(names).toEqual(['implicit GEMM', 'GEMM + col2im', 'direct']);
  });

  test.each([1, 2, 3, 4, 5, 6, 7])('%s channels need no more memory than every device has', (channels) => {
    for (const window of [2, 3, 5, 7])
      for (const stride of [1, 2, 3])
        for (const outputs of [4, 8, 64]) {
          const shape = directShape({
            direction: 'inputGrad',
            geometry: layer(channels, outputs, stride, 1, window),
            dtypes: float32,
          });
          if (shape) expect(directLoads(shape).bytes).toBeLessThanOrEqual(16384);
        }
  });
});
