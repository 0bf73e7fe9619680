/**
 * @file Which kernels calls launch, with which options and how many workgroups, for a table of problems on a software
 * adapter and on a GPU. Nothing is computed: the launches are those of a dry run.
 */
import { expect, test } from 'vitest';
import type { DType } from '../../src/core/dtype.ts';
import {
  argMax,
  conv2d,
  conv2dFilterGrad,
  conv2dInputGrad,
  cumsum,
  depthwiseConv2d,
  depthwiseConv2dFilterGrad,
  depthwiseConv2dInputGrad,
  fusedConv2d,
  gather,
  gruSteps,
  init,
  logSoftmax,
  lstmSteps,
  matMul,
  relu,
  scatterAdd,
  softmax,
  sum,
  type Tensor,
  topK,
  transpose,
} from '../../src/index.ts';
import { commandsOf } from '../../src/autotune/survey.ts';
import { output } from '../../src/kernels/launch/output.ts';
import { adapterClasses, asAdapter } from '../support/adapterClass.ts';

const device = await init();

/** Returns a tensor with undefined values; in a dry run it takes no memory. */
const made = (shape: readonly number[], dtype: DType = 'float32'): Tensor =>
  output(device, { shape: [...shape], dtype }, 'test');

const multiply =
  (a: readonly number[], b: readonly number[], options: object = {}, dtype: DType = 'float32') =>
  () =>
    void matMul(made(a, dtype), made(b, dtype), options);

/** All three directions of a convolution. */
const convolve =
  (image: number[], kernel: number[], options: object = {}) =>
  () => {
    const [x, w] = [made(image), made(kernel)];
    const y = conv2d(x, w, options);
    conv2dInputGrad(y, w, { ...options, inputShape: image });
    conv2dFilterGrad(x, y, { ...options, kernelShape: kernel });
  };

const depthwise =
  (image: number[], kernel: number[], options: object = {}) =>
  () => {
    const [x, w] = [made(image), made(kernel)];
    const y = depthwiseConv2d(x, w, options);
    depthwiseConv2dInputGrad(y, w, { ...options, inputShape: image });
    depthwiseConv2dFilterGrad(x, y, { ...options, kernelShape: kernel });
  };

const same = { padding: 'same' } as const;

