/** @file Models and weights saved for Keras, read by h5wasm and by this library's own readers. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import h5wasm from 'h5wasm/node';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { bytesSource } from '../../../src/formats/byteSource.ts';
import { openKerasArchive } from '../../../src/formats/keras/index.ts';
import { ZipArchive } from '../../../src/formats/zip/index.ts';
import { FormatError, init, memory, type Tensor, tensor, ValueError } from '../../../src/index.ts';
import { BytesTarget, loadModel } from '../../../src/io/index.ts';
import { clearSession, input, layers, Model, optimizers, sequential } from '../../../src/keras/index.ts';

const fixtures = new URL('../../fixtures/models/', import.meta.url);
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'saving-'));
const at = (name: string) => path.join(folder, name);
const original = (name: string) => fs.readFileSync(new URL(name, fixtures));

beforeAll(async () => {
  await init();
  await h5wasm.ready;
});
beforeEach(clearSession);
afterAll(() => fs.rmSync(folder, { recursive: true }));

/** Groups, attributes and values of an HDF5 file. */
function contentsOf(file: string): Record<string, unknown> {
  const opened = new h5wasm.File(file, 'r');
  const found: Record<string, unknown> = {};
  const visit = (
    group: { keys(): string[]; get(name: string): unknown; attrs: Record<string, { value: unknown }> },
    at: string,
  ) => {
    for (const [name, { value }] of Object.entries(group.attrs)) found[`${at}@${name}`] = value;
    for (const name of group.keys()) {
      const child = group.get(name) as { type: string; shape: number[]; dtype: string; value: unknown };
      if (child.type === 'Group') visit(child as never, `${at}/${name}`);
      else found[`${at}/${name}`] = [child.dtype, child.shape, String(child.value)];
    }
  };
  visit(opened as never, '');
  opened.close();
  return found;
}

describe.each(['nested', 'ner_tagger', 'fine_tune'])('%s', (name) => {
  test('its weights are saved as in Keras, and its configuration, too', async () => {
    const net = await loadModel(original(`${name}/model.keras`));
    await net.saveWeights(at('saved.weights.h5'));
    fs.writeFileSync(at('original.weights.h5'), original(`${name}/model.weights.h5`));
    expect(contentsOf(at('saved.weights.h5'))).toEqual(contentsOf(at('original.weights.h5')));
    await net.save(at('saved.keras'));
    const again = await loadModel(at('saved.keras'));
    expect(again.summary({ print: () => {} })).toBe(net.summary({ print: () => {} }));
    for (const [i, weight] of again.weights.entries())
      expect(await weight.data()).toEqual(await net.weights[i]?.data());
    net.dispose();
    again.dispose();
  });
});

test('a trained model keeps the state of its optimizer', async () => {
  const net = await loadModel(original('mlp_classifier/trained.keras'));
  const target = new BytesTarget();
  await net.save(target);
  const again = await loadModel(target.bytes);
  expect(again.optimizer?.iterations).toBe(net.optimizer?.iterations);
  expect(again.optimizer?.iterations).toBeGreaterThan(0);
  expect(await again.optimizer?.getWeights()).toEqual(await net.optimizer?.getWeights());
  net.dispose();
  again.dispose();
});

test('an optimizer inside another is saved twice, as in Keras, and read', async () => {
  const net = sequential([input({ shape: [2] }), layers.dense({ units: 1, name: 'only' })]);
  const innerOptimizer = optimizers.sgd({ momentum: 0.5 });
  net.compile({ optimizer: optimizers.lossScaleOptimizer({ innerOptimizer }), loss: 'mse' });
  await net.fit(tensor([[1, 2]]), tensor([[1]]), { epochs: 3, verbose: 0 });
  const target = new BytesTarget();
  await net.save(target);
  const archive = await ZipArchive.open(bytesSource(target.bytes, 'scaled.keras'));
  const { weights } = await openKerasArchive(archive);
  fs.writeFileSync(at('scaled.h5'), await weights.read(0, weights.size));
  const contents = contentsOf(at('scaled.h5'));
  // What Keras 3.15.1 writes: steps and rate that aren't used, finite steps, the scale; then the inner optimizer's.
  const state = (path: string) =>
    Object.keys(contents).filter((key) => new RegExp(`^/optimizer${path}/vars/`).test(key));
  expect([state('').length, state('/inner_optimizer').length]).toEqual([8, 4]);
  expect(contents['/optimizer/inner_optimizer/vars@name']).toBe('sgd');
  const again = await loadModel(target.bytes);
  expect(await again.optimizer?.getWeights()).toEqual(await net.optimizer?.getWeights());
  net.dispose();
  again.dispose();
});

