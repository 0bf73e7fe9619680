import { DTypeError, ShapeError, ValueError } from '../../../src/core/errors.ts';
import type { InputSample, OpSamples } from './types.ts';

const x = (...shape: number[]): InputSample => ({ shape });
const apart = (...shape: number[]): InputSample => ({ shape, apart: 0.02 });
const ints = (...shape: number[]): InputSample => ({ shape, dtype: 'int32', low: -9, high: 9 });

const badPools = [
  { why: 'an image', inputs: [x(1, 3, 3, 1)], options: { poolSize: 2 }, error: ShapeError },
  { why: 'a window larger than x', inputs: [x(1, 1, 3, 3, 1)], options: { poolSize: 2 }, error: ShapeError },
  { why: 'no size', inputs: [x(1, 2, 2, 2, 1)], error: ValueError },
  {
    why: 'padding as large as the window',
    inputs: [x(1, 2, 2, 2, 1)],
    options: {
      poolSize: 1,
      padding: [
        [1, 0],
        [0, 0],
        [0, 0],
      ],
    },
    error: ValueError,
  },
  {
    why: 'bools',
    inputs: [{ shape: [1, 2, 2, 2, 1], dtype: 'bool' } as const],
    options: { poolSize: 1 },
    error: DTypeError,
  },
] as const;

