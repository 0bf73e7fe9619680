/** @file Samples of layers that normalize and rescale. */
import { ShapeError, ValueError } from '../../../../src/core/errors.ts';
import { layers } from '../../../../src/keras/index.ts';
import type { BadLayerCase, LayerSamples } from './types.ts';

const image = { shape: [3, 4, 2, 3] };
const features = { shape: [6, 4] };

const badScales: BadLayerCase[] = [
  { why: 'a negative epsilon', options: { epsilon: -1 }, error: ValueError },
  { why: 'a center that is no boolean', options: { center: 1 }, error: ValueError },
  { why: 'a scale that is no boolean', options: { scale: null }, error: ValueError },
  { why: 'an unknown initializer', options: { gammaInitializer: 'odd' }, error: ValueError },
  { why: 'an unknown regularizer', options: { betaRegularizer: 'l7' }, error: ValueError },
  { why: 'an axis that the input lacks', options: { axis: 5 }, inputs: features, error: ShapeError },
];

export const samples: LayerSamples[] = [
  {
    layer: 'batchNormalization',
    cases: [
      {
        inputs: image,
        open: [1, 2],
        reference: (tf, [x], [gamma, beta, mean, variance]) =>
          tf.batchNorm(x, mean, variance, beta, gamma, 1e-3),
      },
      {
        options: { epsilon: 0.01, momentum: 0.5, gammaRegularizer: 'l2', betaConstraint: 'nonNeg' },
        inputs: image,
        training: true,
        zeroBatch: false,
        reference: (tf, [x], [gamma, beta]) => {
          const { mean, variance } = tf.moments(x, [0, 1, 2]);
          return tf.batchNorm(x, mean as never, variance as never, beta, gamma, 0.01);
        },
      },
      {
        options: { axis: 1, center: false, movingMeanInitializer: 'ones', movingVarianceInitializer: 'ones' },
        inputs: { shape: [4, 3, 2] },
        training: true,
        zeroBatch: false,
      },
      { options: { scale: false, trainable: false }, inputs: features, training: true },
      {
        // The correction has no gradient, so differences find another one; keras.test.ts has those of Keras.
        options: { renorm: true, renormClipping: { rmin: 0.5, rmax: 2, dmax: 1 }, renormMomentum: 0.9 },
        inputs: features,
        training: true,
        gradient: false,
        zeroBatch: false,
      },
      {
        options: { scale: false, center: false },
        inputs: features,
        training: true,
        zeroBatch: false,
      },
      {
        inputs: { shape: [3, 4, 2] },
        kwargs: {
          mask: { shape: [3, 4], dtype: 'bool', values: [1, 1, 0, 0, 1, 0, 1, 0, 1, 1, 1, 1] },
        },
        training: true,
        zeroBatch: false,
        reference: (tf, [x, mask], [gamma, beta]) => {
          const weights = tf.expandDims(tf.cast(mask, 'float32'), 2);
          const count = tf.sum(weights);
          const mean = tf.div(tf.sum(tf.mul(x, weights), [0, 1]), count);
          const apart = tf.mul(tf.squaredDifference(x, mean), weights);
          return tf.batchNorm(
            x,
            mean as never,
            tf.div(tf.sum(apart, [0, 1]), count) as never,
            beta,
            gamma,
            1e-3,
          );
        },
      },
    ],
    bad: [
      ...badScales,
      { why: 'a momentum above 1', options: { momentum: 1.5 }, error: ValueError },
      { why: 'a fractional axis', options: { axis: 0.5 }, error: ValueError },
      { why: 'a renorm that is no boolean', options: { renorm: 'yes' }, error: ValueError },
      { why: 'limits without renorm', options: { renormClipping: { rmax: 3 } }, error: ValueError },
      { why: 'unknown limits', options: { renorm: true, renormClipping: { max: 3 } }, error: ValueError },
      {
        why: 'limits in disorder',
        options: { renorm: true, renormClipping: { rmin: 2, rmax: 1 } },
        error: ValueError,
      },
      { why: 'a negative limit', options: { renorm: true, renormClipping: { dmax: -1 } }, error: ValueError },
      { why: 'limits that are a list', options: { renorm: true, renormClipping: [1] }, error: ValueError },
      {
        why: 'a mask of the rank of the input',
        inputs: { shape: [2, 3] },
        kwargs: { mask: { shape: [2, 3], dtype: 'bool' } },
        training: true,
        error: ShapeError,
      },
    ],
  },
  {
    layer: 'layerNormalization',
    cases: [
      {
        inputs: { shape: [2, 3, 5] },
        open: [1],
        reference: (tf, [x], [gamma, beta]) => {
          const { mean, variance } = tf.moments(x, -1, true);
          return tf.add(tf.mul(tf.div(tf.sub(x, mean), tf.sqrt(tf.add(variance, 1e-3))), gamma), beta);
        },
      },
      { options: { axis: [1, 2], epsilon: 0.1, center: false }, inputs: { shape: [2, 3, 4] } },
      { options: { axis: [2, 1] }, inputs: { shape: [2, 3, 4] } },
      {
        options: { rmsScaling: true },
        inputs: features,
        reference: (tf, [x], [gamma]) => {
          const { variance } = tf.moments(x, -1, true);
          return tf.mul(tf.mul(x, tf.rsqrt(tf.add(variance, 1e-3))), gamma);
        },
      },
      { options: { scale: false, center: false }, inputs: features },
    ],
    bad: [
      ...badScales,
      { why: 'no axes', options: { axis: [] }, error: ValueError },
      { why: 'an rmsScaling that is no boolean', options: { rmsScaling: 'no' }, error: ValueError },
    ],
  },
  {
    layer: 'groupNormalization',
    cases: [
      {
        options: { groups: 2 },
        inputs: { shape: [2, 3, 4] },
        open: [1],
        reference: (tf, [x], [gamma, beta]) => {
          const groups = tf.reshape(x, [2, 3, 2, 2]);
          const { mean, variance } = tf.moments(groups, [1, 3], true);
          const y = tf.div(tf.sub(groups, mean), tf.sqrt(tf.add(variance, 1e-3)));
          return tf.add(tf.mul(tf.reshape(y, [2, 3, 4]), gamma), beta);
        },
      },
      { options: { groups: -1, center: false }, inputs: image },
      { options: { groups: 2, axis: 1, scale: false, epsilon: 0.01 }, inputs: { shape: [2, 4, 3] } },
    ],
    bad: [
      ...badScales.map((bad) => (bad.inputs ? { ...bad, options: { groups: 2, ...bad.options } } : bad)),
      { why: 'groups of 0', options: { groups: 0 }, error: ValueError },
      { why: 'groups that do not divide', options: { groups: 3 }, inputs: features, error: ShapeError },
      { why: 'more groups than channels', inputs: features, error: ShapeError },
      { why: 'a vector', options: { groups: 1 }, inputs: { shape: [4] }, error: ShapeError },
    ],
  },
  {
    layer: 'unitNormalization',
    cases: [
      { inputs: features, open: [1], reference: (tf, [x]) => tf.div(x, tf.norm(x, 2, -1, true)) },
      {
        options: { axis: [1, 2] },
        inputs: { shape: [2, 3, 2] },
        reference: (tf, [x]) => tf.div(x, tf.sqrt(tf.sum(tf.square(x), [1, 2], true))),
      },
    ],
    bad: [
      { why: 'a fractional axis', options: { axis: 0.5 }, error: ValueError },
      { why: 'an axis that the input lacks', options: { axis: 2 }, inputs: features, error: ShapeError },
    ],
  },
  {
    layer: 'rmsNormalization',
    cases: [
      {
        inputs: features,
        reference: (tf, [x], [scale]) => {
          const squares = tf.mean(tf.square(x), -1, true);
          return tf.mul(tf.div(x, tf.sqrt(tf.add(squares, 1e-6))), scale);
        },
      },
      {
        options: { axis: [2, 1], epsilon: 0.1 },
        inputs: { shape: [2, 3, 2] },
        reference: (tf, [x], [scale]) => {
          const squares = tf.mean(tf.square(x), [1, 2], true);
          return tf.mul(tf.div(x, tf.sqrt(tf.add(squares, 0.1))), scale);
        },
      },
    ],
    bad: [
      { why: 'a fractional axis', options: { axis: 0.5 }, error: ValueError },
      { why: 'a negative epsilon', options: { epsilon: -1 }, error: ValueError },
      { why: 'an axis that the input lacks', options: { axis: 2 }, inputs: features, error: ShapeError },
    ],
  },
  {
    layer: 'spectralNormalization',
    cases: [
      {
        options: () => ({ layer: layers.dense({ units: 2, name: 'inner' }), powerIterations: 2 }),
        inputs: features,
        reference: (tf, [x], [kernel, , bias]) => tf.add(tf.matMul(x, kernel), bias),
      },
    ],
    bad: [
      { why: 'no layer', options: {}, error: ValueError },
      {
        why: 'no iterations',
        options: () => ({ layer: layers.dense({ units: 2 }), powerIterations: 0 }),
        error: ValueError,
      },
      {
        why: 'a layer without a kernel',
        options: () => ({ layer: layers.flatten() }),
        inputs: features,
        error: ValueError,
      },
    ],
  },
  {
    layer: 'rescaling',
    cases: [
      {
        options: { scale: 1 / 127.5, offset: -1 },
        inputs: { ...image, dtype: 'int32', low: 0, high: 255 },
        open: [1, 2],
        gradient: false,
        reference: (tf, [x]) => tf.sub(tf.div(tf.cast(x, 'float32'), 127.5), 1),
      },
      {
        options: { scale: [1, 2, 3], offset: [0, 1, -1] },
        inputs: image,
        reference: (tf, [x]) => tf.add(tf.mul(x, [1, 2, 3]), [0, 1, -1]),
      },
      { options: { scale: 2 }, inputs: features, reference: (tf, [x]) => tf.mul(x, 2) },
    ],
    bad: [
      { why: 'no scale', options: {}, error: ValueError },
      { why: 'an offset that is no number', options: { scale: 1, offset: 'high' }, error: ValueError },
      { why: 'numbers that do not fit', options: { scale: [1, 2] }, inputs: image, error: ShapeError },
    ],
  },
  {
    layer: 'normalization',
    cases: [
      {
        inputs: image,
        open: [1, 2],
        reference: (tf, [x], [mean, variance]) => tf.div(tf.sub(x, mean), tf.sqrt(variance)),
      },
      {
        options: { mean: [0.5, -0.5, 0], variance: [1, 4, 0] },
        inputs: { ...image, dtype: 'int32', low: -4, high: 4 },
        gradient: false,
        reference: (tf, [x]) => tf.div(tf.sub(x, [0.5, -0.5, 0]), [1, 2, 1e-7]),
      },
      {
        options: { mean: 3, variance: 2, invert: true },
        inputs: features,
        reference: (tf, [x]) => tf.add(tf.mul(x, Math.SQRT2), 3),
      },
      {
        options: { axis: [1, -1] },
        inputs: { shape: [2, 3, 4] },
        reference: (tf, [x], [mean, variance]) => tf.div(tf.sub(x, mean), tf.sqrt(variance)),
      },
      { options: { axis: null }, inputs: features },
      { options: { axis: [1, 2], mean: [1, 2], variance: [1, 1] }, inputs: { shape: [2, 3, 2] } },
    ],
    bad: [
      { why: 'a mean without variance', options: { mean: 1 }, error: ValueError },
      { why: 'moments of two shapes', options: { mean: [1, 2], variance: 1 }, error: ValueError },
      { why: 'moments of more axes', options: { axis: null, mean: [1], variance: [1] }, error: ValueError },
      { why: 'ragged moments', options: { mean: [[1], [1, 2]], variance: [[1], [1, 2]] }, error: ValueError },
      { why: 'a fractional axis', options: { axis: 0.5 }, error: ValueError },
      { why: 'an axis that the input lacks', options: { axis: 3 }, inputs: features, error: ShapeError },
      {
        why: 'moments that do not fit',
        options: { mean: [1, 2], variance: [1, 2] },
        inputs: image,
        error: ShapeError,
      },
      { why: 'an invert that is no boolean', options: { invert: 1 }, error: ValueError },
    ],
  },
];
