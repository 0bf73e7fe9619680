import { DTypeError, ShapeError } from '../../../src/core/errors.ts';
import type { BadCase, OpCase, OpSamples } from './types.ts';

const cases: readonly OpCase[] = [
  { inputs: [{ shape: [3, 5] }] },
  { inputs: [{ shape: [7] }], options: { axis: 0 } },
  { inputs: [{ shape: [3, 5, 4] }], options: { axis: 1 } },
  { inputs: [{ shape: [5, 3] }], options: { axis: -2 } },
  { inputs: [{ shape: [2, 1, 3, 1, 2, 2] }], options: { axis: 2 } },
  { inputs: [{ shape: [4, 1] }] },
  { inputs: [{ shape: [2, 67], low: -3, high: 3 }] },
  { inputs: [{ shape: [0, 3] }] },
  { inputs: [{ shape: [3, 0] }] },
];

const bad: readonly BadCase[] = [
  { why: 'a scalar', inputs: [{ shape: [] }], error: ShapeError },
  { why: 'an axis out of range', inputs: [{ shape: [2, 3] }], options: { axis: 2 }, error: ShapeError },
  { why: 'a fractional axis', inputs: [{ shape: [2, 3] }], options: { axis: 0.5 }, error: ShapeError },
  { why: 'several axes', inputs: [{ shape: [2, 3] }], options: { axis: [0, 1] }, error: ShapeError },
  { why: 'integers', inputs: [{ shape: [2], dtype: 'int32' }], error: DTypeError },
];

export const samples: OpSamples[] = [
  { op: 'softmax', cases, bad },
  { op: 'logSoftmax', cases, bad },
];
