/** @file Layers models of TF.js: from Keras 2, from TF.js itself, quantized, and damaged. */
import fs from 'node:fs';
import { fileURLToPath } from 'node:url';
import '@tensorflow/tfjs-backend-cpu';
import '@tensorflow/tfjs-core/dist/public/chained_ops/register_all_chained_ops';
import '@tensorflow/tfjs-core/dist/register_all_gradients';
import * as tf from '@tensorflow/tfjs-core';
import * as tfl from '@tensorflow/tfjs-layers';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { numberToFloat16 } from '../../../src/core/float16.ts';
import { FormatError, init, memory, type Tensor, tensor } from '../../../src/index.ts';
import { type HostTensor, loadModel, readSafetensors } from '../../../src/io/index.ts';
import { clearSession } from '../../../src/keras/index.ts';

const fixtures = new URL('../../fixtures/', import.meta.url);
const at = (path: string) => fileURLToPath(new URL(path, fixtures));
const read = (path: string) => fs.readFileSync(at(path));
/** Files as they are dropped on a page. */
const dropped = (folder: string) =>
  fs.readdirSync(at(folder)).map((name) => new File([new Uint8Array(read(`${folder}/${name}`))], name));

beforeAll(async () => {
  await init();
  await tf.setBackend('cpu');
});
beforeEach(clearSession);

type Model = Awaited<ReturnType<typeof loadModel>>;

async function furthest(net: Model, x: HostTensor, expected: ArrayLike<number>) {
  const input = tensor(x.data as Float32Array, { shape: [...x.shape] });
  const output = (net as unknown as { apply(x: Tensor): Tensor }).apply(input);
  const values = await output.data();
  input.dispose();
  output.dispose();
  return Math.max(...Array.from(expected, (value, i) => Math.abs(value - Number(values[i]))));
}

describe('cells and models inside layers, as TF.js describes them', () => {
  const { layers } = tfl;
  const stack = (...parts: tfl.layers.Layer[]) => tfl.sequential({ layers: parts });
  const inputShape = [4, 2];
  const networks: Record<string, () => tfl.Sequential> = {
    'a model at each step': () => {
      const inner = stack(
        layers.dense({ units: 3, activation: 'tanh', inputShape: [2] }),
        layers.dense({ units: 2 }),
      );
      return stack(layers.timeDistributed({ layer: inner as never, inputShape }));
    },
    'one cell': () => stack(layers.rnn({ cell: layers.gruCell({ units: 3 }), inputShape })),
    'stacked cells': () => {
      const cells = [layers.lstmCell({ units: 3 }), layers.simpleRNNCell({ units: 2 })];
      return stack(
        layers.rnn({ cell: layers.stackedRNNCells({ cells }), returnSequences: true, inputShape }),
      );
    },
    'a threshold': () =>
      stack(layers.dense({ units: 4, inputShape }), layers.thresholdedReLU({ theta: 0.2 })),
  };

  test.each(Object.keys(networks))('%s', async (name) => {
    const theirs = (networks[name] as () => tfl.Sequential)();
    const files: File[] = [];
    const save = async ({ weightData, weightSpecs, ...rest }: tf.io.ModelArtifacts) => {
      const manifest = [{ paths: ['weights.bin'], weights: weightSpecs }];
      files.push(new File([JSON.stringify({ ...rest, weightsManifest: manifest })], 'model.json'));
      files.push(new File([weightData as ArrayBuffer], 'weights.bin'));
      return { modelArtifactsInfo: { dateSaved: new Date(), modelTopologyType: 'JSON' as const } };
    };
    await theirs.save({ save });
    const data = Float32Array.from({ length: 16 }, (_, i) => Math.sin(i * 1.3));
    const expected = (theirs.predict(tf.tensor(data, [2, 4, 2])) as tf.Tensor).dataSync();
    const net = await loadModel(files);
    expect(await furthest(net, { data, shape: [2, 4, 2], dtype: 'float32' }, expected)).toBeLessThan(1e-5);
    net.dispose();
  });
});

