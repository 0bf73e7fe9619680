/** @file Any arguments of factories, layers and models: they work, or throw a typed error. */
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import * as retrograd from '../../src/index.ts';
import { init, tensor, tidy } from '../../src/index.ts';
import * as keras from '../../src/keras/index.ts';
import {
  type Call,
  callOf,
  faultsOf,
  forgetFaults,
  invalidValues as invalid,
} from '../support/invalidValues.ts';
import { generator } from '../ops/samples/draw.ts';
import type { LayerCase, LayerSamples } from './layers/samples/types.ts';

beforeAll(async () => {
  await init();
});
beforeEach(keras.clearSession);
afterEach(forgetFaults);

const modules = import.meta.glob<{ samples?: LayerSamples[] }>('./layers/samples/*.ts', { eager: true });
const samples = new Map(
  Object.values(modules).flatMap(({ samples = [] }) => samples.map(({ layer, cases }) => [layer, cases])),
);

const { activations, applications, callbacks, constraints, initializers, layers } = keras;
const { losses, metrics, optimizers, regularizers } = keras;
/** Names that the library itself exports are tested with the library. */
const own = new Set<unknown>([...Object.values(retrograd), ...Object.values(activations)]);
const ops = Object.fromEntries(Object.entries(keras.ops).filter(([, value]) => !own.has(value)));
const families = {
  layers,
  activations,
  callbacks,
  constraints,
  initializers,
  losses,
  metrics,
  ops,
  optimizers,
  regularizers,
  schedules: optimizers.schedules,
};

/** Base classes and definitions: their parts are code of the app. */
const ofTheApp = /^[A-Z]|^define/;

const factories = Object.entries(families).flatMap(([family, members]) =>
  Object.entries(members)
    .filter(([name, value]) => typeof value === 'function' && !ofTheApp.test(name))
    .map(([name, value]) => [`${family}.${name}`, callOf(value as Call)] as const),
);

describe('factories', () => {
  test.each(factories)('%s', async (_, make) => {
    const calls = invalid.flatMap(([what, value]): [string, () => unknown][] => [
      [`(invalid) of ${what}`, () => make(value)],
      [`(invalid, invalid) of ${what}`, () => make(value, value)],
      [`(1, invalid) of ${what}`, () => make(1, value)],
    ]);
    expect(await faultsOf(calls)).toEqual([]);
  });
});

/** Options that most layers know; the rest come from the samples. */
const shared = ['name', 'trainable', 'dtype', 'inputShape', 'batchInputShape', 'weights', 'seed'];

const optionsOf = ({ options = {} }: LayerCase) => (typeof options === 'function' ? options() : options);

describe('options of layers, and what the layers then do with their inputs', () => {
  test.each([...samples])('%s', async (name, cases) => {
    const make = (layers as unknown as Record<string, Call>)[name] as Call;
    const known = new Set([...shared, ...cases.flatMap((sample) => Object.keys(optionsOf(sample)))]);
    const sample = cases[0] as LayerCase;
    const calls = [...known].flatMap((option) =>
      invalid.map(([what, value]): [string, () => unknown] => [
        `${option} of ${what}`,
        () => {
          const layer = make({ ...optionsOf(sample), [option]: value }) as keras.Layer;
          if ('shape' in sample.inputs) {
            const { shape } = sample.inputs as { shape: number[] };
            layer.computeOutputShape([null, ...shape.slice(1)] as never);
            layer.getConfig();
          }
          layer.dispose();
        },
      ]),
    );
    expect(await faultsOf(calls)).toEqual([]);
  });

  test.each([...samples.keys()])('%s, applied to invalid', async (name) => {
    const make = (layers as unknown as Record<string, Call>)[name] as Call;
    const sample = (samples.get(name) as readonly LayerCase[])[0] as LayerCase;
    const x = tensor([[1, 2]]);
    const calls = invalid.flatMap(([what, value]): [string, () => unknown][] => {
      const layer = () => make(optionsOf(sample)) as keras.Layer;
      return [
        [`apply(invalid) of ${what}`, () => tidy(() => void layer().apply(value as never))],
        [`apply(x, invalid) of ${what}`, () => tidy(() => void layer().apply(x as never, value as never))],
        [
          `apply(x, { training: invalid }) of ${what}`,
          () => tidy(() => void layer().apply(x as never, { training: value } as never)),
        ],
      ];
    });
    expect(await faultsOf(calls)).toEqual([]);
    x.dispose();
  });
});

