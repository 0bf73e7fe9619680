/**
 * @file Shapes are parameters: a new one compiles nothing. Kernels have variants, which follow from what a size divides
 * by, from ranks and from orders of magnitude: there are few of them, and after some shapes all are known.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  add,
  avgPool,
  concat,
  conv2d,
  cumsum,
  depthwiseConv2d,
  GradientTape,
  gather,
  layerNorm,
  matMul,
  max,
  maxPool,
  mean,
  mul,
  ones,
  pad,
  rmsNorm,
  scatterAdd,
  slice,
  softmax,
  sum,
  type Tensor,
  tensor,
  tidy,
  transpose,
} from '../../src/index.ts';
import { createProfile } from '../../src/kernels/selection/deviceProfile.ts';
import type { Device } from '../../src/webgpu/device.ts';
import { type OwnDevice, ownDevice } from '../support/ownDevice.ts';

let own: OwnDevice;
let device: Device;

beforeAll(async () => {
  own = await ownDevice();
  device = own.device;
  // How many variants there are, and from which sizes on, depends on the profile: `works` and `pools` meet all those of this one.
  device.profile = createProfile(device, 'software');
});

afterAll(async () => {
  await own[Symbol.asyncDispose]();
});

/** Returns the value and its gradient for each of `inputs`. */
function withGradients(inputs: Tensor[], f: (...inputs: Tensor[]) => Tensor): void {
  tidy(() => {
    using tape = new GradientTape();
    tape.watch(inputs);
    tape.gradient(f(...inputs), inputs);
  });
}

/** Launches some work, of the size `n` in every axis that may differ. */
const works: Record<string, (n: number) => void> = {
  add: (n) => withGradients([ones([n, 2 * n]), ones([n, 1])], (x, y) => mul(add(x, y), x)),
  matMul: (n) => withGradients([ones([n, 2 * n]), ones([2 * n, 3 * n])], (a, b) => matMul(a, b)),
  batched: (n) => withGradients([ones([2, n, n]), ones([2, n, n])], (a, b) => matMul(a, b)),
  conv2d: (n) =>
    withGradients([ones([1, n, 2 * n, 4]), ones([3, 3, 4, 8])], (x, w) => conv2d(x, w, { padding: 'same' })),
  strided: (n) =>
    withGradients([ones([1, n, n, n]), ones([3, 3, n, n])], (x, w) =>
      conv2d(x, w, { strides: 2, padding: 'same' }),
    ),
  depthwise: (n) =>
    withGradients([ones([1, n, n, n]), ones([3, 3, n, 1])], (x, w) =>
      depthwiseConv2d(x, w, { padding: 'same' }),
    ),
  maxPool: (n) => withGradients([ones([1, 2 * n, 2 * n, n])], (x) => maxPool(x, { poolSize: 2 })),
  avgPool: (n) => withGradients([ones([1, 2 * n, 2 * n, n])], (x) => avgPool(x, { poolSize: 2 })),
  softmax: (n) => withGradients([ones([n, 2 * n])], (x) => softmax(x)),
  layerNorm: (n) =>
    withGradients([ones([n, 2 * n]), ones([2 * n]), ones([2 * n])], (x, g, b) => layerNorm(x, g, b)),
  rmsNorm: (n) => withGradients([ones([n, 2 * n]), ones([2 * n])], (x, g) => rmsNorm(x, g)),
  reductions: (n) => {
    tidy(() => {
      const x = ones([n, 2 * n, n]);
      for (const axis of [0, 1, 2]) [sum(x, { axis }), mean(x, { axis }), max(x, { axis })];
      return cumsum(x, { axis: 1 });
    });
  },
  movement: (n) =>
    tidy(() => {
      const x = ones([n, 2 * n]);
      concat([x, x], { axis: 1 });
      pad(x, {
        paddings: [
          [n, 0],
          [0, n],
        ],
      });
      slice(x, { begin: [1, 1], size: [n - 1, n] });
      transpose(x);
    }),
  gather: (n) =>
    tidy(() => {
      const indices = tensor(Int32Array.from({ length: n }, (_, i) => i % 3));
      gather(ones([n, 2 * n]), indices);
      scatterAdd(indices, ones([n, 2 * n]), { shape: [n, 2 * n] });
    }),
};

/** On software adapters a pool computes up to eight channels at a time, and each number is a pipeline: sizes with the others. */
const pools = [17, 28, 29, 32, 36];

describe('a new shape compiles nothing', () => {
  test.each(Object.keys(works))('%s', async (name) => {
    const work = works[name] as (n: number) => void;
    // Multiples of four, of sixteen and others; of few channels, small, medium and large.
    for (const n of [4, 5, 6, 7, 12, 13, 18, 24, 25, 26, 27, 34, 48, 49]) work(n);
    if (name.endsWith('Pool')) for (const n of pools) work(n);
    const before = device.pipelineCount;
    for (const n of [8, 9, 10, 11, 14, 15, 17, 20, 28, 29, 30, 31, 32, 36, 44, 45]) work(n);
    expect(device.pipelineCount).toBe(before);
    await device.sync();
  });
});

test('all of this uses few pipelines', () => {
  expect(device.pipelineCount).toBeLessThan(210);
});
