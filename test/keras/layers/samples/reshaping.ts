/** @file Samples of layers that rearrange values: shapes, orders, edges, sizes. */
import { ShapeError, ValueError } from '../../../../src/core/errors.ts';
import type { LayerSamples } from './types.ts';

const image = { shape: [2, 4, 3, 2] };
const sequence = { shape: [2, 5, 3] };

export const samples: LayerSamples[] = [
  {
    layer: 'flatten',
    cases: [
      { inputs: image, open: [1], reference: (tf, [x]) => tf.reshape(x, [2, 24]) },
      { inputs: { shape: [3], dtype: 'int32', low: 0, high: 9 }, gradient: false },
      { options: { dataFormat: 'channelsLast' }, inputs: { shape: [2, 3] } },
    ],
    bad: [
      { why: 'another data format', options: { dataFormat: 'channels' }, error: ValueError },
      { why: 'a scalar', inputs: { shape: [] }, error: ShapeError },
    ],
  },
  {
    layer: 'reshape',
    cases: [
      { options: { targetShape: [6, 4] }, inputs: image, reference: (tf, [x]) => tf.reshape(x, [2, 6, 4]) },
      {
        options: { targetShape: [3, -1, 2] },
        inputs: image,
        open: [1],
        reference: (tf, [x]) => tf.reshape(x, [2, 3, 4, 2]),
      },
      { options: { targetShape: [] }, inputs: { shape: [3, 1, 1] } },
      { options: { targetShape: [-1] }, inputs: { shape: [2, 3], dtype: 'bool' }, gradient: false },
    ],
    bad: [
      { why: 'two open sizes', options: { targetShape: [-1, -1] }, error: ValueError },
      { why: 'a fractional size', options: { targetShape: [1.5] }, error: ValueError },
      { why: 'a number for a list', options: { targetShape: 6 }, error: ValueError },
      { why: 'another number of values', options: { targetShape: [5] }, inputs: image, error: ShapeError },
      {
        why: 'a size that does not divide',
        options: { targetShape: [5, -1] },
        inputs: image,
        error: ShapeError,
      },
    ],
  },
  {
    layer: 'permute',
    cases: [
      {
        options: { dims: [2, 1] },
        inputs: sequence,
        open: [1],
        reference: (tf, [x]) => tf.transpose(x, [0, 2, 1]),
      },
      { options: { dims: [3, 1, 2] }, inputs: image, reference: (tf, [x]) => tf.transpose(x, [0, 3, 1, 2]) },
    ],
    bad: [
      { why: 'the batch', options: { dims: [0, 1] }, error: ValueError },
      { why: 'an axis named twice', options: { dims: [1, 1] }, error: ValueError },
      { why: 'a number for a list', options: { dims: 2 }, error: ValueError },
      { why: 'an input of another rank', options: { dims: [2, 1] }, inputs: image, error: ShapeError },
    ],
  },
  {
    layer: 'repeatVector',
    cases: [
      {
        options: { n: 3 },
        inputs: { shape: [2, 4] },
        reference: (tf, [x]) => tf.tile(tf.expandDims(x, 1), [1, 3, 1]),
      },
      { options: { n: 1 }, inputs: { shape: [2, 2], dtype: 'int32', low: 0, high: 5 }, gradient: false },
    ],
    bad: [
      { why: 'no steps', options: { n: 0 }, error: ValueError },
      { why: 'a fractional number', options: { n: 2.5 }, error: ValueError },
      { why: 'a sequence', options: { n: 2 }, inputs: sequence, error: ShapeError },
    ],
  },
  {
    layer: 'zeroPadding1d',
    cases: [
      {
        inputs: sequence,
        open: [1],
        reference: (tf, [x]) =>
          tf.pad(x, [
            [0, 0],
            [1, 1],
            [0, 0],
          ]),
      },
      {
        options: { padding: [0, 2] },
        inputs: sequence,
        reference: (tf, [x]) =>
          tf.pad(x, [
            [0, 0],
            [0, 2],
            [0, 0],
          ]),
      },
    ],
    bad: [
      { why: 'a negative number', options: { padding: -1 }, error: ValueError },
      { why: 'three numbers', options: { padding: [1, 1, 1] }, error: ValueError },
      { why: 'another data format', options: { dataFormat: 'channels' }, error: ValueError },
      { why: 'an image', inputs: image, error: ShapeError },
    ],
  },
  {
    layer: 'zeroPadding2d',
    cases: [
      {
        inputs: image,
        open: [1, 2],
        reference: (tf, [x]) =>
          tf.pad(x, [
            [0, 0],
            [1, 1],
            [1, 1],
            [0, 0],
          ]),
      },
      {
        options: { padding: [2, 0] },
        inputs: image,
        reference: (tf, [x]) =>
          tf.pad(x, [
            [0, 0],
            [2, 2],
            [0, 0],
            [0, 0],
          ]),
      },
      {
        options: {
          padding: [
            [0, 1],
            [2, 0],
          ],
        },
        inputs: image,
        reference: (tf, [x]) =>
          tf.pad(x, [
            [0, 0],
            [0, 1],
            [2, 0],
            [0, 0],
          ]),
      },
    ],
    bad: [
      { why: 'a fraction', options: { padding: 0.5 }, error: ValueError },
      { why: 'three axes', options: { padding: [1, 1, 1] }, error: ValueError },
      { why: 'a side missing', options: { padding: [[1], [1, 1]] }, error: ValueError },
      { why: 'another data format', options: { dataFormat: 'channels' }, error: ValueError },
      { why: 'a sequence', inputs: sequence, error: ShapeError },
    ],
  },
  {
    layer: 'cropping1d',
    cases: [
      { inputs: sequence, open: [1], reference: (tf, [x]) => tf.slice(x, [0, 1, 0], [-1, 3, -1]) },
      {
        options: { cropping: [0, 2] },
        inputs: sequence,
        reference: (tf, [x]) => tf.slice(x, [0, 0, 0], [-1, 3, -1]),
      },
    ],
    bad: [
      { why: 'a negative number', options: { cropping: -1 }, error: ValueError },
      { why: 'all there is', options: { cropping: [2, 3] }, inputs: sequence, error: ShapeError },
      { why: 'an image', inputs: image, error: ShapeError },
    ],
  },
  {
    layer: 'cropping2d',
    cases: [
      { inputs: image, reference: (_, [x]) => x },
      {
        options: {
          cropping: [
            [1, 0],
            [0, 2],
          ],
        },
        inputs: image,
        open: [1, 2],
        reference: (tf, [x]) => tf.slice(x, [0, 1, 0, 0], [-1, 3, 1, -1]),
      },
      {
        options: { cropping: [1, 0] },
        inputs: { ...image, dtype: 'int32', low: 0, high: 9 },
        gradient: false,
      },
    ],
    bad: [
      { why: 'a string', options: { cropping: 'all' }, error: ValueError },
      { why: 'all there is', options: { cropping: 2 }, inputs: image, error: ShapeError },
      { why: 'another data format', options: { dataFormat: 'channels' }, error: ValueError },
      { why: 'a sequence', inputs: sequence, error: ShapeError },
    ],
  },
  {
    layer: 'upSampling1d',
    cases: [
      {
        inputs: sequence,
        open: [1],
        reference: (tf, [x]) => tf.reshape(tf.tile(tf.expandDims(x, 2), [1, 1, 2, 1]), [2, 10, 3]),
      },
      { options: { size: 3 }, inputs: { ...sequence, dtype: 'int32', low: 0, high: 9 }, gradient: false },
    ],
    bad: [
      { why: 'a factor of 0', options: { size: 0 }, error: ValueError },
      { why: 'a pair', options: { size: [2, 2] }, error: ValueError },
      { why: 'an image', inputs: image, error: ShapeError },
    ],
  },
  {
    layer: 'upSampling2d',
    cases: [
      {
        inputs: image,
        open: [1, 2],
        reference: (tf, [x]) => tf.image.resizeNearestNeighbor(x, [8, 6], false, true),
      },
      {
        options: { size: [2, 3], interpolation: 'bilinear' },
        inputs: image,
        reference: (tf, [x]) => tf.image.resizeBilinear(x, [8, 9], false, true),
      },
      { options: { interpolation: 'lanczos3' }, inputs: image, open: [1, 2] },
      { options: { size: [1, 2] }, inputs: { ...image, dtype: 'int32', low: 0, high: 9 }, gradient: false },
    ],
    bad: [
      { why: 'a fractional factor', options: { size: 1.5 }, error: ValueError },
      { why: 'another interpolation', options: { interpolation: 'cubic' }, error: ValueError },
      { why: 'another data format', options: { dataFormat: 'channels' }, error: ValueError },
      { why: 'a sequence', inputs: sequence, error: ShapeError },
    ],
  },
];
