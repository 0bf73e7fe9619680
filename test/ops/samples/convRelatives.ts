/** @file Samples of conv1d, conv2dTranspose, and depthwise convolutions with their gradients. */
import { DTypeError, ShapeError, ValueError } from '../../../src/core/errors.ts';
import type { BadCase, OpSamples } from './types.ts';

const sequence = { shape: [2, 7, 4] };
const sequenceKernel = { shape: [3, 4, 5] };
const image = { shape: [1, 5, 6, 3] };
const depthwiseKernel = { shape: [3, 2, 3, 2] };
const int = (shape: readonly number[]) => ({ shape, dtype: 'int32' as const, low: 0, high: 3 });

/** What every convolution refuses of its options. */
const badOptions = (inputs: BadCase['inputs'], rest: object = {}): BadCase[] => [
  { why: 'a stride of 0', inputs, options: { ...rest, strides: 0 }, error: ValueError, says: /strides/ },
  {
    why: 'a fractional stride',
    inputs,
    options: { ...rest, strides: 1.5 },
    error: ValueError,
    says: /strides/,
  },
  { why: 'a negative stride', inputs, options: { ...rest, strides: -1 }, error: ValueError, says: /strides/ },
  {
    why: 'an unknown padding',
    inputs,
    options: { ...rest, padding: 'full' },
    error: ValueError,
    says: /padding/,
  },
];

