import { DTypeError, ShapeError, ValueError } from '../../../src/core/errors.ts';
import type { BadCase, OpCase, OpSamples } from './types.ts';

const sizes: OpCase[] = [
  { inputs: [{ shape: [1, 4, 5, 3] }], options: { size: [8, 10] } },
  { inputs: [{ shape: [2, 4, 5, 4] }], options: { size: [7, 11] } },
  { inputs: [{ shape: [1, 9, 8, 2] }], options: { size: [3, 4] } },
  { inputs: [{ shape: [1, 9, 8, 4] }], options: { size: [4, 3] } },
  { inputs: [{ shape: [1, 5, 7, 1] }], options: { size: [17, 3] } },
  { inputs: [{ shape: [1, 6, 5, 2] }], options: { size: 1 } },
  { inputs: [{ shape: [2, 1, 1, 3] }], options: { size: [3, 4] } },
  { inputs: [{ shape: [1, 1, 6, 3] }], options: { size: [1, 4] } },
  { inputs: [{ shape: [1, 3, 4, 5] }], options: { size: [3, 4] } },
  { inputs: [{ shape: [1, 3, 4, 2] }], options: { size: [5, 7], alignCorners: true } },
  { inputs: [{ shape: [1, 7, 4, 2] }], options: { size: [3, 1], alignCorners: true } },
  { inputs: [{ shape: [1, 1, 3, 2] }], options: { size: [2, 3], alignCorners: true } },
  { inputs: [{ shape: [1, 3, 7, 2] }], options: { size: [5, 4], halfPixelCenters: false } },
  { inputs: [{ shape: [0, 3, 4, 2] }], options: { size: [5, 7] } },
  { inputs: [{ shape: [2, 3, 4, 0] }], options: { size: [5, 7] } },
];

const bad: BadCase[] = [
  { why: 'rank 3', inputs: [{ shape: [4, 4, 3] }], options: { size: [2, 2] }, error: ShapeError },
  { why: 'no pixels', inputs: [{ shape: [1, 0, 4, 3] }], options: { size: [2, 2] }, error: ShapeError },
  {
    why: 'sizes whose fractions overflow',
    inputs: [{ shape: [1, 1, 49999, 1] }],
    options: { size: [1, 50021] },
    error: ShapeError,
    message: /two steps/,
  },
  ...(
    [
      ['no size', {}],
      ['an empty size', { size: [0, 4] }],
      ['a negative size', { size: [4, -4] }],
      ['a fractional size', { size: [4, 2.5] }],
      ['three sizes', { size: [4, 4, 3] }],
      ['a size that is no number', { size: 'large' }],
      ['alignCorners of another type', { size: 4, alignCorners: 1 }],
      ['halfPixelCenters of another type', { size: 4, halfPixelCenters: 'no' }],
      ['both grids', { size: 4, alignCorners: true, halfPixelCenters: true }],
    ] as const
  ).map(([why, options]) => ({ why, inputs: [{ shape: [1, 4, 4, 1] }], options, error: ValueError })),
];

export const samples: OpSamples[] = [
  {
    op: 'resizeNearest',
    cases: [
      ...sizes,
      { inputs: [{ shape: [1, 3, 4, 1], dtype: 'int32', low: -9, high: 9 }], options: { size: [5, 2] } },
      { inputs: [{ shape: [1, 3, 4, 4], dtype: 'uint32', low: 0, high: 9 }], options: { size: [5, 2] } },
      { inputs: [{ shape: [1, 3, 4, 1], dtype: 'bool' }], options: { size: [5, 2] } },
    ],
    bad,
  },
  {
    op: 'resizeBilinear',
    cases: sizes,
    bad: [
      ...bad,
      {
        why: 'integers',
        inputs: [{ shape: [1, 4, 4, 1], dtype: 'int32' }],
        options: { size: [2, 2] },
        error: DTypeError,
      },
    ],
  },
  {
    op: 'upSampling2d',
    cases: [
      { inputs: [{ shape: [1, 3, 4, 2] }] },
      { inputs: [{ shape: [2, 3, 2, 4] }], options: { size: [3, 2] } },
      { inputs: [{ shape: [1, 3, 4, 3] }], options: { size: 2, interpolation: 'bilinear' } },
      { inputs: [{ shape: [1, 2, 3, 4] }], options: { size: [1, 3], interpolation: 'bilinear' } },
      { inputs: [{ shape: [1, 3, 2, 1], dtype: 'int32', low: -9, high: 9 }], options: { size: [2, 2] } },
    ],
    bad: [
      { why: 'rank 3', inputs: [{ shape: [4, 4, 3] }], error: ShapeError },
      { why: 'a factor of 0', inputs: [{ shape: [1, 4, 4, 3] }], options: { size: 0 }, error: ValueError },
      {
        why: 'a fractional factor',
        inputs: [{ shape: [1, 4, 4, 3] }],
        options: { size: [1.5, 2] },
        error: ValueError,
      },
      {
        why: 'an unknown interpolation',
        inputs: [{ shape: [1, 4, 4, 3] }],
        options: { interpolation: 'bicubic' },
        error: ValueError,
      },
      {
        why: 'interpolated integers',
        inputs: [{ shape: [1, 4, 4, 1], dtype: 'int32' }],
        options: { interpolation: 'bilinear' },
        error: DTypeError,
      },
    ],
  },
];
