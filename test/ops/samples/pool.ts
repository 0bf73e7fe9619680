import { DTypeError, ShapeError, ValueError } from '../../../src/core/errors.ts';
import type { BadCase, InputSample, OpCase, OpSamples } from './types.ts';

/** Values far enough apart that a finite difference doesn't change which of them is the largest. */
const image = (...shape: number[]): InputSample => ({ shape, apart: 0.06 });

const pools: OpCase[] = [
  { inputs: [image(1, 4, 6, 3)], options: { poolSize: [2, 2], strides: [2, 2], padding: 'valid' } },
  { inputs: [image(2, 5, 3, 4)], options: { poolSize: 2 } },
  { inputs: [image(2, 5, 3, 4)], options: { poolSize: 2, padding: 'same' } },
  { inputs: [image(1, 5, 6, 2)], options: { poolSize: 3, strides: 1, padding: 'same' } },
  { inputs: [image(1, 6, 5, 4)], options: { poolSize: [3, 2], strides: [2, 1] } },
  { inputs: [image(1, 7, 7, 1)], options: { poolSize: 2, strides: 3 } },
  { inputs: [image(1, 7, 8, 1)], options: { poolSize: 2, strides: [3, 4], padding: 'same' } },
  {
    inputs: [image(1, 4, 5, 2)],
    options: {
      poolSize: [3, 2],
      strides: 2,
      padding: [
        [2, 0],
        [1, 1],
      ],
    },
  },
  {
    inputs: [image(1, 4, 5, 2)],
    options: {
      poolSize: [2, 3],
      strides: 3,
      padding: [
        [1, 1],
        [2, 1],
      ],
    },
  },
  { inputs: [image(1, 2, 2, 5)], options: { poolSize: 3, strides: 2, padding: 'same' } },
  { inputs: [image(1, 3, 4, 8)], options: { poolSize: [3, 4] } },
  { inputs: [image(0, 4, 4, 3)], options: { poolSize: 2 } },
  { inputs: [image(2, 4, 4, 0)], options: { poolSize: 2 } },
  { inputs: [image(2, 0, 4, 3)], options: { poolSize: 2, padding: 'same' } },
];

const sequences: OpCase[] = [
  { inputs: [image(2, 7, 3)], options: { poolSize: 2 } },
  { inputs: [image(1, 7, 4)], options: { poolSize: [3], strides: 1, padding: 'same' } },
  { inputs: [image(1, 8, 2)], options: { poolSize: 3, strides: 2, padding: [[1, 2]] } },
];

const integers = (dtype: 'int32' | 'uint32', ...shape: number[]): InputSample => ({
  shape,
  dtype,
  low: dtype === 'int32' ? -50 : 0,
  high: 50,
});

const bad: BadCase[] = [
  {
    why: 'rank 3',
    inputs: [{ shape: [4, 4, 3] }],
    options: { poolSize: 2 },
    error: ShapeError,
    message: /rank 4/,
  },
  {
    why: 'bools',
    inputs: [{ shape: [1, 4, 4, 1], dtype: 'bool' }],
    options: { poolSize: 2 },
    error: DTypeError,
  },
  ...(
    [
      ['no window', {}],
      ['an empty window', { poolSize: 0 }],
      ['a negative window', { poolSize: [2, -2] }],
      ['a fractional window', { poolSize: 1.5 }],
      ['a window of three axes', { poolSize: [2, 2, 2] }],
      ['a window that is no number', { poolSize: '2' }],
      ['strides of 0', { poolSize: 2, strides: 0 }],
      ['fractional strides', { poolSize: 2, strides: [1, 0.5] }],
      ['an unknown padding', { poolSize: 2, padding: 'full' }],
      ['a padding in upper case', { poolSize: 2, padding: 'SAME' }],
      ['padding for one axis', { poolSize: 2, padding: [[1, 1]] }],
      [
        'negative padding',
        {
          poolSize: 2,
          padding: [
            [0, 0],
            [-1, 0],
          ],
        },
      ],
      [
        'padding as wide as the window',
        {
          poolSize: 2,
          padding: [
            [2, 0],
            [0, 0],
          ],
        },
      ],
    ] as const
  ).map(([why, options]) => ({ why, inputs: [{ shape: [1, 4, 4, 1] }], options, error: ValueError })),
  {
    why: 'a window larger than the image',
    inputs: [{ shape: [1, 4, 2, 1] }],
    options: { poolSize: 3 },
    error: ShapeError,
    message: /'same'/,
  },
];

const badSequences: BadCase[] = [
  { why: 'rank 4', inputs: [{ shape: [1, 4, 4, 3] }], options: { poolSize: 2 }, error: ShapeError },
  { why: 'two windows', inputs: [{ shape: [1, 4, 3] }], options: { poolSize: [2, 2] }, error: ValueError },
  {
    why: 'causal padding',
    inputs: [{ shape: [1, 4, 3] }],
    options: { poolSize: 2, padding: 'causal' },
    error: ValueError,
  },
];

const globalPools: OpCase[] = [
  { inputs: [image(2, 3, 5, 3)] },
  { inputs: [image(2, 3, 5, 4)], options: { keepDims: true } },
  { inputs: [image(1, 1, 1, 2)] },
];

const badGlobalPools: BadCase[] = [
  { why: 'rank 3', inputs: [{ shape: [4, 4, 3] }], error: ShapeError },
  { why: 'bools', inputs: [{ shape: [1, 4, 4, 3], dtype: 'bool' }], error: DTypeError },
  {
    why: 'keepDims of another type',
    inputs: [{ shape: [1, 4, 4, 3] }],
    options: { keepDims: 'yes' },
    error: ValueError,
  },
];

export const samples: OpSamples[] = [
  {
    op: 'maxPool',
    cases: [
      ...pools,
      { inputs: [integers('int32', 1, 5, 4, 3)], options: { poolSize: 2 } },
      { inputs: [integers('uint32', 1, 5, 4, 4)], options: { poolSize: 3, strides: 1, padding: 'same' } },
    ],
    bad,
  },
  {
    op: 'avgPool',
    cases: pools,
    bad: [
      ...bad,
      {
        why: 'integers',
        inputs: [integers('int32', 1, 4, 4, 1)],
        options: { poolSize: 2 },
        error: DTypeError,
      },
    ],
  },
  { op: 'maxPool1d', cases: sequences, bad: badSequences },
  { op: 'avgPool1d', cases: sequences, bad: badSequences },
  { op: 'globalMaxPool', cases: globalPools, bad: badGlobalPools },
  { op: 'globalAveragePool', cases: globalPools, bad: badGlobalPools },
];
