import { ShapeError, ValueError } from '../../../../src/core/errors.ts';
import { layers } from '../../../../src/keras/index.ts';
import { gruStep, lstmStep, unrolled, zeroStates } from '../recurrent/recurrentOracle.ts';
import type { InputSample, LayerCase, LayerSamples } from './types.ts';

const x: InputSample = { shape: [2, 4, 3] };
const mask: InputSample = { shape: [2, 4], dtype: 'bool', values: [1, 1, 0, 0, 0, 1, 1, 1] };
const ids: InputSample = { shape: [2, 5], dtype: 'int32', low: 0, high: 7 };

type Options = { returnSequences?: boolean; returnState?: boolean };
type Reference = NonNullable<LayerCase['reference']>;
type Merge = (t: Parameters<Reference>[0], forward: never, backward: never) => unknown;

/** Returns a GRU of 2 units that reads from both ends, computed by the oracle and merged by `merge`. */
function bothEnds(mergeMode: string | null, merge: Merge, options: Options, masked = false): LayerCase {
  return {
    options: () => ({ layer: layers.gru({ units: 2, name: 'both', ...options }), mergeMode }),
    inputs: x,
    open: [1],
    ...(masked ? { kwargs: { mask } } : {}),
    reference: (t, [given, counts], weights) => {
      const run = (own: never[], goBackwards: boolean) => {
        const { returnSequences = false } = options;
        const how = { ...options, goBackwards, mask: counts, zeroOutputForMask: returnSequences };
        return unrolled(t, gruStep(t, own, true), given as never, zeroStates(t, given as never, 2), how);
      };
      const [forward, ...forwardStates] = run(weights.slice(0, 3), false);
      const [last, ...backwardStates] = run(weights.slice(3), true);
      const backward = options.returnSequences ? t.reverse(last as never, 1) : last;
      const merged = [merge(t, forward as never, backward as never)].flat();
      return [...merged, ...forwardStates, ...backwardStates] as never;
    },
  };
}

const concat: Merge = (t, a, b) => t.concat([a, b], -1);

