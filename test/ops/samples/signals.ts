import { DTypeError, ShapeError, ValueError } from '../../../src/core/errors.ts';
import type { InputSample, OpSamples } from './types.ts';

const x = (...shape: number[]): InputSample => ({ shape });
const ints = (...shape: number[]): InputSample => ({ shape, dtype: 'int32', low: -9, high: 9 });

const badPairs = [
  { why: 'scalars', inputs: [x(), x()], error: ShapeError },
  { why: 'two shapes', inputs: [x(3), x(4)], error: ShapeError },
  { why: 'no elements', inputs: [x(2, 0), x(2, 0)], error: ShapeError },
  { why: 'integers', inputs: [ints(3), ints(3)], error: DTypeError },
] as const;

export const samples: OpSamples[] = [
  {
    op: 'fft',
    cases: [{ inputs: [x(2, 6), x(2, 6)] }, { inputs: [x(66), x(66)] }, { inputs: [x(0, 4), x(0, 4)] }],
    bad: badPairs,
  },
  { op: 'ifft', cases: [{ inputs: [x(2, 6), x(2, 6)] }], bad: badPairs },
  {
    op: 'rfft',
    cases: [{ inputs: [x(2, 7)] }, { inputs: [x(2, 5)], options: { fftLength: 8 } }],
    bad: [
      { why: 'a scalar', inputs: [x()], error: ShapeError },
      { why: 'a length of 0', inputs: [x(3)], options: { fftLength: 0 }, error: ValueError },
      { why: 'integers', inputs: [ints(3)], error: DTypeError },
    ],
  },
  {
    op: 'irfft',
    cases: [{ inputs: [x(2, 4), x(2, 4)] }, { inputs: [x(3), x(3)], options: { fftLength: 5 } }],
    bad: [
      ...badPairs,
      { why: 'a fraction', inputs: [x(3), x(3)], options: { fftLength: 2.5 }, error: ValueError },
    ],
  },
  {
    op: 'extractSequences',
    cases: [
      { inputs: [x(2, 7)], options: { sequenceLength: 3, sequenceStride: 2 } },
      { inputs: [ints(5)], options: { sequenceLength: 5, sequenceStride: 9 } },
    ],
    bad: [
      {
        why: 'too few elements',
        inputs: [x(2)],
        options: { sequenceLength: 3, sequenceStride: 1 },
        error: ShapeError,
      },
      { why: 'no stride', inputs: [x(3)], options: { sequenceLength: 3 }, error: ValueError },
      {
        why: 'a scalar',
        inputs: [x()],
        options: { sequenceLength: 1, sequenceStride: 1 },
        error: ShapeError,
      },
    ],
  },
  {
    op: 'stft',
    cases: [
      { inputs: [x(2, 12)], options: { sequenceLength: 6, sequenceStride: 3 } },
      {
        inputs: [x(12)],
        options: { sequenceLength: 4, sequenceStride: 2, fftLength: 8, window: null, center: false },
      },
    ],
    bad: [
      {
        why: 'a transform shorter than a sequence',
        inputs: [x(9)],
        options: { sequenceLength: 4, sequenceStride: 2, fftLength: 3 },
        error: ValueError,
      },
      {
        why: 'an unknown window',
        inputs: [x(9)],
        options: { sequenceLength: 4, sequenceStride: 2, window: 'kaiser' },
        error: ValueError,
      },
      {
        why: 'a signal that cannot be mirrored',
        inputs: [x(2)],
        options: { sequenceLength: 4, sequenceStride: 2 },
        error: ShapeError,
      },
    ],
  },
  {
    op: 'istft',
    cases: [
      { inputs: [x(2, 5, 4), x(2, 5, 4)], options: { sequenceLength: 6, sequenceStride: 3 } },
      {
        inputs: [x(4, 5), x(4, 5)],
        options: { sequenceLength: 4, sequenceStride: 3, fftLength: 8, window: null, center: false },
      },
      { inputs: [x(3, 3), x(3, 3)], options: { sequenceLength: 4, sequenceStride: 1, length: 9 } },
      { inputs: [x(1, 3), x(1, 3)], options: { sequenceLength: 4, sequenceStride: 9, center: false } },
    ],
    bad: [
      {
        why: 'spectra of another length',
        inputs: [x(3, 4), x(3, 4)],
        options: { sequenceLength: 4, sequenceStride: 2 },
        error: ShapeError,
      },
      {
        why: 'one spectrum',
        inputs: [x(3), x(3)],
        options: { sequenceLength: 4, sequenceStride: 2 },
        error: ShapeError,
      },
      {
        why: 'parts of two shapes',
        inputs: [x(2, 3), x(3, 3)],
        options: { sequenceLength: 4, sequenceStride: 2 },
        error: ShapeError,
      },
      {
        why: 'integers',
        inputs: [ints(2, 3), ints(2, 3)],
        options: { sequenceLength: 4, sequenceStride: 2 },
        error: DTypeError,
      },
      {
        why: 'a fractional length',
        inputs: [x(2, 3), x(2, 3)],
        options: { sequenceLength: 4, sequenceStride: 2, length: 1.5 },
        error: ValueError,
      },
      { why: 'no stride', inputs: [x(2, 3), x(2, 3)], options: { sequenceLength: 4 }, error: ValueError },
    ],
  },
];
