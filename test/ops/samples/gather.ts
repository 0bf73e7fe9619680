import { DTypeError, ShapeError, ValueError } from '../../../src/core/errors.ts';
import type { BadCase, InputSample, OpSamples } from './types.ts';

const ids = (shape: readonly number[], high: number, dtype: 'int32' | 'uint32' = 'int32'): InputSample => ({
  shape,
  dtype,
  low: 0,
  high,
});
const given = (shape: readonly number[], values: readonly number[]): InputSample => ({
  shape,
  dtype: 'int32',
  values,
});

/** Bad indices and options of any op that takes indices; `inputs` puts them in their place. */
function badIndices(
  inputs: (indices: InputSample) => readonly InputSample[],
  options: object = {},
): BadCase[] {
  return [
    { why: 'float indices', inputs: inputs({ shape: [3] }), options, error: DTypeError },
    { why: 'bool indices', inputs: inputs({ shape: [3], dtype: 'bool' }), options, error: DTypeError },
    {
      why: 'an unknown mode',
      inputs: inputs(ids([3], 2)),
      options: { ...options, mode: 'clamp' },
      error: ValueError,
      message: /clip/,
    },
    {
      why: 'validateIndices that is no boolean',
      inputs: inputs(ids([3], 2)),
      options: { ...options, validateIndices: 1 },
      error: ValueError,
    },
  ];
}

const badBatches = (inputs: (indices: InputSample) => readonly InputSample[], options: object): BadCase[] => [
  {
    why: 'more batch axes than indices have',
    inputs: inputs(ids([3], 2)),
    options: { ...options, batchDims: 2 },
    error: ShapeError,
  },
  {
    why: 'fractional batchDims',
    inputs: inputs(ids([3], 2)),
    options: { ...options, batchDims: 0.5 },
    error: ShapeError,
  },
  {
    why: 'batch axes that differ',
    inputs: inputs(ids([3, 2], 2)),
    options: { ...options, axis: 1, batchDims: 1 },
    error: ShapeError,
  },
];

const outside = given([6], [0, -1, 4, 9, -7, 2]);

