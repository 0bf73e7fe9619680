/**
 * @file Exchanges models with real Keras, both ways: `npm run test:keras`. It needs a Python with Keras, set by
 * RETROGRAD_KERAS_PYTHON. Without it, the golden files of test/keras/saving represent Keras.
 */
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { init, randomNormal, randomUniform, tensor, type Tensor } from '../../../src/index.ts';
import { loadModel } from '../../../src/io/index.ts';
import { clearSession, input, layers, sequential } from '../../../src/keras/index.ts';
import type { AnyModel } from '../../../src/keras/models/model.ts';
import { modelToConfig } from '../../../src/keras/json/write.ts';
import { differences } from './differences.ts';
import { makers } from './models.ts';
import { rules } from './rules.ts';

const python = process.env.RETROGRAD_KERAS_PYTHON;
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'keras-'));
const fixtures = fileURLToPath(new URL('../../fixtures/models', import.meta.url));
const at = (...parts: string[]) => path.join(folder, ...parts);

const trips = [
  ...fs
    .readdirSync(fixtures)
    .filter((name) => name !== 'lambda_model')
    .map((name) => [name, `${name}/model.keras`] as const),
  ['mlp_trained', 'mlp_classifier/trained.keras'] as const,
];

interface Results {
  keras: string;
  trips: Record<string, Record<string, boolean>>;
  made: Record<
    string,
    {
      error?: string;
      difference: number;
      config: unknown;
      summaries: Record<'' | '.trained', string>;
      outputs: { data: number[] }[];
    }
  >;
  curves: Record<string, { error?: string; losses: number[] }>;
}

let results: Results;
/** Losses of ten epochs here, by optimizer. */
const losses: Record<string, readonly number[]> = {};
/** Keras's descriptions of the models that are created here, after loading them. */
const described: Record<string, { config: unknown; summary: string }> = {};
const data = () => ({ x: randomNormal([32, 6], { seed: 3 }), y: randomUniform([32, 2], { seed: 4 }) });
const fitOptions = { batchSize: 8, shuffle: false, verbose: 0 } as const;

/** Returns a tensor as JSON. */
async function written(t: Tensor) {
  return { shape: t.shape, dtype: t.dtype, data: [...(await t.data())] };
}

function start(rule: string): AnyModel {
  const net = sequential([
    input({ shape: [6] }),
    layers.dense({
      units: 8,
      activation: 'tanh',
      kernelInitializer: { className: 'GlorotUniform', config: { seed: 1 } },
    }),
    layers.dense({ units: 2, kernelInitializer: { className: 'GlorotUniform', config: { seed: 2 } } }),
  ]);
  net.compile({ optimizer: rules[rule]?.() as never, loss: 'mse' });
  return net as unknown as AnyModel;
}

async function train(net: AnyModel, epochs: number): Promise<number[]> {
  const { x, y } = data();
  const { history } = await net.fit(x, y, { ...fitOptions, epochs });
  return [...(history.loss as number[])];
}

function summaryOf(net: AnyModel): string {
  return net.summary({ lineLength: 80, print: () => {} });
}

async function makeTrips() {
  fs.mkdirSync(at('trips'));
  for (const [name, file] of trips) {
    fs.copyFileSync(path.join(fixtures, file), at('trips', `${name}.keras`));
    const net = await loadModel(path.join(fixtures, file));
    await net.save(at('trips', `${name}.saved.keras`));
    await net.saveWeights(at('trips', `${name}.saved.weights.h5`));
    net.dispose();
  }
}

