/** @file Convolutions whose result has few channels, by GEMM + col2im. Against float64 on the host. */
import { describe, expect, test } from 'vitest';
import type { Direction } from '../../shaders/convolution.ts';
import { fusedConv2d, init, tensor } from '../../src/index.ts';
import { adapterProfiles } from '../../src/kernels/selection/adapterProfiles.ts';
import { selectConv2d } from '../../src/kernels/convolution/conv2dAlgorithm.ts';
import { withConv2dAlgorithm } from '../support/algorithms.ts';
import { convolution, expectConvolution } from '../support/convolutions.ts';
import { convolve, draw, largestError, sizes } from '../support/reference.ts';

await init();

// What it can't compute is an implicit GEMM.
test.each([
  ['few channels on both sides', { batch: 2, image: [9, 8, 3], kernel: [3, 3, 2], before: [1, 1] }],
  ['few inputs', { batch: 2, image: [7, 9, 3], kernel: [3, 3, 12], before: [1, 1] }],
  ['few filters', { image: [7, 9, 8], kernel: [2, 3, 3], before: [1, 0] }],
  ['strides', { image: [13, 14, 3], kernel: [7, 7, 8], strides: [2, 3], before: [3, 2] }],
  ['dilation', { image: [13, 14, 2], kernel: [3, 3, 5], dilation: [2, 3], before: [2, 1] }],
  ['strides and dilation', { image: [15, 16, 1], kernel: [3, 2, 4], strides: [2, 3], dilation: [3, 2] }],
  ['rows that no window covers', { image: [8, 9, 3], kernel: [2, 2, 4], strides: [3, 4] }],
  ['one channel', { batch: 2, image: [9, 19, 1], kernel: [3, 5, 1], before: [1, 2] }],
  ['one channel to three', { batch: 2, image: [5, 11, 1], kernel: [4, 3, 3], before: [2, 1] }],
  [
    'one channel, lines shorter than a group',
    { batch: 2, image: [9, 3, 1], kernel: [3, 3, 1], before: [1, 1] },
  ],
  ['dilation, one channel', { image: [13, 21, 1], kernel: [3, 3, 1], dilation: [2, 3], before: [2, 3] }],
  ['strides, one channel', { image: [13, 25, 1], kernel: [3, 3, 1], strides: [2, 2], before: [1, 1] }],
  ['long lines of few channels', { image: [4, 21, 6], kernel: [3, 3, 2], before: [1, 1] }],
  ['one tap', { image: [5, 4, 3], kernel: [1, 1, 2], strides: [2, 1] }],
] as const)('%s', (_, c) =>
  withConv2dAlgorithm({ kind: 'gemmCol2im' }, () => expectConvolution(convolution(c))),
);

test('bias and activation', async () => {
  const c = convolution({ batch: 2, image: [7, 9, 8], kernel: [3, 3, 3], before: [1, 1] });
  const [image, kernel, bias] = [draw(sizes.image(c), 1), draw(sizes.kernel(c), 2), draw(3, 3)];
  const y = withConv2dAlgorithm({ kind: 'gemmCol2im' }, () =>
    fusedConv2d(tensor(image, { shape: [2, 7, 9, 8] }), tensor(kernel, { shape: [3, 3, 8, 3] }), bias, {
      padding: 'same',
      activation: 'relu',
    }),
  );
  const expected = convolve(c, image, kernel).map((sum, i) => Math.max(0, sum + (bias[i % 3] as number)));
  expect(largestError(await y.data(), expected)).toBeLessThan(1e-5);
});

test('bias and activation of one channel', async () => {
  const c = convolution({ image: [6, 21, 1], kernel: [3, 3, 1], before: [1, 1] });
  const [image, kernel] = [draw(sizes.image(c), 1), draw(sizes.kernel(c), 2)];
  const y = withConv2dAlgorithm({ kind: 'gemmCol2im' }, () =>
    fusedConv2d(tensor(image, { shape: [1, 6, 21, 1] }), tensor(kernel, { shape: [3, 3, 1, 1] }), [0.25], {
      padding: 'same',
      activation: 'relu',
    }),
  );
  const expected = convolve(c, image, kernel).map((sum) => Math.max(0, sum + 0.25));
  expect(largestError(await y.data(), expected)).toBeLessThan(1e-5);
});

describe('the choice', () => {
  const layer = (inputs: number, outputs: number, stride = 1) => {
    const line = { input: 224, output: 224 / stride, window: 7, stride, dilation: 1, before: 3 };
    return { batch: 1, rows: line, columns: line, inputs, outputs, groups: 1 };
  };

  test.each(Object.values(adapterProfiles))('on a $kind adapter', (profile) => {
    const kindFor = (direction: Direction, geometry: ReturnType<typeof layer>) =>
      selectConv2d({ direction, geometry, dtypes: ['float32', 'float32'] }, profile).kind;
    const isSoftware = profile.kind === 'software';
    expect(kindFor('inputGrad', layer(3, 64, 2))).toBe(isSoftware ? 'blocks' : 'direct');
    expect(kindFor('forward', layer(64, 3))).toBe(isSoftware ? 'blocks' : 'direct');
    expect(kindFor('inputGrad', layer(3, 62, 2))).toBe(isSoftware ? 'blocks' : 'gemmCol2im');
    expect(kindFor('forward', layer(62, 3))).toBe(isSoftware ? 'blocks' : 'gemmCol2im');
    expect(kindFor('forward', layer(64, 3, 2))).toBe(isSoftware ? 'blocks' : 'implicitGemm');
    expect(kindFor('inputGrad', layer(1, 1))).toBe(isSoftware ? 'blocks' : 'gemmCol2im');
    expect(kindFor('filterGrad', layer(16, 64))).toBe('implicitGemm');
    expect(kindFor('inputGrad', layer(64, 64))).toBe('implicitGemm');
  });
});
