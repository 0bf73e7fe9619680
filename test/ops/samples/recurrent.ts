import { DTypeError, ShapeError, ValueError } from '../../../src/core/errors.ts';
import type { BadCase, InputSample, OpCase, OpSamples } from './types.ts';

const x = (...shape: number[]): InputSample => ({ shape });
const mask: InputSample = { shape: [2, 4], dtype: 'bool', values: [0, 1, 0, 1, 1, 1, 0, 0] };
const none: InputSample = { shape: [2, 4], dtype: 'bool', values: new Array(8).fill(0) };

/** Cases of an op with `gates` blocks of 3 units; `states` stand between the recurrent kernel and the mask. */
function cases(gates: number, states: readonly (InputSample | null)[][]): OpCase[] {
  const inputs = (given: readonly (InputSample | null)[], counts: InputSample | null) => [
    x(2, 4, gates * 3),
    x(3, gates * 3),
    ...given,
    counts,
  ];
  return [
    ...states.map((given) => ({ inputs: inputs(given, null) })),
    // What is masked has no influence, and is not carried on.
    ...states.map((given) => ({ inputs: inputs(given, mask), carriesNaN: false })),
    { inputs: inputs(states[0] as InputSample[], none), carriesNaN: false },
    { inputs: [x(3, 1, gates), x(1, gates), ...states[0]!.map(() => null), null] },
    {
      inputs: [x(0, 4, gates), x(1, gates), ...states[0]!.map(() => null), null],
      gradient: false,
      carriesNaN: false,
    },
    {
      inputs: [x(2, 0, gates), x(1, gates), ...states[0]!.map(() => null), null],
      gradient: false,
      carriesNaN: false,
    },
  ];
}

function bad(gates: number, state: number): BadCase[] {
  const right = [x(2, 4, gates * 3), x(3, gates * 3), null, null, null] as (InputSample | null)[];
  const withOther = (at: number, other: InputSample | null) =>
    right.map((input, i) => (i === at ? other : input));
  return [
    { why: 'no gates', inputs: withOther(0, null), error: ValueError },
    { why: 'gates of rank 2', inputs: withOther(0, x(4, gates * 3)), error: ShapeError },
    { why: 'gates of another width', inputs: withOther(0, x(2, 4, gates * 3 + 1)), error: ShapeError },
    {
      why: 'integer gates',
      inputs: withOther(0, { shape: [2, 4, gates * 3], dtype: 'int32' }),
      error: DTypeError,
    },
    { why: 'a kernel of another width', inputs: withOther(1, x(3, 6)), error: ShapeError },
    { why: 'a kernel of rank 3', inputs: withOther(1, x(1, 3, gates * 3)), error: ShapeError },
    { why: 'a state of another batch', inputs: withOther(state, x(1, 3)), error: ShapeError },
    {
      why: 'an integer state',
      inputs: withOther(state, { shape: [2, 3], dtype: 'int32' }),
      error: DTypeError,
    },
    { why: 'a mask of floats', inputs: withOther(4, x(2, 4)), error: DTypeError },
    {
      why: 'a mask of another length',
      inputs: withOther(4, { shape: [2, 3], dtype: 'bool', values: [1, 1, 1, 1, 1, 1] }),
      error: ShapeError,
    },
  ];
}

export const samples: OpSamples[] = [
  {
    op: 'lstmSteps',
    cases: cases(4, [
      [x(2, 3), x(2, 3)],
      [null, null],
      [null, x(2, 3)],
    ]),
    bad: [
      ...bad(4, 2),
      {
        why: 'a cell of another size',
        inputs: [x(2, 4, 12), x(3, 12), null, x(2, 2), null],
        error: ShapeError,
      },
    ],
  },
  {
    op: 'gruSteps',
    cases: cases(3, [
      [x(9), x(2, 3)],
      [null, null],
      [x(9), null],
    ]),
    bad: [
      ...bad(3, 3),
      { why: 'a bias of another size', inputs: [x(2, 4, 9), x(3, 9), x(3), null, null], error: ShapeError },
    ],
  },
];
