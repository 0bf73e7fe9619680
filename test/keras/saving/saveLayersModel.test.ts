/** @file Models saved for TF.js, loaded by TF.js and by this library. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import '@tensorflow/tfjs-backend-cpu';
import '@tensorflow/tfjs-core/dist/public/chained_ops/register_all_chained_ops';
import * as tf from '@tensorflow/tfjs-core';
import * as tfl from '@tensorflow/tfjs-layers';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  FormatError,
  init,
  memory,
  mul,
  randomNormal,
  type Tensor,
  tensor,
  ValueError,
} from '../../../src/index.ts';
import { FilesTarget, type FolderTarget, loadModel } from '../../../src/io/index.ts';
import { getSourceInputs } from '../../../src/keras/graph/sourceInputs.ts';
import type { AnyModel } from '../../../src/keras/models/model.ts';
import { clearSession, input, layers, maskOf, model, sequential } from '../../../src/keras/index.ts';

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'tfjs-'));
const at = (name: string) => path.join(folder, name);
const fixtures = new URL('../../fixtures/', import.meta.url);

beforeAll(async () => {
  await init();
  await tf.setBackend('cpu');
});
beforeEach(clearSession);
afterAll(() => fs.rmSync(folder, { recursive: true }));

/** Returns the files in the form of TF.js's own handlers. */
async function artifactsOf(files: readonly File[]): Promise<tf.io.ModelArtifacts> {
  const file = (name: string) => files.find((found) => found.name === name) as File;
  const json = JSON.parse(await file('model.json').text()) as tf.io.ModelJSON;
  return tf.io.getModelArtifactsForJSON(json, async (manifest) => {
    const shards = manifest.flatMap(({ paths }) => paths).map((name) => file(name).arrayBuffer());
    return [
      manifest.flatMap(({ weights }) => weights),
      await new Blob(await Promise.all(shards)).arrayBuffer(),
    ];
  });
}

/** Values that don't repeat, unlike those of initializers. */
function randomized(net: AnyModel): AnyModel {
  for (const [i, weight] of net.weights.entries()) {
    const isVariance = weight.path.endsWith('variance');
    const values = randomNormal(weight.shape, {
      seed: i + 1,
      mean: isVariance ? 2 : 0,
      stddev: isVariance ? 0.1 : 0.2,
    });
    weight.assign(values);
    values.dispose();
  }
  return net;
}

async function inputsOf(net: AnyModel, batch = 2): Promise<Tensor[]> {
  const inputs = (net as unknown as { inputs: readonly Tensor[] }).inputs;
  return inputs.map(({ shape, dtype }, i) => {
    const sizes = [batch, ...shape.slice(1).map((size) => size ?? 5)];
    const isIndices = net.layers[0]?.className === 'Embedding';
    if (dtype === 'float32' && !isIndices) return randomNormal(sizes, { seed: 50 + i });
    const count = sizes.reduce((a, b) => a * b, 1);
    return tensor(
      Array.from({ length: count }, (_, j) => (j * 3) % 7),
      { shape: sizes, dtype },
    );
  });
}

/** Models of Keras that TF.js doesn't support, and the error message. */
const rejected: Record<string, RegExp> = {
  gru_layernorm: /reset_after/,
  lambda_model: /Lambda/,
  mbconv: /Normalization/,
};

/** Compares the predictions of a model with those of TF.js. */
async function agrees(net: AnyModel, other: tfl.LayersModel): Promise<void> {
  const xs = await inputsOf(net);
  const here = run(net, xs);
  const given = xs.map(async (x) => tf.tensor(await x.data(), [...x.shape], x.dtype as 'float32'));
  const theirs = [other.predict(await Promise.all(given))].flat();
  expect(theirs.map(({ shape }) => shape)).toEqual(here.map(({ shape }) => shape));
  for (const [i, output] of here.entries()) {
    const expected = (theirs[i] as tf.Tensor).dataSync();
    const differences = Array.from(await output.data(), (v, j) =>
      Math.abs(Number(v) - (expected[j] as number)),
    );
    expect(Math.max(...differences)).toBeLessThan(1e-5);
  }
  for (const t of [...xs, ...here]) t.dispose();
}

function run(net: AnyModel, xs: readonly Tensor[]): Tensor[] {
  const made = net as unknown as { apply(x: unknown): Tensor | Tensor[] };
  return [made.apply(xs.length === 1 ? xs[0] : xs)].flat();
}

