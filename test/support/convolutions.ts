/** @file Convolutions on the device and on the host, side by side. */
import { expect } from 'vitest';
import type { ConvolutionGeometry } from '../../src/core/convolution.ts';
import { conv2d, conv2dFilterGrad, conv2dInputGrad, tensor, tidy } from '../../src/index.ts';
import {
  type Convolution,
  convolve,
  draw,
  filterGradient,
  inputGradient,
  largestError,
  sizes,
} from './reference.ts';

/** Returns a convolution with defaults for missing parts: batch 1, no padding, strides, dilation or groups. */
export function convolution(c: Pick<Convolution, 'image' | 'kernel'> & Partial<Convolution>): Convolution {
  const full = {
    batch: 1,
    strides: [1, 1] as const,
    dilation: [1, 1] as const,
    before: [0, 0] as const,
    groups: 1,
    ...c,
  };
  const windows = (axis: 0 | 1) => {
    const extent = (c.kernel[axis] - 1) * full.dilation[axis] + 1;
    // The same padding at the end as at the start.
    return Math.floor((c.image[axis] + 2 * full.before[axis] - extent) / full.strides[axis]) + 1;
  };
  return { ...full, result: c.result ?? [windows(0), windows(1)] };
}

/** Returns the geometry of a convolution, by which its algorithm is selected. */
export function geometryOf(c: Convolution): ConvolutionGeometry {
  const axis = (i: 0 | 1) => ({
    input: c.image[i],
    output: c.result[i],
    window: c.kernel[i],
    stride: c.strides[i],
    dilation: c.dilation[i],
    before: c.before[i],
  });
  const [, , inputs] = c.image;
  const [, , outputs] = c.kernel;
  return { batch: c.batch, rows: axis(0), columns: axis(1), inputs, outputs, groups: c.groups };
}

/** Allowed error of a sum of `terms` products of numbers below 1, for any order of summation. */
export const allowedError = (terms: number) => 1e-6 * Math.max(1, Math.sqrt(terms)) + 3e-8 * terms;

/**
 * Compares all three directions of a convolution with float64. `share` is the allowed error relative to that of a plain sum.
 */
export async function expectConvolution(c: Convolution, share = 1): Promise<void> {
  const allowed = (terms: number) => share * allowedError(terms);
  const [height, width, channels] = c.image;
  const imageShape = [c.batch, height, width, channels];
  const kernelShape = [c.kernel[0], c.kernel[1], channels / c.groups, c.kernel[2]];
  const resultShape = [c.batch, ...c.result, c.kernel[2]];
  const after = (axis: 0 | 1) =>
    (c.result[axis] - 1) * c.strides[axis] +
    (c.kernel[axis] - 1) * c.dilation[axis] +
    1 -
    c.before[axis] -
    c.image[axis];
  const options = {
    strides: c.strides,
    dilationRate: c.dilation,
    groups: c.groups,
    padding: ([0, 1] as const).map((axis) => [c.before[axis], Math.max(0, after(axis))] as [number, number]),
  };
  const image = draw(sizes.image(c), 1);
  const kernel = draw(sizes.kernel(c), 2);
  const dy = draw(sizes.result(c), 3);
  const [y, dx, dk] = tidy(() => {
    const x = tensor(image, { shape: imageShape });
    const w = tensor(kernel, { shape: kernelShape });
    const cotangent = tensor(dy, { shape: resultShape });
    return [
      conv2d(x, w, options),
      conv2dInputGrad(cotangent, w, { ...options, inputShape: imageShape }),
      conv2dFilterGrad(x, cotangent, { ...options, kernelShape }),
    ] as const;
  });
  const taps = c.kernel[0] * c.kernel[1];
  expect(largestError(await y.data(), convolve(c, image, kernel)), 'result').toBeLessThan(
    allowed((taps * channels) / c.groups),
  );
  expect(largestError(await dx.data(), inputGradient(c, dy, kernel)), 'input gradient').toBeLessThan(
    allowed((taps * c.kernel[2]) / c.groups),
  );
  expect(largestError(await dk.data(), filterGradient(c, image, dy)), 'filter gradient').toBeLessThan(
    allowed(c.batch * c.result[0] * c.result[1]),
  );
  for (const t of [y, dx, dk]) t.dispose();
}
