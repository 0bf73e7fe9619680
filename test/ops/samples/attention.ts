import { DTypeError, ShapeError, ValueError } from '../../../src/core/errors.ts';
import type { InputSample, OpSamples } from './types.ts';

const x = (...shape: number[]): InputSample => ({ shape });
const bool = (shape: readonly number[], ...values: number[]): InputSample => ({
  shape,
  dtype: 'bool',
  values,
});
const three = [x(2, 3, 2, 4), x(2, 5, 2, 4), x(2, 5, 2, 3)] as const;
const alike = [x(1, 4, 2, 3), x(1, 4, 2, 3), x(1, 4, 2, 3)] as const;

export const samples: OpSamples[] = [
  {
    op: 'dotProductAttention',
    cases: [
      { inputs: [...three, null, null] },
      { inputs: [...alike, null, null], options: { isCausal: true, scale: 0.3 } },
      // Grouped queries; the first of two samples sees no key, and the second two.
      {
        inputs: [x(2, 3, 4, 2), x(2, 3, 2, 2), x(2, 3, 2, 2), null, bool([2, 1, 1, 3], 0, 0, 0, 1, 0, 1)],
        options: { isCausal: true },
      },
      { inputs: [...three, x(2, 1, 5), bool([3, 5], 1, 0, 1, 1, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1)] },
      {
        inputs: [x(0, 3, 2, 4), x(0, 5, 2, 4), x(0, 5, 2, 3), null, null],
        gradient: false,
        carriesNaN: false,
      },
      { inputs: [x(1, 2, 1, 4), x(1, 0, 1, 4), x(1, 0, 1, 3), null, null], carriesNaN: false },
    ],
    bad: [
      { why: 'rank 3', inputs: [x(3, 2, 4), x(5, 2, 4), x(5, 2, 4), null, null], error: ShapeError },
      {
        why: 'another batch of keys',
        inputs: [x(1, 3, 2, 4), three[1], three[2], null, null],
        error: ShapeError,
      },
      {
        why: 'keys of another size',
        inputs: [three[0], x(2, 5, 2, 3), three[2], null, null],
        error: ShapeError,
      },
      {
        why: 'another number of values',
        inputs: [three[0], three[1], x(2, 4, 2, 3), null, null],
        error: ShapeError,
        message: /order/,
      },
      {
        why: 'heads that keys do not divide',
        inputs: [x(2, 3, 3, 4), three[1], three[2], null, null],
        error: ShapeError,
        message: /divide/,
      },
      {
        why: 'integers',
        inputs: [{ shape: [2, 3, 2, 4], dtype: 'int32' }, three[1], three[2], null, null],
        error: DTypeError,
      },
      { why: 'a mask of floats', inputs: [...three, null, x(3, 5)], error: DTypeError },
      {
        why: 'a padding mask without axes of heads and queries',
        inputs: [...three, null, bool([2, 5], 1, 1, 1, 1, 1, 1, 1, 1, 1, 1)],
        error: ShapeError,
        message: /broadcast/,
      },
      { why: 'a bias larger than the scores', inputs: [...three, x(1, 2, 2, 3, 5), null], error: ShapeError },
      {
        why: 'a scale that is no number',
        inputs: [...three, null, null],
        options: { scale: Number.NaN },
        error: ValueError,
      },
      {
        why: 'isCausal as a number',
        inputs: [...three, null, null],
        options: { isCausal: 1 },
        error: ValueError,
      },
    ],
  },
  {
    op: 'rotaryEmbedding',
    cases: [
      { inputs: [x(2, 3, 2, 4), null, null] },
      {
        inputs: [x(3, 1, 6), { shape: [3], dtype: 'int32', values: [4, 0, 9] }, null],
        options: { interleaved: true, rotated: 4 },
      },
      {
        inputs: [x(1, 2, 2, 4), { shape: [], dtype: 'int32', values: [7] }, { shape: [2], low: 0.1 }],
        options: { scalingFactor: 2 },
        gradient: false,
      },
      { inputs: [x(0, 3, 2, 4), null, null], gradient: false, carriesNaN: false },
    ],
    bad: [
      { why: 'rank 2', inputs: [x(3, 4), null, null], error: ShapeError, message: /three axes/ },
      {
        why: 'an odd number of rotated features',
        inputs: [x(2, 1, 4), null, null],
        options: { rotated: 3 },
        error: ValueError,
        message: /even/,
      },
      {
        why: 'a head of odd size',
        inputs: [x(2, 1, 5), null, null],
        error: ValueError,
        message: /even/,
      },
      {
        why: 'more rotated features than there are',
        inputs: [x(2, 1, 4), null, null],
        options: { rotated: 6 },
        error: ValueError,
      },
      {
        why: 'positions of another length',
        inputs: [x(2, 1, 4), { shape: [3], dtype: 'int32' }, null],
        error: ShapeError,
        message: /positions/,
      },
      { why: 'positions of floats', inputs: [x(2, 1, 4), x(2), null], error: DTypeError },
      { why: 'too few frequencies', inputs: [x(2, 1, 4), null, x(1)], error: ShapeError },
      { why: 'integers', inputs: [{ shape: [2, 1, 4], dtype: 'int32' }, null, null], error: DTypeError },
      {
        why: 'a wavelength of 0',
        inputs: [x(2, 1, 4), null, null],
        options: { maxWavelength: 0 },
        error: ValueError,
      },
      {
        why: 'an infinite scaling',
        inputs: [x(2, 1, 4), null, null],
        options: { scalingFactor: Number.POSITIVE_INFINITY },
        error: ValueError,
      },
      {
        why: 'a layout by name',
        inputs: [x(2, 1, 4), null, null],
        options: { interleaved: 'yes' },
        error: ValueError,
      },
      {
        why: '1,026 rotated features without frequencies',
        inputs: [x(1, 1, 1026), null, null],
        error: ValueError,
      },
    ],
  },
  {
    op: 'gatedActivation',
    cases: [
      { inputs: [x(3, 5), x(3, 5)] },
      { inputs: [x(2, 3, 8), x(2, 3, 8)], options: { activation: 'gelu' } },
      { inputs: [x(2, 4), x(2, 4)], options: { activation: 'geluTanh' } },
      { inputs: [x(2, 6), null] },
      { inputs: [x(2, 3, 16), null], options: { activation: 'gelu' } },
      { inputs: [x(3, 2), null], options: { activation: 'geluTanh' } },
      { inputs: [x(), x()] },
      { inputs: [x(0, 4), null], gradient: false, carriesNaN: false },
    ],
    bad: [
      { why: 'another shape', inputs: [x(2, 4), x(4)], error: ShapeError },
      { why: 'an odd number of elements', inputs: [x(2, 3), null], error: ShapeError, message: /even/ },
      { why: 'a scalar of both', inputs: [x(), null], error: ShapeError },
      { why: 'integers', inputs: [{ shape: [2], dtype: 'int32' }, null], error: DTypeError },
      {
        why: 'an unknown activation',
        inputs: [x(2, 4), null],
        options: { activation: 'swish' },
        error: ValueError,
      },
    ],
  },
  {
    op: 'biasGelu',
    cases: [
      { inputs: [x(3, 5), x(5)] },
      { inputs: [x(2, 3, 8), x(8)], options: { approximate: true } },
      { inputs: [x(4), x(4)] },
      { inputs: [x(0, 4), x(4)], gradient: false, carriesNaN: false },
    ],
    bad: [
      { why: 'a bias of another size', inputs: [x(2, 4), x(3)], error: ShapeError },
      { why: 'a bias of another rank', inputs: [x(2, 4), x(1, 4)], error: ShapeError },
      { why: 'integers', inputs: [{ shape: [2], dtype: 'int32' }, x(2)], error: DTypeError },
      { why: 'a string', inputs: [x(2), x(2)], options: { approximate: 'tanh' }, error: ValueError },
    ],
  },
  {
    op: 'linearTopK',
    cases: [
      {
        inputs: [x(3, 4), { ...x(9, 4), apart: 0.01 }],
        options: { k: 2 },
        gradient: false,
        carriesNaN: false,
      },
      { inputs: [x(2, 2, 3), x(7, 3)], gradient: false, carriesNaN: false },
    ],
    bad: [
      { why: 'sizes that differ', inputs: [x(3, 4), x(9, 3)], error: ShapeError },
      { why: 'no entry', inputs: [x(3, 4), x(9, 4)], options: { k: 0 }, error: ValueError },
      {
        why: 'more entries than there are',
        inputs: [x(3, 4), x(9, 4)],
        options: { k: 10 },
        error: ValueError,
      },
    ],
  },
  {
    op: 'sampleTokens',
    cases: [
      { inputs: [x(3, 4), null], options: { seed: 1 }, gradient: false, carriesNaN: false },
      {
        inputs: [x(2, 5), { shape: [2, 2], dtype: 'int32', values: [0, 3, -1, 4] }],
        options: { temperature: 0, repetitionPenalty: 2 },
        gradient: false,
        carriesNaN: false,
      },
      { inputs: [x(0, 4), null], options: { topK: 2 }, gradient: false, carriesNaN: false },
    ],
    bad: [
      { why: 'no vocabulary', inputs: [x(2, 0), null], error: ShapeError },
      { why: 'integers', inputs: [{ shape: [2], dtype: 'int32' }, null], error: DTypeError },
      {
        why: 'earlier tokens of other rows',
        inputs: [x(2, 4), { shape: [3, 1], dtype: 'int32' }],
        error: ShapeError,
      },
      { why: 'earlier tokens of floats', inputs: [x(2, 4), x(2, 1)], error: DTypeError },
      {
        why: 'a negative temperature',
        inputs: [x(4), null],
        options: { temperature: -1 },
        error: ValueError,
      },
      { why: 'no token', inputs: [x(4), null], options: { topK: 0 }, error: ValueError },
      { why: 'a probability of 0', inputs: [x(4), null], options: { topP: 0 }, error: ValueError },
      { why: 'a penalty of 0', inputs: [x(4), null], options: { repetitionPenalty: 0 }, error: ValueError },
      { why: 'a seed of -1', inputs: [x(4), null], options: { seed: -1 }, error: ValueError },
    ],
  },
];