/** Saves `net`, has TF.js and this library load it, and compares predictions and weights. */
async function travels(net: AnyModel): Promise<void> {
  const target = new FilesTarget();
  await net.save(target);
  const other = await tfl.loadLayersModel({ load: () => artifactsOf(target.files) });
  const again = await loadModel(target.files);
  await agrees(net, other);
  await agrees(again, other);
  for (const [i, weight] of again.weights.entries())
    expect(await weight.data(), weight.path).toEqual(await net.weights[i]?.data());
  again.dispose();
  other.dispose();
}

const makers: Record<string, () => unknown> = {
  images: () => {
    const x = input({ shape: [8, 8, 3] });
    let h = layers
      .conv2d({ filters: 4, kernelSize: 3, padding: 'same', dilationRate: 2, activation: 'silu' })
      .apply(x);
    h = layers.batchNormalization().apply(h);
    let g = layers
      .depthwiseConv2d({ kernelSize: 3, padding: 'same', depthMultiplier: 1, useBias: false })
      .apply(h);
    g = layers.reLU({ maxValue: 6 }).apply(g);
    h = layers.add().apply([h, g]);
    h = layers
      .zeroPadding2d({
        padding: [
          [1, 0],
          [0, 1],
        ],
      })
      .apply(h);
    h = layers.separableConv2d({ filters: 5, kernelSize: 3, strides: 2, activation: 'gelu' }).apply(h);
    h = layers.prelu({ sharedAxes: [1, 2] }).apply(h);
    h = layers.leakyReLU({ negativeSlope: 0.2 }).apply(h);
    h = layers.upSampling2d().apply(h);
    h = layers.conv2dTranspose({ filters: 3, kernelSize: 3, strides: 2, padding: 'same' }).apply(h);
    h = layers.averagePooling2d({ poolSize: 2, padding: 'same' }).apply(h);
    h = layers.maxPooling2d().apply(layers.cropping2d({ cropping: 1 }).apply(h));
    const pooled = layers.globalAveragePooling2d().apply(h);
    const flat = layers.dropout({ rate: 0.3, seed: 1 }).apply(layers.flatten().apply(h));
    const joined = layers
      .rescaling({ scale: 0.5, offset: 1 })
      .apply(layers.concatenate().apply([flat, pooled]));
    const top = layers.dense({
      units: 6,
      kernelInitializer: 'lecunNormal',
      kernelRegularizer: 'l2',
      kernelConstraint: 'maxNorm',
      biasInitializer: 'randomNormal',
    });
    const y = layers.softmax().apply(layers.reshape({ targetShape: [2, 3] }).apply(top.apply(joined)));
    return model({ inputs: x, outputs: [y, pooled] });
  },
  sequences: () =>
    sequential([
      input({ shape: [6], dtype: 'int32' }),
      layers.embedding({ inputDim: 10, outputDim: 4 }),
      layers.bidirectional({ layer: layers.lstm({ units: 3, returnSequences: true }) }),
      layers.layerNormalization(),
      layers.conv1d({ filters: 4, kernelSize: 2, padding: 'same', activation: 'selu' }),
      layers.rnn({
        cell: [layers.lstmCell({ units: 3 }), layers.simpleRNNCell({ units: 2 })],
        returnSequences: true,
      }),
      layers.timeDistributed({ layer: layers.dense({ units: 4, activation: 'softsign' }) }),
      layers.bidirectional({
        layer: layers.gru({ units: 3, resetAfter: false }),
        mergeMode: 'sum',
      }),
      layers.dense({ units: 2, activation: 'softplus' }),
    ]),
  'images in time': () => {
    const x = input({ shape: [3, 6, 5, 2] });
    const options = { strides: 2, padding: 'same', returnSequences: true, returnState: true } as const;
    const [steps, ...last] = layers
      .convLSTM2d({ filters: 2, kernelSize: 3, ...options })
      .apply(x) as never as [never, never, never];
    const small = layers.convLSTM2d({
      filters: 1,
      kernelSize: [2, 3],
      activation: 'relu',
      goBackwards: true,
    });
    return model({ inputs: x, outputs: [small.apply(steps), ...last] });
  },
  masks: () => {
    const x = input({ shape: [6], dtype: 'int32' });
    const h = layers.embedding({ inputDim: 10, outputDim: 4, maskZero: true }).apply(x);
    const states = layers.lstm({ units: 3, returnSequences: true, returnState: true }).apply(h) as never;
    const [steps, ...last] = states as [never, never, never];
    const y = layers.lstm({ units: 3 }).apply(steps, { initialState: last, mask: maskOf(steps) }) as never;
    return model({ inputs: x, outputs: layers.dense({ units: 1 }).apply(y) });
  },
  nested: () => {
    const inner = sequential([
      input({ shape: [4] }),
      layers.dense({ units: 5, activation: 'elu' }),
      layers.dense({ units: 4 }),
    ]);
    const [a, b] = [input({ shape: [4] }), input({ shape: [4] })];
    const c = input({ shape: [4] });
    const graph = model({
      inputs: c,
      outputs: layers.multiply().apply([c, layers.dense({ units: 4 }).apply(c)]),
      name: 'graph',
    });
    const joined = layers.average().apply([inner.apply(a), inner.apply(b), graph.apply(b)]);
    const shared = layers.dense({ units: 4, name: 'shared' });
    const out = layers.dot({ axes: 1 }).apply([shared.apply(joined), shared.apply(a)]);
    return model({ inputs: [a, b], outputs: [out, inner.apply(joined)] });
  },
};

