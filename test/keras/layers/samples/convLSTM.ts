import { ShapeError, ValueError } from '../../../../src/core/errors.ts';
import { lstmGates, unrolled } from '../recurrent/recurrentOracle.ts';
import type { BadLayerCase, InputSample, LayerCase, LayerSamples, Oracle } from './types.ts';

type Tensors = Parameters<NonNullable<LayerCase['reference']>>[1];
type Convolve = (t: Oracle, x: never, kernel: never, options: Windows) => ReturnType<Oracle['tensor']>;

interface Windows {
  strides: number | number[];
  padding: 'same' | 'valid';
  dilation?: number;
}

const images: InputSample = { shape: [2, 3, 4, 3, 2] };

/** A case by the oracle, whose states are `state`, [batch, ...spatial, filters]. */
function sample(
  convolve: Convolve,
  state: number[],
  options: object,
  windows: Windows,
  extra: Partial<LayerCase> = {},
): LayerCase {
  const reference = (t: Oracle, [x, ...kwargs]: Tensors, [kernel, recurrent, bias]: Tensors) => {
    const step = (input: unknown, [h, c]: unknown[]) => {
      const sums = convolve(t, input as never, kernel, windows);
      const ofState = convolve(t, h as never, recurrent, { strides: 1, padding: 'same' });
      const z = t.add(sums, ofState);
      return lstmGates(t, bias ? t.add(z, bias) : z, c as never);
    };
    const isMasked = 'mask' in (extra.kwargs ?? {});
    const given = kwargs.slice(isMasked ? 1 : 0);
    const states = given.length > 0 ? given : [t.zeros(state), t.zeros(state)];
    return unrolled(t, step, x, states, { ...options, mask: isMasked ? kwargs[0] : undefined });
  };
  return { options, inputs: images, open: [1], reference, ...extra };
}

const conv1d: Convolve = (t, x, kernel, { strides, padding, dilation }) =>
  t.conv1d(x, kernel, strides as number, padding, 'NWC', dilation);
const conv2d: Convolve = (t, x, kernel, { strides, padding, dilation }) =>
  t.conv2d(x, kernel, strides as number, padding, 'NHWC', dilation);
const conv3d: Convolve = (t, x, kernel, { strides, padding }) =>
  t.conv3d(x, kernel, strides as number, padding);

const mask: InputSample = { shape: [2, 3], dtype: 'bool', values: [0, 1, 0, 1, 1, 1] };

const rejections = (rank: number): BadLayerCase[] => {
  const given = { filters: 1, kernelSize: 2 };
  return [
    { why: 'no filters', options: { kernelSize: 2 }, error: ValueError, message: /filters/ },
    { why: 'no kernel', options: { filters: 2 }, error: ValueError, message: /kernelSize/ },
    {
      why: 'a window of too many sizes',
      options: { ...given, kernelSize: new Array(rank + 1).fill(2) },
      error: ValueError,
    },
    {
      why: 'strides and dilation',
      options: { ...given, strides: 2, dilationRate: 2 },
      error: ValueError,
      message: /strides/,
    },
    { why: 'strides of 0', options: { ...given, strides: 0 }, error: ValueError },
    {
      why: 'causal padding',
      options: { ...given, padding: 'causal' },
      error: ValueError,
      message: /padding/,
    },
    { why: 'another data format', options: { ...given, dataFormat: 'channels' }, error: ValueError },
    { why: 'a dropout above 1', options: { ...given, dropout: 1.5 }, error: ValueError },
    { why: 'an unknown gate', options: { ...given, recurrentActivation: 'gate' }, error: ValueError },
    { why: 'a forget bias that is a number', options: { ...given, unitForgetBias: 1 }, error: ValueError },
    { why: 'a flag that is no boolean', options: { ...given, returnSequences: 'yes' }, error: ValueError },
    { why: 'units', options: { ...given, units: 2 }, error: ValueError, message: /units/ },
    {
      why: 'inputs without times',
      options: given,
      inputs: { shape: new Array(rank + 2).fill(2) },
      error: ShapeError,
    },
    {
      why: 'a window that is larger than the image',
      options: { ...given, kernelSize: 3 },
      inputs: { shape: new Array(rank + 3).fill(2) },
      error: ShapeError,
    },
    {
      why: 'a state of another size',
      options: given,
      inputs: { shape: new Array(rank + 3).fill(2) },
      kwargs: { initialState: { shape: new Array(rank + 2).fill(2) } },
      error: ShapeError,
      message: /initialState/,
    },
  ];
};

export const samples: LayerSamples[] = [
  {
    layer: 'convLSTM1d',
    cases: [
      sample(
        conv1d,
        [2, 2, 3],
        { filters: 3, kernelSize: 2, strides: 2, returnSequences: true, goBackwards: true },
        { strides: 2, padding: 'valid' },
        { inputs: { shape: [2, 3, 5, 2] } },
      ),
    ],
    bad: rejections(1),
  },
  {
    layer: 'convLSTM2d',
    cases: [
      sample(
        conv2d,
        [2, 4, 3, 2],
        { filters: 2, kernelSize: [3, 2], padding: 'same', returnSequences: true, returnState: true },
        { strides: 1, padding: 'same' },
        { kwargs: { mask } },
      ),
      sample(
        conv2d,
        [2, 2, 1, 3],
        { filters: 3, kernelSize: 2, dilationRate: 2, useBias: false },
        { strides: 1, padding: 'valid', dilation: 2 },
      ),
      {
        options: {
          filters: 2,
          kernelSize: 2,
          dropout: 0.4,
          recurrentDropout: 0.3,
          seed: 7,
          activation: 'softsign',
        },
        inputs: images,
        training: true,
        open: [1],
      },
    ],
    bad: rejections(2),
  },
  {
    layer: 'convLSTM3d',
    cases: [
      sample(
        conv3d,
        [1, 2, 2, 2, 2],
        { filters: 2, kernelSize: [1, 2, 2], strides: [1, 2, 1], returnState: true, padding: 'same' },
        { strides: [1, 2, 1], padding: 'same' },
        { inputs: { shape: [1, 2, 2, 3, 2, 1] } },
      ),
    ],
    bad: rejections(3),
  },
];
