/** @file Models in the forms that Keras 3.15 saves: they predict what Keras predicts, and are saved as they were. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import h5wasm from 'h5wasm/node';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { bytesSource } from '../../../src/formats/byteSource.ts';
import { openKerasArchive } from '../../../src/formats/keras/index.ts';
import { ZipArchive } from '../../../src/formats/zip/index.ts';
import { printed } from '../../../src/core/warn.ts';
import { grad, init, sum, type Tensor, tensor } from '../../../src/index.ts';
import { BytesTarget, loadModel } from '../../../src/io/index.ts';
import { clearSession, cloneModel, type Model } from '../../../src/keras/index.ts';

interface Values {
  shape: number[];
  dtype: 'float32' | 'int32';
  data: number[];
}

interface Case {
  name: string;
  input: Values;
  output: Values;
  tolerance: number;
  trained?: boolean;
  /** Whether it is saved with options in other words. */
  respelled?: boolean;
}

const fixtures = new URL('../../fixtures/keras/', import.meta.url);
const cases: Case[] = JSON.parse(fs.readFileSync(new URL('files.json', fixtures), 'utf8'));
const optionCases: Case[] = JSON.parse(fs.readFileSync(new URL('options.json', fixtures), 'utf8'));
const original = (name: string) => {
  const folder = cases.some((known) => known.name === name) ? 'files' : 'options';
  return fs.readFileSync(new URL(`${folder}/${name}.keras`, fixtures));
};
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'files-'));

beforeAll(async () => {
  await init();
  await h5wasm.ready;
});
beforeEach(() => {
  clearSession();
  vi.spyOn(console, 'warn').mockImplementation(() => {});
});
afterEach(() => vi.restoreAllMocks());
afterAll(() => fs.rmSync(folder, { recursive: true }));

/**
 * The configuration, and the types, shapes and values of the weights, without values of float64, which are rounded, and float16,
 * which h5wasm doesn't read.
 */
async function contentsOf(bytes: Uint8Array<ArrayBuffer>) {
  const archive = await openKerasArchive(await ZipArchive.open(bytesSource(bytes, 'file')));
  const file = path.join(folder, 'weights.h5');
  fs.writeFileSync(file, await archive.weights.read(0, archive.weights.size));
  const opened = new h5wasm.File(file, 'r');
  const datasets: Record<string, unknown> = {};
  for (const name of opened.paths()) {
    const found = opened.get(name);
    if (!(found instanceof h5wasm.Dataset) || name.startsWith('optimizer')) continue;
    const values = /[ed]$/.test(String(found.dtype)) ? null : String(found.value);
    datasets[name] = [found.dtype, found.shape, values, Object.keys(found.attrs)];
  }
  opened.close();
  return { config: withoutIds(JSON.parse(archive.config)), datasets };
}

function withoutIds(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutIds);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).filter(([key]) => key !== 'shared_object_id');
  return Object.fromEntries(entries.map(([key, item]) => [key, withoutIds(item)]));
}

function expectClose(values: ArrayLike<number>, { data }: Values, tolerance: number) {
  expect(values.length).toBe(data.length);
  const worst = Array.from(values, (value, i) => Math.abs(value - (data[i] as number)));
  expect(Math.max(...worst)).toBeLessThanOrEqual(tolerance);
}

describe.each([...cases, ...optionCases])(
  '$name',
  ({ name, input, output, tolerance, trained = false, respelled = false }) => {
    test('it predicts what Keras predicts, and is saved as it was', async () => {
      const x = tensor(input.data, { shape: input.shape, dtype: input.dtype });
      const net = await loadModel(original(name));
      const predicted = await (net.apply(x) as Tensor).data();
      expectClose(predicted, output, tolerance);
      const target = new BytesTarget();
      await net.save(target);
      const [saved, given] = [await contentsOf(target.bytes), await contentsOf(original(name))];
      expect(saved.datasets).toEqual(given.datasets);
      if (!trained && !respelled) expect(saved.config).toEqual(given.config);
      const again = await loadModel(target.bytes);
      expect(await (again.apply(x) as Tensor).data()).toEqual(predicted);
      const clone = cloneModel(net);
      clone.setWeights(net.getWeights());
      expect(await (clone.apply(x) as Tensor).data()).toEqual(predicted);
    });
  },
);

interface Steps extends Pick<Case, 'name' | 'input' | 'output'> {
  labels: Values;
  losses: number[];
}

const trainings: Steps[] = JSON.parse(fs.readFileSync(new URL('trained.json', fixtures), 'utf8'));

test.each(trainings.map((steps) => [steps.name, steps] as const))(
  '%s: two steps of training are those of Keras',
  async (name, { input, labels, losses, output }) => {
    const net = (await loadModel(original(name))) as Model;
    const x = tensor(input.data, { shape: input.shape, dtype: input.dtype });
    const y = tensor(labels.data, { shape: labels.shape });
    for (const loss of losses) {
      const logs = await net.trainOnBatch(x, y);
      expect(Math.abs((logs.loss as number) - loss) / loss).toBeLessThan(2e-6);
    }
    expectClose(await (net.predict(x) as Promise<Tensor>).then((found) => found.data()), output, 2e-5);
  },
);

test('HDF5 has the names of classes, not the public ones', async () => {
  const { input, output, tolerance } = optionCases.find(({ name }) => name === 'grouped') as Case;
  const net = await loadModel(fs.readFileSync(new URL('options/grouped.h5', fixtures)));
  const x = tensor(input.data, { shape: input.shape });
  expectClose(await (net.apply(x) as Tensor).data(), output, tolerance);
});

test.each(['quantized_int8_dense', 'quantized_int4_dense', 'quantized_int8_embedding_einsum'])(
  '%s: integers stay in their bits on the device, and inputs have gradients',
  async (name) => {
    const net = await loadModel(original(name));
    const integers = net.weights.filter(({ dtype }) => dtype === 'uint32');
    expect(integers.length).toBeGreaterThan(0);
    expect(net.weights.filter(({ dtype }) => dtype === 'int32')).toEqual([]);
    const { input } = cases.find((given) => given.name === name) as Case;
    if (input.dtype !== 'float32') return;
    const x = tensor(input.data, { shape: input.shape });
    const gradient = grad((given: Tensor) => sum(net.apply(given) as Tensor))(x);
    expect((await gradient.data()).some((value) => value !== 0)).toBe(true);
  },
);

test('a policy with another dtype here is said once', async () => {
  printed.clear();
  await loadModel(original('policy_bfloat16'));
  await loadModel(original('policy_of_cells'));
  expect(vi.mocked(console.warn).mock.calls.flat()).toEqual([
    expect.stringContaining('layers with the dtype policy bfloat16 compute in float32'),
  ]);
});
