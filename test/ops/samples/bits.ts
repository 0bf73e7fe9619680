import { DTypeError, ShapeError } from '../../../src/core/errors.ts';
import type { InputSample, OpSamples } from './types.ts';

const x = (...shape: number[]): InputSample => ({ shape });
const ints = (...shape: number[]): InputSample => ({ shape, dtype: 'int32', low: -9, high: 9 });
const words = (...shape: number[]): InputSample => ({ shape, dtype: 'uint32', low: 0, high: 9 });

const ofTwo = (op: string): OpSamples => ({
  op,
  cases: [
    { inputs: [ints(2, 3), ints(3)] },
    { inputs: [words(4), words()] },
    { inputs: [ints(0, 3), ints(3)] },
  ],
  bad: [
    { why: 'floats', inputs: [x(2), x(2)], error: DTypeError },
    {
      why: 'bools',
      inputs: [
        { shape: [2], dtype: 'bool' },
        { shape: [2], dtype: 'bool' },
      ],
      error: DTypeError,
    },
    { why: 'shapes that do not broadcast', inputs: [ints(2), ints(3)], error: ShapeError },
  ],
});

export const samples: OpSamples[] = [
  ...['bitwiseAnd', 'bitwiseOr', 'bitwiseXor', 'leftShift', 'rightShift', 'gcd', 'lcm'].map(ofTwo),
  {
    op: 'bitwiseNot',
    cases: [{ inputs: [ints(3, 3)] }, { inputs: [words(4)] }],
    bad: [{ why: 'floats', inputs: [x(2)], error: DTypeError }],
  },
];
