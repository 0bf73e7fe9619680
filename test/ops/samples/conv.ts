import { DTypeError, ShapeError, ValueError } from '../../../src/core/errors.ts';
import type { BadCase, InputSample, OpCase, OpSamples } from './types.ts';

const x = (...shape: number[]): InputSample => ({ shape });
const int = (...shape: number[]): InputSample => ({ shape, dtype: 'int32', low: -9, high: 9 });

/** A convolution by its shapes: image, kernel, result, options. */
type Sample = readonly [readonly number[], readonly number[], readonly number[], object?];

const convolutions: Sample[] = [
  [
    [1, 4, 5, 2],
    [3, 3, 2, 3],
    [1, 2, 3, 3],
  ],
  [[2, 4, 4, 3], [3, 3, 3, 2], [2, 4, 4, 2], { padding: 'same' }],
  [[1, 5, 6, 4], [3, 2, 4, 4], [1, 3, 3, 4], { strides: 2, padding: 'same' }],
  [[1, 6, 7, 2], [2, 3, 2, 2], [1, 3, 2, 2], { strides: [2, 3] }],
  [[1, 7, 6, 2], [3, 2, 2, 2], [1, 3, 3, 2], { dilationRate: [2, 3] }],
  [[1, 7, 7, 1], [2, 2, 1, 2], [1, 3, 3, 2], { strides: 2, dilationRate: 2 }],
  [[1, 5, 5, 1], [2, 2, 1, 1], [1, 2, 2, 1], { strides: 3 }],
  [
    [1, 4, 3, 2],
    [3, 2, 2, 3],
    [1, 5, 3, 3],
    {
      padding: [
        [1, 2],
        [0, 1],
      ],
    },
  ],
  [[1, 4, 4, 4], [3, 3, 2, 6], [1, 4, 4, 6], { padding: 'same', groups: 2 }],
  [[1, 5, 5, 3], [2, 2, 1, 3], [1, 3, 3, 3], { padding: 'same', strides: 2, groups: 3 }],
  [
    [1, 3, 4, 3],
    [1, 1, 3, 2],
    [1, 3, 4, 2],
  ],
  [[1, 4, 4, 3], [1, 1, 3, 2], [1, 2, 2, 2], { strides: 2 }],
  [[1, 2, 3, 2], [5, 4, 2, 2], [1, 2, 3, 2], { padding: 'same' }],
  [
    [1, 3, 3, 2],
    [3, 3, 2, 4],
    [1, 1, 1, 4],
  ],
  [[0, 4, 4, 2], [3, 3, 2, 2], [0, 4, 4, 2], { padding: 'same' }],
];

/** Nothing to add up: the gradients are zeros, or of size zero. */
const withoutChannels: Sample[] = [
  [
    [1, 4, 4, 0],
    [3, 3, 0, 2],
    [1, 2, 2, 2],
  ],
  [
    [1, 4, 4, 2],
    [3, 3, 2, 0],
    [1, 2, 2, 0],
  ],
];

const badOptions: [why: string, options: object][] = [
  ['strides of 0', { strides: 0 }],
  ['fractional strides', { strides: [1, 1.5] }],
  ['three strides', { strides: [1, 1, 1] }],
  ['a negative dilation', { dilationRate: -1 }],
  ['an unknown padding', { padding: 'SAME' }],
  [
    'negative padding',
    {
      padding: [
        [-1, 0],
        [0, 0],
      ],
    },
  ],
  ['padding of one axis', { padding: [[0, 0]] }],
];
const badGroups: [why: string, options: object][] = [
  ['groups of 0', { groups: 0 }],
  ['fractional groups', { groups: 1.5 }],
];

function badFor(
  rest: readonly [why: string, options: object][],
  inputs: readonly (InputSample | null)[],
  more: object = {},
): BadCase[] {
  return rest.map(([why, options]) => ({ why, inputs, options: { ...options, ...more }, error: ValueError }));
}

