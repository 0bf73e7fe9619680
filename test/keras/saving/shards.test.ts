/** @file Models in several files: shards with an index, and unpacked `.keras` files, from every place that has folders. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { FormatError, init, memory, type Tensor, tensor } from '../../../src/index.ts';
import { BytesTarget, FilesTarget, loadModel } from '../../../src/io/index.ts';
import { clearSession, layers, sequential } from '../../../src/keras/index.ts';
import type { AnyModel } from '../../../src/keras/models/model.ts';
import { FakeFolder } from '../../support/fakeOriginFiles.ts';

const shards = fileURLToPath(new URL('../../fixtures/shards/', import.meta.url));
const unpacked = path.join(shards, 'unpacked');
const torch = path.join(shards, 'torch');
const copies = fs.mkdtempSync(path.join(os.tmpdir(), 'shards-'));

beforeAll(async () => {
  await init();
});
beforeEach(clearSession);
afterAll(() => fs.rmSync(copies, { recursive: true }));

interface Expected {
  inputs: number[][];
  outputs: number[][];
}

const expectedIn = (folder: string) =>
  JSON.parse(fs.readFileSync(path.join(folder, 'expected.json'), 'utf8')) as Expected;

/** Checks predictions against those of the library that wrote the files. */
async function expectAsWritten(model: AnyModel, folder: string) {
  const { inputs, outputs } = expectedIn(folder);
  const values = await (model.apply(tensor(inputs)) as Tensor).data();
  outputs.flat().forEach((value, i) => {
    expect(values[i]).toBeCloseTo(value, 5);
  });
}

/** The files of a folder, as a page gets them when it is dropped. */
function filesOf(folder: string, prefix = 'dropped/'): File[] {
  return fs
    .readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name !== 'expected.json')
    .map(({ name }) => {
      const file = new File([fs.readFileSync(path.join(folder, name))], name);
      if (prefix) Object.defineProperty(file, 'webkitRelativePath', { value: prefix + name });
      return file;
    });
}

/** The handle of a folder that the user chose. */
async function handleOf(folder: string): Promise<FileSystemDirectoryHandle> {
  const root = new FakeFolder('chosen');
  for (const file of filesOf(folder)) {
    const handle = await root.getFileHandle(file.name, { create: true });
    handle.bytes = [new Uint8Array(await file.arrayBuffer())];
  }
  return root as never;
}

/** Copies a folder, without expected.json, so that a test may change it. */
function copyOf(folder: string): string {
  const copy = fs.mkdtempSync(path.join(copies, 'copy-'));
  for (const { name } of filesOf(folder)) fs.copyFileSync(path.join(folder, name), path.join(copy, name));
  return copy;
}

const kerasNet = () =>
  sequential([
    layers.inputLayer({ shape: [6] }),
    layers.dense({ units: 40, activation: 'relu' }),
    layers.reshape({ targetShape: [8, 5] }),
    layers.lstm({ units: 10 }),
    layers.batchNormalization(),
    layers.dense({ units: 3 }),
  ]);
const torchNet = () =>
  sequential([
    layers.inputLayer({ shape: [6] }),
    layers.dense({ units: 40, name: 'wide' }),
    layers.dense({ units: 3, name: 'head' }),
  ]);

