/** @file Samples of pools. */
import { ShapeError, ValueError } from '../../../../src/core/errors.ts';
import type { BadLayerCase, LayerSamples } from './types.ts';

/** No two values so near that a finite difference exchanges them. */
const image = { shape: [2, 5, 4, 2], apart: 0.05 };
const sequence = { shape: [2, 7, 3], apart: 0.05 };

function badFor(rank: 1 | 2): BadLayerCase[] {
  return [
    { why: 'a window of nothing', options: { poolSize: 0 }, error: ValueError },
    { why: 'a window of three sizes', options: { poolSize: [2, 2, 2] }, error: ValueError },
    { why: 'a fractional stride', options: { strides: 0.5 }, error: ValueError },
    { why: 'another padding', options: { padding: 'causal' }, error: ValueError },
    { why: 'another data format', options: { dataFormat: 'channels' }, error: ValueError },
    { why: 'an input of another rank', inputs: rank === 1 ? image : sequence, error: ShapeError },
    {
      why: 'a window larger than the input',
      options: { poolSize: 9 },
      inputs: rank === 1 ? sequence : image,
      error: ShapeError,
    },
  ];
}

function badGlobal(rank: 1 | 2): BadLayerCase[] {
  return [
    { why: 'a keepDims that is no boolean', options: { keepDims: 1 }, error: ValueError },
    { why: 'another data format', options: { dataFormat: 'channels' }, error: ValueError },
    { why: 'an input of another rank', inputs: rank === 1 ? image : sequence, error: ShapeError },
  ];
}

export const samples: LayerSamples[] = [
  {
    layer: 'maxPooling1d',
    cases: [
      {
        inputs: sequence,
        open: [1],
        reference: (tf, [x]) =>
          tf.squeeze(tf.maxPool(tf.expandDims(x, 1) as never, [1, 2], [1, 2], 'valid'), [1]),
      },
      {
        options: { poolSize: 3, strides: [1], padding: 'same' },
        inputs: sequence,
        reference: (tf, [x]) =>
          tf.squeeze(tf.maxPool(tf.expandDims(x, 1) as never, [1, 3], [1, 1], 'same'), [1]),
      },
    ],
    bad: badFor(1),
  },
  {
    layer: 'maxPooling2d',
    cases: [
      { inputs: image, open: [1, 2], reference: (tf, [x]) => tf.maxPool(x, 2, 2, 'valid') },
      {
        options: { poolSize: [3, 2], strides: 1, padding: 'same' },
        inputs: image,
        reference: (tf, [x]) => tf.maxPool(x, [3, 2], 1, 'same'),
      },
    ],
    bad: badFor(2),
  },
  {
    layer: 'averagePooling1d',
    cases: [
      {
        inputs: sequence,
        open: [1],
        reference: (tf, [x]) =>
          tf.squeeze(tf.avgPool(tf.expandDims(x, 1) as never, [1, 2], [1, 2], 'valid'), [1]),
      },
      {
        options: { poolSize: 3, strides: 2, padding: 'same' },
        inputs: sequence,
        reference: (tf, [x]) =>
          tf.squeeze(tf.avgPool(tf.expandDims(x, 1) as never, [1, 3], [1, 2], 'same'), [1]),
      },
    ],
    bad: badFor(1),
  },
  {
    layer: 'averagePooling2d',
    cases: [
      { inputs: image, open: [1, 2], reference: (tf, [x]) => tf.avgPool(x, 2, 2, 'valid') },
      {
        options: { poolSize: 3, strides: [2, 1], padding: 'same' },
        inputs: image,
        reference: (tf, [x]) => tf.avgPool(x, 3, [2, 1], 'same'),
      },
    ],
    bad: badFor(2),
  },
  {
    layer: 'globalMaxPooling1d',
    cases: [
      { inputs: sequence, open: [1], reference: (tf, [x]) => tf.max(x, 1) },
      { options: { keepDims: true }, inputs: sequence, reference: (tf, [x]) => tf.max(x, 1, true) },
    ],
    bad: badGlobal(1),
  },
  {
    layer: 'globalMaxPooling2d',
    cases: [
      { inputs: image, open: [1, 2], reference: (tf, [x]) => tf.max(x, [1, 2]) },
      { options: { keepDims: true }, inputs: image, reference: (tf, [x]) => tf.max(x, [1, 2], true) },
    ],
    bad: badGlobal(2),
  },
  {
    layer: 'globalAveragePooling1d',
    cases: [
      { inputs: sequence, open: [1], reference: (tf, [x]) => tf.mean(x, 1) },
      { options: { keepDims: true }, inputs: sequence, reference: (tf, [x]) => tf.mean(x, 1, true) },
      {
        inputs: { shape: [2, 3, 2] },
        kwargs: { mask: { shape: [2, 3], dtype: 'bool', values: [1, 1, 0, 0, 1, 0] } },
        reference: (tf, [x, mask]) => {
          const weights = tf.expandDims(tf.cast(mask, 'float32'), 2);
          return tf.div(tf.sum(tf.mul(x, weights), 1), tf.sum(weights, 1));
        },
      },
    ],
    bad: badGlobal(1),
  },
  {
    layer: 'globalAveragePooling2d',
    cases: [
      { inputs: image, open: [1, 2], reference: (tf, [x]) => tf.mean(x, [1, 2]) },
      { options: { keepDims: true }, inputs: image, reference: (tf, [x]) => tf.mean(x, [1, 2], true) },
    ],
    bad: badGlobal(2),
  },
];
