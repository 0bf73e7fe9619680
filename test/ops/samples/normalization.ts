import { DTypeError, ShapeError, ValueError } from '../../../src/core/errors.ts';
import type { BadCase, InputSample, OpSamples } from './types.ts';

const x = (...shape: number[]): InputSample => ({ shape, low: -2, high: 3 });
const gamma = (...shape: number[]): InputSample => ({ shape, low: 0.5, high: 1.5 });
const beta = (...shape: number[]): InputSample => ({ shape });
const variance = (n: number): InputSample => ({ shape: [n], low: 0.3, high: 2 });

/** What every normalization rejects; `others` are passed with x in a call that would be right. */
const rejections = (others: readonly (InputSample | null)[], options: object = {}): BadCase[] => [
  {
    why: 'a negative epsilon',
    inputs: [x(2, 4), ...others],
    options: { ...options, epsilon: -1 },
    error: ValueError,
  },
  {
    why: 'an infinite epsilon',
    inputs: [x(2, 4), ...others],
    options: { ...options, epsilon: Number.POSITIVE_INFINITY },
    error: ValueError,
  },
  {
    why: 'an epsilon that is no number',
    inputs: [x(2, 4), ...others],
    options: { ...options, epsilon: '1e-3' },
    error: ValueError,
  },
  {
    why: 'an axis out of range',
    inputs: [x(2, 4), ...others],
    options: { ...options, axis: 2 },
    error: ShapeError,
  },
  {
    why: 'integers',
    inputs: [{ shape: [2, 4], dtype: 'int32' }, ...others],
    options,
    error: DTypeError,
  },
  {
    why: 'a gamma of another size',
    inputs: [x(2, 4), ...others.slice(0, -2), gamma(3), beta(4)],
    options,
    error: ShapeError,
  },
  {
    why: 'a beta of another rank',
    inputs: [x(2, 4), ...others.slice(0, -2), null, beta(1, 4)],
    options,
    error: ShapeError,
  },
  {
    why: 'an integer gamma',
    inputs: [x(2, 4), ...others.slice(0, -2), { shape: [4], dtype: 'int32' }, null],
    options,
    error: DTypeError,
  },
];

