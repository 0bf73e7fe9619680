/** @file Samples of dense and convolutional layers. */
import { ShapeError, ValueError } from '../../../../src/core/errors.ts';
import type { BadLayerCase, LayerSamples } from './types.ts';

const image = { shape: [2, 6, 5, 3] };
const sequence = { shape: [2, 9, 3] };

/** Invalid options of all convolutional layers. */
function badFor(own: object, rank: 1 | 2): BadLayerCase[] {
  const wrongRank = rank === 1 ? image : sequence;
  const bad = (why: string, options: object): BadLayerCase => ({
    why,
    options: { ...own, ...options },
    error: ValueError,
  });
  return [
    bad('a window of nothing', { kernelSize: 0 }),
    bad('a window of three sizes', { kernelSize: [1, 2, 3] }),
    bad('a fractional stride', { strides: 1.5 }),
    bad('a negative dilation', { dilationRate: -1 }),
    bad('another padding', { padding: 'full' }),
    bad('another data format', { dataFormat: 'channels' }),
    bad('an unknown activation', { activation: 'sharp' }),
    bad('a bias that is no boolean', { useBias: 'yes' }),
    bad('an unknown initializer', { biasInitializer: 'odd' }),
    bad('an unknown regularizer', { biasRegularizer: 'l7' }),
    bad('an unknown constraint', { biasConstraint: 'tight' }),
    { why: 'an input of another rank', options: own, inputs: wrongRank, error: ShapeError },
  ];
}

const fits = { filters: 4, kernelSize: 3 };

