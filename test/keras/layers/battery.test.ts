/// <reference types="vite/client" />
/**
 * @file One battery that every layer passes, on the samples of test/keras/layers/samples: shapes, dtypes, configuration,
 * symbolic calls, an independent oracle, gradients by finite differences, empty batches, memory, bad input.
 */
import '@tensorflow/tfjs-backend-cpu';
import * as tf from '@tensorflow/tfjs-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { isFloating } from '../../../src/core/dtype.ts';
import { init, memory, RetrogradError, type Tensor, tensor, tidy } from '../../../src/index.ts';
import { input, type KerasTensor, Layer, layers, model } from '../../../src/keras/index.ts';
import * as aliases from '../../../src/keras/layers/aliases.ts';
import type { AnyLayer } from '../../../src/keras/layers/base/layer.ts';
import { leavesOf, mapNest, type Nest } from '../../../src/keras/tensorNest.ts';
import { Experiment, factoryOf, flat, Given, openShapes } from './experiment.ts';
import type { BadLayerCase, LayerCase, LayerSamples } from './samples/types.ts';
import { declarationOf } from '../../../src/keras/options/declaration.ts';

const modules = import.meta.glob<{ samples?: LayerSamples[] }>('./samples/*.ts', { eager: true });
const samples = Object.values(modules).flatMap((module) => module.samples ?? []);

/** Factories that the battery can't call, each with its reason. */
const exempt: Readonly<Record<string, string>> = {
  input: 'gives a symbolic tensor; test/keras/layers.test.ts',
  inputLayer: 'takes no tensors; test/keras/layers.test.ts',
  hashedCrossing: 'takes combined integers; test/keras/layers/hashedCrossing.test.ts',
  hashing: 'takes strings; test/keras/layers/lookups.test.ts',
  integerLookup: 'has numbers for gradients; test/keras/layers/lookups.test.ts',
  stringLookup: 'takes strings; test/keras/layers/lookups.test.ts',
  textVectorization: 'takes strings; test/keras/layers/lookups.test.ts',
  lambda: 'holds a function, which no configuration can write; its tests are its own',
};

/** Relative to the gradient's norm: the accuracy of central differences of float32 values. */
const tolerance = 5e-3;

beforeAll(async () => {
  await init();
  await tf.setBackend('cpu');
});

describe('the table of layers', () => {
  const all = Object.entries(layers as Readonly<Record<string, unknown>>);
  const others = new Set(Object.keys(aliases));
  const exported = all.filter(([name]) => !others.has(name));
  const factories = exported.filter(([name, value]) => /^[a-z]/.test(name) && typeof value === 'function');
  const classes = exported.filter(([, value]) => isLayerClass(value)) as [string, typeof Layer][];

  test.each(factories.map(([name]) => name))('%s has samples', (name) => {
    const listed = samples.filter(({ layer }) => layer === name);
    expect(exempt[name] ? 1 : listed.length).toBe(1);
  });

  test('layers with other names are the same', () => {
    const listed = new Set<unknown>(exported.map(([, value]) => value));
    expect(Object.values(aliases).filter((value) => !listed.has(value))).toEqual([]);
  });

  test.each(classes)('%s has the name of its class in Keras', (name, given) => {
    expect(given.className).toBe(name);
    // A name of its own, or that of its declaration: names in the source don't survive minification.
    expect(Object.hasOwn(given, 'className') || declarationOf(given)?.className === name).toBe(true);
  });
});

function isLayerClass(value: unknown): boolean {
  return typeof value === 'function' && value.prototype instanceof Layer;
}

