import { DTypeError, ShapeError, ValueError } from '../../../src/core/errors.ts';
import type { InputSample, OpSamples } from './types.ts';

const x = (...shape: number[]): InputSample => ({ shape });
const apart = (...shape: number[]): InputSample => ({ shape, apart: 0.06 });
const ints = (...shape: number[]): InputSample => ({ shape, dtype: 'int32', low: -9, high: 9 });
const bools = (...shape: number[]): InputSample => ({ shape, dtype: 'bool' });
const indices = (shape: number[], values: number[]): InputSample => ({ shape, dtype: 'int32', values });
const ids = indices([5], [2, 0, -1, 1, 0]);

const segments = (op: string): OpSamples => ({
  op,
  cases: [
    { inputs: [apart(5, 3), ids], options: { numSegments: 3 } },
    { inputs: [apart(2, 2), indices([2, 2], [1, 0, 1, 1])], options: { numSegments: 2 } },
    { inputs: [x(0, 2), indices([0], [])], options: { numSegments: 2 } },
    { inputs: [x(5), ids], options: { numSegments: 0, validateIndices: false }, carriesNaN: false },
  ],
  bad: [
    { why: 'ids of another shape', inputs: [x(4), ids], options: { numSegments: 3 }, error: ShapeError },
    { why: 'no count', inputs: [x(5), ids], error: ValueError },
    { why: 'floating ids', inputs: [x(5), x(5)], options: { numSegments: 3 }, error: DTypeError },
    { why: 'bools', inputs: [bools(5), ids], options: { numSegments: 3 }, error: DTypeError },
  ],
});

