/** @file Samples of layers for volumes. */
import { ShapeError, ValueError } from '../../../../src/core/errors.ts';
import type { BadLayerCase, LayerSamples } from './types.ts';

/** No two values so near that a finite difference exchanges them. */
const volume = { shape: [2, 4, 3, 4, 2], apart: 0.02 };

const badPools: BadLayerCase[] = [
  { why: 'a window of two sizes', options: { poolSize: [2, 2] }, error: ValueError },
  { why: 'another padding', options: { padding: 'causal' }, error: ValueError },
  { why: 'another data format', options: { dataFormat: 'channels' }, error: ValueError },
  { why: 'an image', inputs: { shape: [2, 4, 4, 1] }, error: ShapeError },
];

const badVolumes: BadLayerCase[] = [
  { why: 'an image', inputs: { shape: [2, 4, 4, 1] }, error: ShapeError },
  { why: 'another data format', options: { dataFormat: 'channels' }, error: ValueError },
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
    layer: 'conv3dTranspose',
    cases: [
      {
        options: { filters: 2, kernelSize: 2, strides: [1, 2, 1], useBias: false },
        inputs: { shape: [2, 2, 3, 2, 1] },
        reference: (tf, [x], [kernel]) =>
          tf.conv3dTranspose(x as never, kernel as never, [2, 3, 6, 3, 2], [1, 2, 1], 'valid'),
      },
    ],
    bad: [
      { why: 'no filters', options: { filters: 0, kernelSize: 2 }, error: ValueError },
      {
        why: 'an output padding of the stride',
        options: { filters: 1, kernelSize: 2, outputPadding: 1 },
        error: ValueError,
      },
      {
        why: 'an image',
        options: { filters: 1, kernelSize: 2 },
        inputs: { shape: [2, 4, 4, 1] },
        error: ShapeError,
      },
    ],
  },
  {
    layer: 'globalMaxPooling3d',
    cases: [{ inputs: volume, open: [1, 2, 3], reference: (tf, [x]) => tf.max(x, [1, 2, 3]) }],
    bad: badVolumes,
  },
  {
    layer: 'globalAveragePooling3d',
    cases: [
      { options: { keepDims: true }, inputs: volume, reference: (tf, [x]) => tf.mean(x, [1, 2, 3], true) },
    ],
    bad: badVolumes,
  },
  {
    layer: 'adaptiveAveragePooling3d',
    cases: [{ options: { outputSize: [2, 1, 2] }, inputs: volume }],
    bad: [{ why: 'two sizes', options: { outputSize: [2, 2] }, error: ValueError }],
  },
  {
    layer: 'adaptiveMaxPooling3d',
    cases: [{ options: { outputSize: 2 }, inputs: volume }],
    bad: [{ why: 'no windows', options: { outputSize: 0 }, error: ValueError }],
  },
  {
    layer: 'cropping3d',
    cases: [
      {
        options: { cropping: [1, [0, 1], [1, 0]] },
        inputs: volume,
        reference: (tf, [x]) => tf.slice(x, [0, 1, 0, 1, 0], [2, 2, 2, 3, 2]),
      },
    ],
    bad: [
      ...badVolumes,
      { why: 'two axes', options: { cropping: [1, 1] }, error: ValueError },
      { why: 'nothing left', options: { cropping: 2 }, inputs: volume, error: ShapeError },
    ],
  },
  {
    layer: 'zeroPadding3d',
    cases: [
      {
        options: { padding: [1, 2, 0] },
        inputs: volume,
        reference: (tf, [x]) =>
          tf.pad(x, [
            [0, 0],
            [1, 1],
            [2, 2],
            [0, 0],
            [0, 0],
          ]),
      },
    ],
    bad: [...badVolumes, { why: 'half an element', options: { padding: 0.5 }, error: ValueError }],
  },
  {
    layer: 'upSampling3d',
    cases: [{ options: { size: [1, 2, 1] }, inputs: volume }],
    bad: [...badVolumes, { why: 'no size', options: { size: 0 }, error: ValueError }],
  },
  {
    layer: 'spatialDropout3d',
    cases: [
      { options: { rate: 0.5 }, inputs: volume, reference: (_, [x]) => x },
      { options: { rate: 0.5, seed: 3 }, inputs: volume, training: true },
    ],
    bad: [
      { why: 'a rate of 2', options: { rate: 2 }, error: ValueError },
      { why: 'an image', options: { rate: 0.5 }, inputs: { shape: [2, 4, 4, 1] }, error: ShapeError },
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