describe.each(samples.map((entry) => [entry.layer, entry] as const))('%s', (name, entry) => {
  const factory = factoryOf(name);

  describe.each(entry.cases.map((sample, i) => [label(sample), sample, i] as const))('%s', (_, sample, i) => {
    const experiment = () => new Experiment(factory, sample, 2000 + i);

    test('has the shapes and dtypes that it infers', () => {
      const run = experiment();
      const layer = run.layer();
      const given = run.upload();
      const outputs = run.call(layer, given);
      const specs = specsOf(outputs);
      for (const output of leavesOf(outputs)) {
        expect(output.kerasHistory?.operation.name ?? layer.name).toBe(layer.name);
      }
      const closed = symbolicCall(
        run,
        run.samples.map(({ shape }) => shape),
      );
      expect(specsOf(closed.outputs)).toEqual(specs);
      const open = symbolicCall(run, openShapes(run));
      leavesOf(open.outputs).forEach((output, k) => {
        expect(output.dtype).toBe(specs[k]?.dtype);
        expect(output.shape).toHaveLength(specs[k]?.shape.length ?? -1);
        expect(output.shape.map((size, axis) => size ?? specs[k]?.shape[axis])).toEqual(specs[k]?.shape);
      });
      if (sample.kwargs) return;
      const asked = layer.computeOutputShape(run.nest(run.samples.map(({ shape }) => shape)) as never);
      expect(asked).toEqual(mapNest(outputs, ({ shape }) => [...shape]));
    });

    test('can be created again from its configuration', async () => {
      const run = experiment();
      const layer = run.layer();
      const config = layer.getConfig();
      for (const option of Object.keys(run.options)) expect(config).toHaveProperty(option);
      const Class = layer.constructor as unknown as { fromConfig(config: object): AnyLayer };
      const copy = run.layer(run.values.weights, Class.fromConfig(JSON.parse(JSON.stringify(config))));
      expect(copy.getConfig()).toEqual(config);
      expect(copy.weights.map(({ path }) => path)).toEqual(layer.weights.map(({ path }) => path));
      const given = run.upload();
      const [found, expected] = await Promise.all(
        [copy, layer].map((each) => flat(leavesOf(run.call(each, given)))),
      );
      expect(found).toEqual(expected);
    });

    test('computes the same in a model as on its own', async () => {
      const run = experiment();
      const { net, layer: inModel } = asModel(run);
      run.layer(run.values.weights, inModel);
      const given = run.upload();
      const training = sample.training === undefined ? {} : { training: sample.training };
      const outputs = leavesOf(net.apply(given as never, training) as Nest<Tensor>);
      const [found, expected] = await Promise.all([
        flat(outputs),
        flat(leavesOf(run.call(run.layer(), given))),
      ]);
      expect(found).toEqual(expected);
    });

    const { reference } = sample;
    if (reference)
      test('computes what TF.js does', async () => {
        const run = experiment();
        const outputs = leavesOf(run.call(run.layer(), run.upload()));
        const expected = tf.tidy(() => {
          const given = run.samples.map(({ shape, dtype }, k) =>
            onHost(run.values.inputs[k] as number[], shape, dtype),
          );
          const weights = run
            .layer()
            .weights.map(({ shape, dtype }, k) => onHost(run.values.weights[k] as number[], shape, dtype));
          return [reference(tf, given as never, weights as never)].flat();
        });
        expect(outputs.map(({ shape }) => [...shape])).toEqual(expected.map(({ shape }) => shape));
        for (const [k, output] of outputs.entries()) {
          const wanted = Array.from((expected[k] as tf.Tensor).dataSync(), Number);
          const scale = Math.max(1e-3, ...wanted.map(Math.abs));
          const found = await flat([output]);
          found.forEach((value, at) => {
            const error = Math.abs(value - (wanted[at] as number));
            expect(error, `${value} against ${wanted[at]} at ${at}`).toBeLessThanOrEqual(
              (sample.tolerance ?? 1e-5) * scale,
            );
          });
        }
        tf.dispose(expected);
      });

    if (sample.gradient !== false)
      test('has the gradients that finite differences give', async () => {
        const run = experiment();
        const layer = run.layer();
        const given = run.upload();
        const outputs = leavesOf(run.call(run.layer(), given));
        const weights = outputs.map(({ size, dtype }) =>
          Array.from({ length: size }, () => (isFloating(dtype) ? 2 * run.random() - 1 : 0)),
        );
        const cotangents = outputs.flatMap(({ shape, dtype }, k) =>
          isFloating(dtype) ? [tensor(Float32Array.from(weights[k] as number[]), { shape }) as Tensor] : [],
        );
        const direction = run.moving(layer);
        const [gradient, differences, values] = await Promise.all([
          flat(run.differentiate(layer, given, cotangents)),
          run.derivative(direction),
          flat(outputs),
        ]);
        const along = [
          ...direction.inputs.filter((_, k) => isFloating(run.samples[k]?.dtype ?? 'float32')),
          ...direction.weights.filter((_, k) => layer.weights[k]?.trainable),
        ].flat();
        const noise = differenceNoise(values, weights.flat());
        const [found, wanted] = [dot(gradient, along), dot(differences, weights.flat())];
        const allowed = tolerance * Math.sqrt(dot(gradient, gradient)) + noise;
        expect(Math.abs(found - wanted), `${found} against ${wanted}`).toBeLessThanOrEqual(allowed);
      });

    if (sample.zeroBatch !== false)
      test('takes an empty batch', () => {
        const run = experiment();
        const layer = run.layer();
        const outputs = leavesOf(run.call(layer, run.upload()));
        const given = run.samples.map(
          ({ shape, dtype = 'float32' }) => tensor([], { shape: [0, ...shape.slice(1)], dtype }) as Tensor,
        );
        const empty = leavesOf(run.call(layer, given));
        expect(empty.map(({ shape, dtype }) => ({ shape: [...shape], dtype }))).toEqual(
          outputs.map(({ shape, dtype }) => ({ shape: [0, ...shape.slice(1)], dtype })),
        );
      });

    test('keeps nothing but its weights and outputs', () => {
      const before = memory().tensors;
      const run = experiment();
      expect(memory().tensors).toBe(before);
      const layer = run.layer();
      const given = run.upload();
      const first = memory().tensors;
      const outputs = leavesOf(run.call(layer, given));
      for (const output of outputs) output.dispose();
      expect(memory().tensors).toBeLessThanOrEqual(first);
      for (const owned of given) owned.dispose();
      layer.dispose();
      expect(memory().tensors).toBe(before);
    });

    test('has nothing to train once it is frozen', () => {
      const run = experiment();
      const layer = run.layer();
      layer.trainable = false;
      expect(layer.trainableWeights).toEqual([]);
      expect(layer.nonTrainableWeights).toHaveLength(layer.weights.length);
      expect(new Set(layer.weights.map(({ path }) => path)).size).toBe(layer.weights.length);
      for (const { path } of layer.weights) expect(path.startsWith(`${layer.name}/`)).toBe(true);
    });
  });

  test.each(entry.bad.map((bad) => [bad.why, bad] as const))('rejects %s', (_, bad) => {
    expectRejection(name, bad);
  });
});