describe.each(Object.keys(makers))('%s', (name) => {
  test('TF.js predicts the same, and so does this library again', async () => {
    const before = memory().tensors;
    const net = randomized(makers[name]?.() as AnyModel);
    await travels(net);
    net.dispose();
    expect(memory().tensors).toBe(before);
  });
});

describe.each(['functional_shared', 'ner_tagger', 'tiny_vgg'])('%s', (name) => {
  test('travels from Keras to TF.js', async () => {
    const net = await loadModel(fs.readFileSync(new URL(`models/${name}/model.keras`, fixtures)));
    await travels(net);
    net.dispose();
  });
});

describe('what TF.js does not have, or computes differently', () => {
  test.each(Object.keys(rejected))('%s', async (name) => {
    const options = { lambdas: { double: (x: Tensor) => x, code: (x: Tensor) => x } };
    const net = await loadModel(fs.readFileSync(new URL(`models/${name}/model.keras`, fixtures)), options);
    const target = new FilesTarget();
    await expect(net.save(target)).rejects.toThrow(rejected[name]);
    expect(target.files).toEqual([]);
    net.dispose();
  });

  const x = () => input({ shape: [4, 3], name: 'x' });
  const unfit: Record<string, [RegExp, () => unknown]> = {
    op: [/op Multiply.*'multiply'/s, () => mul(x() as never, 2)],
    'a mask of the app': [
      /a mask that was given/,
      () => layers.lstm({ units: 2 }).apply(x(), { mask: input({ shape: [4], dtype: 'bool' }) }),
    ],
    'a mask that is not used': [
      /uses the mask of a sequence.*layer 'unmasked'/s,
      () => {
        const steps = layers.masking().apply(x());
        const initialState = layers.flatten().apply(layers.dense({ units: 1 }).apply(steps));
        return layers.gru({ units: 4, name: 'unmasked' }).apply(steps, { initialState } as never);
      },
    ],
    'training: true': [/training: true/, () => layers.dropout({ rate: 0.5 }).apply(x(), { training: true })],
    'another activation': [
      /hard_sigmoid/,
      () => layers.dense({ units: 2, activation: 'hardSigmoid' }).apply(x()),
    ],
    'an activation with options': [
      /LeakyReLU with options/,
      () =>
        layers
          .dense({ units: 2, activation: { className: 'leakyRelu', config: { negativeSlope: 0.1 } } })
          .apply(x()),
    ],
    'a regularizer': [
      /kernel_regularizer/,
      () => layers.dense({ units: 2, kernelRegularizer: 'orthogonalRegularizer' }).apply(x()),
    ],
    groups: [/`groups`: 1 alone/, () => layers.conv1d({ filters: 3, kernelSize: 2, groups: 3 }).apply(x())],
    'states of images': [
      /starts from zeros/,
      () => {
        const [images, state] = [input({ shape: [2, 4, 4, 1] }), input({ shape: [4, 4, 1] })];
        const layer = layers.convLSTM2d({ filters: 1, kernelSize: 2, padding: 'same' });
        return layer.apply(images, { initialState: [state, state] as never });
      },
    ],
    'another axis': [/last axis/, () => layers.batchNormalization({ axis: 1 }).apply(x())],
    'masked steps': [
      /zero/,
      () =>
        layers
          .bidirectional({ layer: layers.lstm({ units: 2, returnSequences: true }) })
          .apply(layers.masking().apply(x())),
    ],
    'a direction of its own': [
      /both directions/,
      () =>
        layers
          .bidirectional({
            layer: layers.lstm({ units: 2 }),
            backwardLayer: layers.lstm({ units: 3, goBackwards: true }),
          })
          .apply(x()),
    ],
  };

  test.each(Object.keys(unfit))('%s', async (name) => {
    const [message, make] = unfit[name] as [RegExp, () => unknown];
    const output = make() as Parameters<typeof getSourceInputs>[0];
    const net = model({ inputs: getSourceInputs(output) as never, outputs: output as never });
    const error = await net.save(new FilesTarget()).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(FormatError);
    expect(String(error)).toMatch(message);
    net.dispose();
  });

  test('weights that TF.js would confuse', async () => {
    const part = () => sequential([input({ shape: [2] }), layers.dense({ units: 2, name: 'top' })]);
    const net = sequential([input({ shape: [2] }), part(), part()]);
    await expect(net.save(new FilesTarget())).rejects.toThrow(/'top\/kernel' twice/);
    net.dispose();
  });
});

