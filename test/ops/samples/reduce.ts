import { DTypeError, ShapeError, ValueError } from '../../../src/core/errors.ts';
import type { BadCase, OpCase, OpSamples } from './types.ts';

const axes: readonly OpCase[] = [
  { inputs: [{ shape: [3, 4, 5] }] },
  { inputs: [{ shape: [3, 4, 5] }], options: { axis: 1 } },
  { inputs: [{ shape: [3, 4, 5] }], options: { axis: -1, keepDims: true } },
  { inputs: [{ shape: [2, 3, 2, 3] }], options: { axis: [0, 2] } },
  { inputs: [{ shape: [2, 3, 1, 2, 2, 2] }], options: { axis: [-1, 1, 3], keepDims: true } },
  { inputs: [{ shape: [3, 1, 4] }], options: { axis: 1 } },
  { inputs: [{ shape: [2, 3] }], options: { axis: null } },
  { inputs: [{ shape: [] }] },
];

const spreadOut = (cases: readonly OpCase[]): OpCase[] =>
  cases.map(({ inputs: [x], ...rest }) => ({ ...rest, inputs: [{ shape: x?.shape ?? [], apart: 0.06 }] }));

const empty: readonly OpCase[] = [
  { inputs: [{ shape: [0, 3] }], options: { axis: 0 } },
  { inputs: [{ shape: [0, 3] }], options: { axis: 1, keepDims: true } },
];

const integers: readonly OpCase[] = [
  { inputs: [{ shape: [4, 7], dtype: 'int32', low: -9, high: 9 }], options: { axis: 0 } },
  { inputs: [{ shape: [4, 7], dtype: 'uint32', low: 0, high: 9 }], options: { axis: [0, 1] } },
];

const badAxes: readonly BadCase[] = [
  { why: 'an axis out of range', inputs: [{ shape: [2, 3] }], options: { axis: 2 }, error: ShapeError },
  {
    why: 'a negative axis out of range',
    inputs: [{ shape: [2, 3] }],
    options: { axis: -3 },
    error: ShapeError,
  },
  { why: 'a fractional axis', inputs: [{ shape: [2, 3] }], options: { axis: 0.5 }, error: ShapeError },
  {
    why: 'an axis that is no number',
    inputs: [{ shape: [2, 3] }],
    options: { axis: '1' },
    error: ShapeError,
  },
  { why: 'an axis of a scalar', inputs: [{ shape: [] }], options: { axis: 0 }, error: ShapeError },
  {
    why: 'keepDims that is no boolean',
    inputs: [{ shape: [2] }],
    options: { keepDims: 1 },
    error: ValueError,
  },
];

const repeatedAxis: BadCase = {
  why: 'an axis named twice',
  inputs: [{ shape: [2, 3] }],
  options: { axis: [1, -1] },
  error: ShapeError,
};

const bools: BadCase = { why: 'bools', inputs: [{ shape: [2], dtype: 'bool' }], error: DTypeError };
const integerInput: BadCase = {
  why: 'integers',
  inputs: [{ shape: [2], dtype: 'int32' }],
  error: DTypeError,
};
const bad = [...badAxes, repeatedAxis, bools];

const logical = (cases: readonly BadCase[]): BadCase[] =>
  cases.map((entry) => ({ ...entry, inputs: [{ shape: entry.inputs[0]?.shape ?? [], dtype: 'bool' }] }));

const logicalCases: readonly OpCase[] = [...axes, ...empty].map(({ inputs: [x], ...rest }) => ({
  ...rest,
  inputs: [{ shape: x?.shape ?? [], dtype: 'bool' }],
}));

const argCases: readonly OpCase[] = [
  { inputs: [{ shape: [3, 4, 5] }], options: { axis: 0 } },
  { inputs: [{ shape: [3, 4, 5] }], options: { axis: 1, keepDims: true } },
  { inputs: [{ shape: [3, 4, 5] }], options: { axis: -1 } },
  { inputs: [{ shape: [3, 4, 5] }] },
  { inputs: [{ shape: [0, 4] }], options: { axis: 1 } },
  { inputs: [{ shape: [4, 5], dtype: 'int32', low: -9, high: 9 }], options: { axis: 0 } },
  { inputs: [{ shape: [4, 5], dtype: 'bool' }], options: { axis: 1 } },
].map((entry) => ({ ...entry, carriesNaN: false }) as OpCase);

const argBad: readonly BadCase[] = [
  ...badAxes,
  { why: 'an empty axis', inputs: [{ shape: [2, 0] }], options: { axis: 1 }, error: ShapeError },
  { why: 'nothing at all', inputs: [{ shape: [0] }], error: ShapeError },
  { why: 'several axes', inputs: [{ shape: [2, 3] }], options: { axis: [0, 1] }, error: ShapeError },
];

export const samples: OpSamples[] = [
  {
    op: 'sum',
    cases: [...axes, ...empty, ...integers, { inputs: [{ shape: [3, 1031] }], options: { axis: 1 } }],
    bad,
  },
  { op: 'mean', cases: [...axes, ...empty, ...integers], bad },
  { op: 'max', cases: [...spreadOut(axes), ...empty, ...integers], bad },
  { op: 'min', cases: [...spreadOut(axes), ...empty, ...integers], bad },
  {
    op: 'prod',
    cases: [
      ...axes.map(({ inputs: [x], ...rest }) => ({
        ...rest,
        inputs: [{ shape: x?.shape ?? [], low: 0.7, high: 1.3 }],
      })),
      { inputs: [{ shape: [2, 3], values: [0, 0.5, -1, 0, 0, 2] }], options: { axis: 1 } },
      ...empty,
      ...integers,
    ],
    bad,
  },
  { op: 'logSumExp', cases: [...axes, ...empty], bad: [...bad, integerInput] },
  { op: 'variance', cases: [...axes, ...empty], bad: [...bad, integerInput] },
  {
    op: 'std',
    // A single element has no deviation, and so no gradient.
    cases: [...axes.filter((_, i) => i !== 5 && i !== 7), ...empty],
    bad: [...bad, integerInput],
  },
  { op: 'moments', cases: [...axes, ...empty], bad: [...bad, integerInput] },
  {
    op: 'any',
    cases: logicalCases,
    bad: [...logical([...badAxes, repeatedAxis]), numbersRejected('float32')],
  },
  { op: 'all', cases: logicalCases, bad: [...logical([...badAxes, repeatedAxis]), numbersRejected('int32')] },
  { op: 'argMax', cases: argCases, bad: argBad },
  { op: 'argMin', cases: argCases, bad: argBad },
];

function numbersRejected(dtype: 'float32' | 'int32'): BadCase {
  return { why: 'numbers', inputs: [{ shape: [2], dtype }], error: DTypeError };
}