async function makeModels() {
  fs.mkdirSync(at('made'));
  for (const [name, make] of Object.entries(makers)) {
    clearSession();
    const { model: net, shapes } = make();
    const { outputs: ends } = net as unknown as { outputs: readonly unknown[] };
    const each = (name: string) => (ends.length === 1 ? name : ends.map(() => name));
    net.compile({ optimizer: 'sgd', loss: each('mse') as never, metrics: [each('mae')].flat() as never });
    const inputs = shapes.map((shape, i) => randomNormal(shape, { seed: 10 + i }));
    const outputs = [
      await net.predict(inputs.length === 1 ? (inputs[0] as Tensor) : inputs),
    ].flat() as Tensor[];
    const cases = {
      inputs: await Promise.all(inputs.map(written)),
      outputs: await Promise.all(outputs.map(written)),
    };
    fs.writeFileSync(at('made', `${name}.json`), JSON.stringify(cases));
    await net.save(at('made', `${name}.keras`));
    const again = await loadModel(at('made', `${name}.keras`));
    described[name] = { config: modelToConfig(again), summary: summaryOf(again) };
    again.dispose();
  }
}

async function makeCurves() {
  fs.mkdirSync(at('curves'));
  const { x, y } = data();
  fs.writeFileSync(
    at('curves', 'data.json'),
    JSON.stringify({ inputs: [await written(x)], outputs: [await written(y)] }),
  );
  for (const rule of Object.keys(rules)) {
    losses[rule] = await train(start(rule), 10);
    const net = start(rule);
    await net.save(at('curves', `${rule}.start.keras`));
    await train(net, 5);
    await net.save(at('curves', `${rule}.five.keras`));
  }
}

describe.runIf(python)('Keras', () => {
  beforeAll(async () => {
    await init();
    await makeTrips();
    await makeModels();
    await makeCurves();
    const script = fileURLToPath(new URL('./keras_side.py', import.meta.url));
    const { status, stderr } = spawnSync(python as string, [script, folder], { encoding: 'utf8' });
    if (status !== 0) throw new Error(`Keras's side failed:\n${stderr}`);
    results = JSON.parse(fs.readFileSync(at('results.json'), 'utf8'));
  }, 1_200_000);
  afterAll(() => fs.rmSync(folder, { recursive: true }));

  test.each(trips)('%s goes from Keras to Retrograd and back: weights, configuration, optimizer', (name) => {
    const { error, ...found } = results.trips[name] as Record<string, unknown>;
    expect(error).toBeUndefined();
    expect(Object.entries(found).filter(([, same]) => !same)).toEqual([]);
  });

  test.each(Object.keys(makers))(
    '%s, made here, predicts the same there; trained there, here',
    async (name) => {
      const found = results.made[name] as Results['made'][string];
      expect(found.error).toBeUndefined();
      expect(found.difference).toBeLessThan(1e-5);
      expect(differences(described[name]?.config, found.config)).toEqual([]);
      expect(described[name]?.summary).toBe(found.summaries['']);
      const net = await loadModel(at('made', `${name}.trained.keras`));
      expect(summaryOf(net)).toBe(found.summaries['.trained']);
      const { inputs } = JSON.parse(fs.readFileSync(at('made', `${name}.json`), 'utf8'));
      const xs = inputs.map(({ data, shape, dtype }: never) => tensor(data, { shape, dtype }));
      const outputs = [await net.predict(xs.length === 1 ? xs[0] : xs)].flat() as Tensor[];
      for (const [i, output] of outputs.entries()) {
        const expected = found.outputs[i]?.data as number[];
        const values = await output.data();
        expect(Math.max(...expected.map((value, j) => Math.abs(value - (values[j] as number))))).toBeLessThan(
          1e-5,
        );
      }
    },
  );

  test.each(Object.keys(rules))('%s: five epochs here and five there are ten', async (rule) => {
    const found = results.curves[rule] as Results['curves'][string];
    expect(found.error).toBeUndefined();
    const wanted = (losses[rule] as readonly number[]).slice(5);
    const net = await loadModel(at('curves', `${rule}.keras.keras`));
    for (const given of [found.losses, await train(net, 5)])
      given.forEach((loss, i) => {
        expect(Math.abs(loss / (wanted[i] as number) - 1)).toBeLessThan(1e-4);
      });
  });
});