export const samples: OpSamples[] = [
  {
    op: 'conv1d',
    cases: [
      { inputs: [sequence, sequenceKernel] },
      { inputs: [sequence, sequenceKernel], options: { padding: 'same', strides: 2 } },
      { inputs: [sequence, sequenceKernel], options: { padding: 'causal', dilationRate: 2 } },
      { inputs: [sequence, sequenceKernel], options: { padding: [[1, 3]] } },
      { inputs: [{ shape: [1, 9, 6] }, { shape: [2, 2, 3] }], options: { groups: 3 } },
      { inputs: [{ shape: [0, 9, 3] }, { shape: [2, 3, 3] }], carriesNaN: false },
    ],
    bad: [
      ...badOptions([sequence, sequenceKernel]),
      { why: 'an image', inputs: [image, sequenceKernel], error: ShapeError },
      { why: 'a kernel of rank 4', inputs: [sequence, depthwiseKernel], error: ShapeError },
      { why: 'channels that differ', inputs: [sequence, { shape: [3, 3, 5] }], error: ShapeError },
      { why: 'an empty kernel', inputs: [sequence, { shape: [0, 4, 5] }], error: ShapeError },
      {
        why: 'a kernel wider than the sequence',
        inputs: [sequence, { shape: [8, 4, 5] }],
        error: ShapeError,
      },
      { why: 'integers', inputs: [int([2, 7, 4]), sequenceKernel], error: DTypeError },
      {
        why: 'groups that don’t divide',
        inputs: [sequence, sequenceKernel],
        options: { groups: 3 },
        error: ShapeError,
      },
      { why: 'groups of 0', inputs: [sequence, sequenceKernel], options: { groups: 0 }, error: ValueError },
      {
        why: 'a negative dilation',
        inputs: [sequence, sequenceKernel],
        options: { dilationRate: -1 },
        error: ValueError,
      },
    ],
  },
  {
    op: 'conv2dTranspose',
    cases: [
      { inputs: [{ shape: [2, 3, 4, 3] }, { shape: [3, 3, 2, 3] }] },
      {
        inputs: [{ shape: [1, 3, 4, 4] }, { shape: [3, 2, 4, 4] }],
        options: { strides: 2, padding: 'same' },
      },
      { inputs: [{ shape: [1, 2, 3, 2] }, { shape: [2, 2, 3, 2] }], options: { strides: [3, 2] } },
      {
        inputs: [{ shape: [1, 3, 3, 1] }, { shape: [3, 3, 1, 1] }],
        options: { strides: 2, padding: 'same', outputPadding: 1 },
      },
      { inputs: [{ shape: [0, 3, 3, 1] }, { shape: [3, 3, 1, 1] }], carriesNaN: false },
    ],
    bad: [
      ...badOptions([image, { shape: [3, 3, 2, 3] }]),
      { why: 'channels that differ', inputs: [image, { shape: [3, 3, 3, 2] }], error: ShapeError },
      { why: 'a sequence', inputs: [sequence, { shape: [3, 3, 2, 3] }], error: ShapeError },
      { why: 'integers', inputs: [int([1, 5, 6, 3]), { shape: [3, 3, 2, 3] }], error: DTypeError },
      { why: 'an empty kernel', inputs: [image, { shape: [0, 3, 2, 3] }], error: ShapeError },
      {
        why: 'an output padding as large as the stride',
        inputs: [image, { shape: [3, 3, 2, 3] }],
        options: { strides: 2, outputPadding: 2 },
        error: ValueError,
      },
    ],
  },
  {
    op: 'depthwiseConv2d',
    cases: [
      { inputs: [image, depthwiseKernel] },
      { inputs: [{ shape: [2, 5, 4, 4] }, { shape: [3, 3, 4, 1] }], options: { padding: 'same' } },
      {
        inputs: [{ shape: [1, 7, 6, 8] }, { shape: [3, 3, 8, 1] }],
        options: { strides: 2, padding: 'same' },
      },
      {
        inputs: [image, depthwiseKernel],
        options: {
          dilationRate: 2,
          padding: [
            [2, 1],
            [0, 3],
          ],
        },
      },
      { inputs: [{ shape: [0, 5, 6, 3] }, depthwiseKernel], carriesNaN: false },
    ],
    bad: [
      ...badOptions([image, depthwiseKernel]),
      { why: 'channels that differ', inputs: [image, { shape: [3, 3, 2, 1] }], error: ShapeError },
      { why: 'a sequence', inputs: [sequence, depthwiseKernel], error: ShapeError },
      { why: 'a kernel larger than the image', inputs: [image, { shape: [6, 2, 3, 1] }], error: ShapeError },
      { why: 'an empty kernel', inputs: [image, { shape: [3, 0, 3, 1] }], error: ShapeError },
      { why: 'integers', inputs: [image, int([3, 2, 3, 2])], error: DTypeError },
    ],
  },
  {
    op: 'depthwiseConv2dInputGrad',
    cases: [
      { inputs: [{ shape: [1, 3, 5, 6] }, depthwiseKernel], options: { inputShape: [1, 5, 6, 3] } },
      {
        inputs: [{ shape: [1, 4, 3, 8] }, { shape: [3, 3, 8, 1] }],
        options: { inputShape: [1, 7, 6, 8], strides: 2, padding: 'same' },
      },
    ],
    bad: [
      ...badOptions([{ shape: [1, 3, 5, 6] }, depthwiseKernel], { inputShape: [1, 5, 6, 3] }),
      {
        why: 'a cotangent of another shape',
        inputs: [{ shape: [1, 3, 4, 6] }, depthwiseKernel],
        options: { inputShape: [1, 5, 6, 3] },
        error: ShapeError,
      },
      { why: 'no input shape', inputs: [{ shape: [1, 3, 5, 6] }, depthwiseKernel], error: ShapeError },
    ],
  },
  {
    op: 'depthwiseConv2dFilterGrad',
    cases: [
      { inputs: [image, { shape: [1, 3, 5, 6] }], options: { kernelShape: [3, 2, 3, 2] } },
      {
        inputs: [{ shape: [3, 7, 6, 8] }, { shape: [3, 4, 3, 8] }],
        options: { kernelShape: [3, 3, 8, 1], strides: 2, padding: 'same' },
      },
    ],
    bad: [
      ...badOptions([image, { shape: [1, 3, 5, 6] }], { kernelShape: [3, 2, 3, 2] }),
      {
        why: 'a cotangent of another shape',
        inputs: [image, { shape: [1, 3, 4, 6] }],
        options: { kernelShape: [3, 2, 3, 2] },
        error: ShapeError,
      },
      { why: 'no kernel shape', inputs: [image, { shape: [1, 3, 5, 6] }], error: ShapeError },
    ],
  },
];
