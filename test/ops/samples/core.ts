import { ShapeError, ValueError } from '../../../src/core/errors.ts';
import type { OpSamples } from './types.ts';

const missing = { why: 'no tensor', inputs: [null], error: ValueError };

export const samples: OpSamples[] = [
  {
    op: 'identity',
    cases: [
      { inputs: [{ shape: [2, 3] }] },
      { inputs: [{ shape: [] }] },
      { inputs: [{ shape: [0, 2] }], carriesNaN: false },
      ...(['int32', 'uint32', 'bool'] as const).map((dtype) => ({
        inputs: [{ shape: [5], dtype, low: 0, high: 2 }],
      })),
    ],
    bad: [missing],
  },
  {
    op: 'stopGradient',
    cases: [{ inputs: [{ shape: [2, 3] }] }, { inputs: [{ shape: [], dtype: 'int32' }] }],
    bad: [missing],
  },
  { op: 'onesLike', cases: [], bad: [missing] },
  { op: 'zerosLike', cases: [], bad: [missing] },
  {
    op: 'reshape',
    cases: [
      { inputs: [{ shape: [2, 6] }], options: { shape: [3, 4] } },
      { inputs: [{ shape: [2, 6] }], options: { shape: [-1] } },
      { inputs: [{ shape: [1, 1] }], options: { shape: [] } },
      { inputs: [{ shape: [] }], options: { shape: [1, 1, 1, 1, 1, 1] } },
      { inputs: [{ shape: [0, 4] }], options: { shape: [2, 0] }, carriesNaN: false },
      { inputs: [{ shape: [6], dtype: 'bool', low: 0, high: 2 }], options: { shape: [2, -1] } },
    ],
    bad: [
      missing,
      {
        why: 'another number of elements',
        inputs: [{ shape: [2, 3] }],
        options: { shape: [4] },
        error: ShapeError,
      },
      { why: 'two open sizes', inputs: [{ shape: [4] }], options: { shape: [-1, -1] }, error: ShapeError },
      {
        why: 'an open size that is not an integer',
        inputs: [{ shape: [5] }],
        options: { shape: [2, -1] },
        error: ShapeError,
      },
      { why: 'a negative size', inputs: [{ shape: [4] }], options: { shape: [-2, -2] }, error: ShapeError },
      { why: 'a fractional size', inputs: [{ shape: [3] }], options: { shape: [1.5, 2] }, error: ShapeError },
      { why: 'no shape', inputs: [{ shape: [4] }], error: ShapeError },
      {
        why: 'a rank above 6',
        inputs: [{ shape: [1] }],
        options: { shape: [1, 1, 1, 1, 1, 1, 1] },
        error: ShapeError,
      },
    ],
  },
  {
    op: 'broadcastTo',
    cases: [
      { inputs: [{ shape: [3, 1] }], options: { shape: [2, 3, 4] } },
      { inputs: [{ shape: [] }], options: { shape: [5] } },
      { inputs: [{ shape: [2, 3] }], options: { shape: [2, 3] } },
      { inputs: [{ shape: [1, 3] }], options: { shape: [0, 3] }, carriesNaN: false },
      { inputs: [{ shape: [1, 2], dtype: 'int32', low: 0, high: 9 }], options: { shape: [3, 2] } },
    ],
    bad: [
      missing,
      { why: 'sizes that don’t fit', inputs: [{ shape: [2] }], options: { shape: [3] }, error: ShapeError },
      { why: 'a lower rank', inputs: [{ shape: [1, 3] }], options: { shape: [3] }, error: ShapeError },
      { why: 'a negative size', inputs: [{ shape: [1] }], options: { shape: [-1] }, error: ShapeError },
      { why: 'a fractional size', inputs: [{ shape: [1] }], options: { shape: [1.5] }, error: ShapeError },
      { why: 'no shape', inputs: [{ shape: [1] }], error: ShapeError },
    ],
  },
];
