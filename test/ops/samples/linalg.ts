import { DTypeError, ShapeError, ValueError } from '../../../src/core/errors.ts';
import type { InputSample, OpSamples } from './types.ts';

const x = (...shape: number[]): InputSample => ({ shape });
const ints = (...shape: number[]): InputSample => ({ shape, dtype: 'int32', low: -9, high: 9 });
const matrices = (shape: number[], values: number[]): InputSample => ({ shape, values });
const positive = matrices(
  [2, 3, 3],
  [4, 1, 0.5, 1, 5, -1, 0.5, -1, 3, 2, -0.5, 0.3, -0.5, 3, 0.2, 0.3, 0.2, 1],
);
/** The first needs a pivot. */
const regular = matrices(
  [2, 3, 3],
  [0.1, 2, -1, 3, 0.5, 1, -1, 1, 2, 2, -0.5, 0.3, -1.5, 3, 0.2, 0.3, 0.7, 1],
);
const tall = [1, 2, -1, 0.5, 3, 1, 0.2, -2];

const badMatrices = [
  { why: 'a vector', inputs: [x(3)], error: ShapeError },
  { why: 'matrices that are not square', inputs: [x(2, 3)], error: ShapeError },
  { why: 'integers', inputs: [ints(2, 2)], error: DTypeError },
] as const;
const badSystems = [
  { why: 'a vector as b', inputs: [x(3, 3), x(3)], error: ShapeError },
  { why: 'another batch', inputs: [x(2, 3, 3), x(3, 3, 1)], error: ShapeError },
  { why: 'matrices that are not square', inputs: [x(2, 3), x(2, 1)], error: ShapeError },
  { why: 'integers', inputs: [ints(2, 2), ints(2, 1)], error: DTypeError },
] as const;

export const samples: OpSamples[] = [
  {
    op: 'cholesky',
    cases: [
      { inputs: [positive] },
      { inputs: [matrices([1, 1], [4])] },
      { inputs: [x(0, 2, 2)] },
      { inputs: [x(2, 0, 0)] },
    ],
    bad: badMatrices,
  },
  { op: 'inv', cases: [{ inputs: [regular] }, { inputs: [x(0, 2, 2)] }], bad: badMatrices },
  {
    op: 'det',
    cases: [{ inputs: [regular] }, { inputs: [matrices([1, 1], [-4])] }, { inputs: [x(0, 2, 2)] }],
    bad: badMatrices,
  },
  {
    op: 'luFactor',
    cases: [
      { inputs: [regular] },
      { inputs: [matrices([1, 1], [-4])] },
      { inputs: [x(0, 2, 2)] },
      { inputs: [x(2, 0, 0)] },
    ],
    bad: badMatrices,
  },
  {
    op: 'solve',
    cases: [
      { inputs: [regular, x(2, 3, 2)] },
      { inputs: [matrices([2, 2], [0, 1, 2, 0.5]), x(2, 1)] },
      { inputs: [x(0, 2, 2), x(0, 2, 1)], carriesNaN: false },
    ],
    bad: badSystems,
  },
  {
    op: 'solveTriangular',
    cases: [
      { inputs: [positive, x(2, 3, 2)], carriesNaN: false },
      { inputs: [positive, x(2, 3, 1)], options: { lower: false }, carriesNaN: false },
      {
        inputs: [positive, x(2, 3, 1)],
        options: { transposeA: true, unitDiagonal: true },
        carriesNaN: false,
      },
      { inputs: [positive, x(2, 3, 1)], options: { lower: false, transposeA: true }, carriesNaN: false },
    ],
    bad: [
      ...badSystems,
      { why: 'lower as a word', inputs: [x(2, 2), x(2, 1)], options: { lower: 'yes' }, error: ValueError },
    ],
  },
  {
    op: 'eigh',
    cases: [
      { inputs: [positive] },
      { inputs: [matrices([1, 1], [-4])] },
      { inputs: [x(0, 2, 2)] },
      { inputs: [x(2, 0, 0)] },
    ],
    bad: badMatrices,
  },
  {
    op: 'svd',
    cases: [
      { inputs: [regular] },
      { inputs: [matrices([4, 2], tall)], options: { fullMatrices: false } },
      { inputs: [x(2, 4)], gradient: false },
      { inputs: [x(0, 3, 2)], options: { fullMatrices: false } },
    ],
    bad: [
      { why: 'a vector', inputs: [x(3)], error: ShapeError },
      { why: 'a word', inputs: [x(2, 2)], options: { fullMatrices: 'yes' }, error: ValueError },
      { why: 'integers', inputs: [ints(2, 2)], error: DTypeError },
    ],
  },
  {
    op: 'qr',
    cases: [
      { inputs: [regular] },
      { inputs: [matrices([4, 2], tall)] },
      { inputs: [x(2, 4)], gradient: false },
      { inputs: [x(3, 2)], options: { mode: 'complete' }, gradient: false },
      { inputs: [x(0, 3, 2)] },
    ],
    bad: [
      { why: 'a vector', inputs: [x(3)], error: ShapeError },
      { why: 'an unknown mode', inputs: [x(2, 2)], options: { mode: 'full' }, error: ValueError },
      { why: 'integers', inputs: [ints(2, 2)], error: DTypeError },
    ],
  },
];
