/** @file Samples of preprocessing layers. */
import { ShapeError, ValueError } from '../../../../src/core/errors.ts';
import type { BadLayerCase, LayerSamples } from './types.ts';

const images = { shape: [2, 4, 5, 2] };
const numbers = { shape: [3, 4], dtype: 'int32', low: 0, high: 5 } as const;

const badImages: BadLayerCase[] = [
  { why: 'a vector', inputs: { shape: [2, 3] }, error: ShapeError },
  { why: 'five axes', inputs: { shape: [1, 2, 2, 2, 2] }, error: ShapeError },
  { why: 'another data format', options: { dataFormat: 'channels' }, error: ValueError },
];
const badSizes: BadLayerCase[] = [
  ...badImages.map((bad) => ({ ...bad, options: { height: 2, width: 2, ...bad.options } })),
  { why: 'no height', options: { width: 2 }, error: ValueError },
  { why: 'half a width', options: { height: 2, width: 0.5 }, error: ValueError },
];
const badColours: BadLayerCase[] = [
  ...badImages.map((bad) => ({ ...bad, options: { factor: 0.2, ...bad.options } })),
  { why: 'no factor', options: {}, error: ValueError },
  { why: 'a factor of 2', options: { factor: 2 }, error: ValueError },
  { why: 'three factors', options: { factor: [0, 0.1, 0.2] }, error: ValueError },
  { why: 'a range of one number', options: { factor: 0.2, valueRange: [3] }, error: ValueError },
  { why: 'a range of nothing', options: { factor: 0.2, valueRange: [1, 1] }, error: ValueError },
  { why: 'a fractional seed', options: { factor: 0.2, seed: 0.5 }, error: ValueError },
];

const badMaps = (right: object, bad: readonly BadLayerCase[]): BadLayerCase[] => [
  ...badImages.map((each) => ({ ...each, options: { ...right, ...each.options } })),
  ...bad,
  { why: 'another fill', options: { ...right, fillMode: 'mirror' }, error: ValueError },
  { why: 'bicubic', options: { ...right, interpolation: 'bicubic' }, error: ValueError },
  { why: 'an infinite fill', options: { ...right, fillValue: Number.POSITIVE_INFINITY }, error: ValueError },
];

