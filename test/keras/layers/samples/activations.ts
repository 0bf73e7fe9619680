/** @file Samples of the layers of activations. */
import { DTypeError, ShapeError, ValueError } from '../../../../src/core/errors.ts';
import { layers } from '../../../../src/keras/index.ts';
import type { LayerSamples } from './types.ts';

/** No value at or near the kink of a rectifier. */
const matrix = { shape: [3, 4], apart: 0.11 };
const image = { shape: [2, 3, 4, 2], apart: 0.07 };

export const samples: LayerSamples[] = [
  {
    layer: 'activation',
    cases: [
      {
        options: { activation: 'tanh' },
        inputs: image,
        open: [1, 2],
        reference: (tf, [x]) => tf.tanh(x),
      },
      {
        options: { activation: { className: 'leakyRelu', config: { negativeSlope: 0.1 } } },
        inputs: matrix,
        reference: (tf, [x]) => tf.leakyRelu(x, 0.1),
      },
      { options: { activation: 'softmax', name: 'probabilities' }, inputs: matrix },
    ],
    bad: [
      { why: 'an unknown name', options: { activation: 'sharp' }, error: ValueError },
      { why: 'a number', options: { activation: 3 }, error: ValueError },
      {
        why: 'a layer, whose slope would be lost',
        options: () => ({ activation: layers.leakyReLU({ negativeSlope: 0.1 }) }),
        error: ValueError,
        message: /or a function of a tensor/,
      },
      { why: 'a dtype that is none', options: { activation: 'relu', dtype: 'float16' }, error: DTypeError },
      { why: 'a name with a slash', options: { activation: 'relu', name: 'a/b' }, error: ValueError },
    ],
  },
  {
    layer: 'reLU',
    cases: [
      { inputs: matrix, reference: (tf, [x]) => tf.relu(x) },
      {
        options: { maxValue: 0.3, negativeSlope: 0.2, threshold: 0.1 },
        inputs: { shape: [4, 5], apart: 0.09 },
        reference: (tf, [x]) => {
          const above = tf.minimum(x, 0.3);
          const below = tf.mul(tf.sub(x, 0.1), 0.2);
          return tf.where(tf.greater(x, 0.1), above, below);
        },
      },
      {
        options: { maxValue: 6 },
        inputs: { shape: [2, 7], low: -8, high: 8 },
        reference: (tf, [x]) => tf.relu6(x),
      },
      {
        options: { maxValue: 0.2 },
        inputs: matrix,
        reference: (tf, [x]) => tf.clipByValue(x, 0, 0.2),
      },
      {
        options: { negativeSlope: 0.4 },
        inputs: matrix,
        reference: (tf, [x]) => tf.leakyRelu(x, 0.4),
      },
    ],
    bad: [
      { why: 'a negative bound', options: { maxValue: -1 }, error: ValueError },
      { why: 'a negative slope', options: { negativeSlope: -0.1 }, error: ValueError },
      { why: 'a negative threshold', options: { threshold: -2 }, error: ValueError },
      { why: 'a slope that is no number', options: { negativeSlope: 'steep' }, error: ValueError },
    ],
  },
  {
    layer: 'leakyReLU',
    cases: [
      { inputs: matrix, reference: (tf, [x]) => tf.leakyRelu(x, 0.3) },
      {
        options: { negativeSlope: 0.05 },
        inputs: image,
        reference: (tf, [x]) => tf.leakyRelu(x, 0.05),
      },
    ],
    bad: [{ why: 'a slope of NaN', options: { negativeSlope: Number.NaN }, error: ValueError }],
  },
  {
    layer: 'elu',
    cases: [
      { inputs: matrix, reference: (tf, [x]) => tf.elu(x) },
      { options: { alpha: 0.5 }, inputs: matrix },
    ],
    bad: [{ why: 'an alpha that is no number', options: { alpha: null }, error: ValueError }],
  },
  {
    layer: 'prelu',
    cases: [
      {
        inputs: matrix,
        reference: (tf, [x], [alpha]) => tf.prelu(x, alpha),
      },
      {
        options: { sharedAxes: [1, 2], alphaInitializer: 'ones', alphaRegularizer: 'l2' },
        inputs: image,
        open: [1, 2],
        reference: (tf, [x], [alpha]) => tf.prelu(x, alpha),
      },
      { options: { sharedAxes: 2, alphaConstraint: 'nonNeg' }, inputs: image },
    ],
    bad: [
      { why: 'the batch as a shared axis', options: { sharedAxes: [0] }, error: ValueError },
      { why: 'a fractional axis', options: { sharedAxes: 1.5 }, error: ValueError },
      { why: 'a vector', inputs: { shape: [3] }, error: ShapeError },
      { why: 'an unknown initializer', options: { alphaInitializer: 'odd' }, error: ValueError },
    ],
  },
  {
    layer: 'softmax',
    cases: [
      { inputs: matrix, open: [1], reference: (tf, [x]) => tf.softmax(x) },
      {
        options: { axis: 1 },
        inputs: { shape: [2, 3, 4] },
        reference: (tf, [x]) => tf.transpose(tf.softmax(tf.transpose(x, [0, 2, 1])), [0, 2, 1]),
      },
      {
        options: { axis: [1, 2] },
        inputs: { shape: [2, 3, 4] },
        reference: (tf, [x]) => tf.reshape(tf.softmax(tf.reshape(x, [2, 12])), [2, 3, 4]),
      },
      {
        inputs: { shape: [2, 4] },
        kwargs: { mask: { shape: [2, 4], dtype: 'bool', values: [1, 0, 1, 1, 0, 0, 0, 0] } },
        reference: (tf, [x, mask]) => {
          const shown = tf.cast(mask, 'float32');
          const weights = tf.mul(tf.exp(x), shown);
          return tf.divNoNan(weights, tf.sum(weights, -1, true));
        },
      },
    ],
    bad: [
      { why: 'a fractional axis', options: { axis: 0.5 }, error: ValueError },
      { why: 'no axes', options: { axis: [] }, error: ValueError },
      { why: 'an axis that the input lacks', options: { axis: 3 }, inputs: matrix, error: ShapeError },
    ],
  },
  {
    layer: 'identity',
    cases: [
      { inputs: image, open: [1, 2], reference: (_, [x]) => x },
      { inputs: { shape: [3], dtype: 'bool' }, gradient: false },
    ],
    bad: [{ why: 'a name that is no string', options: { name: 3 }, error: ValueError }],
  },
];