export const samples: LayerSamples[] = [
  {
    layer: 'dense',
    cases: [
      {
        options: { units: 4, activation: 'tanh', kernelRegularizer: 'l2', biasConstraint: 'nonNeg' },
        inputs: { shape: [3, 5] },
        reference: (tf, [x], [kernel, bias]) => tf.tanh(tf.add(tf.matMul(x, kernel), bias)),
      },
      {
        options: {
          units: 2,
          useBias: false,
          kernelInitializer: { className: 'Constant', config: { value: 2 } },
        },
        inputs: { shape: [2, 3, 4] },
        open: [1],
        reference: (tf, [x], [kernel]) => tf.reshape(tf.matMul(tf.reshape(x, [6, 4]), kernel), [2, 3, 2]),
      },
      {
        options: { units: 3, activation: 'softmax', activityRegularizer: 'l1', name: 'classes' },
        inputs: { shape: [4, 2] },
        reference: (tf, [x], [kernel, bias]) => tf.softmax(tf.add(tf.matMul(x, kernel), bias)),
      },
    ],
    bad: [
      { why: 'no units', options: { units: 0 }, error: ValueError },
      { why: 'fractional units', options: { units: 1.5 }, error: ValueError },
      { why: 'an unknown activation', options: { units: 1, activation: 'sharp' }, error: ValueError },
      { why: 'a bias that is no boolean', options: { units: 1, useBias: 1 }, error: ValueError },
      { why: 'an unknown regularizer', options: { units: 1, kernelRegularizer: 'l7' }, error: ValueError },
      { why: 'a vector', options: { units: 1 }, inputs: { shape: [3] }, error: ShapeError },
    ],
  },
  {
    layer: 'conv1d',
    cases: [
      {
        options: { ...fits, strides: 2, padding: 'same', activation: 'sigmoid' },
        inputs: sequence,
        open: [1],
        reference: (tf, [x], [kernel, bias]) => tf.sigmoid(tf.add(tf.conv1d(x, kernel, 2, 'same'), bias)),
      },
      {
        options: { filters: 2, kernelSize: [2], dilationRate: 3, padding: 'causal', useBias: false },
        inputs: sequence,
        open: [1],
        reference: (tf, [x], [kernel]) => {
          const padded = tf.pad(x, [
            [0, 0],
            [3, 0],
            [0, 0],
          ]);
          return tf.conv1d(padded as never, kernel, 1, 'valid', 'NWC', 3);
        },
      },
      {
        options: { filters: 4, kernelSize: 3, groups: 2, kernelConstraint: 'unitNorm' },
        inputs: { shape: [1, 7, 4] },
        reference: (tf, [x], [kernel, bias]) => {
          const part = (i: number) =>
            tf.conv1d(
              tf.slice(x, [0, 0, 2 * i], [-1, -1, 2]) as never,
              tf.slice(kernel, [0, 0, 2 * i], [-1, -1, 2]) as never,
              1,
              'valid',
            );
          return tf.add(tf.concat([part(0), part(1)], 2), bias);
        },
      },
      { options: { filters: 2, kernelSize: 3, strides: 2, dilationRate: 2 }, inputs: sequence },
      { options: { filters: 2, kernelSize: 1, activation: 'softmax' }, inputs: sequence },
    ],
    bad: [
      ...badFor(fits, 1),
      { why: 'no filters', options: { ...fits, filters: 0 }, error: ValueError },
      { why: 'groups that do not divide', options: { ...fits, groups: 3 }, error: ValueError },
      {
        why: 'channels that groups do not divide',
        options: { ...fits, groups: 2 },
        inputs: sequence,
        error: ShapeError,
      },
      {
        why: 'a window longer than the sequence',
        options: { ...fits, kernelSize: 12 },
        inputs: sequence,
        error: ShapeError,
      },
    ],
  },
  {
    layer: 'conv2d',
    cases: [
      {
        options: { ...fits, strides: [2, 1], padding: 'same', activation: 'elu' },
        inputs: image,
        open: [1, 2],
        reference: (tf, [x], [kernel, bias]) => tf.elu(tf.add(tf.conv2d(x, kernel, [2, 1], 'same'), bias)),
      },
      {
        options: {
          filters: 2,
          kernelSize: [2, 3],
          dilationRate: [2, 1],
          useBias: false,
          dataFormat: 'channelsLast',
        },
        inputs: image,
        reference: (tf, [x], [kernel]) => tf.conv2d(x, kernel, 1, 'valid', 'NHWC', [2, 1]),
      },
      {
        options: { filters: 4, kernelSize: 2, groups: 2, activation: 'gelu' },
        inputs: { shape: [1, 3, 4, 4] },
      },
    ],
    bad: [
      ...badFor(fits, 2),
      { why: 'causal padding of an image', options: { ...fits, padding: 'causal' }, error: ValueError },
      { why: 'no filters', options: { ...fits, filters: 0 }, error: ValueError },
      {
        why: 'channels that groups do not divide',
        options: { ...fits, groups: 2 },
        inputs: image,
        error: ShapeError,
      },
    ],
  },
  {
    layer: 'conv2dTranspose',
    cases: [
      {
        options: { ...fits, strides: 2, padding: 'same', activation: 'tanh' },
        inputs: { shape: [2, 3, 4, 2] },
        open: [1, 2],
        reference: (tf, [x], [kernel, bias]) =>
          tf.tanh(tf.add(tf.conv2dTranspose(x, kernel, [2, 6, 8, 4], 2, 'same'), bias)),
      },
      {
        options: { filters: 2, kernelSize: [2, 3], strides: [3, 2], useBias: false },
        inputs: { shape: [1, 3, 2, 3] },
        reference: (tf, [x], [kernel]) => tf.conv2dTranspose(x, kernel, [1, 9, 5, 2], [3, 2], 'valid'),
      },
      {
        options: { filters: 2, kernelSize: 3, strides: 2, outputPadding: 1 },
        inputs: { shape: [1, 3, 2, 3] },
        reference: (tf, [x], [kernel, bias]) =>
          tf.add(tf.conv2dTranspose(x, kernel, [1, 8, 6, 2], 2, 'valid'), bias),
      },
      {
        options: { filters: 2, kernelSize: 3, strides: [2, 1], padding: 'same', outputPadding: [1, 0] },
        inputs: { shape: [1, 3, 2, 3] },
        reference: (tf, [x], [kernel, bias]) =>
          tf.add(tf.conv2dTranspose(x, kernel, [1, 6, 2, 2], [2, 1], 'same'), bias),
      },
      { options: { filters: 2, kernelSize: 2, dilationRate: 2 }, inputs: { shape: [1, 3, 3, 2] } },
    ],
    bad: [
      ...badFor(fits, 2),
      { why: 'no filters', options: { ...fits, filters: 0 }, error: ValueError },
      {
        why: 'an output padding of the stride',
        options: { ...fits, strides: 2, outputPadding: 2 },
        error: ValueError,
      },
      {
        why: 'three output paddings',
        options: { ...fits, strides: 2, outputPadding: [1, 1, 1] },
        error: ValueError,
      },
    ],
  },
  {
    layer: 'conv1dTranspose',
    cases: [
      {
        options: { filters: 3, kernelSize: 3, strides: 2, padding: 'same', activation: 'tanh' },
        inputs: { shape: [2, 4, 2] },
        open: [1],
        reference: (tf, [x], [kernel, bias]) => {
          const [row, filter] = [tf.expandDims(x, 1), tf.expandDims(kernel, 0)];
          const y = tf.conv2dTranspose(row as never, filter as never, [2, 1, 8, 3], [1, 2], 'same');
          return tf.tanh(tf.add(tf.squeeze(y, [1]), bias));
        },
      },
      {
        options: { filters: 2, kernelSize: [3], strides: [2], outputPadding: 1, useBias: false },
        inputs: { shape: [1, 3, 3] },
        reference: (tf, [x], [kernel]) => {
          const [row, filter] = [tf.expandDims(x, 1), tf.expandDims(kernel, 0)];
          const y = tf.conv2dTranspose(row as never, filter as never, [1, 1, 8, 2], [1, 2], 'valid');
          return tf.squeeze(y, [1]);
        },
      },
    ],
    bad: [
      ...badFor({ filters: 2, kernelSize: 2 }, 1),
      { why: 'no filters', options: { filters: 0, kernelSize: 2 }, error: ValueError },
      {
        why: 'an output padding of the stride',
        options: { filters: 2, kernelSize: 2, strides: 2, outputPadding: 2 },
        error: ValueError,
      },
    ],
  },
  {
    layer: 'depthwiseConv1d',
    cases: [
      {
        options: { kernelSize: 3, depthMultiplier: 2, strides: 2, padding: 'same' },
        inputs: sequence,
        open: [1],
        reference: (tf, [x], [kernel, bias]) => {
          const rows = tf.expandDims(x, 1);
          const filter = tf.expandDims(kernel, 0);
          const padded = tf.pad(rows, [
            [0, 0],
            [0, 0],
            [1, 1],
            [0, 0],
          ]);
          // Strides of TF.js's depthwise kernels are the same in both directions; a single row has only one position.
          const y = tf.depthwiseConv2d(padded as never, filter as never, 2, 'valid');
          return tf.add(tf.squeeze(y, [1]), bias);
        },
      },
      { options: { kernelSize: [2], dilationRate: 3, useBias: false, activation: 'tanh' }, inputs: sequence },
    ],
    bad: [
      ...badFor({ kernelSize: 3 }, 1),
      { why: 'a multiplier of 0', options: { kernelSize: 3, depthMultiplier: 0 }, error: ValueError },
    ],
  },
  {
    layer: 'depthwiseConv2d',
    cases: [
      {
        options: { kernelSize: 3, strides: 2, padding: 'same', activation: 'sigmoid' },
        inputs: image,
        open: [1, 2],
        reference: (tf, [x], [kernel, bias]) =>
          tf.sigmoid(tf.add(tf.depthwiseConv2d(x, kernel, 2, 'same'), bias)),
      },
      {
        options: {
          kernelSize: [2, 3],
          depthMultiplier: 2,
          dilationRate: 2,
          useBias: false,
          depthwiseInitializer: 'heNormal',
          depthwiseRegularizer: 'l1',
          depthwiseConstraint: 'nonNeg',
        },
        inputs: image,
        reference: (tf, [x], [kernel]) => tf.depthwiseConv2d(x, kernel, 1, 'valid', 'NHWC', 2),
      },
    ],
    bad: [
      ...badFor({ kernelSize: 3 }, 2),
      { why: 'a fractional multiplier', options: { kernelSize: 3, depthMultiplier: 1.5 }, error: ValueError },
      {
        why: 'an unknown initializer of the kernel',
        options: { kernelSize: 3, depthwiseInitializer: 'odd' },
        error: ValueError,
      },
    ],
  },
  {
    layer: 'separableConv1d',
    cases: [
      {
        options: { ...fits, depthMultiplier: 2, padding: 'same', activation: 'tanh' },
        inputs: sequence,
        open: [1],
      },
      {
        options: { filters: 2, kernelSize: 2, strides: 2 },
        inputs: sequence,
        reference: (tf, [x], [depthwise, pointwise, bias]) => {
          const [rows, a, b] = [
            tf.expandDims(x, 1),
            tf.expandDims(depthwise, 0),
            tf.expandDims(pointwise, 0),
          ];
          const y = tf.separableConv2d(rows as never, a as never, b as never, 2, 'same');
          return tf.add(tf.slice(tf.squeeze(y, [1]), [0, 0, 0], [-1, 4, -1]), bias);
        },
      },
    ],
    bad: [...badFor(fits, 1), { why: 'no filters', options: { ...fits, filters: 0 }, error: ValueError }],
  },
  {
    layer: 'separableConv2d',
    cases: [
      {
        options: { ...fits, depthMultiplier: 2, strides: 2, padding: 'same', activation: 'sigmoid' },
        inputs: image,
        open: [1, 2],
        reference: (tf, [x], [depthwise, pointwise, bias]) =>
          tf.sigmoid(tf.add(tf.separableConv2d(x, depthwise, pointwise, 2, 'same'), bias)),
      },
      {
        options: { filters: 2, kernelSize: 2, dilationRate: 2, useBias: false, pointwiseRegularizer: 'l2' },
        inputs: image,
        reference: (tf, [x], [depthwise, pointwise]) =>
          tf.separableConv2d(x, depthwise, pointwise, 1, 'valid', 2),
      },
    ],
    bad: [
      ...badFor(fits, 2),
      { why: 'a multiplier of 0', options: { ...fits, depthMultiplier: 0 }, error: ValueError },
      {
        why: 'an unknown constraint of the kernel',
        options: { ...fits, pointwiseConstraint: 'x' },
        error: ValueError,
      },
    ],
  },
];
