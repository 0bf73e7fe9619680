import { DTypeError, ShapeError, ValueError } from '../../../src/core/errors.ts';
import type { BadCase, InputSample, OpCase, OpSamples } from './types.ts';

const x = (...shape: number[]): InputSample => ({ shape });
const int = (...shape: number[]): InputSample => ({ shape, dtype: 'int32', low: -9, high: 9 });

const products: OpCase[] = [
  { inputs: [x(2, 3), x(3, 4)] },
  { inputs: [x(3, 2), x(3, 4)], options: { transposeA: true } },
  { inputs: [x(2, 3), x(4, 3)], options: { transposeB: true } },
  { inputs: [x(3, 2), x(4, 3)], options: { transposeA: true, transposeB: true } },
  // Dot products, a matrix by a vector, a vector by a matrix; a vector has nothing to transpose.
  { inputs: [x(5), x(5)] },
  { inputs: [x(3, 5), x(5)] },
  { inputs: [x(5), x(5, 2)] },
  { inputs: [x(5), x(2, 5)], options: { transposeA: true, transposeB: true } },
  { inputs: [x(2, 3, 4), x(4)] },
  { inputs: [x(4), x(2, 4, 3)] },
  // Batches: of both, of one, broadcast, of ranks up to 6.
  { inputs: [x(2, 3, 4), x(2, 4, 2)] },
  { inputs: [x(2, 3, 4), x(4, 2)] },
  { inputs: [x(2, 3, 4), x(2, 4)], options: { transposeB: true } },
  { inputs: [x(3, 4), x(2, 4, 2)] },
  { inputs: [x(2, 1, 3, 4), x(3, 4, 2)] },
  { inputs: [x(2, 1, 4, 3), x(1, 3, 2, 4)], options: { transposeA: true, transposeB: true } },
  { inputs: [x(1, 2, 1, 2, 2, 3), x(2, 1, 3, 1, 3, 2)] },
  { inputs: [x(1, 1, 2, 3), x(3, 2)] },
  // Sizes of 1, and none: where there are no products, nothing carries NaN on.
  { inputs: [x(1, 1), x(1, 1)] },
  { inputs: [x(1, 7), x(7, 1)] },
  { inputs: [x(3, 0), x(0, 2)], carriesNaN: false },
  { inputs: [x(0, 3), x(3, 2)], carriesNaN: false },
  { inputs: [x(2, 0, 3), x(3, 2)], carriesNaN: false },
  { inputs: [x(0, 2, 3), x(1, 3, 2)], carriesNaN: false },
];

const badProducts: BadCase[] = [
  {
    why: 'sizes that don’t meet',
    inputs: [x(2, 3), x(4, 5)],
    error: ShapeError,
    message: /3 columns .* 4 rows/s,
  },
  {
    why: 'sizes that meet only untransposed',
    inputs: [x(2, 3), x(3, 2)],
    options: { transposeB: true },
    error: ShapeError,
    message: /transposed/,
  },
  { why: 'a vector of another length', inputs: [x(2, 3), x(2)], error: ShapeError },
  { why: 'a scalar a', inputs: [x(), x(2, 2)], error: ShapeError, message: /`a`/ },
  { why: 'a scalar b', inputs: [x(2, 2), x()], error: ShapeError, message: /`b`/ },
  { why: 'batches that don’t broadcast', inputs: [x(2, 3, 4), x(3, 4, 2)], error: ShapeError },
  { why: 'transposeA: 1', inputs: [x(2, 2), x(2, 2)], options: { transposeA: 1 }, error: ValueError },
  { why: 'transposeB: null', inputs: [x(2, 2), x(2, 2)], options: { transposeB: null }, error: ValueError },
];

const bias = (n: number): InputSample => ({ shape: [n], low: 2, high: 3 });

export const samples: OpSamples[] = [
  {
    op: 'matMul',
    cases: [
      ...products,
      { inputs: [int(3, 4), int(4, 5)] },
      { inputs: [int(2, 4, 3), { shape: [4, 5], dtype: 'bool' }], options: { transposeA: true } },
      {
        inputs: [
          { shape: [2, 3], dtype: 'uint32', low: 0, high: 9 },
          { shape: [3, 2], dtype: 'uint32', low: 0, high: 9 },
        ],
      },
      { inputs: [x(2, 3), int(3, 2)] },
    ],
    bad: [
      ...badProducts,
      {
        why: 'int32 with uint32',
        inputs: [int(2, 2), { shape: [2, 2], dtype: 'uint32', low: 0, high: 9 }],
        error: DTypeError,
      },
    ],
  },
  {
    op: 'fusedMatMul',
    cases: [
      ...products.map(({ inputs, ...rest }) => ({ inputs: [...inputs, null], ...rest })),
      { inputs: [x(2, 3), x(3, 4), x(4)] },
      {
        inputs: [x(3, 2), x(4, 3), x(4)],
        options: { transposeA: true, transposeB: true, activation: 'tanh' },
      },
      { inputs: [x(2, 3, 4), x(4, 5), x(5)], options: { activation: 'sigmoid' } },
      { inputs: [x(2, 3, 4), x(2, 4, 5), x(5)], options: { activation: 'linear' } },
      { inputs: [x(3, 4), x(4), x(1)], options: { activation: 'tanh' } },
      { inputs: [x(4), x(4, 3), x(3)], options: { activation: 'sigmoid' } },
      // Sums that stay clear of the kinks.
      { inputs: [x(2, 3), x(3, 4), { shape: [4], low: 4, high: 5 }], options: { activation: 'relu' } },
      {
        inputs: [x(2, 3), x(3, 4), { shape: [4], low: -5, high: -4 }],
        options: { activation: 'elu', alpha: 0.7 },
      },
      {
        inputs: [x(2, 3), x(3, 4), { shape: [4], low: -5, high: -4 }],
        options: { activation: 'leakyRelu', negativeSlope: 0.3 },
      },
      {
        inputs: [{ ...x(2, 2), high: 0, low: -1 }, { ...x(2, 4), low: -1, high: 0 }, bias(4)],
        options: { activation: 'relu6' },
      },
      { inputs: [x(3, 0), x(0, 2), x(2)], options: { activation: 'tanh' } },
      { inputs: [x(0, 3), x(3, 2), x(2)], options: { activation: 'tanh' }, carriesNaN: false },
    ],
    bad: [
      ...badProducts.map(({ inputs, ...rest }) => ({ inputs: [...inputs, null], ...rest })),
      { why: 'integers', inputs: [int(2, 2), int(2, 2), null], error: DTypeError },
      { why: 'an integer bias', inputs: [x(2, 2), x(2, 2), int(2)], error: DTypeError },
      { why: 'a bias of another size', inputs: [x(2, 2), x(2, 3), x(2)], error: ShapeError },
      { why: 'a bias of rank 2', inputs: [x(2, 2), x(2, 3), x(1, 3)], error: ShapeError },
      {
        why: 'an unknown activation',
        inputs: [x(2, 2), x(2, 2), null],
        options: { activation: 'cube' },
        error: ValueError,
        message: /'relu'/,
      },
      {
        why: 'a negative slope below 0',
        inputs: [x(2, 2), x(2, 2), null],
        options: { activation: 'leakyRelu', negativeSlope: -1 },
        error: ValueError,
      },
      {
        why: 'an alpha that isn’t a number',
        inputs: [x(2, 2), x(2, 2), null],
        options: { activation: 'elu', alpha: Number.NaN },
        error: ValueError,
      },
    ],
  },
];