test("layers of a model with its own call have the paths of Keras's", async () => {
  class Own extends Model<Tensor, Tensor> {
    readonly top = layers.dense({ units: 3 });
    readonly norm = layers.layerNormalization();
    readonly alpha = layers.dense({ units: 3 });
    readonly blocks = [layers.dense({ units: 3 }), layers.dense({ units: 2 })];
    override call(x: Tensor): Tensor {
      const h = this.norm.apply(this.alpha.apply(this.top.apply(x)));
      return this.blocks.reduce((y, block) => block.apply(y), h);
    }
  }
  using net = new Own();
  net.apply(tensor([[1, 2, 3, 4]]));
  await net.saveWeights(at('own.weights.h5'));
  const groups = Object.keys(contentsOf(at('own.weights.h5'))).filter((key) => key.endsWith('/vars/0'));
  // Keras 3.15.1 reaches `layers` before `norm` and `top`, in the order of the alphabet.
  expect(groups.map((key) => key.slice(1, -'/vars/0'.length)).sort()).toEqual([
    'alpha',
    'blocks/dense',
    'blocks/dense_1',
    'layers/dense',
    'layers/layer_normalization',
  ]);
  expect((await net.loadWeights(at('own.weights.h5'))).loaded.length).toBe(10);
});

test('groups of any number of layers are found by name', async () => {
  const made = sequential([
    input({ shape: [1] }),
    ...Array.from({ length: 300 }, () => layers.dense({ units: 1 })),
  ]);
  await made.saveWeights(at('many.weights.h5'));
  expect(Object.keys(contentsOf(at('many.weights.h5'))).filter((key) => key.endsWith('/vars/1')).length).toBe(
    300,
  );
  expect((await made.loadWeights(at('many.weights.h5'))).loaded.length).toBe(600);
  made.dispose();
});

test('an interrupted write leaves the old file, and no other', async () => {
  const made = sequential([input({ shape: [2] }), layers.dense({ units: 2 })]);
  fs.writeFileSync(at('old.keras'), 'old');
  const names = fs.readdirSync(folder);
  made.weights[0]?.dispose();
  await expect(made.save(at('old.keras'))).rejects.toThrow();
  expect(fs.readFileSync(at('old.keras'), 'utf8')).toBe('old');
  expect(fs.readdirSync(folder)).toEqual(names);
  made.dispose();
});

test('invalid targets and files are reported', async () => {
  const made = sequential([input({ shape: [2] }), layers.dense({ units: 2, name: 'top' })]);
  await expect(made.save(at('model.h5'))).rejects.toThrow(ValueError);
  for (const none of [3, null, undefined]) await expect(made.save(none as never)).rejects.toThrow(ValueError);
  await expect(loadModel(at('nowhere.keras'))).rejects.toThrow(FormatError);
  await made.saveWeights(at('top.safetensors'));
  await expect(loadModel(at('top.safetensors'))).rejects.toThrow(/only (the )?weights/);
  expect((await made.loadWeights(at('top.safetensors'))).loaded).toEqual(['top/kernel', 'top/bias']);
  const before = memory().tensors;
  const controller = new AbortController();
  controller.abort();
  await expect(made.loadWeights(at('top.safetensors'), { signal: controller.signal })).rejects.toThrow(
    'aborted',
  );
  expect(memory().tensors).toBe(before);
  made.dispose();
});