describe('models', () => {
  const net = () => {
    const made = keras.sequential([layers.dense({ units: 1 })]);
    made.compile({ optimizer: 'sgd', loss: 'mse' });
    return made as unknown as Record<string, Call> & keras.Model;
  };
  const x = [[1], [2]];
  const optionNames = {
    compile: ['optimizer', 'loss', 'metrics', 'weightedMetrics', 'lossWeights', 'runEagerly'],
    fit: [
      ...['epochs', 'batchSize', 'verbose', 'callbacks', 'validationData', 'validationSplit', 'shuffle'],
      ...['classWeight', 'sampleWeight', 'initialEpoch', 'stepsPerEpoch', 'validationFreq', 'signal', 'seed'],
    ],
    evaluate: ['batchSize', 'verbose', 'callbacks', 'sampleWeight', 'steps', 'signal'],
    predict: ['batchSize', 'verbose', 'callbacks', 'steps', 'signal'],
    trainOnBatch: ['sampleWeight', 'classWeight'],
  };

  const { sequential, model, input, modelFromJSON, getSourceInputs, maskOf, setMask } = keras;
  const makers = { sequential, model, input, modelFromJSON, getSourceInputs, maskOf, setMask };
  test.each(Object.entries(makers))('%s', async (_, maker) => {
    const make = callOf(maker as Call);
    const calls = invalid.flatMap(([what, value]): [string, () => unknown][] => [
      [`(invalid) of ${what}`, () => make(value)],
      [`(invalid, invalid) of ${what}`, () => make(value, value)],
      ...['layers', 'inputs', 'outputs', 'shape', 'dtype', 'name', 'batchSize'].map(
        (option): [string, () => unknown] => [
          `${option} of ${what}`,
          () => make({ shape: [1], [option]: value }),
        ],
      ),
    ]);
    expect(await faultsOf(calls)).toEqual([]);
  });

  test.each(Object.entries(optionNames))('%s', async (method, names) => {
    const random = generator(method.length);
    const trained = net();
    const isCompile = method === 'compile';
    const call = (...args: unknown[]) => (trained[method] as Call).apply(trained, args);
    const withData = method === 'predict' ? [x] : [x, [[1], [2]]];
    const calls = invalid.flatMap(([what, value]): [string, () => unknown][] => [
      [`(invalid) of ${what}`, () => call(value)],
      [`(x, invalid) of ${what}`, () => call(x, value)],
      [`(x, y, invalid) of ${what}`, () => call(x, [[1], [2]], value)],
      ...names
        // Each option of a call that trains costs a step, so each invalid value is tried with only a few.
        .filter(() => isCompile || random() < 0.4)
        .map((option): [string, () => unknown] => [
          `${option} of ${what}`,
          async () => {
            if (isCompile) return (net().compile as Call).call(net(), { loss: 'mse', [option]: value });
            return call(...withData, { verbose: 0, [option]: value });
          },
        ]),
    ]);
    expect(await faultsOf(calls)).toEqual([]);
  });
});

test('options of applications', async () => {
  const option = [
    'weights',
    'includeTop',
    'inputShape',
    'classes',
    'pooling',
    'name',
    'classifierActivation',
  ];
  const makers = Object.entries(applications).filter(([, value]) => typeof value === 'function');
  const calls = makers.flatMap(([name, make]) =>
    invalid
      // An application is expensive to create, so values that every factory accepts are left out.
      .filter(([, value]) => value !== undefined && value !== null && typeof value !== 'boolean')
      .flatMap(([what, value]) =>
        option.map((key): [string, () => unknown] => [
          `${name} with ${key} of ${what}`,
          () => (make as Call)({ inputShape: [-1, 0, 3], [key]: value }),
        ]),
      ),
  );
  expect(await faultsOf(calls)).toEqual([]);
});
