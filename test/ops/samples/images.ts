import { DTypeError, ShapeError, ValueError } from '../../../src/core/errors.ts';
import type { InputSample, OpSamples } from './types.ts';

const x = (...shape: number[]): InputSample => ({ shape });
const ints = (...shape: number[]): InputSample => ({ shape, dtype: 'int32', low: 0, high: 2 });
const boxes: InputSample = { shape: [2, 4], values: [0.1, 0.15, 0.73, 0.81, 0.9, -0.13, 0.2, 0.88] };
const which: InputSample = { shape: [2], dtype: 'int32', values: [1, 0] };
const map = (...values: number[]): InputSample => ({ shape: [values.length / 8, 8], values });
/** Points stay away from pixels, where interpolation has kinks. */
const betweenPixels = map(1, 0.05, 0.45, 0.03, 1, 0.4, 0.02, 0.01);
const beyond = map(1, 0.02, 2.45, 0.03, 1, 2.4, 0, 0);
const two = map(
  0.9,
  -0.21,
  0.33,
  0.17,
  1.1,
  -0.29,
  0,
  0,
  1.05,
  0.13,
  -0.41,
  -0.07,
  0.87,
  0.21,
  0.011,
  -0.013,
);

const colours = (op: string, values: number[]): OpSamples => ({
  op,
  cases: [{ inputs: [{ shape: [2, 3], values }] }, { inputs: [x(0, 3)] }],
  bad: [
    { why: 'four channels', inputs: [x(2, 4)], error: ShapeError },
    { why: 'a scalar', inputs: [x()], error: ShapeError },
    { why: 'integers', inputs: [ints(2, 3)], error: DTypeError },
  ],
});

const badResizes = [
  { why: 'an image', inputs: [x(3, 3, 1)], options: { size: 2 }, error: ShapeError },
  { why: 'no pixels', inputs: [x(1, 0, 3, 1)], options: { size: 2 }, error: ShapeError },
  { why: 'no size', inputs: [x(1, 3, 3, 1)], error: ValueError },
  {
    why: 'antialias as a word',
    inputs: [x(1, 3, 3, 1)],
    options: { size: 2, antialias: 'yes' },
    error: ValueError,
  },
  { why: 'integers', inputs: [ints(1, 3, 3, 1)], options: { size: 2 }, error: DTypeError },
] as const;