export const samples: OpSamples[] = [
  segments('segmentMax'),
  segments('segmentMin'),
  segments('segmentMean'),
  segments('segmentProd'),
  {
    op: 'sliceUpdate',
    cases: [
      { inputs: [x(4), x(2)], options: { begin: [1] } },
      { inputs: [x(3, 4), x(2, 4)], options: { begin: [1, 0] } },
      { inputs: [ints(3, 4), ints(1, 2)], options: { begin: [2, 2] } },
      { inputs: [x(2, 3), x(0, 3)], options: { begin: [1, 0] } },
    ],
    bad: [
      { why: 'a block that leaves x', inputs: [x(3), x(2)], options: { begin: [2] }, error: ShapeError },
      { why: 'a negative start', inputs: [x(3), x(2)], options: { begin: [-1] }, error: ShapeError },
      { why: 'another rank', inputs: [x(3, 3), x(2)], options: { begin: [0, 0] }, error: ShapeError },
      { why: 'no start', inputs: [x(3), x(2)], error: ShapeError },
      { why: 'two dtypes', inputs: [x(3), ints(2)], options: { begin: [0] }, error: DTypeError },
    ],
  },
  {
    op: 'tensorScatterUpdate',
    cases: [
      { inputs: [x(4, 2), indices([3, 1], [2, 0, 2]), x(3, 2)] },
      { inputs: [x(3, 4), indices([2, 2, 2], [0, 1, 2, 3, 0, 1, 1, 0]), x(2, 2)] },
      { inputs: [x(3), indices([0, 1], []), x(0)] },
      { inputs: [ints(3), indices([1, 1], [1]), ints(1)] },
      { inputs: [x(2, 0), indices([1, 1], [1]), x(1, 0)] },
    ],
    bad: [
      {
        why: 'updates of another shape',
        inputs: [x(4, 2), indices([2, 1], [0, 1]), x(2)],
        error: ShapeError,
      },
      { why: 'too many coordinates', inputs: [x(4), indices([1, 2], [0, 1]), x(1)], error: ShapeError },
      { why: 'floating indices', inputs: [x(4), x(1, 1), x(1)], error: DTypeError },
      { why: 'two dtypes', inputs: [x(4), indices([1, 1], [0]), ints(1)], error: DTypeError },
      {
        why: 'validateIndices as a word',
        inputs: [x(4), indices([1, 1], [0]), x(1)],
        options: { validateIndices: 'no' },
        error: ValueError,
      },
    ],
  },
  {
    op: 'cumprod',
    cases: [
      { inputs: [{ shape: [5], values: [1.5, 0, -0.5, 2, 0] }] },
      { inputs: [x(3, 4)], options: { axis: 1, exclusive: true, reverse: true } },
      { inputs: [x(3, 4)], options: { axis: -2, reverse: true } },
      { inputs: [ints(2, 3)], options: { axis: 1 } },
      { inputs: [x(0, 3)], options: { axis: 0, exclusive: true } },
      { inputs: [x(2, 1)], options: { axis: 1 } },
    ],
    bad: [
      { why: 'a scalar', inputs: [x()], error: ShapeError },
      { why: 'exclusive as a number', inputs: [x(3)], options: { exclusive: 1 }, error: ValueError },
      { why: 'reverse as a word', inputs: [x(3)], options: { reverse: 'yes' }, error: ValueError },
      { why: 'bools', inputs: [bools(3)], error: DTypeError },
    ],
  },
  {
    op: 'cummax',
    cases: [
      { inputs: [apart(7)] },
      { inputs: [apart(3, 4)], options: { axis: 1, reverse: true } },
      { inputs: [{ shape: [2, 3], dtype: 'int32', values: [-9, -8, -8, -9, 3, 1] }], options: { axis: 1 } },
      { inputs: [x(3, 0)], options: { axis: 1 } },
      { inputs: [{ shape: [4], dtype: 'uint32', low: 0, high: 9 }] },
    ],
    bad: [
      { why: 'an axis that x lacks', inputs: [x(3)], options: { axis: 1 }, error: ShapeError },
      { why: 'reverse as a word', inputs: [x(3)], options: { reverse: 'yes' }, error: ValueError },
      { why: 'bools', inputs: [bools(3)], error: DTypeError },
    ],
  },
  {
    op: 'spaceToBatch',
    cases: [
      { inputs: [x(2, 4, 6, 3)], options: { blockShape: [2, 3] } },
      { inputs: [x(1, 3, 2)], options: { blockShape: [2], paddings: [[1, 0]] } },
      { inputs: [ints(1, 2, 2, 2, 2, 1)], options: { blockShape: [2, 1, 2, 2] } },
      { inputs: [x(0, 2, 2)], options: { blockShape: [2] } },
    ],
    bad: [
      {
        why: 'a block that does not divide',
        inputs: [x(1, 3, 1)],
        options: { blockShape: [2] },
        error: ShapeError,
      },
      {
        why: 'as many blocks as axes',
        inputs: [x(2, 2)],
        options: { blockShape: [1, 1] },
        error: ShapeError,
      },
      { why: 'a block of nothing', inputs: [x(2, 2)], options: { blockShape: [0] }, error: ValueError },
      {
        why: 'paddings that do not fit',
        inputs: [x(2, 2)],
        options: {
          blockShape: [1],
          paddings: [
            [0, 0],
            [0, 0],
          ],
        },
        error: ShapeError,
      },
    ],
  },
  {
    op: 'batchToSpace',
    cases: [
      { inputs: [x(6, 2, 1, 2)], options: { blockShape: [2, 3] } },
      { inputs: [x(4, 2, 2)], options: { blockShape: [2], crops: [[1, 2]] } },
      { inputs: [ints(8, 1, 1, 1, 2)], options: { blockShape: [2, 2, 2] } },
    ],
    bad: [
      {
        why: 'a batch that does not divide',
        inputs: [x(3, 2, 1)],
        options: { blockShape: [2] },
        error: ShapeError,
      },
      {
        why: 'crops that leave nothing',
        inputs: [x(2, 1, 1)],
        options: { blockShape: [2], crops: [[2, 1]] },
        error: ShapeError,
      },
      {
        why: 'a negative crop',
        inputs: [x(2, 1, 1)],
        options: { blockShape: [2], crops: [[-1, 1]] },
        error: ShapeError,
      },
      { why: 'no blocks', inputs: [x(2, 1, 1)], error: ShapeError },
    ],
  },
];