const badConvolutions: BadCase[] = [
  { why: 'an image of rank 3', inputs: [x(4, 4, 2), x(3, 3, 2, 2)], error: ShapeError, message: /`x`/ },
  { why: 'a kernel of rank 3', inputs: [x(1, 4, 4, 2), x(3, 3, 2)], error: ShapeError, message: /`kernel`/ },
  { why: 'channels that don’t fit', inputs: [x(1, 4, 4, 3), x(3, 3, 2, 2)], error: ShapeError },
  {
    why: 'groups that don’t divide the filters',
    inputs: [x(1, 4, 4, 4), x(3, 3, 2, 3)],
    options: { groups: 2 },
    error: ShapeError,
  },
  { why: 'a kernel larger than the image', inputs: [x(1, 2, 4, 2), x(3, 3, 2, 2)], error: ShapeError },
  {
    why: 'a dilated kernel larger than the image',
    inputs: [x(1, 4, 4, 2), x(3, 3, 2, 2)],
    options: { dilationRate: 2 },
    error: ShapeError,
  },
  { why: 'a kernel of no pixels', inputs: [x(1, 4, 4, 2), x(0, 3, 2, 2)], error: ShapeError },
  { why: 'an integer image', inputs: [int(1, 4, 4, 2), x(3, 3, 2, 2)], error: DTypeError },
  { why: 'an integer kernel', inputs: [x(1, 4, 4, 2), int(3, 3, 2, 2)], error: DTypeError },
  ...badFor([...badOptions, ...badGroups], [x(1, 4, 4, 2), x(3, 3, 2, 2)]),
];

/** Without images, or without channels, nothing carries NaN on. */
const carries = (image: readonly number[], kernel: readonly number[]) =>
  [...image, ...kernel].includes(0) ? { carriesNaN: false } : {};

const forward = ([image, kernel, , options]: Sample): OpCase => ({
  inputs: [x(...image), x(...kernel)],
  ...carries(image, kernel),
  ...(options ? { options } : {}),
});
const inputGrad = ([image, kernel, result, options]: Sample): OpCase => ({
  inputs: [x(...result), x(...kernel)],
  options: { ...options, inputShape: image },
  ...carries(image, kernel),
});
const filterGrad = ([image, kernel, result, options]: Sample): OpCase => ({
  inputs: [x(...image), x(...result)],
  options: { ...options, kernelShape: kernel },
  ...carries(image, kernel),
});

const image = [1, 4, 4, 2];
const kernel = [3, 3, 2, 2];
const badInputGrads: BadCase[] = [
  {
    why: 'a cotangent of another shape',
    inputs: [x(1, 4, 4, 2), x(...kernel)],
    options: { inputShape: image },
    error: ShapeError,
  },
  { why: 'no inputShape', inputs: [x(1, 2, 2, 2), x(...kernel)], error: ShapeError },
  {
    why: 'a negative inputShape',
    inputs: [x(1, 2, 2, 2), x(...kernel)],
    options: { inputShape: [1, -4, 4, 2] },
    error: ShapeError,
  },
  {
    why: 'an integer cotangent',
    inputs: [int(1, 2, 2, 2), x(...kernel)],
    options: { inputShape: image },
    error: DTypeError,
  },
  ...badFor(badOptions, [x(1, 2, 2, 2), x(...kernel)], { inputShape: image }),
];
const badFilterGrads: BadCase[] = [
  {
    why: 'a cotangent of another shape',
    inputs: [x(...image), x(1, 4, 4, 2)],
    options: { kernelShape: kernel },
    error: ShapeError,
  },
  { why: 'no kernelShape', inputs: [x(...image), x(1, 2, 2, 2)], error: ShapeError },
  {
    why: 'a fractional kernelShape',
    inputs: [x(...image), x(1, 2, 2, 2)],
    options: { kernelShape: [3, 2.5, 2, 2] },
    error: ShapeError,
  },
  {
    why: 'an integer cotangent',
    inputs: [x(...image), int(1, 2, 2, 2)],
    options: { kernelShape: kernel },
    error: DTypeError,
  },
  ...badFor(badOptions, [x(...image), x(1, 2, 2, 2)], { kernelShape: kernel }),
];

/** Image, kernel [height, width, channels, multiplier], result. */
const depthwise: Sample[] = [
  [
    [1, 4, 5, 2],
    [3, 3, 2, 1],
    [1, 2, 3, 2],
  ],
  [[2, 4, 4, 3], [3, 3, 3, 2], [2, 4, 4, 6], { padding: 'same' }],
  [[1, 5, 6, 4], [3, 2, 4, 1], [1, 3, 3, 4], { padding: 'same', strides: 2 }],
  [[1, 7, 7, 1], [2, 2, 1, 3], [1, 3, 3, 3], { strides: 2, dilationRate: 2 }],
  [[1, 4, 6, 2], [2, 2, 2, 1], [1, 4, 3, 2], { padding: 'same', strides: [1, 2] }],
  [
    [1, 4, 3, 2],
    [3, 2, 2, 2],
    [1, 5, 3, 4],
    {
      padding: [
        [1, 2],
        [0, 1],
      ],
    },
  ],
  [[1, 6, 5, 8], [3, 3, 8, 1], [1, 2, 1, 8], { dilationRate: 2 }],
  [[0, 4, 4, 2], [3, 3, 2, 1], [0, 4, 4, 2], { padding: 'same' }],
];