const problems: Record<string, () => void> = {
  'matMul 4 × 4 × 4': multiply([4, 4], [4, 4]),
  'matMul 40 × 40 × 40': multiply([40, 40], [40, 40]),
  'matMul 40 × 44 × 40': multiply([40, 40], [40, 44]),
  'matMul 64 × 64 × 1': multiply([64, 1], [1, 64]),
  'matMul 63 × 63 × 1': multiply([63, 1], [1, 63]),
  'matMul 101 × 101 × 1': multiply([101, 1], [1, 101]),
  'matMul 64 × 64 × 64': multiply([64, 64], [64, 64]),
  'matMul 65 × 64 × 64': multiply([65, 64], [64, 64]),
  'matMul 96 × 96 × 96': multiply([96, 96], [96, 96]),
  'matMul 128 × 128 × 128, A transposed': multiply([128, 128], [128, 128], { transposeA: true }),
  'matMul 127 × 129 × 131': multiply([127, 131], [131, 129]),
  'matMul 36 × 190 × 1601': multiply([36, 1601], [1601, 190]),
  'matMul 1024 × 1024 × 1024': multiply([1024, 1024], [1024, 1024]),
  'matMul 1024 × 1024 × 1024, B transposed': multiply([1024, 1024], [1024, 1024], { transposeB: true }),
  'matMul 1030 × 36 × 1024': multiply([1030, 1024], [1024, 36]),
  'matMul 512 × 512 × 1': multiply([512, 1], [1, 512]),
  'matMul a row': multiply([1, 512], [512, 1024]),
  'matMul a row, odd': multiply([1, 511], [511, 1023]),
  'matMul a few rows': multiply([3, 512], [512, 1024]),
  'matMul a column': multiply([512, 1024], [1024, 1]),
  'matMul a few columns': multiply([512, 1024], [1024, 3]),
  'matMul 3 × 5 × 4099': multiply([3, 4099], [4099, 5]),
  'matMul 8 × 8 × 65536': multiply([8, 65536], [65536, 8]),
  'matMul int32': multiply([96, 96], [96, 96], {}, 'int32'),
  'matMul float16': multiply([96, 96], [96, 96], {}, 'float16'),
  'matMul batch with one B': multiply([8, 32, 64], [64, 48]),
  'matMul batch of both': multiply([8, 64, 64], [8, 64, 64]),
  'matMul broadcast batch': multiply([2, 1, 64, 64], [3, 64, 64]),

  'conv2d 1 × 1': convolve([2, 16, 16, 32], [1, 1, 32, 48]),
  'conv2d 1 × 1, strides': convolve([2, 16, 16, 32], [1, 1, 32, 48], { strides: 2 }),
  'conv2d tiny': convolve([1, 8, 8, 4], [3, 3, 4, 4], same),
  'conv2d 16 channels': convolve([2, 32, 32, 16], [3, 3, 16, 16], same),
  'conv2d 13 to 14 channels': convolve([2, 20, 20, 13], [3, 3, 13, 14], same),
  'conv2d 64 × 64, 64 channels': convolve([1, 64, 64, 64], [3, 3, 64, 64], same),
  'conv2d 224 × 224, 64 channels': convolve([1, 224, 224, 64], [3, 3, 64, 64], same),
  'conv2d 4 × 4, 512 channels': convolve([1, 4, 4, 512], [3, 3, 512, 512], same),
  'conv2d 128 × 128, strides': convolve([1, 128, 128, 64], [3, 3, 64, 64], { ...same, strides: 2 }),
  'conv2d dilation': convolve([1, 64, 64, 64], [3, 3, 64, 64], { ...same, dilationRate: 2 }),
  'conv2d groups': convolve([1, 64, 64, 64], [3, 3, 32, 64], { ...same, groups: 2 }),
  'conv2d 5 × 5': convolve([1, 32, 32, 24], [5, 5, 24, 24], same),
  'conv2d from images': convolve([1, 224, 224, 3], [7, 7, 3, 64], { ...same, strides: 2 }),
  'conv2d to images': convolve([1, 96, 96, 64], [9, 9, 64, 3], same),
  'conv2d few channels': convolve([1, 36, 36, 3], [5, 5, 3, 12], same),
  'conv2d to images, huge': convolve([64, 512, 512, 8], [5, 5, 8, 3], same),
  'conv2d with bias and activation': () => {
    const x = made([1, 64, 64, 64]);
    fusedConv2d(x, made([3, 3, 64, 64]), made([64]), { ...same, activation: 'relu' });
    fusedConv2d(x, made([3, 3, 64, 4]), made([4]), { ...same, activation: 'relu' });
  },
  'conv2d float16': () => {
    conv2d(made([1, 64, 64, 64], 'float16'), made([3, 3, 64, 64], 'float16'), same);
    conv2d(made([1, 16, 16, 16], 'float16'), made([3, 3, 16, 16], 'float16'), same);
  },

  'depthwiseConv2d 3 × 3': depthwise([1, 56, 56, 64], [3, 3, 64, 1], same),
  'depthwiseConv2d 3 × 3, strides': depthwise([2, 56, 56, 64], [3, 3, 64, 1], { ...same, strides: 2 }),
  'depthwiseConv2d 3 × 3, small': depthwise([1, 7, 7, 6], [3, 3, 6, 1], same),
  'depthwiseConv2d 7 × 7': depthwise([1, 56, 56, 96], [7, 7, 96, 1], same),
  'depthwiseConv2d 4 × 4': depthwise([1, 56, 56, 16], [4, 4, 16, 1], same),
  'depthwiseConv2d multiplier': depthwise([1, 28, 28, 16], [3, 3, 16, 2], same),

  'sum of all': () => void sum(made([1024, 1024])),
  'sum of few': () => void sum(made([100])),
  'sum of rows': () => void sum(made([512, 768]), { axis: 1 }),
  'sum of odd rows': () => void sum(made([513, 767]), { axis: 1 }),
  'sum of columns': () => void sum(made([768, 512]), { axis: 0 }),
  'sum of many columns': () => void sum(made([64, 16384]), { axis: 0 }),
  'sum of odd columns': () => void sum(made([2000, 2001]), { axis: 0 }),
  'sum of few long rows': () => void sum(made([4, 262144]), { axis: 1 }),
  'sum of two axes': () => void sum(made([32, 28, 28, 64]), { axis: [0, 2] }),
  'argMax of rows': () => void argMax(made([512, 768]), { axis: 1 }),

  'gather rows': () => void gather(made([1000, 64]), made([4096], 'int32')),
  'gather rows, unchecked': () =>
    void gather(made([1000, 64]), made([4096], 'int32'), { validateIndices: false }),
  'gather elements': () => void gather(made([1000]), made([8192], 'int32')),
  'gather few': () => void gather(made([10, 3]), made([5], 'int32')),
  'gather along an axis': () => void gather(made([16, 1000, 3]), made([500], 'int32'), { axis: 1 }),
  'scatterAdd small': () => void scatterAdd(made([20], 'int32'), made([20, 4]), { shape: [10, 4] }),
  scatterAdd: () => void scatterAdd(made([4096], 'int32'), made([4096, 64]), { shape: [1000, 64] }),
  'scatterAdd many': () =>
    void scatterAdd(made([100_000], 'int32'), made([100_000, 2]), { shape: [1000, 2] }),

  softmax: () => void softmax(made([512, 1000])),
  'softmax, few and long': () => void softmax(made([2, 100_000])),
  'logSoftmax along the first axis': () => void logSoftmax(made([100, 64]), { axis: 0 }),
  cumsum: () => void cumsum(made([64, 4096]), { axis: 1 }),
  transpose: () => void transpose(made([256, 512])),
  'transpose of four axes': () => void transpose(made([4, 32, 48, 64]), { perm: [0, 3, 1, 2] }),
  'transpose, narrow': () => void transpose(made([4, 512])),
  'topK 1': () => void topK(made([64, 10_000]), { k: 1 }),
  'topK 10': () => void topK(made([4, 10_000]), { k: 10 }),
  'topK 100': () => void topK(made([4, 10_000]), { k: 100 }),
  'lstmSteps small': () =>
    void lstmSteps(made([8, 3, 64]), made([16, 64]), made([8, 16]), made([8, 16]), null),
  'gruSteps large': () =>
    void gruSteps(made([256, 2, 768]), made([256, 768]), made([768]), made([256, 256]), null),
  'relu small': () => void relu(made([100])),
  'relu large': () => void relu(made([1024, 1024])),
};

/** Returns the launches of `body`, one per line. */
function launchesOf(body: () => void): string[] {
  return commandsOf(device, body).map((command) => {
    if (command.kind === 'copy') return `copy of ${command.bytes} bytes`;
    const { kernel, options, grid } = command;
    // Its workgroups depend on the machine's number of cores.
    if (kernel.name === 'scatter owned') return kernel.name;
    return `${kernel.name} ${JSON.stringify(options)} × ${grid.join(' × ')}`;
  });
}

test.each(adapterClasses)('as on a %s', (kind) =>
  asAdapter(kind, () => {
    const launches = Object.entries(problems).map(([name, body]) => [name, launchesOf(body)]);
    expect(Object.fromEntries(launches)).toMatchSnapshot();
  }),
);
