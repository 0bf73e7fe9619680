import { DTypeError, ShapeError } from '../../../src/core/errors.ts';
import type { OpSamples } from './types.ts';

export const samples: OpSamples[] = [
  {
    op: 'mul',
    cases: [
      { inputs: [{ shape: [2, 3] }, { shape: [2, 3] }] },
      { inputs: [{ shape: [2, 1, 3] }, { shape: [4, 1] }] },
      {
        inputs: [
          { shape: [5], dtype: 'int32', low: -9, high: 9 },
          { shape: [], dtype: 'int32', low: -9, high: 9 },
        ],
      },
    ],
    bad: [
      {
        why: 'shapes that don’t broadcast',
        inputs: [{ shape: [2, 3] }, { shape: [2, 4] }],
        error: ShapeError,
      },
      {
        why: 'bools',
        inputs: [
          { shape: [2], dtype: 'bool' },
          { shape: [2], dtype: 'bool' },
        ],
        error: DTypeError,
      },
    ],
  },
];
