/** @file A loaded tensor knows its file: for every format, and for every source. */
import fs from 'node:fs';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { explainHistory, init } from '../../src/index.ts';
import {
  BytesTarget,
  type FileSource,
  loadCheckpoint,
  loadModel,
  loadTensors,
  loadWeights,
  saveCheckpoint,
} from '../../src/io/index.ts';
import { clearSession, input, layers, sequential } from '../../src/keras/index.ts';
import { FakeFolder } from '../support/fakeOriginFiles.ts';

const fixtures = new URL('../fixtures/', import.meta.url);
const at = (file: string) => fileURLToPath(new URL(file, fixtures));
const read = (file: string) => fs.readFileSync(at(file));
const fileOf = (file: string, name = file.slice(file.lastIndexOf('/') + 1)) => new File([read(file)], name);

beforeAll(async () => {
  await init();
});
beforeEach(clearSession);
afterAll(() => vi.unstubAllGlobals());

const origin = (of: unknown) => {
  const { cause, why } = explainHistory(of);
  return [cause, /'[^']*'/.exec(why)?.[0]];
};

const mlp = 'models/mlp_classifier';

test.each([
  ['a .keras file, with its optimizer', () => fileOf(`${mlp}/trained.keras`)],
  ['an older .h5', () => fileOf(`${mlp}/model.h5`)],
  ['a model.json of TF.js', () => at('tfjs/mlp_classifier/tfjs/model.json')],
  ['a folder of TF.js', () => at('tfjs/mlp_classifier/tfjs')],
])('models from %s', async (_, make) => {
  const source = make();
  const net = await loadModel(source);
  const name = source instanceof File ? source.name : source.replace(/(\/model\.json)?$/, '/model.json');
  for (const weight of net.weights) expect(origin(weight), weight.path).toEqual(['loaded', `'${name}'`]);
  const slots = (net.optimizer?.variables ?? []).filter((variable) => variable.shape.length > 0);
  for (const slot of slots) expect(origin(slot)).toEqual(['loaded', `'${name}'`]);
  if (source instanceof File && source.name === 'trained.keras') expect(slots.length).toBeGreaterThan(0);
  net.dispose();
});

test.each([
  `${mlp}/model.keras`,
  `${mlp}/model.weights.h5`,
  `${mlp}/model.h5`,
  `${mlp}/weights.safetensors`,
  'tfjs/mlp_classifier/tfjs/model.json',
])('weights of %s', async (file) => {
  const net = await loadModel(at(`${mlp}/model.keras`));
  await net.loadWeights(at(file));
  for (const weight of net.weights) expect(origin(weight), weight.path).toEqual(['loaded', `'${at(file)}'`]);
  net.dispose();
});

test('sources give their names, or the name that is passed', async () => {
  const root = new FakeFolder();
  const storage = { value: { getDirectory: async () => root } };
  vi.stubGlobal('navigator', Object.create(globalThis.navigator, { storage }));
  vi.stubGlobal('fetch', async (url: string) => {
    const response = new Response(read(`${mlp}/model.keras`));
    return Object.defineProperty(response, 'url', { value: url });
  });
  const net = await loadModel(at(`${mlp}/model.keras`));
  await net.save('opfs://nets/net.keras');
  const bytes = new Uint8Array(read(`${mlp}/model.keras`));
  const sources: [FileSource, string][] = [
    [pathToFileURL(at(`${mlp}/model.keras`)), at(`${mlp}/model.keras`)],
    ['https://example.com/nets/net.keras?v=2', 'net.keras'],
    [await fetch('https://example.com/fetched.keras'), 'fetched.keras'],
    [new File([bytes], 'dropped.keras'), 'dropped.keras'],
    [new Blob([bytes]), 'file'],
    [bytes.buffer, 'file'],
    [new Blob([bytes]).stream(), 'stream'],
    ['opfs://nets/net.keras', 'opfs://nets/net.keras'],
  ];
  for (const [source, name] of sources) {
    await net.loadWeights(source);
    expect(origin(net.weights[0])).toEqual(['loaded', `'${name}'`]);
  }
  await net.loadWeights(bytes, { file: 'mine.keras' });
  expect(origin(net.weights[0])).toEqual(['loaded', "'mine.keras'"]);
  net.dispose();
});

test("PyTorch's files, checkpoints and tensors", async () => {
  const head = sequential([input({ shape: [4] }), layers.dense({ units: 2, name: 'head' })]);
  head.compile({ optimizer: 'adam', loss: 'meanSquaredError' });
  for (const name of ['network.pth', 'network_legacy.pth', 'network.safetensors']) {
    await head.loadWeights(fileOf(`pytorch/${name}`), { extra: 'ignore' });
    expect(origin(head.weights[0])).toEqual(['loaded', `'${name}'`]);
  }
  const checkpoint = await saveCheckpoint(head, { epoch: 1 });
  loadCheckpoint(head, checkpoint, { file: 'epoch-1.safetensors' });
  expect(origin(head.weights[0])).toEqual(['loaded', "'epoch-1.safetensors'"]);
  const saved = new BytesTarget();
  await head.saveWeights(saved, { format: 'safetensors' });
  loadWeights(head, saved.bytes, { file: 'head.safetensors' });
  expect(origin(head.weights[1])).toEqual(['loaded', "'head.safetensors'"]);
  const [loaded] = loadTensors(saved.bytes, { file: 'tensors.safetensors' }).values();
  expect(origin(loaded)).toEqual(['loaded', "'tensors.safetensors'"]);
  loaded?.dispose();
  head.dispose();
});