export const samples: LayerSamples[] = [
  {
    layer: 'resizing',
    cases: [
      {
        options: { height: 3, width: 7 },
        inputs: images,
        open: [1, 2],
        reference: (tf, [x]) => tf.image.resizeBilinear(x, [3, 7], false, true),
      },
      {
        options: { height: 8, width: 2, interpolation: 'nearest' },
        inputs: { shape: [3, 4, 2] },
        zeroBatch: false,
        reference: (tf, [x]) => tf.image.resizeNearestNeighbor(x, [8, 2], false, true),
      },
      {
        options: { height: 3, width: 7, interpolation: 'bicubic', antialias: true },
        inputs: images,
        open: [1, 2],
      },
      { options: { height: 2, width: 2, cropToAspectRatio: true }, inputs: images },
      { options: { height: 2, width: 2, padToAspectRatio: true, fillValue: 0.5 }, inputs: images },
      {
        options: { height: 2, width: 3 },
        inputs: { ...images, dtype: 'int32', low: 0, high: 255 },
        gradient: false,
        reference: (tf, [x]) => tf.round(tf.image.resizeBilinear(tf.cast(x, 'float32'), [2, 3], false, true)),
      },
    ],
    bad: [
      ...badSizes,
      {
        why: 'antialiasing that is no boolean',
        options: { height: 2, width: 2, antialias: 1 },
        error: ValueError,
      },
      {
        why: 'an unknown interpolation',
        options: { height: 2, width: 2, interpolation: 'gaussian' },
        error: ValueError,
      },
      { why: 'another fill', options: { height: 2, width: 2, fillMode: 'wrap' }, error: ValueError },
      {
        why: 'a cut and a padding',
        options: { height: 2, width: 2, cropToAspectRatio: true, padToAspectRatio: true },
        error: ValueError,
      },
    ],
  },
  {
    layer: 'centerCrop',
    cases: [
      {
        options: { height: 3, width: 2 },
        inputs: images,
        open: [1, 2],
        reference: (tf, [x]) => tf.slice(x, [0, 0, 1, 0], [2, 3, 2, 2]),
      },
      { options: { height: 6, width: 3 }, inputs: images },
    ],
    bad: badSizes,
  },
  {
    layer: 'randomFlip',
    cases: [
      { inputs: images, training: false, reference: (_, [x]) => x },
      { options: { mode: 'vertical', seed: 3 }, inputs: images, training: true },
    ],
    bad: [...badImages, { why: 'another mode', options: { mode: 'diagonal' }, error: ValueError }],
  },
  {
    layer: 'randomCrop',
    cases: [
      { options: { height: 2, width: 3, seed: 1 }, inputs: images, training: true },
      { options: { height: 5, width: 2 }, inputs: images, training: false },
    ],
    bad: badSizes,
  },
  {
    layer: 'randomBrightness',
    cases: [
      { options: { factor: [-0.2, 0.2] }, inputs: images, training: false, reference: (_, [x]) => x },
      { options: { factor: [0.1, 0.3], valueRange: [-9, 9], seed: 5 }, inputs: images, training: true },
    ],
    bad: badColours,
  },
  {
    layer: 'randomContrast',
    cases: [
      { options: { factor: [0.1, 0.4] }, inputs: images, training: false, reference: (_, [x]) => x },
      { options: { factor: [0.1, 0.3], valueRange: [-9, 9], seed: 5 }, inputs: images, training: true },
    ],
    bad: badColours,
  },
  {
    layer: 'randomInvert',
    cases: [
      {
        options: { factor: [0.4, 0.6], valueRange: [-1, 1], seed: 5 },
        inputs: { shape: [3, 2, 2, 1] },
        training: true,
      },
    ],
    bad: [
      {
        why: 'a negative probability',
        options: { factor: [-0.5, 0.5] },
        error: ValueError,
        message: /factor/,
      },
    ],
  },
  {
    layer: 'randomColorDegeneration',
    cases: [
      {
        options: { factor: [0.1, 0.4], valueRange: [-9, 9], seed: 5 },
        inputs: { shape: [2, 2, 2, 3] },
        training: true,
      },
    ],
    bad: [
      { why: 'no factor', options: {}, error: ValueError, message: /factor/ },
      {
        why: 'images without colours',
        options: { factor: 0.5 },
        inputs: { shape: [1, 2, 2, 1] },
        training: true,
        error: ShapeError,
      },
    ],
  },
  {
    layer: 'randomRotation',
    cases: [
      { options: { factor: 0.2 }, inputs: images, training: false, reference: (_, [x]) => x },
      { options: { factor: [0.1, 0.2], seed: 5 }, inputs: images, training: true, zeroBatch: false },
    ],
    bad: badMaps({ factor: 0.2 }, [
      { why: 'no factor', options: {}, error: ValueError },
      { why: 'two turns', options: { factor: 2 }, error: ValueError },
    ]),
  },
  {
    layer: 'randomTranslation',
    cases: [
      {
        options: { heightFactor: 0.2, widthFactor: 0.3 },
        inputs: images,
        training: false,
        reference: (_, [x]) => x,
      },
      {
        options: { heightFactor: 0.25, widthFactor: [0.4, 0.4], fillMode: 'constant', seed: 5 },
        inputs: images,
        training: true,
        zeroBatch: false,
      },
    ],
    bad: badMaps({ heightFactor: 0.2, widthFactor: 0.2 }, [
      { why: 'no width', options: { heightFactor: 0.2 }, error: ValueError },
    ]),
  },
  {
    layer: 'randomZoom',
    cases: [
      { options: { heightFactor: 0.2 }, inputs: images, training: false, reference: (_, [x]) => x },
      { options: { heightFactor: [0.4, -0.2], seed: 5 }, inputs: images, training: true, zeroBatch: false },
    ],
    bad: badMaps({ heightFactor: 0.2 }, [
      { why: 'nothing left', options: { heightFactor: -1 }, error: ValueError },
    ]),
  },
  {
    layer: 'categoryEncoding',
    cases: [
      {
        options: { numTokens: 6 },
        inputs: numbers,
        gradient: false,
        reference: (tf, [x]) => tf.max(tf.oneHot(x, 6), 1),
      },
      {
        options: { numTokens: 6, outputMode: 'count' },
        inputs: numbers,
        gradient: false,
        reference: (tf, [x]) => tf.sum(tf.oneHot(x, 6), 1),
      },
      {
        options: { numTokens: 6, outputMode: 'oneHot' },
        inputs: { ...numbers, shape: [3, 1] },
        gradient: false,
        reference: (tf, [x]) => tf.oneHot(tf.reshape(x, [3]) as never, 6),
      },
    ],
    bad: [
      { why: 'no tokens', options: {}, error: ValueError },
      { why: 'integers as they are', options: { numTokens: 3, outputMode: 'int' }, error: ValueError },
      {
        why: 'weights without counts',
        options: { numTokens: 6 },
        inputs: numbers,
        kwargs: { countWeights: { shape: [3, 4] } },
        error: ValueError,
      },
    ],
  },
  {
    layer: 'discretization',
    cases: [
      {
        options: { binBoundaries: [-0.5, 0, 0.5] },
        inputs: { shape: [3, 4] },
        open: [1],
        gradient: false,
        reference: (tf, [x]) =>
          [-0.5, 0, 0.5]
            .map((bound) => tf.cast(tf.greaterEqual(x, bound), 'int32'))
            .reduce((a, b) => tf.add(a, b)),
      },
      {
        options: { binBoundaries: [0], outputMode: 'count' },
        inputs: { shape: [3, 4] },
        gradient: false,
        reference: (tf, [x]) => tf.sum(tf.oneHot(tf.cast(tf.greaterEqual(x, 0), 'int32'), 2), 1),
      },
    ],
    bad: [
      { why: 'neither boundaries nor a number of bins', options: {}, error: ValueError },
      { why: 'boundaries that descend', options: { binBoundaries: [1, 0] }, error: ValueError },
      { why: 'no bins', options: { numBins: 0 }, error: ValueError },
      { why: 'sparse results', options: { binBoundaries: [0], sparse: true }, error: ValueError },
      {
        why: 'a call before adapt',
        options: { numBins: 3 },
        inputs: { shape: [2] },
        error: ValueError,
        message: /adapt/,
      },
    ],
  },
];
