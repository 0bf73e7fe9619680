import { DTypeError, ShapeError, ValueError } from '../../../src/core/errors.ts';
import type { InputSample, OpSamples } from './types.ts';

const x = (...shape: number[]): InputSample => ({ shape });
const positive = (...shape: number[]): InputSample => ({ shape, low: 0.5, high: 2 });
const apart = (...shape: number[]): InputSample => ({ shape, apart: 0.06 });
const ints = (...shape: number[]): InputSample => ({ shape, dtype: 'int32', low: -9, high: 9 });
const bools = (...shape: number[]): InputSample => ({ shape, dtype: 'bool' });

export const samples: OpSamples[] = [
  {
    op: 'log2',
    cases: [{ inputs: [positive(3, 4)] }],
    bad: [{ why: 'bools', inputs: [bools(2)], error: DTypeError }],
  },
  {
    op: 'log10',
    cases: [{ inputs: [positive(3, 4)] }],
    bad: [{ why: 'bools', inputs: [bools(2)], error: DTypeError }],
  },
  {
    op: 'logAddExp',
    cases: [
      { inputs: [x(3, 4), x(4)] },
      { inputs: [x(), x(2)] },
      { inputs: [x(0, 2), x(2)], carriesNaN: false },
    ],
    bad: [
      { why: 'shapes that do not broadcast', inputs: [x(2), x(3)], error: ShapeError },
      { why: 'integers', inputs: [ints(2), ints(2)], error: DTypeError },
    ],
  },
  {
    op: 'nanToNum',
    cases: [
      { inputs: [x(3, 4)], carriesNaN: false },
      {
        inputs: [{ shape: [3], values: [Number.NaN, 1, -2] }],
        options: { nan: 7 },
        gradient: false,
        carriesNaN: false,
      },
    ],
    bad: [{ why: 'a nan that is no number', inputs: [x(2)], options: { nan: 'zero' }, error: ValueError }],
  },
  {
    op: 'outer',
    cases: [
      { inputs: [x(3), x(4)] },
      { inputs: [x(2, 2), x(3)] },
      { inputs: [x(0), x(3)], carriesNaN: false },
      { inputs: [ints(2), ints(3)] },
    ],
    bad: [{ why: 'an operand left out', inputs: [x(2), null], error: ValueError }],
  },
  {
    op: 'tensordot',
    cases: [
      { inputs: [x(2, 3, 4), x(3, 4, 5)] },
      { inputs: [x(2, 3), x(3, 4)], options: { axes: 1 } },
      { inputs: [x(2, 3), x(4)], options: { axes: 0 } },
      {
        inputs: [x(2, 3, 4), x(4, 5, 2)],
        options: {
          axes: [
            [0, -1],
            [2, 0],
          ],
        },
      },
    ],
    bad: [
      {
        why: 'sizes that differ',
        inputs: [x(2, 3), x(2, 3)],
        options: { axes: 1 },
        error: ShapeError,
        message: /same sizes/,
      },
      { why: 'more axes than there are', inputs: [x(2), x(2)], options: { axes: 2 }, error: ShapeError },
      {
        why: 'an axis twice',
        inputs: [x(2, 2), x(2, 2)],
        options: {
          axes: [
            [0, 0],
            [0, 1],
          ],
        },
        error: ShapeError,
      },
      { why: 'axes as a word', inputs: [x(2), x(2)], options: { axes: 'last' }, error: ShapeError },
    ],
  },
  {
    op: 'einsum',
    cases: [
      { inputs: [x(2, 3), x(3, 4)], options: { equation: 'ij,jk->ik' } },
      { inputs: [x(2, 3, 4), x(2, 4, 5)], options: { equation: 'bij,bjk->bki' } },
      { inputs: [x(3, 3)], options: { equation: 'ii' } },
      { inputs: [x(3, 4, 3)], options: { equation: 'iji->ij' } },
      { inputs: [x(2, 3, 4)], options: { equation: '...ij->...ji' } },
      { inputs: [x(2, 1, 3, 4), x(5, 4, 2)], options: { equation: '...ij,...jk->...ik' } },
      { inputs: [x(3), x(4)], options: { equation: 'i,j->ji' } },
      { inputs: [x(2, 3), x(3, 4), x(4, 2)], options: { equation: 'ij,jk,kl->il' } },
      { inputs: [x(2, 5), x(5, 3)], options: { equation: 'ia,jb->ij' } },
    ],
    bad: [
      { why: 'no tensors', inputs: [], options: { equation: 'ij->i' }, error: ValueError },
      { why: 'a missing equation', inputs: [x(2)], error: ValueError },
      {
        why: 'fewer operands than terms',
        inputs: [x(2, 2)],
        options: { equation: 'ij,jk->ik' },
        error: ValueError,
      },
      {
        why: 'a label the operands lack',
        inputs: [x(2, 2)],
        options: { equation: 'ij->ik' },
        error: ValueError,
        message: /'k'/,
      },
      {
        why: 'a label twice in the result',
        inputs: [x(2, 2)],
        options: { equation: 'ij->ii' },
        error: ValueError,
      },
      { why: 'another rank', inputs: [x(2, 2, 2)], options: { equation: 'ij->i' }, error: ShapeError },
      {
        why: 'sizes that differ',
        inputs: [x(2, 3), x(4, 5)],
        options: { equation: 'ij,jk->ik' },
        error: ShapeError,
      },
      { why: 'digits', inputs: [x(2, 3)], options: { equation: 'i1->i' }, error: ValueError },
    ],
  },
  {
    op: 'moveAxis',
    cases: [
      { inputs: [x(2, 3, 4)], options: { source: 0, destination: -1 } },
      { inputs: [x(2, 3, 4, 5)], options: { source: [3, 0], destination: [0, 2] } },
      { inputs: [bools(2, 3)], options: { source: 1, destination: 0 } },
    ],
    bad: [
      {
        why: 'an axis that x lacks',
        inputs: [x(2)],
        options: { source: 1, destination: 0 },
        error: ShapeError,
      },
      {
        why: 'an axis twice',
        inputs: [x(2, 3)],
        options: { source: [0, 0], destination: [0, 1] },
        error: ShapeError,
      },
      {
        why: 'lists of two lengths',
        inputs: [x(2, 3)],
        options: { source: [0], destination: [0, 1] },
        error: ShapeError,
      },
    ],
  },
  {
    op: 'swapAxes',
    cases: [
      { inputs: [x(2, 3, 4)], options: { axis1: 0, axis2: -1 } },
      { inputs: [x(2, 3)], options: { axis1: 1, axis2: 1 } },
    ],
    bad: [
      { why: 'an axis that x lacks', inputs: [x(2)], options: { axis1: 0, axis2: 1 }, error: ShapeError },
    ],
  },
  {
    op: 'repeat',
    cases: [
      { inputs: [x(3)], options: { repeats: 2 } },
      { inputs: [x(2, 3)], options: { repeats: 3, axis: 1 } },
      { inputs: [x(2, 3)], options: { repeats: [2, 0, 1], axis: -1 } },
      { inputs: [x(2, 3)], options: { repeats: 0, axis: 0 }, carriesNaN: false },
      { inputs: [ints(2, 2)], options: { repeats: 2 } },
    ],
    bad: [
      {
        why: 'counts that do not fit',
        inputs: [x(3)],
        options: { repeats: [1, 2], axis: 0 },
        error: ShapeError,
      },
      { why: 'a negative count', inputs: [x(3)], options: { repeats: -1 }, error: ValueError },
      { why: 'no counts', inputs: [x(3)], error: ValueError },
      { why: 'an axis that x lacks', inputs: [x(3)], options: { repeats: 2, axis: 1 }, error: ShapeError },
    ],
  },
  {
    op: 'roll',
    cases: [
      { inputs: [x(5)], options: { shift: 2 } },
      { inputs: [x(3, 4)], options: { shift: -1, axis: 1 } },
      { inputs: [x(3, 4)], options: { shift: [1, 6], axis: [0, -1] } },
      { inputs: [x(3, 4)], options: { shift: 5 } },
      { inputs: [x(0, 4)], options: { shift: 1, axis: 0 } },
    ],
    bad: [
      {
        why: 'fewer shifts than axes',
        inputs: [x(2, 2)],
        options: { shift: [1], axis: [0, 1] },
        error: ShapeError,
      },
      { why: 'a fractional shift', inputs: [x(2)], options: { shift: 0.5 }, error: ShapeError },
      { why: 'an axis that x lacks', inputs: [x(2)], options: { shift: 1, axis: 1 }, error: ShapeError },
    ],
  },
  {
    op: 'tril',
    cases: [
      { inputs: [x(3, 4)], carriesNaN: true },
      { inputs: [x(2, 3, 3)], options: { k: -1 } },
      { inputs: [ints(4, 2)], options: { k: 1 } },
    ],
    bad: [
      { why: 'a vector', inputs: [x(3)], error: ShapeError },
      { why: 'a fractional k', inputs: [x(3, 3)], options: { k: 0.5 }, error: ValueError },
    ],
  },
  {
    op: 'triu',
    cases: [{ inputs: [x(3, 4)] }, { inputs: [x(2, 3, 3)], options: { k: 1 } }],
    bad: [{ why: 'a vector', inputs: [x(3)], error: ShapeError }],
  },
  {
    op: 'diag',
    cases: [
      { inputs: [x(3)] },
      { inputs: [x(3)], options: { k: 2 } },
      { inputs: [x(2)], options: { k: -1 } },
      { inputs: [x(3, 4)], options: { k: 1 } },
      { inputs: [x(4, 3)], options: { k: -2 } },
      { inputs: [x(2, 2)], options: { k: 5 }, carriesNaN: false },
    ],
    bad: [
      { why: 'a scalar', inputs: [x()], error: ShapeError },
      { why: 'rank 3', inputs: [x(2, 2, 2)], error: ShapeError },
      { why: 'a fractional k', inputs: [x(2)], options: { k: 0.5 }, error: ValueError },
    ],
  },
  {
    op: 'diagonal',
    cases: [
      { inputs: [x(3, 4)] },
      { inputs: [x(2, 3, 4)], options: { offset: -1, axis1: 1, axis2: 2 } },
      { inputs: [x(3, 2, 3)], options: { axis1: 2, axis2: 0 } },
    ],
    bad: [
      { why: 'a vector', inputs: [x(3)], error: ShapeError },
      { why: 'one axis twice', inputs: [x(3, 3)], options: { axis1: 0, axis2: 0 }, error: ShapeError },
    ],
  },
  {
    op: 'trace',
    cases: [{ inputs: [x(3, 4)] }, { inputs: [x(2, 3, 3)], options: { axis1: -2, axis2: -1, offset: 1 } }],
    bad: [{ why: 'a vector', inputs: [x(3)], error: ShapeError }],
  },
  {
    op: 'meshgrid',
    cases: [
      { inputs: [x(3), x(4)] },
      { inputs: [x(2), x(3), x(4)], options: { indexing: 'ij' } },
      { inputs: [x(3)] },
    ],
    bad: [
      { why: 'a matrix', inputs: [x(2, 2), x(3)], error: ShapeError },
      { why: 'an unknown indexing', inputs: [x(2), x(3)], options: { indexing: 'yx' }, error: ValueError },
    ],
  },
  {
    op: 'depthToSpace',
    cases: [
      { inputs: [x(2, 2, 3, 8)], options: { blockSize: 2 } },
      { inputs: [x(1, 2, 2, 9)], options: { blockSize: 3 } },
    ],
    bad: [
      {
        why: 'channels that do not divide',
        inputs: [x(1, 2, 2, 6)],
        options: { blockSize: 2 },
        error: ShapeError,
      },
      { why: 'another rank', inputs: [x(2, 2, 4)], options: { blockSize: 2 }, error: ShapeError },
      { why: 'a block of nothing', inputs: [x(1, 2, 2, 4)], options: { blockSize: 0 }, error: ValueError },
    ],
  },
  {
    op: 'spaceToDepth',
    cases: [{ inputs: [x(2, 4, 6, 3)], options: { blockSize: 2 } }],
    bad: [
      {
        why: 'rows that do not divide',
        inputs: [x(1, 3, 4, 1)],
        options: { blockSize: 2 },
        error: ShapeError,
      },
      {
        why: 'columns that do not divide',
        inputs: [x(1, 4, 3, 1)],
        options: { blockSize: 2 },
        error: ShapeError,
      },
    ],
  },
  {
    op: 'extractPatches',
    cases: [
      { inputs: [x(2, 4, 6, 3)], options: { size: 2 } },
      { inputs: [x(1, 5, 5, 2)], options: { size: 3, strides: 1, padding: 'same' } },
      { inputs: [x(1, 7, 6, 1)], options: { size: [2, 3], strides: [2, 1], dilationRate: [2, 1] } },
      { inputs: [x(1, 5, 7, 2)], options: { size: [3, 2], strides: 2, padding: 'same' } },
    ],
    bad: [
      { why: 'another rank', inputs: [x(4, 4, 3)], options: { size: 2 }, error: ShapeError },
      {
        why: 'a patch larger than the image',
        inputs: [x(1, 2, 2, 1)],
        options: { size: 3 },
        error: ShapeError,
      },
      { why: 'a size of nothing', inputs: [x(1, 2, 2, 1)], options: { size: 0 }, error: ValueError },
      {
        why: 'an unknown padding',
        inputs: [x(1, 2, 2, 1)],
        options: { size: 2, padding: 'full' },
        error: ValueError,
      },
    ],
  },
  {
    op: 'norm',
    cases: [
      { inputs: [x(3, 4)] },
      { inputs: [x(3, 4)], options: { axis: 1, keepDims: true } },
      { inputs: [x(3, 4)], options: { ord: 1, axis: 0 } },
      { inputs: [positive(3, 4)], options: { ord: 3, axis: -1 } },
      { inputs: [apart(3, 4)], options: { ord: Number.POSITIVE_INFINITY, axis: 1 } },
      { inputs: [x(3, 4)], options: { ord: 0, axis: 1 }, gradient: false, carriesNaN: false },
      { inputs: [x(2, 3, 4)], options: { ord: 'fro', axis: [1, 2] } },
      { inputs: [apart(2, 3, 4)], options: { ord: 1, axis: [1, 2], keepDims: true } },
      { inputs: [apart(3, 4)], options: { ord: Number.NEGATIVE_INFINITY, axis: [0, 1] } },
      { inputs: [apart(3, 4)], options: { ord: Number.POSITIVE_INFINITY, axis: [-1, 0] } },
      { inputs: [x(2, 3, 4)], options: { ord: 2, axis: [2, 1], keepDims: true } },
      { inputs: [x(3, 4)], options: { ord: 'nuc', axis: [0, 1] } },
    ],
    bad: [
      { why: 'three axes', inputs: [x(2, 2, 2)], options: { ord: 2, axis: [0, 1, 2] }, error: ValueError },
      { why: 'an unknown order', inputs: [x(2)], options: { ord: 'max' }, error: ValueError },
      { why: 'an order of vectors', inputs: [x(2, 2)], options: { ord: 3, axis: [0, 1] }, error: ValueError },
      { why: 'an axis that x lacks', inputs: [x(2)], options: { axis: 1 }, error: ShapeError },
    ],
  },
  {
    op: 'normalize',
    cases: [{ inputs: [x(3, 4)] }, { inputs: [x(3, 4)], options: { axis: 0, order: 1 } }],
    bad: [
      { why: 'an axis that x lacks', inputs: [x(2)], options: { axis: 1 }, error: ShapeError },
      {
        why: 'an epsilon that is no number',
        inputs: [x(2)],
        options: { epsilon: 'small' },
        error: ValueError,
      },
    ],
  },
  {
    op: 'median',
    cases: [
      { inputs: [apart(5)] },
      { inputs: [apart(3, 4)], options: { axis: 1 } },
      { inputs: [apart(2, 3, 4)], options: { axis: [0, 2], keepDims: true } },
    ],
    bad: [
      { why: 'an axis that x lacks', inputs: [x(2)], options: { axis: 1 }, error: ShapeError },
      { why: 'bools', inputs: [bools(2)], error: DTypeError },
    ],
  },
  {
    op: 'quantile',
    cases: [
      { inputs: [apart(7)], options: { q: 0.3 } },
      { inputs: [apart(3, 5)], options: { q: [0, 0.25, 1], axis: 1 } },
      { inputs: [apart(3, 5)], options: { q: 0.4, axis: 0, method: 'midpoint', keepDims: true } },
      { inputs: [apart(6)], options: { q: [0.1, 0.5], method: 'nearest' } },
      { inputs: [x(0)], options: { q: 0.5 } },
    ],
    bad: [
      { why: 'a percentage', inputs: [x(2)], options: { q: 50 }, error: ValueError },
      { why: 'no q', inputs: [x(2)], error: ValueError },
      { why: 'an unknown method', inputs: [x(2)], options: { q: 0.5, method: 'hazen' }, error: ValueError },
      { why: 'an axis that x lacks', inputs: [x(2)], options: { q: 0.5, axis: 1 }, error: ShapeError },
    ],
  },
  {
    op: 'sort',
    cases: [
      { inputs: [apart(7)] },
      { inputs: [apart(3, 4)], options: { axis: 0 } },
      { inputs: [apart(2, 5)], options: { descending: true } },
      { inputs: [ints(3, 6)] },
      { inputs: [x(0, 3)], options: { axis: 0 } },
    ],
    bad: [
      { why: 'a scalar', inputs: [x()], error: ShapeError },
      { why: 'bools', inputs: [bools(2)], error: DTypeError },
      { why: 'descending as a word', inputs: [x(2)], options: { descending: 'yes' }, error: ValueError },
    ],
  },
  {
    op: 'argsort',
    cases: [
      { inputs: [apart(3, 6)], carriesNaN: false },
      { inputs: [ints(3, 9)], options: { axis: 0, descending: true } },
    ],
    bad: [{ why: 'a scalar', inputs: [x()], error: ShapeError }],
  },
  {
    op: 'searchSorted',
    cases: [
      { inputs: [{ shape: [4], values: [-1, 0, 0, 2] }, x(3, 2)], carriesNaN: false },
      {
        inputs: [{ shape: [4], values: [-1, 0, 0, 2] }, x(5)],
        options: { side: 'right' },
        carriesNaN: false,
      },
    ],
    bad: [
      { why: 'a matrix', inputs: [x(2, 2), x(2)], error: ShapeError },
      { why: 'an unknown side', inputs: [x(2), x(2)], options: { side: 'middle' }, error: ValueError },
    ],
  },
  {
    op: 'bincount',
    cases: [
      { inputs: [{ shape: [6], dtype: 'int32', low: 0, high: 4 }, null], options: { size: 4 } },
      { inputs: [{ shape: [6], dtype: 'int32', low: 0, high: 4 }, x(6)], options: { size: 5 } },
    ],
    bad: [
      { why: 'floats', inputs: [x(3), null], options: { size: 2 }, error: DTypeError },
      { why: 'no size', inputs: [ints(3), null], error: ValueError },
      { why: 'a matrix', inputs: [ints(2, 2), null], options: { size: 2 }, error: ShapeError },
      { why: 'weights of another shape', inputs: [ints(3), x(2)], options: { size: 2 }, error: ShapeError },
    ],
  },
  {
    op: 'localResponseNormalization',
    cases: [
      { inputs: [x(1, 2, 2, 5)], options: { depthRadius: 1 } },
      { inputs: [x(1, 2, 1, 3)] },
      { inputs: [x(1, 1, 2, 4)], options: { depthRadius: 2, bias: 2, alpha: 0.5, beta: 0.75 } },
    ],
    bad: [
      { why: 'another rank', inputs: [x(2, 2, 3)], error: ShapeError },
      { why: 'a negative radius', inputs: [x(1, 1, 1, 2)], options: { depthRadius: -1 }, error: ValueError },
      {
        why: 'a beta that is no number',
        inputs: [x(1, 1, 1, 2)],
        options: { beta: 'half' },
        error: ValueError,
      },
    ],
  },
];