/** Image, kernel [height, width, filters, channels]. */
const transposed: OpCase[] = [
  { inputs: [x(1, 3, 4, 2), x(3, 3, 3, 2)] },
  { inputs: [x(2, 3, 3, 3), x(3, 3, 2, 3)], options: { padding: 'same' } },
  { inputs: [x(1, 3, 2, 4), x(3, 2, 4, 4)], options: { strides: 2, padding: 'same' } },
  { inputs: [x(1, 2, 3, 2), x(3, 3, 1, 2)], options: { strides: [1, 2] } },
  { inputs: [x(1, 2, 2, 2), x(2, 2, 2, 2)], options: { strides: 3 } },
  { inputs: [x(1, 3, 3, 1), x(3, 3, 2, 1)], options: { strides: 2, padding: 'same', outputPadding: 1 } },
  { inputs: [x(1, 3, 3, 1), x(3, 3, 2, 1)], options: { strides: 2, outputPadding: [1, 0] } },
  { inputs: [x(1, 1, 1, 2), x(3, 3, 2, 2)], options: { strides: 2, padding: 'same' } },
  { inputs: [x(1, 3, 4, 2), x(3, 2, 3, 2)], options: { dilationRate: [2, 3] } },
  { inputs: [x(1, 3, 3, 2), x(3, 3, 2, 2)], options: { strides: 2, dilationRate: 2, padding: 'same' } },
  { inputs: [x(0, 3, 3, 2), x(3, 3, 2, 2)], carriesNaN: false },
];

/** Sequences: image, kernel, options. */
const sequences: OpCase[] = [
  { inputs: [x(2, 7, 3), x(3, 3, 4)] },
  { inputs: [x(1, 7, 2), x(3, 2, 2)], options: { padding: 'same', strides: 2 } },
  { inputs: [x(1, 6, 2), x(2, 2, 3)], options: { padding: 'causal', dilationRate: 2 } },
  { inputs: [x(1, 9, 2), x(3, 2, 3)], options: { dilationRate: [3] } },
  { inputs: [x(1, 6, 4), x(3, 2, 2)], options: { padding: 'same', groups: 2 } },
  { inputs: [x(1, 6, 2), x(4, 2, 2)], options: { padding: [[2, 1]], strides: [3] } },
  { inputs: [x(1, 5, 3), x(1, 3, 2)] },
  { inputs: [x(0, 5, 3), x(2, 3, 2)], carriesNaN: false },
];

const fused = (sample: Sample, bias: InputSample | null, options: object): OpCase => {
  const { inputs, options: own, ...rest } = forward(sample);
  return { inputs: [...inputs, bias], options: { ...own, ...options }, ...rest };
};

