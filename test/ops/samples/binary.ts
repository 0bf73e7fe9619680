import { DTypeError, ShapeError, ValueError } from '../../../src/core/errors.ts';
import type { DType } from '../../../src/core/dtype.ts';
import type { BadCase, InputSample, OpCase, OpSamples } from './types.ts';

/** Pairs of shapes: equal, rows, columns, scalars on either side, both repeated, empty, many axes. */
const pairs: readonly (readonly [readonly number[], readonly number[]])[] = [
  [
    [2, 3],
    [2, 3],
  ],
  [[5, 8], [8]],
  [
    [3, 8],
    [3, 1],
  ],
  [[], [7]],
  [[4], []],
  [
    [2, 1, 3],
    [4, 1],
  ],
  [
    [2, 4],
    [3, 1, 4],
  ],
  [[0, 3], [3]],
  [
    [1, 2, 1, 2, 1, 2],
    [2, 1, 2, 1, 2, 1],
  ],
];

interface Domain {
  x?: Omit<InputSample, 'shape'>;
  y?: Omit<InputSample, 'shape'>;
  dtypes?: readonly DType[];
  carriesNaN?: boolean;
  gradient?: boolean;
}

const all: readonly DType[] = ['float32', 'int32', 'uint32', 'bool'];

function binary(op: string, domain: Domain = {}): OpSamples {
  const {
    x = {},
    y = {},
    dtypes = ['float32', 'int32', 'uint32'],
    carriesNaN = true,
    gradient = true,
  } = domain;
  const cases: OpCase[] = [];
  if (dtypes.includes('float32')) {
    for (const [a, b] of pairs) {
      cases.push({
        inputs: [
          { shape: a, ...x },
          { shape: b, ...y },
        ],
        carriesNaN: carriesNaN && !a.includes(0),
        gradient,
      });
    }
    // A float with an integer or a bool: the other is converted.
    for (const other of [
      { dtype: 'int32', low: 1, high: 4 },
      { dtype: 'bool', values: [1, 1] },
    ] as const)
      cases.push({
        inputs: [
          { shape: [3], ...x },
          { shape: [2, 1], ...other },
        ],
        carriesNaN,
        gradient,
      });
  }
  for (const dtype of dtypes) {
    if (dtype === 'float32') continue;
    const low = dtype === 'int32' ? -9 : 0;
    cases.push({
      inputs: [
        { shape: [2, 5], dtype, low, high: 9 },
        { shape: [5], dtype, low, high: 4 },
      ],
    });
  }
  const other: InputSample = { shape: [2], dtype: dtypes[0] as DType };
  const bad: BadCase[] = [
    {
      why: 'shapes that don’t broadcast',
      inputs: [
        { ...other, shape: [2, 3] },
        { ...other, shape: [2, 4] },
      ],
      error: ShapeError,
      message: /broadcast/,
    },
    { why: 'an operand left out', inputs: [other, null], error: ValueError },
    {
      why: 'int32 with uint32',
      inputs: [
        { shape: [2], dtype: 'int32' },
        { shape: [2], dtype: 'uint32' },
      ],
      error: DTypeError,
    },
    ...all
      .filter((dtype) => !dtypes.includes(dtype))
      .map(
        (dtype): BadCase => ({
          why: dtype,
          inputs: [
            { shape: [2], dtype },
            { shape: [2], dtype },
          ],
          error: DTypeError,
        }),
      ),
  ];
  return { op, cases, bad };
}

const away = { low: 0.5, high: 2 };
const comparison: Domain = { dtypes: all, carriesNaN: false };

export const samples: OpSamples[] = [
  binary('add'),
  binary('sub'),
  binary('mul'),
  binary('div', { y: away }),
  binary('squaredDifference'),
  // Values of x lie below 1, those of y above: a tie is never near.
  binary('maximum', { x: { low: -3, high: 0.9 }, y: { low: 1.1, high: 2 } }),
  binary('minimum', { x: { low: -3, high: 0.9 }, y: { low: 1.1, high: 2 } }),
  binary('pow', { x: away, y: { low: -2, high: 2 } }),
  // Quotients lie between 5.1 and 5.97.
  binary('floorDiv', { x: { low: 5.3, high: 5.9 }, y: { low: 1, high: 1.02 } }),
  binary('mod', { x: { low: 5.3, high: 5.9 }, y: { low: 1, high: 1.02 } }),
  binary('atan2', { x: away, y: { low: -2, high: -0.5 }, dtypes: ['float32'] }),
  binary('equal', comparison),
  binary('notEqual', comparison),
  binary('greater', comparison),
  binary('greaterEqual', comparison),
  binary('less', comparison),
  binary('lessEqual', comparison),
  binary('logicalAnd', { dtypes: ['bool'] }),
  binary('logicalOr', { dtypes: ['bool'] }),
  binary('logicalXor', { dtypes: ['bool'] }),
  {
    op: 'addN',
    cases: [1, 2, 3, 4, 5, 7, 8].map((count) => ({
      inputs: Array.from({ length: count }, () => ({ shape: [3, 5] })),
    })),
    bad: [
      { why: 'an empty list', inputs: [], error: ValueError },
      { why: 'differing shapes', inputs: [{ shape: [2] }, { shape: [1] }], error: ShapeError },
      {
        why: 'differing dtypes',
        inputs: [{ shape: [2] }, { shape: [2], dtype: 'int32' }],
        error: DTypeError,
      },
      { why: 'bools', inputs: [{ shape: [2], dtype: 'bool' }], error: DTypeError },
    ],
  },
];