describe('models of TF.js that were trained on', () => {
  test('go back, with the functions of their time', async () => {
    const files = ['model.json', 'weights.bin'].map(
      (name) =>
        new File([new Uint8Array(fs.readFileSync(new URL(`tfjs/sequences/${name}`, fixtures)))], name),
    );
    const net = await loadModel(files);
    await travels(net);
    await net.save(at('older.keras'));
    const again = await loadModel(at('older.keras'));
    expect(again.layers.map((layer) => layer.getConfig())).toEqual(
      net.layers.map((layer) => layer.getConfig()),
    );
    net.dispose();
    again.dispose();
  });

  test('with models inside that were called twice, and states of their own', async () => {
    const inner = tfl.sequential({
      layers: [tfl.layers.dense({ units: 3, inputShape: [3], activation: 'tanh' })],
    });
    const part = tfl.input({ shape: [3] });
    const graph = tfl.model({ inputs: part, outputs: inner.apply(part) as tfl.SymbolicTensor });
    const [a, steps] = [tfl.input({ shape: [3] }), tfl.input({ shape: [4, 2] })];
    const state = graph.apply(graph.apply(a)) as tfl.SymbolicTensor;
    const y = tfl.layers
      .gru({ units: 3, resetAfter: false } as never)
      .apply(steps, { initialState: [state] });
    const net = tfl.model({ inputs: [a, steps], outputs: [y as tfl.SymbolicTensor, state] });
    const files: File[] = [];
    await net.save({
      save: async ({ weightData, weightSpecs, ...json }) => {
        const weightsManifest = [{ paths: ['weights.bin'], weights: weightSpecs }];
        files.push(new File([JSON.stringify({ ...json, weightsManifest })], 'model.json'));
        files.push(new File([weightData as ArrayBuffer], 'weights.bin'));
        return { modelArtifactsInfo: { dateSaved: new Date(), modelTopologyType: 'JSON' } };
      },
    });
    const mine = await loadModel(files);
    await agrees(mine, net);
    mine.dispose();
    net.dispose();
  });
});

