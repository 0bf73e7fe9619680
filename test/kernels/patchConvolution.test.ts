/** @file Convolutions of images with few channels, from patches in workgroup memory. Against float64 on the host. */
import { describe, expect, test } from 'vitest';
import { patchBytes } from '../../shaders/convolution/patches.ts';
import { fusedConv2d, init, tensor } from '../../src/index.ts';
import { adapterProfiles } from '../../src/kernels/selection/adapterProfiles.ts';
import { selectConv2d } from '../../src/kernels/convolution/conv2dAlgorithm.ts';
import { patchShape } from '../../src/kernels/convolution/directShapes.ts';
import { withConv2dAlgorithm } from '../support/algorithms.ts';
import { convolution, expectConvolution, geometryOf } from '../support/convolutions.ts';
import { convolve, draw, largestError, sizes } from '../support/reference.ts';

await init();

const patches = { kind: 'patches' } as const;
const float32 = ['float32', 'float32'] as const;
const gpus = Object.values(adapterProfiles).filter(({ kind }) => kind !== 'software');

const layer = (
  inputs: number,
  outputs: number,
  { stride = 1, dilation = 1, window = 3, groups = 1 } = {},
) => {
  const line = { input: 224, output: 224 / stride, window, stride, dilation, before: 1 };
  return { batch: 1, rows: line, columns: line, inputs, outputs, groups };
};

// Input gradients are implicit GEMMs.
test.each([
  ['three channels', { batch: 2, image: [9, 19, 3], kernel: [3, 3, 20], before: [1, 1] }],
  ['one channel, filters of two workgroups', { image: [6, 7, 1], kernel: [5, 5, 68], before: [2, 2] }],
  ['seven channels', { image: [5, 6, 7], kernel: [2, 2, 16] }],
  ['strides', { batch: 2, image: [21, 40, 3], kernel: [5, 7, 16], strides: [2, 2], before: [3, 2] }],
  ['different axes', { image: [13, 34, 2], kernel: [1, 6, 16], strides: [3, 1], before: [0, 4] }],
  ['more padding than a window', { image: [3, 2, 3], kernel: [3, 3, 16], before: [5, 4] }],
] as const)('%s', (_, c) => {
  const geometry = geometryOf(convolution(c));
  for (const profile of gpus)
    expect(patchShape({ direction: 'forward', geometry, dtypes: float32 }, profile)).not.toBeNull();
  return withConv2dAlgorithm(patches, () => expectConvolution(convolution(c)));
});

test('bias and activation', async () => {
  const c = convolution({ batch: 2, image: [7, 9, 3], kernel: [3, 3, 16], before: [1, 1] });
  const [image, kernel, bias] = [draw(sizes.image(c), 1), draw(sizes.kernel(c), 2), draw(16, 3)];
  const y = withConv2dAlgorithm(patches, () =>
    fusedConv2d(tensor(image, { shape: [2, 7, 9, 3] }), tensor(kernel, { shape: [3, 3, 3, 16] }), bias, {
      padding: 'same',
      activation: 'relu',
    }),
  );
  const expected = convolve(c, image, kernel).map((sum, i) => Math.max(0, sum + (bias[i % 16] as number)));
  expect(largestError(await y.data(), expected)).toBeLessThan(1e-5);
});

describe('the choice', () => {
  test.each(Object.values(adapterProfiles))('on a $kind adapter', (profile) => {
    const kindFor = (...options: Parameters<typeof layer>) =>
      selectConv2d({ direction: 'forward', geometry: layer(...options), dtypes: float32 }, profile).kind;
    const expected = profile.kind === 'software' ? 'implicitGemm' : 'patches';
    expect(kindFor(3, 64)).toBe(expected);
    expect(kindFor(3, 64, { window: 7, stride: 2 })).toBe(expected);
    expect(kindFor(1, 16)).toBe(expected);
    expect(kindFor(3, 66)).toBe('implicitGemm');
    expect(kindFor(4, 64)).toBe('implicitGemm');
    expect(kindFor(3, 64, { dilation: 2 })).toBe('implicitGemm');
    expect(kindFor(3, 64, { window: 11 })).toBe('implicitGemm');
    expect(kindFor(6, 64, { groups: 2 })).toBe('implicitGemm');
  });

  test.each(gpus)('no more memory than every device has, on a $kind adapter', (profile) => {
    for (const inputs of [1, 2, 3, 5, 6, 7])
      for (const window of [1, 2, 3, 5, 7])
        for (const stride of [1, 2, 3, 4]) {
          const geometry = layer(inputs, 64, { window, stride });
          const shape = patchShape({ direction: 'forward', geometry, dtypes: float32 }, profile);
          if (shape) expect(patchBytes(shape)).toBeLessThanOrEqual(16384);
        }
  });
});
