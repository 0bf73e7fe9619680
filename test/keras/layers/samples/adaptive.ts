/** @file Samples of adaptive pools. */
import { ShapeError, ValueError } from '../../../../src/core/errors.ts';
import type { BadLayerCase, LayerSamples, Oracle } from './types.ts';

/** No two values so near that a finite difference exchanges them. */
const image = { shape: [1, 5, 4, 2], apart: 0.05 };
const sequence = { shape: [2, 7, 2], apart: 0.05 };

/** Windows from start to end along an axis, each reduced. */
function windows(tf: Oracle, x: never, axis: number, bounds: [number, number][], reduce: 'mean' | 'max') {
  const given = x as { shape: number[] };
  const parts = bounds.map(([start, end]) => {
    const begin = given.shape.map((_, i) => (i === axis ? start : 0));
    const size = given.shape.map((n, i) => (i === axis ? end - start : n));
    return tf[reduce](tf.slice(x, begin as never, size as never), axis, true);
  });
  return tf.concat(parts, axis);
}

const thirdsOf7: [number, number][] = [
  [0, 3],
  [2, 5],
  [4, 7],
];
const pairOf5: [number, number][] = [
  [0, 3],
  [2, 5],
];

const bad: BadLayerCase[] = [
  { why: 'no windows', options: { outputSize: 0 }, error: ValueError },
  { why: 'no size', options: {}, error: ValueError },
  { why: 'sizes of three axes', options: { outputSize: [1, 2, 3] }, error: ValueError },
  { why: 'another data format', options: { outputSize: 2, dataFormat: 'channels' }, error: ValueError },
  { why: 'a vector', options: { outputSize: 2 }, inputs: { shape: [2, 3] }, error: ShapeError },
];

function of(kind: 'Average' | 'Max', reduce: 'mean' | 'max'): LayerSamples[] {
  return [
    {
      layer: `adaptive${kind}Pooling1d`,
      cases: [
        {
          options: { outputSize: 3 },
          inputs: sequence,
          open: [1],
          reference: (tf, [x]) => windows(tf, x, 1, thirdsOf7, reduce),
        },
      ],
      bad,
    },
    {
      layer: `adaptive${kind}Pooling2d`,
      cases: [
        {
          options: { outputSize: [2, 4] },
          inputs: image,
          open: [1, 2],
          reference: (tf, [x]) => windows(tf, x, 1, pairOf5, reduce),
        },
      ],
      bad,
    },
  ];
}

export const samples: LayerSamples[] = [...of('Average', 'mean'), ...of('Max', 'max')];