test('quantized weights are those that TF.js reads', async () => {
  const net = randomized(
    sequential([input({ shape: [5] }), layers.dense({ units: 7 }), layers.dense({ units: 3 })]) as AnyModel,
  );
  const target = new FilesTarget();
  await net.save(target);
  const json = JSON.parse(await (target.files.at(-1) as File).text()) as tf.io.ModelJSON;
  const group = json.weightsManifest[0] as tf.io.WeightsManifestConfig[number];
  const kinds = ['uint8', 'uint16', 'float16', 'uint8'] as const;
  const bytes = kinds.map((kind, i) => {
    const count = (group.weights[i] as tf.io.WeightsManifestEntry).shape.reduce((a, b) => a * b, 1);
    const stored = { uint8: Uint8Array, uint16: Uint16Array, float16: Uint16Array }[kind];
    // Every 16-bit float: denormals, infinities and NaN, too.
    return new Uint8Array(stored.from(Array.from({ length: count }, (_, j) => j * 2999 + 17)).buffer);
  });
  group.weights = group.weights.map((weight, i) => ({
    ...weight,
    quantization: { dtype: kinds[i] as 'uint8', scale: 0.0173 * (i + 1), min: -1.37 },
  }));
  group.paths = ['all.bin'];
  const all = new Blob(bytes);
  const files = [new File([JSON.stringify(json)], 'model.json'), new File([all], 'all.bin')];
  const expected = tf.io.decodeWeights(await all.arrayBuffer(), group.weights);
  const mine = await loadModel(files, { onReport: () => {} });
  for (const [i, weight] of mine.weights.entries()) {
    const values = (expected[weight.path.replace('sequential/', '')] as tf.Tensor).dataSync();
    expect(await weight.data(), kinds[i]).toEqual(new Float32Array(values));
  }
  net.dispose();
  mine.dispose();
});

describe('folders', () => {
  const small = () => sequential([input({ shape: [2] }), layers.dense({ units: 2 })]);

  test('a path, model.json in it, and shards of 4 MiB', async () => {
    const net = sequential([input({ shape: [1024] }), layers.dense({ units: 1100 })]);
    await net.save(at('wide'), { format: 'tfjs' });
    const names = fs.readdirSync(at('wide')).sort();
    expect(names.map((name) => name.replace(/-[0-9a-f]{8}/, ''))).toEqual([
      'group1-shard1of2.bin',
      'group1-shard2of2.bin',
      'model.json',
    ]);
    expect(fs.statSync(at(`wide/${names[0]}`)).size).toBe(4 << 20);
    const again = await loadModel(at('wide'));
    const [kept, found] = [await net.weights[0]?.data(), await again.weights[0]?.data()] as [
      Float32Array,
      Float32Array,
    ];
    expect(Buffer.from(found.buffer).equals(Buffer.from(kept.buffer))).toBe(true);
    again.dispose();
    // Another model in the same folder replaces it.
    const other = small();
    await other.save(at('wide/model.json'));
    expect(fs.readdirSync(at('wide')).length).toBe(2);
    net.dispose();
    other.dispose();
  });

  test('an interrupted write leaves the old model', async () => {
    const [net, other] = [randomized(small() as AnyModel), small()];
    const target = new FilesTarget();
    await net.save(target);
    const before = [...target.files];
    const full: FolderTarget = {
      writeFile: async (file) => {
        if (file.name === 'model.json') throw new Error('the disk is full');
        await target.writeFile(file);
      },
      readText: async () => (before.at(-1) as File).text(),
      remove: (name) => target.remove(name),
    };
    await expect(other.save(full)).rejects.toThrow('full');
    expect(target.files).toEqual(before);
    const again = await loadModel(target.files);
    expect(await again.weights[0]?.data()).toEqual(await net.weights[0]?.data());
    await net.save(target);
    for (const made of [net, other, again]) made.dispose();
  });

  test('an aborted save leaves the folder as it was', async () => {
    const net = small();
    const controller = new AbortController();
    const saved: number[] = [];
    const onProgress = ({ saved: bytes, total }: { saved: number; total: number }) => {
      saved.push(bytes / total);
      controller.abort();
    };
    await net.save(at('aborted'), { format: 'tfjs' });
    const names = fs.readdirSync(at('aborted'));
    const other = randomized(small() as AnyModel);
    const options = { format: 'tfjs', onProgress, signal: controller.signal } as const;
    await expect(other.save(at('aborted'), options)).rejects.toThrow('aborted');
    expect(fs.readdirSync(at('aborted'))).toEqual(names);
    expect(saved).toEqual([4 / 6]);
    net.dispose();
    other.dispose();
  });

  test('anything but a folder, and meaningless options', async () => {
    const net = small();
    await expect(net.save(3 as never, { format: 'tfjs' })).rejects.toThrow(ValueError);
    await expect(net.save(at('x'), { format: 'tfjs', includeOptimizer: true })).rejects.toThrow(
      /no optimizer/,
    );
    await expect(net.save(at('x'), { format: 'onnx' as never })).rejects.toThrow(ValueError);
    await expect(net.save(at('x.keras'), { formats: 'tfjs' } as never)).rejects.toThrow(/format/);
    net.dispose();
  });
});