export const samples: OpSamples[] = [
  {
    op: 'gather',
    cases: [
      { inputs: [{ shape: [5, 4] }, ids([3], 5)] },
      { inputs: [{ shape: [5, 3] }, ids([2, 3], 5, 'uint32')] },
      { inputs: [{ shape: [4, 5, 3] }, ids([7], 5)], options: { axis: 1 } },
      { inputs: [{ shape: [2, 3, 5] }, ids([2, 2], 5)], options: { axis: -1 } },
      { inputs: [{ shape: [6] }, ids([], 6)] },
      { inputs: [{ shape: [2, 5, 4] }, ids([2, 3], 5)], options: { axis: 1, batchDims: 1 } },
      { inputs: [{ shape: [2, 3, 5, 4] }, ids([2, 3], 5)], options: { axis: 2, batchDims: 1 } },
      { inputs: [{ shape: [2, 3, 4] }, ids([2, 3, 5], 4)], options: { batchDims: 2 } },
      { inputs: [{ shape: [3, 0, 2] }, ids([4], 3)] },
      { inputs: [{ shape: [4, 2] }, ids([0], 4)], carriesNaN: false },
      { inputs: [{ shape: [2, 1, 3, 1, 2, 2] }, ids([5], 3)], options: { axis: 2 } },
      { inputs: [{ shape: [5, 4] }, outside], options: { validateIndices: false } },
      { inputs: [{ shape: [5, 4] }, outside], options: { mode: 'clip' } },
      { inputs: [{ shape: [5, 4] }, outside], options: { mode: 'wrap' } },
      { inputs: [{ shape: [5, 4] }, outside], options: { mode: 'fill', fillValue: 2.5 } },
      { inputs: [{ shape: [5, 2], dtype: 'int32', low: -9, high: 9 }, ids([3], 5)] },
      { inputs: [{ shape: [5, 2], dtype: 'uint32', low: 0, high: 9 }, ids([3], 5)] },
      { inputs: [{ shape: [5, 2], dtype: 'bool' }, ids([3], 5)] },
    ],
    bad: [
      ...badIndices((indices) => [{ shape: [5, 4] }, indices]),
      ...badBatches((indices) => [{ shape: [5, 4] }, indices], {}),
      { why: 'a scalar', inputs: [{ shape: [] }, ids([3], 2)], error: ShapeError },
      {
        why: 'an axis that x lacks',
        inputs: [{ shape: [5, 4] }, ids([3], 2)],
        options: { axis: 2 },
        error: ShapeError,
      },
      {
        why: 'a fractional axis',
        inputs: [{ shape: [5, 4] }, ids([3], 2)],
        options: { axis: 0.5 },
        error: ShapeError,
      },
      {
        why: 'an axis before the batch',
        inputs: [{ shape: [5, 4] }, ids([5], 2)],
        options: { axis: 0, batchDims: 1 },
        error: ShapeError,
      },
      {
        why: 'a result of rank 7',
        inputs: [{ shape: [2, 2, 2, 2] }, ids([2, 2, 2, 2], 2)],
        error: ShapeError,
      },
      {
        why: "a fillValue without mode 'fill'",
        inputs: [{ shape: [5, 4] }, ids([3], 2)],
        options: { fillValue: 1 },
        error: ValueError,
      },
      {
        why: 'a fillValue that is no number',
        inputs: [{ shape: [5, 4] }, ids([3], 2)],
        options: { mode: 'fill', fillValue: '1' },
        error: ValueError,
      },
    ],
  },
  {
    op: 'embedding',
    cases: [
      { inputs: [{ shape: [7, 4] }, ids([2, 3], 7)] },
      { inputs: [{ shape: [7, 3] }, ids([], 7)] },
      { inputs: [{ shape: [5, 3] }, outside], options: { mode: 'wrap' } },
    ],
    bad: [
      ...badIndices((indices) => [{ shape: [5, 4] }, indices]),
      { why: 'a table of rank 3', inputs: [{ shape: [5, 4, 2] }, ids([3], 2)], error: ShapeError },
    ],
  },
  {
    op: 'scatterAdd',
    cases: [
      { inputs: [ids([3], 5), { shape: [3, 4] }], options: { shape: [5, 4] } },
      { inputs: [ids([9], 3, 'uint32'), { shape: [2, 9, 3] }], options: { shape: [2, 3, 3], axis: 1 } },
      { inputs: [ids([2, 3], 5), { shape: [4, 2, 3] }], options: { shape: [4, 5], axis: -1 } },
      { inputs: [ids([], 5), { shape: [] }], options: { shape: [5] } },
      {
        inputs: [ids([2, 4], 3), { shape: [2, 4, 2] }],
        options: { shape: [2, 3, 2], axis: 1, batchDims: 1 },
      },
      {
        inputs: [ids([2, 4], 3), { shape: [2, 5, 4] }],
        options: { shape: [2, 5, 3], axis: 2, batchDims: 1 },
      },
      { inputs: [ids([0], 3), { shape: [0, 2] }], options: { shape: [3, 2] } },
      { inputs: [ids([2], 3), { shape: [2, 0] }], options: { shape: [3, 0] } },
      { inputs: [outside, { shape: [6, 2] }], options: { shape: [5, 2], validateIndices: false } },
      { inputs: [outside, { shape: [6, 2] }], options: { shape: [5, 2], mode: 'clip' } },
      { inputs: [outside, { shape: [6, 2] }], options: { shape: [5, 2], mode: 'wrap' } },
      {
        inputs: [ids([4], 3), { shape: [4, 2], dtype: 'int32', low: -9, high: 9 }],
        options: { shape: [3, 2] },
      },
    ],
    bad: [
      ...badIndices((indices) => [indices, { shape: [3, 4] }], { shape: [5, 4] }),
      ...badBatches((indices) => [indices, { shape: [3, 4] }], { shape: [5, 4] }),
      { why: 'no shape', inputs: [ids([3], 5), { shape: [3, 4] }], error: ShapeError },
      {
        why: 'a negative size',
        inputs: [ids([3], 5), { shape: [3, 4] }],
        options: { shape: [-5, 4] },
        error: ShapeError,
      },
      {
        why: 'updates of another shape',
        inputs: [ids([3], 5), { shape: [2, 4] }],
        options: { shape: [5, 4] },
        error: ShapeError,
        message: /\[3, 4\]/,
      },
      {
        why: 'bool updates',
        inputs: [ids([3], 5), { shape: [3], dtype: 'bool' }],
        options: { shape: [5] },
        error: DTypeError,
      },
    ],
  },
  {
    op: 'segmentSum',
    cases: [
      { inputs: [{ shape: [9, 4] }, ids([9], 3)], options: { numSegments: 3 } },
      { inputs: [{ shape: [2, 3, 5] }, ids([2, 3], 4, 'uint32')], options: { numSegments: 6 } },
      { inputs: [{ shape: [3] }, given([3], [1, -1, 0])], options: { numSegments: 2 } },
      { inputs: [{ shape: [] }, ids([], 2)], options: { numSegments: 2 } },
      { inputs: [{ shape: [0, 3] }, ids([0], 2)], options: { numSegments: 2 } },
      {
        inputs: [{ shape: [4, 2] }, given([4], [1, 7, 0, 2])],
        options: { numSegments: 2, validateIndices: false },
      },
      {
        inputs: [{ shape: [4], dtype: 'uint32', low: 0, high: 9 }, ids([4], 2)],
        options: { numSegments: 2 },
      },
    ],
    bad: [
      ...badIndices((indices) => [{ shape: [3, 4] }, indices], { numSegments: 3 }).filter(
        ({ why }) => why !== 'an unknown mode',
      ),
      { why: 'no numSegments', inputs: [{ shape: [3] }, ids([3], 2)], error: ValueError },
      {
        why: 'negative numSegments',
        inputs: [{ shape: [3] }, ids([3], 2)],
        options: { numSegments: -1 },
        error: ValueError,
      },
      {
        why: 'fractional numSegments',
        inputs: [{ shape: [3] }, ids([3], 2)],
        options: { numSegments: 1.5 },
        error: ValueError,
      },
      {
        why: 'ids that don’t fit x',
        inputs: [{ shape: [3, 4] }, ids([4], 2)],
        options: { numSegments: 2 },
        error: ShapeError,
      },
      {
        why: 'bools',
        inputs: [{ shape: [3], dtype: 'bool' }, ids([3], 2)],
        options: { numSegments: 2 },
        error: DTypeError,
      },
    ],
  },
  {
    op: 'takeAlongAxis',
    cases: [
      { inputs: [{ shape: [3, 5] }, ids([3, 2], 5)], options: { axis: 1 } },
      { inputs: [{ shape: [4, 3, 2] }, ids([6, 3, 2], 4, 'uint32')], options: { axis: 0 } },
      { inputs: [{ shape: [2, 4, 3] }, ids([1, 2, 3], 4)], options: { axis: -2 } },
      { inputs: [{ shape: [1, 4, 3] }, ids([2, 2, 1], 4)], options: { axis: 1 } },
      { inputs: [{ shape: [3, 5] }, ids([3, 0], 5)], options: { axis: 1 }, carriesNaN: false },
      {
        inputs: [{ shape: [5, 1] }, given([6, 1], outside.values ?? [])],
        options: { axis: 0, mode: 'clip' },
      },
      {
        inputs: [{ shape: [5] }, outside],
        options: { axis: 0, mode: 'fill', fillValue: -1 },
      },
      { inputs: [{ shape: [3, 5], dtype: 'bool' }, ids([3, 2], 5)], options: { axis: 1 } },
    ],
    bad: [
      ...badIndices((indices) => [{ shape: [3] }, indices], { axis: 0 }),
      { why: 'no axis', inputs: [{ shape: [3] }, ids([3], 2)], error: ShapeError },
      {
        why: 'another rank',
        inputs: [{ shape: [3, 2] }, ids([3], 2)],
        options: { axis: 0 },
        error: ShapeError,
      },
      {
        why: 'sizes that don’t broadcast',
        inputs: [{ shape: [3, 2] }, ids([2, 3], 2)],
        options: { axis: 0 },
        error: ShapeError,
      },
    ],
  },
  {
    op: 'scatterAddAlongAxis',
    cases: [
      { inputs: [ids([3, 4], 5), { shape: [3, 4] }], options: { shape: [3, 5], axis: 1 } },
      { inputs: [ids([4, 3, 2], 3), { shape: [4, 3, 2] }], options: { shape: [3, 3, 2], axis: 0 } },
      { inputs: [outside, { shape: [6] }], options: { shape: [5], axis: 0, mode: 'wrap' } },
    ],
    bad: [
      ...badIndices((indices) => [indices, { shape: [3] }], { shape: [4], axis: 0 }),
      {
        why: 'indices that don’t fit the shape',
        inputs: [ids([3, 4], 2), { shape: [3, 4] }],
        options: { shape: [2, 5], axis: 1 },
        error: ShapeError,
      },
      {
        why: 'updates of another shape',
        inputs: [ids([3, 4], 2), { shape: [3, 1] }],
        options: { shape: [3, 5], axis: 1 },
        error: ShapeError,
      },
    ],
  },
  {
    op: 'gatherNd',
    cases: [
      { inputs: [{ shape: [3, 4, 2] }, ids([5, 2], 3)] },
      { inputs: [{ shape: [3, 3] }, ids([2, 2, 2], 3, 'uint32')] },
      { inputs: [{ shape: [4, 3] }, ids([1], 4)] },
      { inputs: [{ shape: [2, 3, 4] }, ids([2, 5, 1], 3)], options: { batchDims: 1 } },
      { inputs: [{ shape: [2, 3, 4, 2] }, ids([2, 2], 3)], options: { batchDims: 1 } },
      { inputs: [{ shape: [2, 3] }, ids([3, 0], 2)] },
      { inputs: [{ shape: [3, 2] }, given([3, 2], [0, -1, 5, 0, 2, 1])], options: { mode: 'wrap' } },
      {
        inputs: [{ shape: [3, 2] }, given([3, 2], [0, -1, 5, 0, 2, 1])],
        options: { mode: 'fill', fillValue: 3 },
      },
    ],
    bad: [
      ...badIndices((indices) => [{ shape: [3, 4, 5] }, indices]),
      { why: 'scalar indices', inputs: [{ shape: [3] }, ids([], 2)], error: ShapeError },
      { why: 'too many coordinates', inputs: [{ shape: [3] }, ids([4, 2], 2)], error: ShapeError },
      {
        why: 'batch axes that differ',
        inputs: [{ shape: [3, 4] }, ids([2, 1], 2)],
        options: { batchDims: 1 },
        error: ShapeError,
      },
    ],
  },
  {
    op: 'scatterNd',
    cases: [
      { inputs: [ids([5, 2], 3), { shape: [5, 2] }], options: { shape: [3, 4, 2] } },
      { inputs: [ids([6, 1], 3), { shape: [6] }], options: { shape: [3] } },
      { inputs: [ids([2, 4, 1], 3), { shape: [2, 4, 2] }], options: { shape: [2, 3, 2], batchDims: 1 } },
      {
        inputs: [given([2, 2], [0, 5, 1, 1]), { shape: [2] }],
        options: { shape: [2, 2], validateIndices: false },
      },
    ],
    bad: [
      ...badIndices((indices) => [indices, { shape: [2] }], { shape: [3, 4, 5, 2] }),
      {
        why: 'updates of another shape',
        inputs: [ids([5, 2], 2), { shape: [5, 3] }],
        options: { shape: [3, 4, 2] },
        error: ShapeError,
      },
    ],
  },
  {
    op: 'oneHot',
    cases: [
      { inputs: [ids([3], 4)], options: { depth: 4 } },
      { inputs: [ids([2, 3], 4, 'uint32')], options: { depth: 5, axis: 1, onValue: 2, offValue: -1 } },
      { inputs: [ids([], 3)], options: { depth: 3, axis: 0 } },
      { inputs: [outside], options: { depth: 5, dtype: 'bool' } },
      { inputs: [ids([3], 2)], options: { depth: 0 } },
      { inputs: [ids([0, 2], 2)], options: { depth: 3, dtype: 'int32' } },
    ],
    bad: [
      { why: 'float indices', inputs: [{ shape: [3] }], options: { depth: 2 }, error: DTypeError },
      { why: 'no depth', inputs: [ids([3], 2)], error: ValueError },
      { why: 'a negative depth', inputs: [ids([3], 2)], options: { depth: -1 }, error: ValueError },
      { why: 'a fractional depth', inputs: [ids([3], 2)], options: { depth: 1.5 }, error: ValueError },
      {
        why: 'an axis that the result lacks',
        inputs: [ids([3], 2)],
        options: { depth: 2, axis: 2 },
        error: ShapeError,
      },
      {
        why: 'an onValue that is no number',
        inputs: [ids([3], 2)],
        options: { depth: 2, onValue: 'on' },
        error: ValueError,
      },
      {
        why: 'an unknown dtype',
        inputs: [ids([3], 2)],
        options: { depth: 2, dtype: 'int8' },
        error: DTypeError,
      },
      {
        why: 'a result of rank 7',
        inputs: [ids([1, 1, 1, 1, 1, 1], 1)],
        options: { depth: 2 },
        error: ShapeError,
      },
    ],
  },
];
