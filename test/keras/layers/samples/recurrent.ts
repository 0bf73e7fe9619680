import { ShapeError, ValueError } from '../../../../src/core/errors.ts';
import { layers } from '../../../../src/keras/index.ts';
import {
  gruStep,
  lstmStep,
  simpleStep,
  type Unrolled,
  unrolled,
  zeroStates,
} from '../recurrent/recurrentOracle.ts';
import type { BadLayerCase, InputSample, LayerCase, LayerSamples, Oracle } from './types.ts';

type Tensors = Parameters<NonNullable<LayerCase['reference']>>[1];

const x: InputSample = { shape: [3, 5, 4] };
const state = (units: number): InputSample => ({ shape: [3, units] });
/** Unmasked steps, with gaps at the beginning, in the middle and at the end; one sample is masked completely. */
const mask: InputSample = {
  shape: [3, 5],
  dtype: 'bool',
  values: [0, 1, 1, 0, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0],
};

/** A step by the oracle, given the weights; and the number of states. */
interface Kind {
  step: (t: Oracle, weights: Tensors) => ReturnType<typeof lstmStep>;
  states: number;
}

const lstm: Kind = { step: lstmStep, states: 2 };
const gru: Kind = { step: (t, weights) => gruStep(t, weights, true), states: 1 };
const oldGru: Kind = { step: (t, weights) => gruStep(t, weights, false), states: 1 };
const simple: Kind = { step: simpleStep, states: 1 };

/** Returns a case whose oracle takes the same options; kwargs are a mask, initial state or both, in that order. */
function sample(
  kind: Kind,
  options: Unrolled & { units: number },
  extra: Partial<LayerCase> = {},
): LayerCase {
  const masked = 'mask' in (extra.kwargs ?? {});
  return {
    options,
    inputs: x,
    open: [1],
    reference: (t, [given, ...kwargs], weights) => {
      const initial = kwargs.slice(masked ? 1 : 0);
      const states = initial.length > 0 ? initial : zeroStates(t, given as never, options.units, kind.states);
      const run = { ...options, mask: masked ? kwargs[0] : undefined };
      return unrolled(t, kind.step(t, weights), given as never, states, run);
    },
    ...extra,
  };
}

const common = (kind: Kind, own: object = {}): LayerCase[] => [
  sample(kind, { units: 3, ...own }),
  sample(kind, { units: 2, returnSequences: true, goBackwards: true, ...own }),
  sample(kind, { units: 5, returnSequences: true, returnState: true, ...own }),
  sample(kind, { units: 3, ...own, useBias: false } as never),
  sample(kind, { units: 3, returnState: true, ...own }, { kwargs: { mask } }),
  sample(kind, { units: 3, returnSequences: true, goBackwards: true, ...own }, { kwargs: { mask } }),
  sample(
    kind,
    { units: 3, returnSequences: true, zeroOutputForMask: true, returnState: true, ...own },
    { kwargs: { mask } },
  ),
  sample(kind, { units: 3, goBackwards: true, zeroOutputForMask: true, ...own }, { kwargs: { mask } }),
  { options: { units: 3, unroll: true, stateful: false, ...own }, inputs: x, open: [] },
  // Seeded, so that copies of the layer clear the same values.
  {
    options: { units: 3, dropout: 0.4, recurrentDropout: 0.3, seed: 7, ...own },
    inputs: x,
    training: true,
    open: [1],
  },
  { options: { units: 3, dropout: 1, recurrentDropout: 1, ...own }, inputs: x, training: true, open: [1] },
];

const oneState = (kind: Kind, own: object = {}): LayerCase[] => [
  sample(kind, { units: 3, returnSequences: true, ...own }, { kwargs: { initialState: state(3) } }),
  sample(kind, { units: 3, returnSequences: true, ...own }, { kwargs: { mask, initialState: state(3) } }),
];

const rejections = (own: object = {}): BadLayerCase[] => [
  { why: 'no units', options: own, error: ValueError, message: /units/ },
  { why: 'half a unit', options: { units: 0.5, ...own }, error: ValueError, message: /units/ },
  { why: 'a bias that is no boolean', options: { units: 2, useBias: 1, ...own }, error: ValueError },
  { why: 'an unknown activation', options: { units: 2, activation: 'tan', ...own }, error: ValueError },
  { why: 'a dropout above 1', options: { units: 2, dropout: 1.5, ...own }, error: ValueError },
  {
    why: 'a negative recurrent dropout',
    options: { units: 2, recurrentDropout: -1, ...own },
    error: ValueError,
  },
  { why: 'a fractional seed', options: { units: 2, seed: 0.5, ...own }, error: ValueError },
  {
    why: 'an unknown initializer',
    options: { units: 2, recurrentInitializer: 'none', ...own },
    error: ValueError,
  },
];

const layerRejections = (own: object = {}): BadLayerCase[] => [
  ...rejections(own),
  ...['returnSequences', 'returnState', 'goBackwards', 'stateful', 'unroll', 'zeroOutputForMask'].map(
    (flag) => ({
      why: `${flag} that is no boolean`,
      options: { units: 2, [flag]: 'yes', ...own },
      error: ValueError,
      message: new RegExp(flag),
    }),
  ),
  { why: 'a matrix', options: { units: 2, ...own }, inputs: { shape: [3, 4] }, error: ShapeError },
  { why: 'images', options: { units: 2, ...own }, inputs: { shape: [1, 3, 3, 2] }, error: ShapeError },
  {
    why: 'a mask of another length',
    options: { units: 2, ...own },
    inputs: x,
    kwargs: { mask: { shape: [3, 4], dtype: 'bool', values: new Array(12).fill(1) } },
    error: ShapeError,
    message: /mask/,
  },
  {
    why: 'a state of another size',
    options: { units: 2, ...own },
    inputs: x,
    kwargs: { initialState: state(3) },
    error: ShapeError,
    message: /initialState/,
  },
];