export const samples: OpSamples[] = [
  {
    op: 'conv3d',
    cases: [
      { inputs: [x(2, 3, 3, 4, 2), x(2, 2, 3, 2, 3)] },
      {
        inputs: [x(1, 4, 3, 3, 2), x(3, 2, 2, 1, 4)],
        options: { strides: [2, 1, 2], padding: 'same', groups: 2 },
      },
      { inputs: [x(1, 4, 4, 3, 1), x(2, 2, 1, 1, 1)], options: { dilationRate: [2, 3, 1] } },
      {
        inputs: [x(1, 2, 2, 2, 1), x(2, 2, 2, 1, 1)],
        options: {
          padding: [
            [1, 0],
            [0, 2],
            [1, 1],
          ],
        },
      },
      { inputs: [x(0, 2, 2, 2, 1), x(2, 2, 2, 1, 1)], carriesNaN: false },
    ],
    bad: [
      { why: 'an image', inputs: [x(1, 3, 3, 1), x(2, 2, 1, 1)], error: ShapeError },
      { why: 'other channels', inputs: [x(1, 3, 3, 3, 2), x(2, 2, 2, 1, 1)], error: ShapeError },
      { why: 'a kernel without taps', inputs: [x(1, 3, 3, 3, 1), x(0, 2, 2, 1, 1)], error: ShapeError },
      { why: 'a window larger than x', inputs: [x(1, 1, 3, 3, 1), x(2, 2, 2, 1, 1)], error: ShapeError },
      {
        why: 'a stride of nothing',
        inputs: [x(1, 2, 2, 2, 1), x(2, 2, 2, 1, 1)],
        options: { strides: 0 },
        error: ValueError,
      },
      { why: 'integers', inputs: [ints(1, 2, 2, 2, 1), ints(2, 2, 2, 1, 1)], error: DTypeError },
    ],
  },
  {
    op: 'conv3dTranspose',
    cases: [
      { inputs: [x(2, 2, 3, 2, 2), x(3, 2, 2, 3, 2)], options: { strides: [2, 1, 3], padding: 'same' } },
      {
        inputs: [x(1, 2, 2, 3, 1), x(2, 1, 2, 2, 1)],
        options: { strides: [1, 2, 1], dilationRate: [2, 1, 1] },
      },
      {
        inputs: [x(1, 2, 2, 1, 1), x(3, 3, 3, 1, 1)],
        options: { strides: 2, padding: 'same', outputPadding: [1, 0, 1] },
      },
      { inputs: [x(0, 2, 2, 2, 1), x(2, 2, 2, 1, 1)], carriesNaN: false },
    ],
    bad: [
      { why: 'an image', inputs: [x(1, 3, 3, 1), x(2, 2, 1, 1)], error: ShapeError },
      { why: 'other channels', inputs: [x(1, 3, 3, 3, 2), x(2, 2, 2, 2, 1)], error: ShapeError },
      { why: 'a kernel without taps', inputs: [x(1, 3, 3, 3, 1), x(2, 0, 2, 1, 1)], error: ShapeError },
      {
        why: 'an unknown padding',
        inputs: [x(1, 2, 2, 2, 1), x(1, 1, 1, 1, 1)],
        options: { padding: 'full' },
        error: ValueError,
      },
      {
        why: 'an output padding of the stride',
        inputs: [x(1, 2, 2, 2, 1), x(1, 1, 1, 1, 1)],
        options: { strides: 2, outputPadding: 2 },
        error: ValueError,
      },
      {
        why: 'no output padding of a kernel of even size',
        inputs: [x(1, 2, 2, 2, 1), x(3, 3, 2, 1, 1)],
        options: { strides: 2, padding: 'same', outputPadding: [1, 1, 0] },
        error: ValueError,
      },
      { why: 'integers', inputs: [ints(1, 2, 2, 2, 1), ints(2, 2, 2, 1, 1)], error: DTypeError },
    ],
  },
  {
    op: 'maxPool3d',
    cases: [
      { inputs: [apart(1, 4, 4, 3, 2)], options: { poolSize: 2, strides: [1, 2, 1] } },
      { inputs: [apart(2, 3, 2, 3, 1)], options: { poolSize: [2, 2, 3], padding: 'same' } },
      { inputs: [ints(1, 2, 2, 2, 4)], options: { poolSize: 2 } },
      { inputs: [x(0, 2, 2, 2, 1)], options: { poolSize: 2 } },
    ],
    bad: badPools,
  },
  {
    op: 'avgPool3d',
    cases: [
      { inputs: [x(1, 4, 4, 3, 2)], options: { poolSize: 2, strides: [1, 2, 1] } },
      { inputs: [x(2, 3, 2, 3, 1)], options: { poolSize: [2, 2, 3], padding: 'same' } },
    ],
    bad: [
      ...badPools,
      { why: 'integers', inputs: [ints(1, 2, 2, 2, 4)], options: { poolSize: 2 }, error: DTypeError },
    ],
  },
  {
    op: 'maxPoolWithArgmax',
    cases: [
      { inputs: [apart(2, 4, 4, 2)], options: { poolSize: 2 } },
      {
        inputs: [apart(1, 3, 4, 1)],
        options: { poolSize: [2, 3], strides: 1, padding: 'same', includeBatchInIndex: true },
      },
      { inputs: [ints(2, 3, 3, 1)], options: { poolSize: 3 } },
    ],
    bad: [
      { why: 'another rank', inputs: [x(3, 3, 1)], options: { poolSize: 2 }, error: ShapeError },
      { why: 'no size', inputs: [x(1, 2, 2, 1)], error: ValueError },
      {
        why: 'a word for the batch',
        inputs: [x(1, 2, 2, 1)],
        options: { poolSize: 2, includeBatchInIndex: 'no' },
        error: ValueError,
      },
    ],
  },
  {
    op: 'dilation2d',
    cases: [
      {
        inputs: [
          { shape: [1, 4, 3, 1], apart: 0.1 },
          { shape: [2, 2, 1], low: -0.01, high: 0.01 },
        ],
      },
      {
        inputs: [
          { shape: [1, 5, 4, 1], apart: 0.1 },
          { shape: [2, 3, 1], low: -0.01, high: 0.01 },
        ],
        options: { strides: [2, 1], padding: 'same', dilationRate: 2 },
      },
      { inputs: [x(0, 3, 3, 1), x(2, 2, 1)], carriesNaN: false },
    ],
    bad: [
      { why: 'other channels', inputs: [x(1, 3, 3, 2), x(2, 2, 1)], error: ShapeError },
      { why: 'a window larger than x', inputs: [x(1, 2, 2, 1), x(3, 3, 1)], error: ShapeError },
      { why: 'integers', inputs: [ints(1, 2, 2, 1), ints(1, 1, 1)], error: DTypeError },
      {
        why: 'an unknown padding',
        inputs: [x(1, 2, 2, 1), x(1, 1, 1)],
        options: { padding: 'full' },
        error: ValueError,
      },
    ],
  },
  {
    op: 'confusionMatrix',
    cases: [
      {
        inputs: [
          { shape: [6], dtype: 'int32', low: 0, high: 3 },
          { shape: [6], dtype: 'int32', low: 0, high: 3 },
          null,
        ],
        options: { numClasses: 3 },
      },
      {
        inputs: [
          { shape: [4], dtype: 'int32', low: 0, high: 2 },
          { shape: [4], dtype: 'int32', low: 0, high: 2 },
          x(4),
        ],
        options: { numClasses: 2 },
      },
    ],
    bad: [
      { why: 'no classes', inputs: [ints(2), ints(2), null], error: ValueError },
      {
        why: 'a matrix',
        inputs: [ints(2, 2), ints(2, 2), null],
        options: { numClasses: 2 },
        error: ShapeError,
      },
      { why: 'two lengths', inputs: [ints(2), ints(3), null], options: { numClasses: 2 }, error: ShapeError },
      { why: 'floats', inputs: [x(2), x(2), null], options: { numClasses: 2 }, error: DTypeError },
    ],
  },
  {
    op: 'inTopK',
    cases: [
      {
        inputs: [{ shape: [3], dtype: 'int32', low: 0, high: 4 }, x(3, 4)],
        options: { k: 2 },
        carriesNaN: false,
      },
      { inputs: [{ shape: [], dtype: 'int32', values: [1] }, x(4)], carriesNaN: false },
    ],
    bad: [
      { why: 'shapes that do not fit', inputs: [ints(2), x(3, 4)], error: ShapeError },
      {
        why: 'k of 0',
        inputs: [{ shape: [1], dtype: 'int32', values: [0] }, x(1, 4)],
        options: { k: 0 },
        error: ValueError,
      },
      { why: 'floating classes', inputs: [x(3), x(3, 4)], error: DTypeError },
    ],
  },
];