/** Returns a layer called on symbolic tensors of `shapes`; kwargs are symbolic, too. */
function symbolicCall(run: Experiment, shapes: readonly (readonly (number | null)[])[]) {
  const given = run.samples.map(({ dtype = 'float32' }, i) => {
    const [batchSize, ...shape] = shapes[i] as [number | null, ...(number | null)[]];
    return input({ shape, dtype, batchSize });
  });
  const layer = run.factory(run.options);
  const training = run.sample.training === undefined ? {} : { training: run.sample.training };
  const outputs = layer.apply(run.nest(given) as never, { ...run.kwargs(given), ...training });
  return { layer, given, outputs: outputs as unknown as Nest<KerasTensor> };
}

function asModel(run: Experiment) {
  const { layer, given, outputs } = symbolicCall(run, openShapes(run));
  return { layer, net: model({ inputs: given as never, outputs: outputs as never }) };
}

function specsOf(outputs: Nest<Tensor | KerasTensor>) {
  return leavesOf(outputs).map(({ shape, dtype }) => ({ shape: [...shape], dtype }));
}

function onHost(values: readonly number[], shape: readonly number[], dtype = 'float32'): tf.Tensor {
  return tf.tensor([...values], [...shape], dtype as 'float32');
}

const dot = (a: readonly number[], b: readonly number[]) =>
  a.reduce((total, x, i) => total + x * (b[i] as number), 0);

/** Returns the error of a central difference from the rounding of float32 values of this size. */
const differenceNoise = (values: readonly number[], weights: readonly number[]) =>
  1e-5 + (4e-7 / 0.01) * values.reduce((total, y, i) => total + Math.abs(y * (weights[i] as number)), 0);

/** The factory, or the call, must throw `error` with all three parts of a message, and leave no tensors. */
function expectRejection(name: string, bad: BadLayerCase): void {
  const factory = factoryOf(name);
  const options = typeof bad.options === 'function' ? bad.options() : bad.options;
  const before = memory().tensors;
  let thrown: unknown;
  let made: AnyLayer | null = null;
  tidy(() => {
    try {
      made = factory(options);
      if (!bad.inputs) return;
      const given = new Given({ ...bad, inputs: bad.inputs }, 7);
      given.call(made, given.upload());
    } catch (error) {
      thrown = error;
    }
  });
  (made as AnyLayer | null)?.dispose();
  expect(thrown, 'must throw').toBeInstanceOf(bad.error);
  const error = thrown as RetrogradError;
  expect(error).toBeInstanceOf(RetrogradError);
  expect(error.rule).toBeTruthy();
  expect(error.received).toBeTruthy();
  expect(error.hint).toBeTruthy();
  if (bad.message) expect(error.message).toMatch(bad.message);
  expect(memory().tensors).toBe(before);
}

function label(sample: LayerCase): string {
  const { options = {}, training } = sample;
  const shown = typeof options === 'function' ? options.toString() : JSON.stringify(options);
  const all = new Given(sample, 0).samples.map(
    ({ shape, dtype = 'float32' }) => `${dtype}[${shape.join(', ')}]`,
  );
  return `${all.join(' ')} ${shown}${training ? ' training' : ''}`;
}