export const samples: OpSamples[] = [
  colours('rgbToGrayscale', [0.1, 0.6, 0.3, 0.9, 0.2, 0.5]),
  colours('rgbToHsv', [0.1, 0.6, 0.3, 0.9, 0.2, 0.5]),
  colours('hsvToRgb', [0.2, 0.6, 0.7, 0.75, 0.3, 0.8]),
  {
    op: 'resizeBicubic',
    cases: [
      { inputs: [x(2, 3, 4, 2)], options: { size: [5, 3] } },
      { inputs: [x(1, 6, 5, 1)], options: { size: 2, antialias: true } },
    ],
    bad: badResizes,
  },
  {
    op: 'resizeLanczos',
    cases: [{ inputs: [x(1, 5, 4, 1)], options: { size: [3, 7], radius: 5 } }],
    bad: [
      ...badResizes,
      { why: 'a radius of 4', inputs: [x(1, 3, 3, 1)], options: { size: 2, radius: 4 }, error: ValueError },
    ],
  },
  {
    op: 'resizeImages',
    cases: [
      { inputs: [x(2, 3, 4, 2)], options: { size: [5, 2] } },
      { inputs: [x(1, 6, 5, 1)], options: { size: [4, 7], interpolation: 'bilinear', antialias: true } },
      { inputs: [x(2, 3, 4, 2)], options: { size: [5, 3], interpolation: 'bicubic' } },
      { inputs: [x(1, 6, 5, 1)], options: { size: 2, interpolation: 'lanczos3', antialias: true } },
      { inputs: [x(1, 5, 4, 1)], options: { size: [3, 7], interpolation: 'lanczos5' } },
      { inputs: [x(1, 5, 4, 2)], options: { size: [3, 6], interpolation: 'area' } },
      { inputs: [x(1, 5, 4, 2)], options: { size: [3, 6], interpolation: 'nearest' } },
    ],
    bad: [
      ...badResizes,
      {
        why: 'an unknown interpolation',
        inputs: [x(1, 3, 3, 1)],
        options: { size: 2, interpolation: 'gaussian' },
        error: ValueError,
      },
    ],
  },
  {
    op: 'cropAndResize',
    cases: [
      { inputs: [x(2, 4, 5, 2), boxes, which], options: { size: [3, 4] } },
      { inputs: [x(2, 4, 5, 1), boxes, which], options: { size: 1, fillValue: 7 }, carriesNaN: false },
      {
        inputs: [x(2, 4, 5, 1), boxes, which],
        options: { size: 2, interpolation: 'nearest' },
        gradient: false,
        carriesNaN: false,
      },
      { inputs: [x(2, 4, 5, 1), x(0, 4), ints(0)], options: { size: 2 }, carriesNaN: false },
    ],
    bad: [
      { why: 'an image', inputs: [x(4, 4, 1), boxes, which], options: { size: 2 }, error: ShapeError },
      {
        why: 'boxes of two corners',
        inputs: [x(2, 4, 4, 1), x(2, 2), which],
        options: { size: 2 },
        error: ShapeError,
      },
      {
        why: 'fewer indices than boxes',
        inputs: [x(2, 4, 4, 1), boxes, ints(1)],
        options: { size: 2 },
        error: ShapeError,
      },
      { why: 'no size', inputs: [x(2, 4, 4, 1), boxes, which], error: ValueError },
      { why: 'integers', inputs: [ints(2, 4, 4, 1), boxes, which], options: { size: 2 }, error: DTypeError },
      {
        why: 'an unknown interpolation',
        inputs: [x(2, 4, 4, 1), boxes, which],
        options: { size: 2, interpolation: 'cubic' },
        error: ValueError,
      },
    ],
  },
  {
    op: 'gaussianBlur',
    cases: [
      { inputs: [x(2, 4, 3, 2), { shape: [2], low: 0.5, high: 1.5 }], options: { kernelSize: [3, 2] } },
    ],
    bad: [
      { why: 'an image', inputs: [x(4, 4, 1), x(2)], error: ShapeError },
      { why: 'one deviation', inputs: [x(2, 4, 4, 1), x(1)], error: ShapeError },
      { why: 'no window', inputs: [x(2, 4, 4, 1), x(2)], options: { kernelSize: 0 }, error: ValueError },
      { why: 'integers', inputs: [ints(2, 4, 4, 1), x(2)], error: DTypeError },
    ],
  },
  {
    op: 'transformImages',
    cases: [
      { inputs: [x(1, 3, 3, 2), betweenPixels], options: { outputSize: 2 }, carriesNaN: false },
      { inputs: [x(2, 3, 3, 1), beyond], options: { fillMode: 'reflect', outputSize: 2 }, carriesNaN: false },
      { inputs: [x(2, 3, 3, 1), beyond], options: { fillMode: 'mirror', outputSize: 2 }, carriesNaN: false },
      { inputs: [x(1, 3, 3, 1), beyond], options: { fillMode: 'wrap', outputSize: 3 }, carriesNaN: false },
      { inputs: [x(2, 3, 4, 1), two], options: { fillMode: 'nearest' }, gradient: false, carriesNaN: false },
      {
        inputs: [x(2, 3, 4, 1), two],
        options: { fillMode: 'wrap', interpolation: 'nearest', outputSize: [2, 5] },
        gradient: false,
        carriesNaN: false,
      },
    ],
    bad: [
      { why: 'an image', inputs: [x(4, 4, 1), two], error: ShapeError },
      { why: 'maps of six numbers', inputs: [x(2, 4, 4, 1), x(2, 6)], error: ShapeError },
      { why: 'maps of other images', inputs: [x(3, 4, 4, 1), two], error: ShapeError },
      {
        why: 'an unknown fill mode',
        inputs: [x(2, 4, 4, 1), two],
        options: { fillMode: 'zero' },
        error: ValueError,
      },
      { why: 'integers', inputs: [ints(2, 4, 4, 1), two], error: DTypeError },
    ],
  },
  {
    op: 'categorical',
    cases: [
      { inputs: [x(3, 4)], options: { numSamples: 5, seed: 1 }, carriesNaN: false },
      { inputs: [x(4)], options: { numSamples: 0 }, carriesNaN: false },
    ],
    bad: [
      { why: 'a scalar', inputs: [x()], options: { numSamples: 1 }, error: ShapeError },
      { why: 'no classes', inputs: [x(2, 0)], options: { numSamples: 1 }, error: ShapeError },
      { why: 'no count', inputs: [x(2)], error: ValueError },
      { why: 'integers', inputs: [ints(2)], options: { numSamples: 1 }, error: DTypeError },
      { why: 'a negative seed', inputs: [x(2)], options: { numSamples: 1, seed: -1 }, error: ValueError },
    ],
  },
  {
    op: 'shuffle',
    cases: [
      { inputs: [x(5, 2)], options: { seed: 3 } },
      { inputs: [ints(2, 4)], options: { axis: 1, seed: 3 } },
      { inputs: [x(0, 2)], options: { seed: 3 } },
    ],
    bad: [
      { why: 'a scalar', inputs: [x()], error: ShapeError },
      { why: 'an axis that x lacks', inputs: [x(2)], options: { axis: 1 }, error: ShapeError },
      { why: 'a seed as a word', inputs: [x(2)], options: { seed: 'one' }, error: ValueError },
    ],
  },
];
