/** @file What is saved is as it was at the call, whatever the model does until it is written. Saving lets other tasks run. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { init, ones, type Variable, zerosLike } from '../../../src/index.ts';
import { BytesTarget, loadModel } from '../../../src/io/index.ts';
import { layers, type Sequential, sequential } from '../../../src/keras/index.ts';
import type { Dense } from '../../../src/keras/layers/core/dense.ts';
import { tensorCount } from '../../../src/tensor/tensor.ts';
import { stopTicking, tick } from '../../support/tick.ts';

beforeAll(() => init());
afterEach(stopTicking);

function trained(): Sequential {
  const net = sequential([
    layers.inputLayer({ shape: [3] }),
    layers.dense({ units: 4, activation: 'tanh' }),
    layers.dropout({ rate: 0.5, seed: 5 }),
    layers.dense({ units: 1 }),
  ]);
  net.compile({ optimizer: 'adam', loss: 'mse' });
  return net;
}

const step = (net: Sequential) => net.trainOnBatch(ones([2, 3]), ones([2, 1]));

async function valuesOf(variables: readonly { data(): Promise<ArrayLike<number>> }[]): Promise<number[][]> {
  return Promise.all(variables.map(async (variable) => [...Array.from(await variable.data())]));
}

const stateOf = (net: Sequential) => valuesOf([...net.weights, ...(net.optimizer?.variables ?? [])] as never);

/** Everything that a model may do while it is saved. */
async function goOn(net: Sequential): Promise<void> {
  for (const weight of net.weights) weight.assign(zerosLike(weight));
  await step(net);
  await step(net);
}

describe('saving that is not awaited', () => {
  test('has the weights, the optimizer and the seeds of the call', async () => {
    const net = trained();
    await step(net);
    const before = await stateOf(net);
    const position = net.layers[1] as unknown as { seeds?: unknown };
    expect(position).toBeDefined();
    const target = new BytesTarget();
    const saving = net.save(target);
    await goOn(net);
    await saving;
    const loaded = (await loadModel(target.bytes)) as unknown as Sequential;
    expect(await stateOf(loaded)).toEqual(before);
    // The same random numbers follow.
    const again = (await loadModel(target.bytes)) as unknown as Sequential;
    expect(await valuesOf([await step(loaded).then(() => loaded.weights[0] as Variable)])).toEqual(
      await valuesOf([await step(again).then(() => again.weights[0] as Variable)]),
    );
    for (const made of [net, loaded, again]) made.dispose();
  });

  test('leaves the model as it goes on', async () => {
    const [alone, saved] = [trained(), trained()];
    alone.setWeights(saved.weights.map((weight) => weight) as never);
    await step(alone);
    await step(saved);
    const saving = saved.save(new BytesTarget());
    await Promise.all([saving, goOn(saved)]);
    await goOn(alone);
    expect(await stateOf(saved)).toEqual(await stateOf(alone));
    for (const made of [alone, saved]) made.dispose();
  });

  const folder = () => fs.mkdtempSync(path.join(os.tmpdir(), 'retrograd-held-'));
  test.each([
    ['weights of Keras', 'w.weights.h5', {}],
    ['safetensors', 'w.safetensors', {}],
    ['shards of Keras', 'w.weights.json', { maxShardSize: 1e-8 }],
    ['shards of safetensors', 'w.safetensors', { maxShardSize: 1e-8 }],
  ])('has the weights of the call: %s', async (_name, name, options) => {
    const net = trained();
    await step(net);
    const before = await valuesOf(net.weights as never);
    const at = folder();
    const saving = net.saveWeights(path.join(at, name), options);
    await goOn(net);
    await saving;
    const fresh = trained();
    const file =
      'maxShardSize' in options && name.endsWith('.safetensors') ? 'w.safetensors.index.json' : name;
    await fresh.loadWeights(path.join(at, file));
    expect(await valuesOf(fresh.weights as never)).toEqual(before);
    fs.rmSync(at, { recursive: true });
    for (const made of [net, fresh]) made.dispose();
  });

  test('has the weights of the call: TF.js', async () => {
    const net = trained();
    const before = await valuesOf(net.weights as never);
    const at = folder();
    const saving = net.save(at, { format: 'tfjs' });
    await goOn(net);
    await saving;
    const loaded = await loadModel(path.join(at, 'model.json'));
    expect(await valuesOf(loaded.weights as never)).toEqual(before);
    fs.rmSync(at, { recursive: true });
    for (const made of [net, loaded]) made.dispose();
  });

  test('has the sum of a weight and its adapter at the call', async () => {
    const net = trained();
    const dense = net.layers[0] as unknown as Dense;
    dense.enableLora(2);
    for (const weight of net.weights) if (weight.name?.includes('lora')) weight.assign(ones(weight.shape));
    const same = new BytesTarget();
    await net.save(same);
    const target = new BytesTarget();
    const saving = net.save(target);
    for (const weight of net.weights) weight.assign(zerosLike(weight));
    await saving;
    const [expected, loaded] = [await loadModel(same.bytes), await loadModel(target.bytes)];
    // The adapters of a loaded model are new.
    const saved = ({ weights }: typeof loaded) =>
      valuesOf(weights.filter(({ name }) => !name?.includes('lora')) as never);
    const values = await saved(expected);
    expect(values.flat().some((value) => value !== 0)).toBe(true);
    expect(await saved(loaded)).toEqual(values);
    for (const made of [net, expected, loaded]) made.dispose();
  });
});

test('a model that is disposed of while it is saved rejects, or is saved whole', async () => {
  const net = trained();
  const before = tensorCount();
  const saving = net.save(new BytesTarget());
  net.dispose();
  await expect(saving).rejects.toThrow(/dispose/);
  expect(tensorCount()).toBeLessThan(before);
});

test('saving yields for each layer: in its description, its weights and the layout of the file, before anything is written', async () => {
  const count = 30;
  const net = sequential([
    layers.inputLayer({ shape: [2] }),
    ...Array.from({ length: count }, () => layers.dense({ units: 2 })),
  ]);
  const counted = tick();
  let before = 0;
  const write = () => {
    before ||= counted.yields;
  };
  await net.save(new WritableStream({ write }));
  expect(before).toBeGreaterThan(2 * count);
  expect(counted.yields).toBeGreaterThan(5 * count);
  net.dispose();
});

test.each([1, 20, 70])('saving that is aborted at yield %i of its preparation writes nothing', async (at) => {
  const net = sequential([
    layers.inputLayer({ shape: [2] }),
    ...Array.from({ length: 30 }, () => layers.dense({ units: 2 })),
  ]);
  const controller = new AbortController();
  const counted = tick((yields) => {
    if (yields === at) controller.abort(new Error('enough'));
  });
  const target = new BytesTarget();
  await expect(net.save(target, { signal: controller.signal })).rejects.toThrow('enough');
  expect(counted.yields).toBe(at);
  net.dispose();
});
