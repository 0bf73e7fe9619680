/** @file Samples of layers that merge lists of tensors. */
import { DTypeError, ShapeError, ValueError } from '../../../../src/core/errors.ts';
import type { BadLayerCase, LayerSamples } from './types.ts';

const a = { shape: [2, 3, 4] };
const row = { shape: [2, 1, 4] };
const vector = { shape: [2, 4] };
const whole = { shape: [2, 3], dtype: 'int32' as const, low: -9, high: 9 };

const badLists: BadLayerCase[] = [
  { why: 'a single tensor', inputs: a, error: ValueError },
  { why: 'an empty list', inputs: [], error: ValueError },
  { why: 'shapes that do not fit', inputs: [a, { shape: [2, 3, 5] }], error: ShapeError },
  { why: 'batches of two sizes', inputs: [vector, { shape: [1, 4] }], error: ShapeError },
];

export const samples: LayerSamples[] = [
  {
    layer: 'add',
    cases: [
      { inputs: [a, a, a], open: [1], reference: (tf, [x, y, z]) => tf.add(tf.add(x, y), z) },
      { inputs: [a, row], reference: (tf, [x, y]) => tf.add(x, y) },
      { inputs: [a, vector], reference: (tf, [x, y]) => tf.add(x, tf.expandDims(y, 1)) },
      { inputs: [whole, whole], gradient: false },
      { inputs: [a], reference: (_, [x]) => x },
    ],
    bad: badLists,
  },
  {
    layer: 'subtract',
    cases: [
      { inputs: [a, a], open: [1], reference: (tf, [x, y]) => tf.sub(x, y) },
      { inputs: [vector, a], reference: (tf, [x, y]) => tf.sub(tf.expandDims(x, 1), y) },
    ],
    bad: [...badLists, { why: 'three tensors', inputs: [a, a, a], error: ValueError }],
  },
  {
    layer: 'multiply',
    cases: [
      { inputs: [a, row, a], reference: (tf, [x, y, z]) => tf.mul(tf.mul(x, y), z) },
      { inputs: [a, vector], open: [], reference: (tf, [x, y]) => tf.mul(x, tf.expandDims(y, 1)) },
    ],
    bad: badLists,
  },
  {
    layer: 'average',
    cases: [
      {
        inputs: [a, row, a],
        tolerance: 1e-6,
        reference: (tf, [x, y, z]) => tf.div(tf.add(tf.add(x, y), z), 3),
      },
      {
        inputs: [whole, whole],
        gradient: false,
        reference: (tf, [x, y]) => tf.div(tf.cast(tf.add(x, y), 'float32'), 2),
      },
    ],
    bad: badLists,
  },
  {
    layer: 'maximum',
    cases: [
      {
        inputs: [a, { ...a, low: 0.1, high: 0.2 }, row],
        reference: (tf, [x, y, z]) => tf.maximum(tf.maximum(x, y), z),
        gradient: false,
      },
      {
        inputs: [
          { shape: [2, 2], values: [0.1, 0.9, -0.5, 0.3] },
          { shape: [2, 2], values: [0.7, 0.2, -0.1, -0.3] },
        ],
        reference: (tf, [x, y]) => tf.maximum(x, y),
      },
    ],
    bad: badLists,
  },
  {
    layer: 'minimum',
    cases: [
      {
        inputs: [
          { shape: [2, 2], values: [0.1, 0.9, -0.5, 0.3] },
          { shape: [2, 2], values: [0.7, 0.2, -0.1, -0.3] },
        ],
        reference: (tf, [x, y]) => tf.minimum(x, y),
      },
      { inputs: [whole, whole], gradient: false },
    ],
    bad: badLists,
  },
  {
    layer: 'concatenate',
    cases: [
      {
        inputs: [a, { shape: [2, 3, 1] }, a],
        open: [1],
        reference: (tf, inputs) => tf.concat([...inputs].slice(0, 3), 2),
      },
      {
        options: { axis: 1 },
        inputs: [a, row],
        open: [1],
        reference: (tf, [x, y]) => tf.concat([x, y], 1),
      },
      { inputs: [whole, whole], gradient: false },
    ],
    bad: [
      { why: 'a single tensor', inputs: a, error: ValueError },
      { why: 'an empty list', inputs: [], error: ValueError },
      { why: 'a fractional axis', options: { axis: 0.5 }, error: ValueError },
      { why: 'an axis that the inputs lack', options: { axis: 3 }, inputs: [a, a], error: ShapeError },
      { why: 'shapes that do not fit', inputs: [a, { shape: [2, 2, 4] }], error: ShapeError },
      { why: 'two dtypes', inputs: [vector, { ...whole, shape: [2, 4] }], error: DTypeError },
    ],
  },
  {
    layer: 'dot',
    cases: [
      {
        options: { axes: -1 },
        inputs: [vector, vector],
        reference: (tf, [x, y]) => tf.sum(tf.mul(x, y), 1, true),
      },
      {
        options: { axes: [2, 1] },
        inputs: [a, { shape: [2, 4, 5] }],
        open: [],
        reference: (tf, [x, y]) => tf.matMul(x, y),
      },
      {
        options: { axes: 1, normalize: true },
        inputs: [a, { shape: [2, 3, 2] }],
        reference: (tf, [x, y]) => {
          const unit = (t: never) => tf.div(t, tf.norm(t, 2, 1, true));
          return tf.matMul(unit(x), unit(y), true);
        },
      },
      {
        options: { axes: [1, 3] },
        inputs: [a, { shape: [2, 2, 2, 3] }],
        reference: (tf, [x, y]) =>
          tf.reshape(tf.matMul(x, tf.reshape(y, [2, 4, 3]), true, true), [2, 4, 2, 2]),
      },
    ],
    bad: [
      { why: 'three axes', options: { axes: [1, 1, 1] }, error: ValueError },
      { why: 'a fractional axis', options: { axes: 0.5 }, error: ValueError },
      { why: 'a normalize that is no boolean', options: { axes: 1, normalize: 1 }, error: ValueError },
      { why: 'the batch', options: { axes: 0 }, inputs: [a, a], error: ShapeError },
      { why: 'axes of two sizes', options: { axes: [1, 2] }, inputs: [a, a], error: ShapeError },
      { why: 'three tensors', options: { axes: 1 }, inputs: [a, a, a], error: ValueError },
      { why: 'a single tensor', options: { axes: 1 }, inputs: a, error: ValueError },
    ],
  },
];
