/** @file Samples of ops that make values of their own but take a tensor: dropout. Creation proper is in creation.test.ts. */
import { DTypeError, ShapeError, ValueError } from '../../../src/core/errors.ts';
import type { BadCase, OpSamples } from './types.ts';

const bad = (why: string, options: object, error: BadCase['error'] = ValueError): BadCase => ({
  why,
  inputs: [{ shape: [2, 3] }],
  options,
  error,
});

export const samples: OpSamples[] = [
  {
    op: 'dropout',
    cases: [
      { inputs: [{ shape: [7] }], options: { rate: 0.5, seed: 1 } },
      { inputs: [{ shape: [2, 3, 4] }], options: { rate: 0.25, seed: 2 ** 53 - 1 } },
      { inputs: [{ shape: [] }], options: { rate: 0, seed: 3 } },
      { inputs: [{ shape: [0, 2] }], options: { rate: 0.5, seed: 3 } },
      { inputs: [{ shape: [4, 5] }], options: { rate: 0.5, seed: 4, noiseShape: [4, 1] } },
      { inputs: [{ shape: [3, 4, 5] }], options: { rate: 0.4, seed: 5, noiseShape: [null, 1, null] } },
      { inputs: [{ shape: [3, 8] }], options: { rate: 0.4, seed: 6, noiseShape: [8] } },
      { inputs: [{ shape: [3, 4] }], options: { rate: 0.4, seed: 7, noiseShape: [null, null] } },
    ],
    bad: [
      bad('no rate', {}),
      bad('a rate of 1', { rate: 1 }),
      bad('a rate above 1', { rate: 1.5 }),
      bad('a negative rate', { rate: -0.1 }),
      bad('a rate that is NaN', { rate: Number.NaN }),
      bad('a rate that is text', { rate: '0.5' }),
      bad('a fractional seed', { rate: 0.5, seed: 1.5 }),
      bad('a negative seed', { rate: 0.5, seed: -1 }),
      bad('a seed beyond 2^53', { rate: 0.5, seed: 2 ** 53 }),
      bad('a noise shape that doesn’t broadcast', { rate: 0.5, noiseShape: [2, 2] }, ShapeError),
      bad('a noise shape of higher rank', { rate: 0.5, noiseShape: [1, 2, 3] }, ShapeError),
      bad('a noise shape that is no list', { rate: 0.5, noiseShape: 3 }, ShapeError),
      {
        why: 'integers',
        inputs: [{ shape: [2], dtype: 'int32' }],
        options: { rate: 0.5 },
        error: DTypeError,
      },
    ],
  },
];