export const samples: OpSamples[] = [
  {
    op: 'conv2d',
    cases: [...convolutions, ...withoutChannels].map(forward),
    bad: badConvolutions,
  },
  {
    op: 'conv2dInputGrad',
    cases: [...convolutions, ...withoutChannels].map(inputGrad),
    bad: badInputGrads,
  },
  {
    op: 'conv2dFilterGrad',
    cases: [...convolutions, ...withoutChannels].map(filterGrad),
    bad: badFilterGrads,
  },
  {
    op: 'fusedConv2d',
    cases: [
      ...convolutions
        .slice(0, 4)
        .map((sample) => fused(sample, x(sample[2][3] as number), { activation: 'tanh' })),
      fused(convolutions[8] as Sample, x(6), { activation: 'sigmoid' }),
      fused(convolutions[9] as Sample, x(3), {}),
      fused(convolutions[10] as Sample, x(2), { activation: 'tanh' }),
      fused(convolutions[0] as Sample, null, { activation: 'tanh' }),
      fused(convolutions[0] as Sample, { shape: [3], low: 20, high: 21 }, { activation: 'relu' }),
      fused(convolutions[0] as Sample, { shape: [3], low: -21, high: -20 }, { activation: 'leakyRelu' }),
      fused(convolutions[14] as Sample, x(2), { activation: 'relu' }),
    ],
    bad: [
      ...badConvolutions.map(({ inputs, ...rest }) => ({ inputs: [...inputs, null], ...rest })),
      { why: 'a bias of another size', inputs: [x(...image), x(...kernel), x(3)], error: ShapeError },
      { why: 'an integer bias', inputs: [x(...image), x(...kernel), int(2)], error: DTypeError },
      {
        why: 'an unknown activation',
        inputs: [x(...image), x(...kernel), null],
        options: { activation: 1 },
        error: ValueError,
      },
    ],
  },
  {
    op: 'conv1d',
    cases: sequences,
    bad: [
      { why: 'a sequence of rank 2', inputs: [x(7, 3), x(3, 3, 4)], error: ShapeError },
      { why: 'a kernel of rank 2', inputs: [x(2, 7, 3), x(3, 4)], error: ShapeError },
      { why: 'a kernel of no steps', inputs: [x(2, 7, 3), x(0, 3, 4)], error: ShapeError },
      { why: 'channels that don’t fit', inputs: [x(2, 7, 3), x(3, 2, 4)], error: ShapeError },
      { why: 'a kernel wider than the sequence', inputs: [x(2, 2, 3), x(3, 3, 4)], error: ShapeError },
      { why: 'integers', inputs: [int(2, 7, 3), int(3, 3, 4)], error: DTypeError },
      ...badFor(
        [
          ['strides of 0', { strides: 0 }],
          ['two strides', { strides: [1, 1] }],
          ['an unknown padding', { padding: 'full' }],
          [
            'padding of two axes',
            {
              padding: [
                [0, 0],
                [0, 0],
              ],
            },
          ],
          ['a fractional dilation', { dilationRate: 0.5 }],
          ...badGroups,
        ],
        [x(2, 7, 3), x(3, 3, 4)],
      ),
    ],
  },
  {
    op: 'conv2dTranspose',
    cases: transposed,
    bad: [
      { why: 'an image of rank 3', inputs: [x(4, 4, 2), x(3, 3, 2, 2)], error: ShapeError },
      { why: 'a kernel of rank 2', inputs: [x(1, 4, 4, 2), x(3, 3)], error: ShapeError },
      { why: 'channels that don’t fit', inputs: [x(1, 4, 4, 2), x(3, 3, 2, 3)], error: ShapeError },
      { why: 'a kernel of no pixels', inputs: [x(1, 4, 4, 2), x(3, 0, 2, 2)], error: ShapeError },
      { why: 'integers', inputs: [int(1, 4, 4, 2), int(3, 3, 2, 2)], error: DTypeError },
      ...badFor(
        [
          ['strides of 0', { strides: 0 }],
          ['fractional strides', { strides: 1.5 }],
          ['an unknown padding', { padding: 'full' }],
          ['an output padding of the stride', { strides: 2, outputPadding: 2 }],
          ['a negative output padding', { strides: 2, outputPadding: -1 }],
          ['a dilation of 0', { dilationRate: 0 }],
        ],
        [x(...image), x(...kernel)],
      ),
      {
        why: 'no output padding of a kernel of even size',
        inputs: [x(1, 4, 4, 2), x(4, 4, 2, 2)],
        options: { strides: 2, padding: 'same', outputPadding: 0 },
        error: ValueError,
      },
    ],
  },
  {
    op: 'depthwiseConv2d',
    cases: depthwise.map(forward),
    bad: [
      { why: 'an image of rank 3', inputs: [x(4, 4, 2), x(3, 3, 2, 1)], error: ShapeError },
      { why: 'a kernel of rank 3', inputs: [x(1, 4, 4, 2), x(3, 3, 2)], error: ShapeError },
      { why: 'channels that don’t fit', inputs: [x(1, 4, 4, 3), x(3, 3, 2, 1)], error: ShapeError },
      { why: 'a kernel larger than the image', inputs: [x(1, 2, 4, 2), x(3, 3, 2, 1)], error: ShapeError },
      { why: 'a kernel of no pixels', inputs: [x(1, 4, 4, 2), x(0, 3, 2, 1)], error: ShapeError },
      { why: 'integers', inputs: [int(1, 4, 4, 2), int(3, 3, 2, 1)], error: DTypeError },
      ...badFor(badOptions, [x(1, 4, 4, 2), x(3, 3, 2, 1)]),
    ],
  },
  {
    op: 'depthwiseConv2dInputGrad',
    cases: depthwise.map(inputGrad),
    bad: badInputGrads.map((entry) => ({
      ...entry,
      inputs: [entry.inputs[0] as InputSample, x(3, 3, 2, 1)],
    })),
  },
  {
    op: 'depthwiseConv2dFilterGrad',
    cases: depthwise.map(filterGrad),
    bad: badFilterGrads.map(({ options, ...entry }) => ({
      ...entry,
      ...(options
        ? {
            options: {
              ...options,
              ...('kernelShape' in options && options.kernelShape === kernel
                ? { kernelShape: [3, 3, 2, 1] }
                : {}),
            },
          }
        : {}),
    })),
  },
];
