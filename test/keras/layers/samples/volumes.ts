/** @file Samples of layers for volumes. */
import { ShapeError, ValueError } from '../../../../src/core/errors.ts';
import type { BadLayerCase, LayerSamples } from './types.ts';

/** No two values so near that a finite difference exchanges them. */
const volume = { shape: [2, 4, 3, 4, 2], apart: 0.02 };

const badPools: BadLayerCase[] = [
  { why: 'a window of two sizes', options: { poolSize: [2, 2] }, error: ValueError },
  { why: 'another padding', options: { padding: 'causal' }, error: ValueError },
  { why: 'channels first', options: { dataFormat: 'channelsFirst' }, error: ValueError },
  { why: 'an image', inputs: { shape: [2, 4, 4, 1] }, error: ShapeError },
];

export const samples: LayerSamples[] = [
  {
    layer: 'conv3d',
    cases: [
      {
        options: { filters: 3, kernelSize: [2, 3, 2], padding: 'same', activation: 'tanh' },
        inputs: { shape: [1, 3, 4, 3, 2] },
        reference: (tf, [x], [kernel, bias]) =>
          tf.tanh(tf.add(tf.conv3d(x as never, kernel as never, 1, 'same'), bias)),
      },
      {
        options: { filters: 2, kernelSize: 2, strides: [1, 2, 1], useBias: false },
        inputs: { shape: [2, 3, 4, 3, 1] },
        reference: (tf, [x], [kernel]) => tf.conv3d(x as never, kernel as never, [1, 2, 1], 'valid'),
      },
    ],
    bad: [
      { why: 'no filters', options: { filters: 0, kernelSize: 2 }, error: ValueError },
      { why: 'a window of two sizes', options: { filters: 1, kernelSize: [2, 2] }, error: ValueError },
      { why: 'causal padding', options: { filters: 1, kernelSize: 2, padding: 'causal' }, error: ValueError },
      {
        why: 'an image',
        options: { filters: 1, kernelSize: 2 },
        inputs: { shape: [2, 4, 4, 1] },
        error: ShapeError,
      },
    ],
  },
  {
    layer: 'maxPooling3d',
    cases: [
      { inputs: volume, reference: (tf, [x]) => tf.maxPool3d(x as never, 2, 2, 'valid') },
      {
        options: { poolSize: [2, 3, 2], strides: 1, padding: 'same' },
        inputs: volume,
        reference: (tf, [x]) => tf.maxPool3d(x as never, [2, 3, 2], 1, 'same'),
      },
    ],
    bad: badPools,
  },
  {
    layer: 'averagePooling3d',
    cases: [
      {
        options: { poolSize: [2, 3, 2], strides: 1, padding: 'same' },
        inputs: volume,
        reference: (tf, [x]) => tf.avgPool3d(x as never, [2, 3, 2], 1, 'same'),
      },
    ],
    bad: badPools,
  },
];
