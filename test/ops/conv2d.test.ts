/**
 * @file Convolutions in the variants that the library selects, in sizes past the small kernel's, against float64
 * on the host.
 */
import { expect, test } from 'vitest';
import { conv2d, conv2dFilterGrad, init, tensor } from '../../src/index.ts';
import { convolution, expectConvolution } from '../support/convolutions.ts';
import { draw } from '../support/reference.ts';

await init();

test.each([
  ['channels in fours', { batch: 2, image: [11, 13, 16], kernel: [3, 3, 32], before: [1, 1] }],
  ['a picture', { image: [40, 37, 3], kernel: [3, 3, 16], before: [1, 1] }],
  ['odd channels', { batch: 3, image: [12, 12, 7], kernel: [3, 3, 19] }],
  ['a single filter', { image: [30, 30, 32], kernel: [3, 3, 1], before: [1, 1] }],
  ['strides', { image: [21, 22, 24], kernel: [3, 3, 16], strides: [2, 2], before: [1, 1] }],
  ['strides and dilation', { image: [24, 25, 16], kernel: [3, 2, 16], strides: [3, 2], dilation: [2, 3] }],
  ['groups', { image: [14, 14, 32], kernel: [3, 3, 48], before: [1, 1], groups: 4 }],
  ['one tap', { image: [17, 19, 40], kernel: [1, 1, 36] }],
  ['one tap with strides', { image: [33, 35, 40], kernel: [1, 1, 36], strides: [2, 2] }],
  ['one row', { batch: 4, image: [1, 90, 12], kernel: [1, 5, 24], before: [0, 2] }],
  ['a kernel as large as the image', { batch: 8, image: [6, 6, 32], kernel: [6, 6, 24] }],
] as const)('%s', (_, c) => expectConvolution(convolution(c)));

test('same input, same bits', async () => {
  const x = tensor(draw(2 * 12 * 12 * 16, 1), { shape: [2, 12, 12, 16] });
  const dy = tensor(draw(2 * 12 * 12 * 8, 2), { shape: [2, 12, 12, 8] });
  const gradient = () => conv2dFilterGrad(x, dy, { padding: 'same', kernelShape: [3, 3, 16, 8] }).data();
  expect(await gradient()).toEqual(await gradient());
});

test('NaN and infinity of the image reach the windows that see them, and no others', async () => {
  const values = new Float32Array(25);
  values[12] = Number.NaN;
  const kernel = tensor(new Float32Array(9).fill(1), { shape: [3, 3, 1, 1] });
  const seen = await conv2d(tensor(values, { shape: [1, 5, 5, 1] }), kernel, { padding: 'same' }).data();
  seen.forEach((value, i) => {
    const isNear = Math.abs(Math.floor(i / 5) - 2) <= 1 && Math.abs((i % 5) - 2) <= 1;
    expect(Number.isNaN(value)).toBe(isNear);
  });
  values[12] = Number.POSITIVE_INFINITY;
  const far = await conv2d(tensor(values, { shape: [1, 5, 5, 1] }), kernel, { padding: 'same' }).data();
  expect(far[12]).toBe(Number.POSITIVE_INFINITY);
  expect(far[0]).toBe(0);
});