describe.each([
  ['of Keras', shards, 'model.weights.json', kerasNet, 'keras'],
  ['of Hugging Face', torch, 'model.safetensors.index.json', torchNet, 'pytorch'],
] as const)('weights in shards %s', (_, folder, index, network, naming) => {
  test.each([
    ['a path', async () => path.join(folder, index)],
    ['the path of a folder', async () => copyOf(folder)],
    ['the files of a dropped folder', async () => filesOf(folder)],
    ['files dropped individually', async () => filesOf(folder, '')],
    ['the handle of a folder', () => handleOf(folder)],
  ])('are read from %s', async (_, source) => {
    const model = network();
    const report = await model.loadWeights(await source());
    expect(report.loaded).toHaveLength(model.weights.length);
    expect(report.naming).toBe(naming);
    await expectAsWritten(model, folder);
    model.dispose();
  });

  test('a missing shard is named, and no weight changes', async () => {
    const copy = copyOf(folder);
    const last = fs
      .readdirSync(copy)
      .filter((name) => !name.endsWith('.json'))
      .at(-1) as string;
    fs.rmSync(path.join(copy, last));
    const model = network();
    const before = await Promise.all(model.weights.map((weight) => weight.array()));
    const tensors = memory().tensors;
    await expect(model.loadWeights(copy)).rejects.toThrow(last);
    await expect(model.loadWeights(filesOf(copy))).rejects.toThrow(`'${last}' is among the files`);
    expect(await Promise.all(model.weights.map((weight) => weight.array()))).toEqual(before);
    expect(memory().tensors).toBe(tensors);
  });

  test.each([
    ['a list', [], /weight_map is an object/],
    [
      'a file of another folder',
      { a: '../secret.h5' },
      /'a'[\s\S]*folder of the index|folder of the index[\s\S]*'a'/,
    ],
    ['an absolute path', { a: ['/etc/passwd'] }, /folder of the index/],
    ['a number', { a: 3 }, /folder of the index/],
    ['no file', { a: [] }, /folder of the index/],
  ])('an index with %s is rejected', async (_, map, message) => {
    const copy = copyOf(folder);
    fs.writeFileSync(path.join(copy, index), JSON.stringify({ weight_map: map }));
    const loading = network().loadWeights(path.join(copy, index));
    await expect(loading).rejects.toThrow(FormatError);
    await expect(loading).rejects.toThrow(message);
  });

  test('a tensor that the index places elsewhere, and one in two shards', async () => {
    const copy = copyOf(folder);
    const at = path.join(copy, index);
    const json = JSON.parse(fs.readFileSync(at, 'utf8'));
    const [first] = Object.values(json.weight_map).flat() as string[];
    fs.writeFileSync(at, JSON.stringify({ weight_map: { ...json.weight_map, absent: first } }));
    await expect(network().loadWeights(copy)).rejects.toThrow(/hold what the index says[\s\S]*'absent'/);
    fs.copyFileSync(path.join(copy, first as string), path.join(copy, `twin_${first}`));
    fs.writeFileSync(at, JSON.stringify({ weight_map: { ...json.weight_map, absent: `twin_${first}` } }));
    await expect(network().loadWeights(copy)).rejects.toThrow(/in one (file|shard)/);
  });
});

describe('weights written in shards', () => {
  const kilobyte = 2 ** -20;

  test.each([
    ['model.weights.json', /^model_\d{5}\.weights\.h5$/, 'h5'],
    ['model.safetensors', /^model-\d{5}-of-\d{5}\.safetensors$/, 'safetensors'],
  ])('%s: read again, and smaller ones replace the older', async (name, shard, end) => {
    const folder = fs.mkdtempSync(path.join(copies, 'written-'));
    const given = path.join(folder, name);
    const index = name === 'model.safetensors' ? `${given}.index.json` : given;
    const model = kerasNet();
    model.compile({ optimizer: 'adam', loss: 'mse' });
    const sizes: number[] = [];
    for (const maxShardSize of [kilobyte, 2 * kilobyte]) {
      await model.saveWeights(given, { maxShardSize });
      const shardsThere = fs.readdirSync(folder).filter((file) => file.endsWith(end));
      expect(shardsThere.every((file) => shard.test(file))).toBe(true);
      const { weight_map: map } = JSON.parse(fs.readFileSync(index, 'utf8'));
      expect(new Set(Object.values(map).flat())).toEqual(new Set(shardsThere));
      sizes.push(shardsThere.length);
      const other = kerasNet();
      await other.loadWeights(index);
      const values = (net: typeof model) => Promise.all(net.weights.map((weight) => weight.array()));
      expect(await values(other)).toEqual(await values(model));
    }
    expect(sizes[0]).toBeGreaterThan(sizes[1] as number);
    expect(sizes[1]).toBeGreaterThan(1);
  });

  test('files in memory, and targets of one file', async () => {
    const model = kerasNet();
    const target = new FilesTarget();
    await model.saveWeights(target, { maxShardSize: 1 });
    expect(target.files.map(({ name }) => name)).toEqual(['model_00000.weights.h5', 'model.weights.json']);
    await kerasNet().loadWeights(target.files);
    await expect(model.saveWeights(new BytesTarget(), { maxShardSize: 1 })).rejects.toThrow(/folder/);
    await expect(model.saveWeights(target, { maxShardSize: 0 })).rejects.toThrow(/gigabytes/);
  });
});

