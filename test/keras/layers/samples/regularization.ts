/** @file Samples of layers that act while training: noise, dropout, penalties. */
import { DTypeError, ShapeError, ValueError } from '../../../../src/core/errors.ts';
import type { LayerSamples } from './types.ts';

const image = { shape: [2, 3, 4, 5] };
const sequence = { shape: [2, 6, 4] };

export const samples: LayerSamples[] = [
  {
    layer: 'dropout',
    cases: [
      { options: { rate: 0.5 }, inputs: sequence, open: [1], reference: (_, [x]) => x },
      { options: { rate: 0.3, seed: 5 }, inputs: sequence, training: true },
      { options: { rate: 0.5, seed: 1, noiseShape: [null, 1, null] }, inputs: sequence, training: true },
      { options: { rate: 0 }, inputs: sequence, training: true, reference: (_, [x]) => x },
      {
        options: { rate: 1 },
        inputs: sequence,
        training: true,
        reference: (tf, [x]) => tf.zerosLike(x),
      },
    ],
    bad: [
      { why: 'a rate above 1', options: { rate: 1.5 }, error: ValueError },
      { why: 'a negative rate', options: { rate: -0.1 }, error: ValueError },
      { why: 'no rate', options: {}, error: ValueError },
      { why: 'a fractional seed', options: { rate: 0.5, seed: 0.5 }, error: ValueError },
      { why: 'a noise shape that is no list', options: { rate: 0.5, noiseShape: 3 }, error: ValueError },
      { why: 'a noise shape of nothing', options: { rate: 0.5, noiseShape: [0, 1] }, error: ValueError },
      {
        why: 'a noise shape that does not fit',
        options: { rate: 0.5, noiseShape: [2, 2, 4] },
        inputs: sequence,
        training: true,
        error: ShapeError,
      },
      {
        why: 'integers',
        options: { rate: 0.5 },
        inputs: { shape: [2], dtype: 'int32' },
        training: true,
        error: DTypeError,
      },
    ],
  },
  {
    layer: 'spatialDropout1d',
    cases: [
      { options: { rate: 0.5 }, inputs: sequence, open: [1], reference: (_, [x]) => x },
      { options: { rate: 0.5, seed: 2 }, inputs: sequence, training: true },
    ],
    bad: [
      { why: 'a rate above 1', options: { rate: 2 }, error: ValueError },
      { why: 'an image', options: { rate: 0.5 }, inputs: image, error: ShapeError },
    ],
  },
  {
    layer: 'spatialDropout2d',
    cases: [
      { options: { rate: 0.5 }, inputs: image, open: [1, 2], reference: (_, [x]) => x },
      { options: { rate: 0.5, seed: 3, dataFormat: 'channelsLast' }, inputs: image, training: true },
    ],
    bad: [
      { why: 'a rate that is no number', options: { rate: 'half' }, error: ValueError },
      { why: 'another data format', options: { rate: 0.5, dataFormat: 'channels' }, error: ValueError },
      { why: 'a sequence', options: { rate: 0.5 }, inputs: sequence, error: ShapeError },
    ],
  },
  {
    layer: 'gaussianNoise',
    cases: [
      { options: { stddev: 0.5 }, inputs: sequence, reference: (_, [x]) => x },
      { options: { stddev: 0.5, seed: 4 }, inputs: sequence, training: true },
      { options: { stddev: 0 }, inputs: sequence, training: true, reference: (_, [x]) => x },
    ],
    bad: [
      { why: 'a deviation above 1', options: { stddev: 2 }, error: ValueError },
      { why: 'a negative seed', options: { stddev: 1, seed: -1 }, error: ValueError },
    ],
  },
  {
    layer: 'gaussianDropout',
    cases: [
      { options: { rate: 0.5 }, inputs: sequence, reference: (_, [x]) => x },
      { options: { rate: 0.4, seed: 4 }, inputs: sequence, training: true },
    ],
    bad: [
      { why: 'a rate of 1', options: { rate: 1 }, error: ValueError },
      { why: 'a negative rate', options: { rate: -1 }, error: ValueError },
    ],
  },
  {
    layer: 'alphaDropout',
    cases: [
      { options: { rate: 0.5 }, inputs: sequence, reference: (_, [x]) => x },
      { options: { rate: 0.3, seed: 4 }, inputs: sequence, training: true },
    ],
    bad: [
      { why: 'a rate of 1', options: { rate: 1 }, error: ValueError },
      { why: 'a negative rate', options: { rate: -0.1 }, error: ValueError },
      { why: 'a noise shape of 0', options: { rate: 0.5, noiseShape: [0, 1] }, error: ValueError },
    ],
  },
  {
    layer: 'activityRegularization',
    cases: [
      { options: { l1: 0.1, l2: 0.2 }, inputs: sequence, open: [1], reference: (_, [x]) => x },
      { inputs: sequence, training: true, reference: (_, [x]) => x },
    ],
    bad: [{ why: 'a negative factor', options: { l1: -1 }, error: ValueError }],
  },
];
