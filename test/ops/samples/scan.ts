import { DTypeError, ShapeError, ValueError } from '../../../src/core/errors.ts';
import type { OpSamples } from './types.ts';

export const samples: OpSamples[] = [
  {
    op: 'cumsum',
    cases: [
      { inputs: [{ shape: [7] }] },
      { inputs: [{ shape: [3, 4] }], options: { axis: 0, exclusive: true } },
      { inputs: [{ shape: [3, 4] }], options: { axis: -1, reverse: true } },
      { inputs: [{ shape: [2, 5, 3] }], options: { axis: 1, exclusive: true, reverse: true } },
      { inputs: [{ shape: [2, 1, 2, 3, 1, 2] }], options: { axis: 3 } },
      { inputs: [{ shape: [3, 1] }], options: { axis: 1, exclusive: true }, carriesNaN: false },
      { inputs: [{ shape: [0, 3] }], options: { axis: 0 } },
      { inputs: [{ shape: [4, 5], dtype: 'int32', low: -9, high: 9 }], options: { axis: 1 } },
      { inputs: [{ shape: [4, 5], dtype: 'uint32', low: 0, high: 9 }], options: { axis: 0, reverse: true } },
    ],
    bad: [
      { why: 'a scalar', inputs: [{ shape: [] }], error: ShapeError },
      { why: 'an axis out of range', inputs: [{ shape: [3] }], options: { axis: 1 }, error: ShapeError },
      { why: 'a fractional axis', inputs: [{ shape: [3] }], options: { axis: 0.5 }, error: ShapeError },
      {
        why: 'exclusive as a number',
        inputs: [{ shape: [3] }],
        options: { exclusive: 1 },
        error: ValueError,
      },
      { why: 'reverse as a word', inputs: [{ shape: [3] }], options: { reverse: 'yes' }, error: ValueError },
      { why: 'bools', inputs: [{ shape: [3], dtype: 'bool' }], error: DTypeError },
    ],
  },
  {
    op: 'topK',
    cases: [
      { inputs: [{ shape: [9], apart: 0.06 }], options: { k: 3 } },
      { inputs: [{ shape: [3, 6], apart: 0.06 }], options: { k: 2, sorted: true } },
      { inputs: [{ shape: [2, 3, 7], apart: 0.06 }], options: { k: 7, sorted: false } },
      { inputs: [{ shape: [2, 150], apart: 0.06 }], options: { k: 70 } },
      { inputs: [{ shape: [2, 3], apart: 0.06 }] },
      { inputs: [{ shape: [2, 3] }], options: { k: 0 }, carriesNaN: false },
      { inputs: [{ shape: [0, 3] }], options: { k: 2 } },
      { inputs: [{ shape: [5, 9], dtype: 'int32', low: -9, high: 9 }], options: { k: 4 } },
      { inputs: [{ shape: [5, 9], dtype: 'uint32', low: 0, high: 9 }], options: { k: 4 } },
    ],
    bad: [
      { why: 'a scalar', inputs: [{ shape: [] }], error: ShapeError },
      { why: 'k above the axis', inputs: [{ shape: [2, 3] }], options: { k: 4 }, error: ShapeError },
      { why: 'a negative k', inputs: [{ shape: [2, 3] }], options: { k: -1 }, error: ValueError },
      { why: 'a fractional k', inputs: [{ shape: [2, 3] }], options: { k: 1.5 }, error: ValueError },
      { why: 'sorted as a number', inputs: [{ shape: [3] }], options: { sorted: 0 }, error: ValueError },
      { why: 'bools', inputs: [{ shape: [3], dtype: 'bool' }], error: DTypeError },
    ],
  },
];
