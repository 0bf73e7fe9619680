/** @file Training that continues in TF.js, and then here: the optimizer's state in layers models. */
import '@tensorflow/tfjs-backend-cpu';
import '@tensorflow/tfjs-core/dist/public/chained_ops/register_all_chained_ops';
import '@tensorflow/tfjs-core/dist/register_all_gradients';
import * as tf from '@tensorflow/tfjs-core';
import * as tfl from '@tensorflow/tfjs-layers';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { init, randomNormal, tensor, ValueError } from '../../../src/index.ts';
import { FilesTarget, loadModel } from '../../../src/io/index.ts';
import { clearSession, input, layers, optimizers, sequential } from '../../../src/keras/index.ts';
import type { AnyModel } from '../../../src/keras/models/model.ts';

beforeAll(async () => {
  await init();
  await tf.setBackend('cpu');
});
beforeEach(clearSession);

const rows = Array.from({ length: 24 }, (_, i) => Math.sin(i * 1.7));
const targets = Array.from({ length: 8 }, (_, i) => Number(i % 3 === 0));
const epochs = 3;

async function train(net: AnyModel): Promise<number[]> {
  const [x, y] = [tensor(rows, { shape: [8, 3] }), tensor(targets, { shape: [8, 1] })];
  const { history } = await net.fit(x, y, { epochs, batchSize: 4, shuffle: false, verbose: 0 });
  for (const t of [x, y]) t.dispose();
  return [...(history.loss as number[])];
}

async function trainInTfjs(net: tfl.LayersModel): Promise<number[]> {
  const [x, y] = [tf.tensor(rows, [8, 3]), tf.tensor(targets, [8, 1])];
  const { history } = await net.fit(x, y, {
    epochs,
    batchSize: 4,
    shuffle: false,
    yieldEvery: 'never',
    verbose: 0,
  });
  return history.loss as number[];
}

/** Values that don't depend on earlier models. */
function network(
  optimizer: unknown,
  options: object = { loss: 'binaryCrossentropy', metrics: ['mae'] },
): AnyModel {
  const net = sequential([
    input({ shape: [3] }),
    layers.dense({ units: 4, activation: 'tanh' }),
    layers.batchNormalization(),
    layers.dense({ units: 1, activation: 'sigmoid' }),
  ]);
  for (const [i, weight] of net.weights.entries()) {
    if (!weight.path.endsWith('kernel')) continue;
    const values = randomNormal(weight.shape, { seed: i + 1, stddev: 0.5 });
    weight.assign(values);
    values.dispose();
  }
  net.compile({ optimizer, ...options } as never);
  return net as unknown as AnyModel;
}

async function inTfjs(files: readonly File[]): Promise<tfl.LayersModel> {
  const file = (name: string) => files.find((found) => found.name === name) as File;
  const json = JSON.parse(await file('model.json').text()) as tf.io.ModelJSON;
  const load = async (manifest: tf.io.WeightsManifestConfig) => {
    const shards = await Promise.all(
      manifest.flatMap(({ paths }) => paths).map((name) => file(name).arrayBuffer()),
    );
    return [manifest.flatMap(({ weights }) => weights), await new Blob(shards).arrayBuffer()] as never;
  };
  return tfl.loadLayersModel({ load: () => tf.io.getModelArtifactsForJSON(json, load) });
}

/** Returns the files that TF.js writes. */
async function savedByTfjs(net: tfl.LayersModel): Promise<File[]> {
  const files: File[] = [];
  const save = async ({ weightData, weightSpecs, ...rest }: tf.io.ModelArtifacts) => {
    const manifest = [{ paths: ['weights.bin'], weights: weightSpecs }];
    files.push(new File([JSON.stringify({ ...rest, weightsManifest: manifest })], 'model.json'));
    files.push(new File([weightData as ArrayBuffer], 'weights.bin'));
    return { modelArtifactsInfo: { dateSaved: new Date(), modelTopologyType: 'JSON' as const } };
  };
  await net.save({ save }, { includeOptimizer: true });
  return files;
}

const rules: Record<string, () => unknown> = {
  SGD: () => optimizers.sgd({ learningRate: 0.1 }),
  momentum: () => optimizers.sgd({ learningRate: 0.05, momentum: 0.9 }),
  Nesterov: () => optimizers.sgd({ learningRate: 0.05, momentum: 0.8, nesterov: true }),
  Adam: () => optimizers.adam({ learningRate: 0.02, beta1: 0.8, beta2: 0.99 }),
  Adagrad: () => optimizers.adagrad({ learningRate: 0.1, initialAccumulatorValue: 0.2 }),
  RMSprop: () => optimizers.rmsprop({ learningRate: 0.01 }),
  'RMSprop with momentum': () => optimizers.rmsprop({ learningRate: 0.005, rho: 0.8, momentum: 0.5 }),
};

/** Each in another form; all of them in `npm run test:tfjs`. */
const tried = process.env.RETROGRAD_TFJS_MODELS ? Object.keys(rules) : ['Nesterov', 'Adam', 'RMSprop'];

describe('three epochs here, three in TF.js and three here are nine', () => {
  test.each(tried)('%s', async (rule) => {
    const alone = network(rules[rule]?.());
    const expected = [...(await train(alone)), ...(await train(alone)), ...(await train(alone))];
    const net = network(rules[rule]?.());
    const losses = await train(net);
    const target = new FilesTarget();
    await net.save(target, { includeOptimizer: true });
    const other = await inTfjs(target.files);
    losses.push(...(await trainInTfjs(other)));
    const back = await loadModel(await savedByTfjs(other));
    losses.push(...(await train(back)));
    expect(losses.length).toBe(expected.length);
    losses.forEach((loss, i) => {
      expect(Math.abs(loss / (expected[i] as number) - 1)).toBeLessThan(1e-4);
    });
    expect(back.optimizer?.iterations).toBe(alone.optimizer?.iterations);
    for (const made of [alone, net, other, back]) made.dispose();
  });
});

describe('what TF.js cannot continue', () => {
  const unfit: Record<string, [RegExp, unknown, object?]> = {
    'another optimizer': [/Nadam/, optimizers.nadam()],
    'a schedule': [
      /schedule/,
      optimizers.sgd({
        learningRate: optimizers.schedules.exponentialDecay({
          initialLearningRate: 0.1,
          decaySteps: 2,
          decayRate: 0.5,
        }),
      }),
    ],
    clipping: [/clipnorm: 1/, optimizers.adam({ clipnorm: 1 })],
    amsgrad: [/amsgrad: true/, optimizers.adam({ amsgrad: true })],
    centered: [/centered: true/, optimizers.rmsprop({ centered: true })],
    'another loss': [/huber/, 'sgd', { loss: 'huber' }],
    'a loss of its own': [/functions/, 'sgd', { loss: (_: unknown, y: unknown) => y }],
  };

  test.each(Object.keys(unfit))('%s', async (name) => {
    const [message, optimizer, options] = unfit[name] as [RegExp, unknown, object?];
    const net = network(optimizer, options);
    const error = await net.save(new FilesTarget(), { includeOptimizer: true }).catch((e: unknown) => e);
    expect(error).toBeInstanceOf(ValueError);
    expect(String(error)).toMatch(message);
    const target = new FilesTarget();
    await net.save(target);
    const again = await loadModel(target.files);
    expect(again.compileOptions ?? null).toBeNull();
    for (const made of [net, again]) made.dispose();
  });
});