export const samples: OpSamples[] = [
  {
    op: 'batchNorm',
    cases: [
      { inputs: [x(2, 3, 4, 5), beta(5), variance(5), gamma(5), beta(5)] },
      { inputs: [x(2, 3, 4), beta(3), variance(3), gamma(3), null], options: { axis: 1, epsilon: 1e-5 } },
      { inputs: [x(6, 3), beta(3), variance(3), null, beta(3)] },
      { inputs: [x(5), beta(5), variance(5), null, null] },
      { inputs: [x(0, 3), beta(3), variance(3), gamma(3), beta(3)], carriesNaN: false },
    ],
    bad: [
      ...rejections([beta(4), variance(4), gamma(4), beta(4)]),
      {
        why: 'a mean of another size',
        inputs: [x(2, 4), beta(3), variance(4), null, null],
        error: ShapeError,
      },
      { why: 'no variance', inputs: [x(2, 4), beta(4), null, null, null], error: ValueError },
    ],
  },
  {
    op: 'batchNormTrain',
    cases: [
      { inputs: [x(2, 3, 4, 5), gamma(5), beta(5)] },
      { inputs: [x(3, 3, 4), gamma(3), null], options: { axis: 1, epsilon: 1e-2 } },
      { inputs: [x(6, 3), null, beta(3)] },
      { inputs: [x(7, 8), null, null] },
      { inputs: [x(0, 3), gamma(3), beta(3)], gradient: false },
    ],
    bad: rejections([gamma(4), beta(4)]),
  },
  {
    op: 'layerNorm',
    cases: [
      { inputs: [x(3, 5), gamma(5), beta(5)] },
      { inputs: [x(2, 3, 6), gamma(6), null], options: { epsilon: 1e-5 } },
      { inputs: [x(2, 4, 3), null, beta(4)], options: { axis: 1 } },
      { inputs: [x(2, 3, 2, 4), gamma(3, 2, 4), beta(3, 2, 4)], options: { axis: [1, 2, 3] } },
      { inputs: [x(3, 2, 4), gamma(3, 4), beta(3, 4)], options: { axis: [0, 2] } },
      { inputs: [x(3, 2, 4), null, beta(3, 4)], options: { axis: [-1, 0] } },
      { inputs: [x(3, 2, 4), gamma(3, 4), null], options: { axis: [0, 2] } },
      { inputs: [x(6), null, null] },
      { inputs: [x(0, 3), gamma(3), beta(3)], carriesNaN: false },
    ],
    bad: [
      ...rejections([gamma(4), beta(4)]),
      { why: 'no axis', inputs: [x(2, 4), null, null], options: { axis: [] }, error: ShapeError },
      { why: 'a scalar', inputs: [x(), null, null], error: ShapeError },
    ],
  },
  {
    op: 'rmsNorm',
    cases: [
      { inputs: [x(3, 5), gamma(5)] },
      { inputs: [x(2, 3, 8), gamma(8)], options: { epsilon: 1e-3 } },
      { inputs: [x(2, 4, 3), gamma(4)], options: { axis: 1 } },
      { inputs: [x(2, 3, 2, 4), gamma(3, 2, 4)], options: { axis: [1, 2, 3] } },
      { inputs: [x(3, 2, 4), gamma(3, 4)], options: { axis: [0, 2] } },
      { inputs: [x(3, 2, 4), null], options: { axis: [-1, 0] } },
      { inputs: [x(6), null] },
      { inputs: [x(3, 1), gamma(1)], options: { epsilon: 0.5 } },
      { inputs: [x(0, 3), gamma(3)], carriesNaN: false },
    ],
    bad: [
      ...rejections([]).slice(0, 5),
      { why: 'a gamma of another size', inputs: [x(2, 4), gamma(3)], error: ShapeError },
      { why: 'a gamma of another rank', inputs: [x(2, 4), gamma(1, 4)], error: ShapeError },
      { why: 'an integer gamma', inputs: [x(2, 4), { shape: [4], dtype: 'int32' }], error: DTypeError },
      { why: 'no axis', inputs: [x(2, 4), null], options: { axis: [] }, error: ShapeError },
      { why: 'a scalar', inputs: [x(), null], error: ShapeError },
    ],
  },
  {
    op: 'addRmsNorm',
    cases: [
      { inputs: [x(3, 5), x(3, 5), gamma(5)] },
      { inputs: [x(2, 3, 8), x(2, 3, 8), null], options: { epsilon: 1e-3 } },
      { inputs: [x(3, 2, 4), x(3, 2, 4), gamma(3, 4)], options: { axis: [0, 2] } },
      { inputs: [x(0, 3), x(0, 3), gamma(3)], carriesNaN: false },
    ],
    bad: [
      { why: 'a residual of another shape', inputs: [x(2, 4), x(1, 4), null], error: ShapeError },
      {
        why: 'an integer residual',
        inputs: [x(2, 4), { shape: [2, 4], dtype: 'int32' }, null],
        error: DTypeError,
      },
      { why: 'a gamma of another size', inputs: [x(2, 4), x(2, 4), gamma(3)], error: ShapeError },
      {
        why: 'a negative epsilon',
        inputs: [x(2, 4), x(2, 4), null],
        options: { epsilon: -1 },
        error: ValueError,
      },
    ],
  },
  {
    op: 'groupNorm',
    cases: [
      { inputs: [x(2, 3, 2, 6), gamma(6), beta(6)], options: { groups: 2 } },
      { inputs: [x(2, 6, 3), gamma(6), null], options: { groups: 3, axis: 1, epsilon: 1e-2 } },
      { inputs: [x(2, 6), null, beta(6)], options: { groups: 2 } },
      { inputs: [x(2, 5, 3), null, null], options: { groups: 1 } },
      { inputs: [x(2, 5, 3), gamma(3), beta(3)], options: { groups: 3 } },
      { inputs: [x(0, 4, 2), gamma(2), beta(2)], options: { groups: 2 }, carriesNaN: false },
    ],
    bad: [
      ...rejections([gamma(4), beta(4)], { groups: 2 }),
      {
        why: 'groups that leave a rest',
        inputs: [x(2, 4), null, null],
        options: { groups: 3 },
        error: ShapeError,
      },
      { why: 'no groups', inputs: [x(2, 4), null, null], options: { groups: 0 }, error: ValueError },
      { why: 'half a group', inputs: [x(2, 4), null, null], options: { groups: 0.5 }, error: ValueError },
      {
        why: 'the batch axis',
        inputs: [x(4, 2), null, null],
        options: { groups: 2, axis: 0 },
        error: ShapeError,
      },
    ],
  },
];
