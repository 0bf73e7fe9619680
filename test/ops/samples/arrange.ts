import { DTypeError, ShapeError, ValueError } from '../../../src/core/errors.ts';
import type { InputSample, OpSamples } from './types.ts';

const x = (...shape: number[]): InputSample => ({ shape });
const ints = (...shape: number[]): InputSample => ({ shape, dtype: 'int32', low: -9, high: 9 });
const bools = (...shape: number[]): InputSample => ({ shape, dtype: 'bool' });

export const samples: OpSamples[] = [
  {
    op: 'transpose',
    cases: [
      { inputs: [x(3, 4)] },
      { inputs: [x(2, 3, 4)], options: { perm: [2, 0, 1] } },
      { inputs: [x(3, 4, 5)], options: { perm: [0, -1, 1] } },
      { inputs: [x(2, 1, 3, 1, 2, 4)], options: { perm: [5, 1, 3, 0, 4, 2] } },
      { inputs: [x(4, 1, 3)], options: { perm: [1, 0, 2] } },
      { inputs: [x()] },
      { inputs: [x(0, 3)], options: { perm: [1, 0] } },
      { inputs: [x(2, 3, 8)], options: { perm: [1, 0, 2] } },
      { inputs: [bools(3, 5)] },
    ],
    bad: [
      {
        why: 'a perm of another length',
        inputs: [x(2, 3)],
        options: { perm: [0] },
        error: ShapeError,
        message: /permutation/,
      },
      { why: 'an axis twice', inputs: [x(2, 3)], options: { perm: [1, -1] }, error: ShapeError },
      { why: 'an axis that x lacks', inputs: [x(2, 3)], options: { perm: [0, 2] }, error: ShapeError },
      { why: 'a fractional axis', inputs: [x(2, 3)], options: { perm: [0, 0.5] }, error: ShapeError },
      { why: 'a perm that is no list', inputs: [x(2, 3)], options: { perm: 1 }, error: ShapeError },
    ],
  },
  {
    op: 'expandDims',
    cases: [
      { inputs: [x(3, 4)] },
      { inputs: [x(3, 4)], options: { axis: -1 } },
      { inputs: [x()], options: { axis: 0 } },
      { inputs: [x(0, 2)], options: { axis: 1 }, carriesNaN: false },
      { inputs: [ints(5)], options: { axis: 1 } },
    ],
    bad: [
      {
        why: 'an axis that the result lacks',
        inputs: [x(3, 4)],
        options: { axis: 3 },
        error: ShapeError,
      },
      { why: 'a fractional axis', inputs: [x(3)], options: { axis: 0.5 }, error: ShapeError },
      { why: 'rank 6', inputs: [x(1, 1, 1, 1, 1, 1)], options: { axis: 0 }, error: ShapeError },
    ],
  },
  {
    op: 'squeeze',
    cases: [
      { inputs: [x(1, 3, 1, 4)] },
      { inputs: [x(1, 3, 1)], options: { axis: -1 } },
      { inputs: [x(1, 3, 1)], options: { axis: [0, 2] } },
      { inputs: [x(1, 1)], options: { axis: null } },
      { inputs: [x(3, 4)] },
      { inputs: [bools(1, 0)] },
    ],
    bad: [
      { why: 'a longer axis', inputs: [x(1, 3)], options: { axis: 1 }, error: ShapeError },
      { why: 'an axis that x lacks', inputs: [x(1, 3)], options: { axis: 2 }, error: ShapeError },
      { why: 'an axis twice', inputs: [x(1, 3)], options: { axis: [0, -2] }, error: ShapeError },
    ],
  },
  {
    op: 'tile',
    cases: [
      { inputs: [x(3, 4)], options: { reps: [2, 3] } },
      { inputs: [x(2, 1, 3)], options: { reps: [1, 4, 1] } },
      { inputs: [x(2, 3, 4)], options: { reps: [2, 1, 1] } },
      { inputs: [x(2, 1, 2, 1, 2, 1)], options: { reps: [2, 2, 1, 2, 2, 3] } },
      { inputs: [x()], options: { reps: [] } },
      { inputs: [x(3, 4)], options: { reps: [0, 2] }, carriesNaN: false },
      { inputs: [x(0, 4)], options: { reps: [3, 2] } },
      { inputs: [bools(3)], options: { reps: [2] } },
    ],
    bad: [
      { why: 'no reps', inputs: [x(3)], error: ShapeError },
      { why: 'reps of another length', inputs: [x(3)], options: { reps: [1, 2] }, error: ShapeError },
      { why: 'negative reps', inputs: [x(3)], options: { reps: [-1] }, error: ShapeError },
      { why: 'fractional reps', inputs: [x(3)], options: { reps: [1.5] }, error: ShapeError },
      { why: 'reps that are no list', inputs: [x(3)], options: { reps: 2 }, error: ShapeError },
    ],
  },
  {
    op: 'flip',
    cases: [
      { inputs: [x(3, 4)] },
      { inputs: [x(3, 4)], options: { axis: -1 } },
      { inputs: [x(3, 2, 8)], options: { axis: [0, 1] } },
      { inputs: [x()] },
      { inputs: [x(0, 3)], options: { axis: 0 } },
      { inputs: [ints(2, 1, 3, 2, 1, 2)], options: { axis: [1, 3, -1] } },
    ],
    bad: [
      { why: 'an axis that x lacks', inputs: [x(3)], options: { axis: 1 }, error: ShapeError },
      { why: 'an axis twice', inputs: [x(3, 4)], options: { axis: [1, -1] }, error: ShapeError },
      { why: 'a fractional axis', inputs: [x(3)], options: { axis: 0.5 }, error: ShapeError },
    ],
  },
  {
    op: 'concat',
    cases: [
      { inputs: [x(3, 4), x(2, 4)] },
      { inputs: [x(2, 3), x(2, 1), x(2, 5)], options: { axis: -1 } },
      { inputs: [x(2, 4, 3), x(2, 8, 3)], options: { axis: 1 } },
      { inputs: [x(0, 4), x(3, 4)], carriesNaN: false },
      { inputs: [x(3)] },
      { inputs: [ints(2, 2), ints(2, 2)], options: { axis: 1 } },
      { inputs: [bools(2), bools(3)] },
    ],
    bad: [
      { why: 'no tensors', inputs: [], error: ShapeError },
      { why: 'scalars', inputs: [x(), x()], error: ShapeError },
      {
        why: 'sizes that differ on another axis',
        inputs: [x(2, 3), x(2, 4)],
        error: ShapeError,
        message: /\[2, 4\]/,
      },
      { why: 'ranks that differ', inputs: [x(2), x(2, 1)], error: ShapeError },
      { why: 'dtypes that differ', inputs: [x(2), ints(2)], error: DTypeError },
      { why: 'an axis that they lack', inputs: [x(2), x(2)], options: { axis: 1 }, error: ShapeError },
      { why: 'a fractional axis', inputs: [x(2), x(2)], options: { axis: 0.5 }, error: ShapeError },
    ],
  },
  {
    op: 'stack',
    cases: [
      { inputs: [x(3, 4), x(3, 4)] },
      { inputs: [x(2, 4), x(2, 4), x(2, 4)], options: { axis: 1 } },
      { inputs: [x(3), x(3)], options: { axis: -1 } },
      { inputs: [x(), x()] },
      { inputs: [x(3)] },
      { inputs: [x(0), x(0)], carriesNaN: false },
      { inputs: [bools(3), bools(3)] },
    ],
    bad: [
      { why: 'no tensors', inputs: [], error: ShapeError },
      { why: 'shapes that differ', inputs: [x(2), x(3)], error: ShapeError },
      { why: 'dtypes that differ', inputs: [x(2), bools(2)], error: DTypeError },
      {
        why: 'an axis that the result lacks',
        inputs: [x(2), x(2)],
        options: { axis: 2 },
        error: ShapeError,
      },
      { why: 'rank 6', inputs: [x(1, 1, 1, 1, 1, 1)], error: ShapeError },
    ],
  },
  {
    op: 'split',
    cases: [
      { inputs: [x(6, 4)], options: { numOrSizeSplits: 3 } },
      { inputs: [x(3, 8)], options: { numOrSizeSplits: 2, axis: -1 } },
      { inputs: [x(3, 7)], options: { numOrSizeSplits: [2, -1, 1], axis: 1 } },
      { inputs: [x(5)], options: { numOrSizeSplits: [0, 5] } },
      { inputs: [x(5)], options: { numOrSizeSplits: [5, -1] } },
      { inputs: [x(0, 2)], options: { numOrSizeSplits: 2 } },
      { inputs: [ints(4)], options: { numOrSizeSplits: 4 } },
    ],
    bad: [
      { why: 'no parts', inputs: [x(4)], error: ShapeError },
      {
        why: 'a count that doesn’t divide',
        inputs: [x(5)],
        options: { numOrSizeSplits: 2 },
        error: ShapeError,
        message: /divisor/,
      },
      { why: 'a count of 0', inputs: [x(4)], options: { numOrSizeSplits: 0 }, error: ShapeError },
      { why: 'a fractional count', inputs: [x(4)], options: { numOrSizeSplits: 1.5 }, error: ShapeError },
      { why: 'an empty list', inputs: [x(0)], options: { numOrSizeSplits: [] }, error: ShapeError },
      {
        why: 'sizes that don’t add up',
        inputs: [x(5)],
        options: { numOrSizeSplits: [2, 2] },
        error: ShapeError,
      },
      {
        why: 'sizes beyond the axis',
        inputs: [x(5)],
        options: { numOrSizeSplits: [6, -1] },
        error: ShapeError,
      },
      { why: 'two open sizes', inputs: [x(5)], options: { numOrSizeSplits: [-1, -1] }, error: ShapeError },
      { why: 'negative sizes', inputs: [x(5)], options: { numOrSizeSplits: [7, -2] }, error: ShapeError },
      {
        why: 'an axis that x lacks',
        inputs: [x(4)],
        options: { numOrSizeSplits: 2, axis: 1 },
        error: ShapeError,
      },
    ],
  },
  {
    op: 'unstack',
    cases: [
      { inputs: [x(3, 4)] },
      { inputs: [x(2, 3, 4)], options: { axis: -1 } },
      { inputs: [x(2, 3, 4)], options: { axis: 1 } },
      { inputs: [x(3)] },
      { inputs: [bools(2, 2)] },
    ],
    bad: [
      { why: 'a scalar', inputs: [x()], error: ShapeError },
      { why: 'an axis that x lacks', inputs: [x(2)], options: { axis: 1 }, error: ShapeError },
      { why: 'a fractional axis', inputs: [x(2)], options: { axis: 0.5 }, error: ShapeError },
    ],
  },
  {
    op: 'slice',
    cases: [
      { inputs: [x(5, 6)], options: { begin: [1, 2], size: [2, 3] } },
      { inputs: [x(4, 8)], options: { begin: [1, 4], size: [-1, 4] } },
      { inputs: [x(7)], options: { begin: 3 } },
      { inputs: [x(3, 4)], options: { begin: [1] } },
      { inputs: [x(3, 4)], options: { begin: [0, 0], size: [3, 4] } },
      { inputs: [x(3, 4)], options: { begin: [3, 0], size: [0, 4] }, carriesNaN: false },
      { inputs: [x(2, 2, 2, 2, 2, 2)], options: { begin: [1, 0, 1, 0, 1, 0], size: [1, 2, 1, 1, 1, -1] } },
      { inputs: [bools(4)], options: { begin: [1], size: [2] } },
    ],
    bad: [
      { why: 'no begin', inputs: [x(3)], error: ShapeError },
      { why: 'a negative begin', inputs: [x(3)], options: { begin: [-1] }, error: ShapeError },
      { why: 'a begin beyond the axis', inputs: [x(3)], options: { begin: [4] }, error: ShapeError },
      {
        why: 'a size beyond the axis',
        inputs: [x(3)],
        options: { begin: [1], size: [3] },
        error: ShapeError,
        message: /within/,
      },
      { why: 'a negative size', inputs: [x(3)], options: { begin: [0], size: [-2] }, error: ShapeError },
      { why: 'too many axes', inputs: [x(3)], options: { begin: [0, 0] }, error: ShapeError },
      { why: 'fractions', inputs: [x(3)], options: { begin: [0.5] }, error: ShapeError },
    ],
  },
  {
    op: 'stridedSlice',
    cases: [
      { inputs: [x(7, 6)], options: { begin: [0, 1], end: [7, 6], strides: [2, 2] } },
      { inputs: [x(7)], options: { begin: [5], end: [0], strides: [-2] } },
      { inputs: [x(5, 4)], options: { begin: [-3], end: [-1] } },
      { inputs: [x(5)], options: { begin: [0], end: [0], strides: [-1], beginMask: 1, endMask: 1 } },
      { inputs: [x(4, 5)], options: { begin: [2, 1], end: [0, 4], shrinkAxisMask: 1 } },
      {
        inputs: [x(2, 3, 4, 5)],
        options: { begin: [1, 0, 0, 1], end: [2, 0, 0, 4], ellipsisMask: 2, newAxisMask: 4 },
      },
      { inputs: [x(5)], options: { begin: [3], end: [2] }, carriesNaN: false },
      { inputs: [x(5)], options: { begin: [-100], end: [100], strides: [3] } },
      { inputs: [x()], options: { begin: [0], end: [0], newAxisMask: 1 } },
      { inputs: [bools(4, 4)], options: { begin: [1, -1], end: [4, -5], strides: [2, -1] } },
    ],
    bad: [
      { why: 'no begin', inputs: [x(3)], options: { end: [1] }, error: ShapeError },
      { why: 'no end', inputs: [x(3)], options: { begin: [1] }, error: ShapeError },
      {
        why: 'lists of different lengths',
        inputs: [x(3, 3)],
        options: { begin: [0, 0], end: [1] },
        error: ShapeError,
      },
      {
        why: 'more entries than axes',
        inputs: [x(3)],
        options: { begin: [0, 0], end: [1, 1] },
        error: ShapeError,
      },
      {
        why: 'two ellipses',
        inputs: [x(3, 3)],
        options: { begin: [0, 0], end: [1, 1], ellipsisMask: 3 },
        error: ShapeError,
      },
      {
        why: 'a stride of 0',
        inputs: [x(3)],
        options: { begin: [0], end: [1], strides: [0] },
        error: ValueError,
      },
      {
        why: 'a shrunk axis walked backwards',
        inputs: [x(3)],
        options: { begin: [0], end: [1], strides: [-1], shrinkAxisMask: 1 },
        error: ValueError,
      },
      {
        why: 'a shrunk axis without that element',
        inputs: [x(3)],
        options: { begin: [3], end: [4], shrinkAxisMask: 1 },
        error: ShapeError,
      },
      {
        why: 'a mask that is no integer',
        inputs: [x(3)],
        options: { begin: [0], end: [1], beginMask: [1] },
        error: ValueError,
      },
      { why: 'fractions', inputs: [x(3)], options: { begin: [0.5], end: [1] }, error: ShapeError },
    ],
  },
  {
    op: 'stridedScatter',
    cases: [
      { inputs: [x(4, 3)], options: { shape: [7, 6], begin: [0, 1], end: [7, 6], strides: [2, 2] } },
      {
        inputs: [x(5)],
        options: { shape: [5], begin: [0], end: [0], strides: [-1], beginMask: 1, endMask: 1 },
      },
      { inputs: [x(3)], options: { shape: [4, 5], begin: [2, 1], end: [3, 4], shrinkAxisMask: 1 } },
      { inputs: [x(0)], options: { shape: [5], begin: [3], end: [2] }, carriesNaN: false },
    ],
    bad: [
      { why: 'no shape', inputs: [x(3)], options: { begin: [0], end: [3] }, error: ShapeError },
      {
        why: 'updates of another shape',
        inputs: [x(3)],
        options: { shape: [5], begin: [0], end: [2] },
        error: ShapeError,
        message: /slice/,
      },
    ],
  },
  {
    op: 'pad',
    cases: [
      {
        inputs: [x(3, 4)],
        options: {
          paddings: [
            [1, 2],
            [0, 3],
          ],
        },
      },
      {
        inputs: [x(2, 3, 2, 4)],
        options: {
          paddings: [
            [0, 0],
            [1, 1],
            [2, 0],
            [0, 0],
          ],
          constantValue: -1.5,
        },
      },
      {
        inputs: [x(4, 8)],
        options: {
          paddings: [
            [0, 0],
            [4, 8],
          ],
        },
      },
      {
        inputs: [x(5, 6)],
        options: {
          paddings: [
            [2, 4],
            [5, 0],
          ],
          mode: 'reflect',
        },
      },
      {
        inputs: [x(2, 4, 3)],
        options: {
          paddings: [
            [0, 1],
            [4, 2],
            [0, 0],
          ],
          mode: 'symmetric',
        },
      },
      {
        inputs: [x(2, 3, 4)],
        options: {
          paddings: [
            [0, 3],
            [4, 1],
            [1, 0],
          ],
          mode: 'edge',
        },
      },
      {
        inputs: [x(3, 2, 4)],
        options: {
          paddings: [
            [4, 8],
            [0, 0],
            [0, 3],
          ],
          mode: 'wrap',
        },
      },
      {
        inputs: [x(3, 8)],
        options: {
          paddings: [
            [2, 1],
            [8, 4],
          ],
          mode: 'wrap',
        },
      },
      { inputs: [x(5)], options: { paddings: [[0, 0]], mode: 'reflect' } },
      { inputs: [x()], options: { paddings: [] } },
      {
        inputs: [x(0, 2)],
        options: {
          paddings: [
            [1, 1],
            [0, 0],
          ],
          constantValue: 3,
        },
      },
      {
        inputs: [ints(2, 3)],
        options: {
          paddings: [
            [1, 0],
            [0, 1],
          ],
          constantValue: -7,
        },
      },
      { inputs: [bools(3)], options: { paddings: [[1, 1]], constantValue: 1 } },
    ],
    bad: [
      { why: 'no paddings', inputs: [x(3)], error: ShapeError },
      {
        why: 'paddings of another length',
        inputs: [x(3, 4)],
        options: { paddings: [[1, 1]] },
        error: ShapeError,
      },
      { why: 'a padding of one number', inputs: [x(3)], options: { paddings: [[1]] }, error: ShapeError },
      { why: 'negative paddings', inputs: [x(3)], options: { paddings: [[-1, 1]] }, error: ShapeError },
      { why: 'fractional paddings', inputs: [x(3)], options: { paddings: [[0.5, 1]] }, error: ShapeError },
      {
        why: 'an unknown mode',
        inputs: [x(3)],
        options: { paddings: [[1, 1]], mode: 'mean' },
        error: ValueError,
        message: /reflect/,
      },
      {
        why: 'a reflection beyond the axis',
        inputs: [x(3)],
        options: { paddings: [[3, 0]], mode: 'reflect' },
        error: ShapeError,
      },
      {
        why: 'a symmetric padding beyond the axis',
        inputs: [x(3)],
        options: { paddings: [[0, 4]], mode: 'symmetric' },
        error: ShapeError,
      },
      {
        why: 'the edge of nothing',
        inputs: [x(0)],
        options: { paddings: [[1, 0]], mode: 'edge' },
        error: ShapeError,
        message: /must have some/,
      },
      {
        why: 'nothing repeated',
        inputs: [x(0)],
        options: { paddings: [[0, 2]], mode: 'wrap' },
        error: ShapeError,
      },
      {
        why: 'a reflection of nothing',
        inputs: [x(0)],
        options: { paddings: [[1, 0]], mode: 'reflect' },
        error: ShapeError,
      },
      {
        why: 'a constantValue that is no number',
        inputs: [x(3)],
        options: { paddings: [[1, 1]], constantValue: '0' },
        error: ValueError,
      },
    ],
  },
];