const cellRejections: BadLayerCase[] = [
  ...rejections(),
  {
    why: 'a sequence',
    options: { units: 2 },
    inputs: [x, { shape: [3, 2] }],
    error: ShapeError,
  },
];

/** One step, from [x, ...states]. */
const cellCases = (kind: Kind, own: object = {}): LayerCase[] => {
  const states = (units: number) => new Array<InputSample>(kind.states).fill(state(units));
  const reference: LayerCase['reference'] = (t, [given, ...before], weights) =>
    kind.step(t, weights)(given as never, before as never);
  return [
    { options: { units: 3, ...own }, inputs: [{ shape: [3, 4] }, ...states(3)], reference },
    { options: { units: 1, useBias: false, ...own }, inputs: [{ shape: [3, 2] }, ...states(1)], reference },
    {
      options: { units: 3, activation: 'softsign', dropout: 0.4, recurrentDropout: 0.4, seed: 3, ...own },
      inputs: [{ shape: [3, 4] }, ...states(3)],
      training: true,
    },
  ];
};

const cell = (units: number) => layers.gruCell({ units, name: `of_${units}` });

export const samples: LayerSamples[] = [
  {
    layer: 'lstm',
    cases: [
      ...common(lstm),
      { options: { units: 2, activation: 'elu', recurrentActivation: 'softsign' }, inputs: x, open: [1] },
      { options: { units: 2, unitForgetBias: false, activation: null }, inputs: x, open: [1] },
    ],
    bad: [
      ...layerRejections(),
      { why: 'a forget bias that is a number', options: { units: 2, unitForgetBias: 1 }, error: ValueError },
      { why: 'an unknown gate', options: { units: 2, recurrentActivation: 'gate' }, error: ValueError },
    ],
  },
  {
    layer: 'gru',
    cases: [
      ...common(gru),
      ...oneState(gru),
      ...common(oldGru, { resetAfter: false }).slice(0, 6),
      ...oneState(oldGru, { resetAfter: false }),
      { options: { units: 2, activation: 'softsign', recurrentActivation: null }, inputs: x, open: [1] },
    ],
    bad: [
      ...layerRejections(),
      { why: 'a reset that is no boolean', options: { units: 2, resetAfter: null }, error: ValueError },
    ],
  },
  {
    layer: 'simpleRNN',
    cases: [
      ...common(simple),
      ...oneState(simple),
      { options: { units: 2, activation: 'elu' }, inputs: x, open: [1] },
    ],
    bad: layerRejections(),
  },
  { layer: 'lstmCell', cases: cellCases(lstm), bad: cellRejections },
  {
    layer: 'gruCell',
    cases: [...cellCases(gru), ...cellCases(oldGru, { resetAfter: false })],
    bad: cellRejections,
  },
  { layer: 'simpleRNNCell', cases: cellCases(simple), bad: cellRejections },
  {
    layer: 'stackedRNNCells',
    cases: [
      {
        options: () => ({ cells: [cell(2), cell(3)] }),
        inputs: [{ shape: [3, 4] }, state(2), state(3)],
        reference: (t, [given, first, second], weights) => {
          const [h] = gruStep(t, weights.slice(0, 3), true)(given as never, [first] as never);
          const [output] = gruStep(t, weights.slice(3), true)(h as never, [second] as never);
          return [output, h, output] as never;
        },
      },
    ],
    bad: [
      { why: 'no list', options: { cells: 3 }, error: ValueError },
      { why: 'an empty list', options: { cells: [] }, error: ValueError },
      {
        why: 'a layer that is no cell',
        options: () => ({ cells: [layers.dense({ units: 2 })] }),
        error: ValueError,
      },
    ],
  },
  {
    layer: 'rnn',
    cases: [
      {
        options: () => ({ cell: layers.lstmCell({ units: 3, name: 'inner' }), returnState: true }),
        inputs: x,
        open: [1],
        reference: (t, [given], weights) =>
          unrolled(t, lstmStep(t, weights), given as never, zeroStates(t, given as never, 3, 2), {
            returnState: true,
          }),
      },
      {
        options: () => ({ cell: [cell(2), cell(3)], returnSequences: true, name: 'tall' }),
        inputs: x,
        kwargs: { mask },
        open: [1],
        reference: (t, [given, counts], weights) => {
          const [lower, upper] = [weights.slice(0, 3), weights.slice(3)].map((own) => gruStep(t, own, true));
          const both: typeof lower = (input, states) => {
            const [h] = (lower as NonNullable<typeof lower>)(input, states.slice(0, 1));
            const [output] = (upper as NonNullable<typeof upper>)(h as never, states.slice(1));
            return [output, h, output] as never;
          };
          const states = [2, 3].flatMap((units) => zeroStates(t, given as never, units));
          return unrolled(t, both as never, given as never, states, { mask: counts, returnSequences: true });
        },
      },
    ],
    bad: [
      { why: 'no cell', options: {}, error: ValueError, message: /cell/ },
      { why: 'a number', options: { cell: 3 }, error: ValueError },
      { why: 'a layer', options: () => ({ cell: layers.dense({ units: 2 }) }), error: ValueError },
    ],
  },
];