test("shards with the sum of a weight and its adapter have no state of the optimizer, which is the adapter's", async () => {
  const dense = layers.dense({ units: 2 });
  const model = sequential([layers.input({ shape: [3] }), dense]);
  dense.enableLora(1);
  model.compile({ optimizer: 'adam', loss: 'mse' });
  await model.fit(tensor([[1, 2, 3]]), tensor([[1, 2]]), { verbose: 0 });
  const target = new FilesTarget();
  await model.saveWeights(target, { maxShardSize: 1 });
  const { weight_map: map } = JSON.parse((await target.files.at(-1)?.text()) as string);
  expect(Object.keys(map).filter((path) => path.includes('optimizer'))).toEqual([]);
  expect(Object.keys(map)).toContain('/layers/dense/vars');
});

describe('an unpacked .keras file', () => {
  test.each([
    ['a path', async () => path.join(unpacked, 'config.json')],
    ['the path of a folder', async () => unpacked],
    ['the files of a dropped folder', async () => filesOf(unpacked)],
    ['the handle of a folder', () => handleOf(unpacked)],
  ])('is loaded from %s, with its optimizer', async (_, source) => {
    const model = await loadModel(await source());
    await expectAsWritten(model, shards);
    expect(model.optimizer?.iterations).toBe(1);
    model.dispose();
  });

  test('its weights may be in shards', async () => {
    const copy = copyOf(shards);
    for (const name of ['config.json', 'metadata.json'])
      fs.copyFileSync(path.join(unpacked, name), path.join(copy, name));
    for (const source of [copy, filesOf(copy), await handleOf(copy)]) {
      const model = await loadModel(source);
      await expectAsWritten(model, shards);
      expect(model.optimizer?.iterations).toBe(1);
      model.dispose();
    }
  });

  test('loadWeights reads it, too', async () => {
    const model = kerasNet();
    await model.loadWeights(unpacked);
    await expectAsWritten(model, shards);
  });

  test('a config.json alone says what is missing', async () => {
    const bytes = fs.readFileSync(path.join(unpacked, 'config.json'));
    await expect(loadModel(new File([bytes], 'config.json'))).rejects.toThrow(/model\.weights\.h5/);
  });
});

test('a folder with several models asks which', async () => {
  const copy = copyOf(shards);
  fs.copyFileSync(path.join(copy, 'model.weights.json'), path.join(copy, 'other.weights.json'));
  await expect(kerasNet().loadWeights(copy)).rejects.toThrow(/model\.weights\.json, other\.weights\.json/);
  const empty = fs.mkdtempSync(path.join(copies, 'empty-'));
  await expect(loadModel(empty)).rejects.toThrow(/no files/);
  fs.writeFileSync(path.join(empty, 'saved_model.pb'), 'x');
  fs.writeFileSync(path.join(empty, 'fingerprint.pb'), 'x');
  await expect(loadModel(empty)).rejects.toThrow(/SavedModel/);
});

test('a model cannot be loaded from an index of weights', async () => {
  await expect(loadModel(path.join(shards, 'model.weights.json'))).rejects.toThrow(/only weights/);
});