export const samples: LayerSamples[] = [
  {
    layer: 'reversibleEmbedding',
    cases: [
      {
        options: { inputDim: 7, outputDim: 3, tieWeights: false },
        inputs: ids,
        reference: (tf, [given], [table]) => tf.gather(table as never, given as never),
      },
    ],
    bad: [
      { why: 'a cap of 0', options: { inputDim: 3, outputDim: 2, logitSoftCap: 0 }, error: ValueError },
      { why: 'integers', options: { inputDim: 3, outputDim: 2, reverseDtype: 'int32' }, error: ValueError },
    ],
  },
  {
    layer: 'pipeline',
    cases: [
      {
        options: () => ({
          layers: [layers.dense({ units: 2, name: 'inner' }), layers.rescaling({ scale: 2 })],
        }),
        inputs: { shape: [3, 4] },
        reference: (tf, [given], [kernel, bias]) =>
          tf.mul(tf.add(tf.matMul(given as never, kernel as never), bias as never), 2),
      },
    ],
    bad: [
      { why: 'no layers', options: { layers: [] }, error: ValueError },
      { why: 'a number', options: { layers: [3] }, error: ValueError, message: /layers\[0\]/ },
    ],
  },
  {
    layer: 'embedding',
    cases: [
      {
        options: { inputDim: 7, outputDim: 3 },
        inputs: ids,
        open: [1],
        reference: (t, [given], [table]) => t.gather(table as never, given as never),
      },
      { options: { inputDim: 7, outputDim: 1, maskZero: true }, inputs: { ...ids, shape: [4] } },
      {
        options: {
          inputDim: 9,
          outputDim: 2,
          embeddingsInitializer: { className: 'RandomNormal', config: { mean: 0, stddev: 0.1, seed: 3 } },
          embeddingsRegularizer: { className: 'L2', config: { l2: 0.1 } },
          embeddingsConstraint: { className: 'NonNeg', config: {} },
        },
        inputs: { ...ids, dtype: 'uint32', shape: [2, 2, 2] },
      },
      // Floats lose their fraction.
      { options: { inputDim: 4, outputDim: 2 }, inputs: { shape: [5], low: 0, high: 3.9 }, gradient: false },
    ],
    bad: [
      { why: 'no ids', options: { outputDim: 3 }, error: ValueError, message: /inputDim/ },
      {
        why: 'half a row',
        options: { inputDim: 3, outputDim: 0.5 },
        error: ValueError,
        message: /outputDim/,
      },
      {
        why: 'a padding that is no boolean',
        options: { inputDim: 3, outputDim: 2, maskZero: 0 },
        error: ValueError,
      },
      {
        why: 'an unknown initializer',
        options: { inputDim: 3, outputDim: 2, embeddingsInitializer: 'rows' },
        error: ValueError,
      },
    ],
  },
  {
    layer: 'masking',
    cases: [
      { options: {}, inputs: x, open: [1], reference: (_, [given]) => given as never },
      {
        options: { maskValue: 2 },
        inputs: { shape: [2, 3, 2], values: [1, 2, 2, 2, 3, 3, 2, 2, 0, 0, 2, 4] },
        reference: (t) => t.tensor([1, 2, 0, 0, 3, 3, 0, 0, 0, 0, 2, 4], [2, 3, 2]),
        gradient: false,
      },
    ],
    bad: [
      {
        why: 'a value that is no number',
        options: { maskValue: '0' },
        error: ValueError,
        message: /maskValue/,
      },
      { why: 'a vector', inputs: { shape: [3] }, error: ShapeError },
    ],
  },
  {
    layer: 'timeDistributed',
    cases: [
      {
        options: () => ({ layer: layers.dense({ units: 2, activation: 'tanh', name: 'inner' }) }),
        inputs: x,
        open: [1],
        reference: (t, [given], [kernel, bias]) => {
          const flat = t.reshape(given as never, [8, 3]);
          return t.reshape(t.tanh(t.add(t.matMul(flat as never, kernel as never), bias as never)), [2, 4, 2]);
        },
      },
      {
        options: () => ({
          layer: layers.conv2d({ filters: 2, kernelSize: 2, padding: 'same', name: 'inner' }),
        }),
        inputs: { shape: [2, 3, 4, 4, 2] },
        open: [1],
      },
      {
        options: () => ({ layer: layers.flatten({ name: 'inner' }) }),
        inputs: { ...x, shape: [2, 3, 2, 2] },
      },
      {
        options: () => ({ layer: layers.lstm({ units: 2, name: 'inner' }) }),
        inputs: { shape: [2, 3, 2, 2] },
      },
    ],
    bad: [
      { why: 'no layer', options: {}, error: ValueError, message: /layer/ },
      { why: 'a number', options: { layer: 3 }, error: ValueError },
      { why: 'a class that isn’t known', options: { layer: { className: 'Nothing' } }, error: ValueError },
      {
        why: 'a matrix',
        options: () => ({ layer: layers.dense({ units: 2 }) }),
        inputs: { shape: [2, 3] },
        error: ShapeError,
      },
      {
        why: 'a mask of another length',
        options: () => ({ layer: layers.dense({ units: 2 }) }),
        inputs: x,
        kwargs: { mask: { shape: [2, 3], dtype: 'bool', values: [1, 1, 1, 1, 1, 1] } },
        error: ShapeError,
        message: /mask/,
      },
    ],
  },
  {
    layer: 'bidirectional',
    cases: [
      bothEnds('concat', concat, {}),
      bothEnds('sum', (t, a, b) => t.add(a, b), { returnSequences: true }),
      bothEnds('mul', (t, a, b) => t.mul(a, b), { returnSequences: true, returnState: true }),
      bothEnds('ave', (t, a, b) => t.div(t.add(a, b), 2), { returnState: true }),
      bothEnds(null, (_, a, b) => [a, b], { returnSequences: true }),
      bothEnds(null, (_, a, b) => [a, b], { returnState: true }),
      bothEnds('concat', concat, { returnSequences: true }, true),
      bothEnds('concat', concat, { returnState: true }, true),
      {
        options: () => ({
          layer: layers.lstm({ units: 2, name: 'forth' }),
          backwardLayer: layers.lstm({ units: 3, goBackwards: true, useBias: false, name: 'back' }),
          name: 'unlike',
        }),
        inputs: x,
        open: [1],
        reference: (t, [given], weights) => {
          const run = (own: never[], units: number, goBackwards: boolean) =>
            unrolled(t, lstmStep(t, own), given as never, zeroStates(t, given as never, units, 2), {
              goBackwards,
            })[0];
          return t.concat([run(weights.slice(0, 3), 2, false), run(weights.slice(3), 3, true)] as never, -1);
        },
      },
    ],
    bad: [
      { why: 'no layer', options: {}, error: ValueError, message: /layer/ },
      { why: 'a dense layer', options: () => ({ layer: layers.dense({ units: 2 }) }), error: ValueError },
      {
        why: 'an unknown merge',
        options: () => ({ layer: layers.gru({ units: 2 }), mergeMode: 'max' }),
        error: ValueError,
        message: /mergeMode/,
      },
      {
        why: 'two layers in one direction',
        options: () => ({ layer: layers.gru({ units: 2 }), backwardLayer: layers.gru({ units: 2 }) }),
        error: ValueError,
        message: /goBackwards/,
      },
      {
        why: 'a sequence together with its end',
        options: () => ({
          layer: layers.gru({ units: 2, returnSequences: true }),
          backwardLayer: layers.gru({ units: 2, goBackwards: true }),
        }),
        error: ValueError,
        message: /returnSequences/,
      },
      {
        why: 'one state for two directions',
        options: () => ({ layer: layers.gru({ units: 2 }) }),
        inputs: x,
        kwargs: { initialState: { shape: [2, 2] } },
        error: ValueError,
        message: /initialState/,
      },
    ],
  },
];