describe("Keras 2's mlp_classifier", () => {
  const expected = readSafetensors(read('tfjs/mlp_classifier/expected.safetensors')).tensors;
  const x = expected.get('x0') as HostTensor;

  test.each(['tfjs', 'tfjs_uint8'])('%s', async (variant) => {
    const before = memory().tensors;
    const net = await loadModel(at(`tfjs/mlp_classifier/${variant}/model.json`));
    expect(net.layers.map(({ className }) => className)).toEqual(['Dense', 'Dense']);
    for (const weight of net.weights) {
      const stored = expected.get(`${variant}/weights/${weight.path}`);
      expect(await weight.data(), weight.path).toEqual(stored?.data);
    }
    const output = expected.get(`${variant}/output0`) as HostTensor;
    expect(await furthest(net, x, output.data)).toBeLessThan(1e-5);
    net.dispose();
    expect(memory().tensors).toBe(before);
  });

  test.each(['float16', 'uint16'] as const)(
    'weights quantized to %s, as TF.js decodes them',
    async (dtype) => {
      const json = JSON.parse(read('tfjs/mlp_classifier/tfjs/model.json').toString());
      const [{ paths, weights }] = json.weightsManifest;
      const floats = new Float32Array(new Uint8Array(read(`tfjs/mlp_classifier/tfjs/${paths[0]}`)).buffer);
      const [min, scale] = [-2, 2 ** -13];
      const stored = Uint16Array.from(floats, (value) =>
        dtype === 'float16' ? numberToFloat16(value) : Math.round((value - min) / scale),
      );
      for (const weight of weights)
        weight.quantization =
          dtype === 'float16' ? { dtype } : { dtype, min, scale, original_dtype: 'float32' };
      const files = [new File([JSON.stringify(json)], 'model.json'), new File([stored], paths[0])];
      const decoded = tf.io.decodeWeights(stored.buffer, weights);
      const net = await loadModel(files);
      for (const weight of net.weights) {
        const [, expected] = Object.entries(decoded).find(([name]) => weight.path.endsWith(name)) ?? [];
        expect(await weight.data()).toEqual(expected?.dataSync());
      }
      net.dispose();
    },
  );

  test('a folder, dropped files, and weights alone', async () => {
    const folder = await loadModel(at('tfjs/mlp_classifier/tfjs'));
    const files = await loadModel(dropped('tfjs/mlp_classifier/tfjs_uint8'));
    await files.loadWeights(dropped('tfjs/mlp_classifier/tfjs'));
    for (const [i, weight] of files.weights.entries())
      expect(await weight.data()).toEqual(await folder.weights[i]?.data());
    folder.dispose();
    files.dispose();
  });

  test('a server', async () => {
    const requested: string[] = [];
    const real = globalThis.fetch;
    globalThis.fetch = async (given) => {
      const url = String(given);
      requested.push(url);
      const name = url.replace(/^.*\/|\?.*$/g, '');
      return new Response(new Uint8Array(read(`tfjs/mlp_classifier/tfjs/${name}`)));
    };
    try {
      const net = await loadModel('https://models.example/a/model.json?v=2');
      expect(requested).toContain('https://models.example/a/group1-shard1of1.bin?v=2');
      net.dispose();
    } finally {
      globalThis.fetch = real;
    }
  });

  test('model.json alone', async () => {
    const file = 'model.json';
    const error = await loadModel(read('tfjs/mlp_classifier/tfjs/model.json'), { file }).catch(
      (e: unknown) => e,
    );
    expect(error).toBeInstanceOf(FormatError);
    expect(String(error)).toMatch(/shards/);
  });
});

describe('models of TF.js', () => {
  test.each(['images', 'sequences'])('%s', async (name) => {
    const before = memory().tensors;
    const net = await loadModel(dropped(`tfjs/${name}`).filter((file) => file.name !== 'io.json'));
    const { x, y } = JSON.parse(read(`tfjs/${name}/io.json`).toString()) as {
      x: { shape: number[]; data: number[] }[];
      y: { data: number[] };
    };
    const { shape, data } = x[0] as { shape: number[]; data: number[] };
    const input: HostTensor = { shape, dtype: 'float32', data: Float32Array.from(data) };
    expect(await furthest(net, input, y.data)).toBeLessThan(1e-5);
    net.dispose();
    expect(memory().tensors).toBe(before);
  });
});

describe('damaged models', () => {
  const messages: Record<string, RegExp> = {
    tfjs_valid: /^$/,
    tfjs_short_shard: /bytes/,
    tfjs_long_shard: /bytes/,
    tfjs_missing_shard: /group1-shard1of1\.bin/,
    tfjs_path_traversal: /folder of model\.json.*\n.*\.\.\/group1/,
    tfjs_absolute_url: /folder of model\.json/,
    tfjs_unknown_quantization: /uint8/,
    tfjs_graph_model: /a graph model/,
    tfjs_missing_topology: /only (the )?weights/,
    tfjs_missing_weight: /84 bytes/,
    tfjs_wrong_shape: /float32\[/,
  };

  test.each(Object.keys(messages))('%s', async (name) => {
    const before = memory().tensors;
    const found = await loadModel(at(`malformed/${name}/model.json`)).catch((e: unknown) => e);
    if (name === 'tfjs_valid') {
      (found as Model).dispose();
    } else {
      expect(found).toBeInstanceOf(FormatError);
      expect(String(found)).toMatch(messages[name] as RegExp);
      expect(String(found)).toMatch(/model\.json|group1/);
    }
    expect(memory().tensors).toBe(before);
  });

  test('a name that is an object without text', async () => {
    const json = read('malformed/tfjs_valid/model.json')
      .toString()
      .replace('"name": "d1"', '"name": {"toString": 1}');
    const shard = new File(
      [new Uint8Array(read('malformed/tfjs_valid/group1-shard1of1.bin'))],
      'group1-shard1of1.bin',
    );
    const found = await loadModel([new File([json], 'model.json'), shard]).catch((e: unknown) => e);
    expect(found).toBeInstanceOf(FormatError);
  });
});
