import { DTypeError, ShapeError, ValueError } from '../../../src/core/errors.ts';
import type { DType } from '../../../src/core/dtype.ts';
import type { InputSample, OpSamples } from './types.ts';

const bool = (...shape: number[]): InputSample => ({ shape, dtype: 'bool' });
const spread: InputSample = { shape: [9], apart: 0.3 };

export const samples: OpSamples[] = [
  {
    op: 'where',
    cases: [
      { inputs: [bool(2, 3), { shape: [2, 3] }, { shape: [2, 3] }] },
      { inputs: [{ ...bool(2, 1), values: [1, 0] }, { shape: [1, 3] }, { shape: [2, 3] }] },
      { inputs: [bool(4), { shape: [3, 1, 4] }, { shape: [5, 4] }] },
      { inputs: [{ shape: [], dtype: 'bool', values: [1] }, { shape: [2, 3] }, { shape: [] }] },
      { inputs: [bool(0, 3), { shape: [0, 3] }, { shape: [3] }], carriesNaN: false },
      { inputs: [bool(3, 8), { shape: [8] }, { shape: [3, 1] }] },
      { inputs: [bool(5), { shape: [5] }, { shape: [5], dtype: 'int32', low: 0, high: 9 }] },
      ...(['int32', 'uint32', 'bool'] as const).map((dtype: DType) => ({
        inputs: [bool(5), { shape: [5], dtype, low: 0, high: 9 }, { shape: [], dtype, low: 0, high: 9 }],
      })),
    ],
    bad: [
      {
        why: 'a float condition',
        inputs: [{ shape: [2] }, { shape: [2] }, { shape: [2] }],
        error: DTypeError,
      },
      {
        why: 'an integer condition',
        inputs: [{ shape: [2], dtype: 'int32' }, { shape: [2] }, { shape: [2] }],
        error: DTypeError,
      },
      {
        why: 'values that don’t broadcast',
        inputs: [bool(2), { shape: [2] }, { shape: [3] }],
        error: ShapeError,
      },
      {
        why: 'a condition that doesn’t broadcast',
        inputs: [bool(3), { shape: [2] }, { shape: [2] }],
        error: ShapeError,
      },
      { why: 'no values', inputs: [bool(3), null, null], error: ValueError },
      {
        why: 'int32 with uint32',
        inputs: [bool(2), { shape: [2], dtype: 'int32' }, { shape: [2], dtype: 'uint32' }],
        error: DTypeError,
      },
    ],
  },
  {
    op: 'clip',
    cases: [
      { inputs: [spread], options: { min: -0.45, max: 0.7 } },
      { inputs: [spread], options: { min: -0.45 } },
      { inputs: [spread], options: { max: 0.7 } },
      { inputs: [spread], options: {} },
      { inputs: [{ shape: [] }], options: { min: -5, max: 5 } },
      { inputs: [{ shape: [0, 2] }], options: { min: 0, max: 1 } },
      { inputs: [{ shape: [2, 3, 4], apart: 0.1 }], options: { min: 0.43, max: 0.43 } },
      { inputs: [{ shape: [6], dtype: 'int32', low: -9, high: 9 }], options: { min: -3, max: 4 } },
      { inputs: [{ shape: [6], dtype: 'uint32', low: 0, high: 9 }], options: { min: -3, max: 4 } },
    ],
    bad: [
      {
        why: 'bounds out of order',
        inputs: [{ shape: [2] }],
        options: { min: 1, max: 0 },
        error: ValueError,
      },
      {
        why: 'a bound that is NaN',
        inputs: [{ shape: [2] }],
        options: { min: Number.NaN },
        error: ValueError,
      },
      { why: 'a bound that is text', inputs: [{ shape: [2] }], options: { max: '1' }, error: ValueError },
      {
        why: 'a fractional bound of integers',
        inputs: [{ shape: [2], dtype: 'int32' }],
        options: { min: 0.5 },
        error: ValueError,
        message: /integers/,
      },
      { why: 'bools', inputs: [bool(2)], options: { min: 0 }, error: DTypeError },
    ],
  },
  {
    op: 'cast',
    cases: [
      ...(['float32', 'int32', 'uint32', 'bool'] as const).flatMap((from: DType) =>
        (['float32', 'int32', 'uint32', 'bool'] as const).map((dtype: DType) => ({
          inputs: [{ shape: [2, 3], dtype: from, low: 0, high: 9 }],
          options: { dtype },
          carriesNaN: dtype === 'float32',
          gradient: dtype === 'float32',
        })),
      ),
      { inputs: [{ shape: [0] }], options: { dtype: 'int32' } },
      { inputs: [{ shape: [], dtype: 'int32' }], options: { dtype: 'bool' } },
    ],
    bad: [
      { why: 'an unknown dtype', inputs: [{ shape: [2] }], options: { dtype: 'float64' }, error: DTypeError },
      { why: 'no dtype', inputs: [{ shape: [2] }], options: {}, error: DTypeError },
    ],
  },
];
