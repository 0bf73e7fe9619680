/** @file Checkpoints of 16-bit floats: their matrices stay in 16 bits on the device, and compute what float32 does. */
import { beforeAll, describe, expect, test } from 'vitest';
import { gradients, init, memory, mul, sum, type Tensor, tensor } from '../../src/index.ts';
import { FilesTarget, type HostTensor, readSafetensors } from '../../src/io/index.ts';
import { fromPretrained, type PretrainedModel, savePretrained } from '../../src/hub/index.ts';
import { clearSession, losses } from '../../src/keras/index.ts';
import { narrowMatrixIn } from '../../src/keras/layers/quantized/narrowMatrix.ts';
import type { Variable } from '../../src/tensor/variable.ts';
import { Expected, expectClose, filesOf, folderOf, logitsOf, parameters } from './checkpoints.ts';

beforeAll(async () => {
  await init();
});

const tensorsIn = async (file: File) => readSafetensors(await file.arrayBuffer()).tensors;

async function savedTensors(model: PretrainedModel, options = {}): Promise<ReadonlyMap<string, HostTensor>> {
  const target = new FilesTarget();
  await savePretrained(model, target, options);
  return tensorsIn(target.files.find(({ name }) => name === 'model.safetensors') as File);
}

const valuesOf = async (x: Tensor) => Array.from(await x.data());

const bytesOf = (model: PretrainedModel) =>
  (model.weights as Variable[]).reduce((total, { bytes }) => total + bytes, 0);

// A Conv1D, a dense matrix with biases, tied and untied logits, both formats.
describe.each(['gpt2-shards', 'qwen2', 'gemma3', 'llama3'])('%s', (name) => {
  const expected = new Expected(name);

  test('has matrices in 16 bits, with the outputs of float32', async () => {
    clearSession();
    const start = memory().bytes;
    const wide = await fromPretrained(folderOf(name), { dtype: 'float32' });
    const before = memory().bytes;
    const narrow = await fromPretrained(folderOf(name));
    // Buffers of a few hundred bytes are rounded up.
    expect(memory().bytes - before).toBeLessThan(0.65 * (before - start));
    const matrices = (narrow.weights as Variable[]).filter((weight) => narrowMatrixIn(weight));
    const others = (narrow.weights as Variable[]).filter((weight) => !narrowMatrixIn(weight));
    // Two bytes for each element, four for norms, biases and positions.
    const elements = matrices.reduce((total, weight) => {
      const { channels, length } = narrowMatrixIn(weight) as { channels: number; length: number };
      return total + channels * length;
    }, 0);
    expect(matrices.length).toBeGreaterThan(4);
    expect(bytesOf(narrow)).toBe(2 * elements + others.reduce((total, { size }) => total + 4 * size, 0));
    expect(narrow.countParams()).toBe(wide.countParams());
    await expectClose(logitsOf(narrow, expected), await valuesOf(logitsOf(wide, expected)), 1e-5);
    // The backbone is frozen: fit says so.
    expect(narrow.trainableWeights).toEqual([]);
    narrow.dispose();
    wide.dispose();
    expect(memory().bytes).toBeLessThanOrEqual(before);
  });
});

test('adapters over matrices in 16 bits have the gradients of those over float32, and are saved as sums', async () => {
  const expected = new Expected('qwen2');
  const nets: PretrainedModel[] = [];
  for (const dtype of ['float32', 'auto'] as const) {
    clearSession();
    const net = await fromPretrained(folderOf('qwen2'), { dtype });
    net.enableLora({ rank: 2, targets: 'all-linear' });
    net.trainableWeights.forEach((weight, i) => {
      const values = Float32Array.from({ length: weight.size }, (_, j) => (((i + j) * 37) % 19) / 200 - 0.04);
      weight.assign(tensor(values, { shape: weight.shape }));
    });
    nets.push(net);
  }
  const [wide, narrow] = nets as [PretrainedModel, PretrainedModel];
  expect(narrow.trainableWeights.length).toBe(wide.trainableWeights.length);
  const weights = expected.tensor('weights');
  const found = nets.map((net) =>
    gradients(() => sum(mul(logitsOf(net, expected), weights)), net.trainableWeights as Tensor[]),
  );
  const [ofWide, ofNarrow] = found.map(({ gradients: all }) => all as unknown as Tensor[]) as [
    Tensor[],
    Tensor[],
  ];
  for (const [i, gradient] of ofNarrow.entries())
    await expectClose(gradient, await valuesOf(ofWide[i] as Tensor), 1e-4);
  const [sums, narrowSums] = await Promise.all(nets.map((net) => savedTensors(net, { dtype: 'float32' })));
  expect([...(narrowSums?.keys() ?? [])].sort()).toEqual([...(sums?.keys() ?? [])].sort());
  for (const [key, { data, shape }] of narrowSums ?? []) {
    expect(shape).toEqual(sums?.get(key)?.shape);
    expect(data).toEqual(sums?.get(key)?.data);
  }
  narrow.compile({ optimizer: 'adam', loss: losses.sparseCategoricalCrossentropy({ fromLogits: true }) });
  const frozen = await Promise.all(
    narrow.weights.filter((each) => !each.trainable).map((each) => each.data()),
  );
  const tokens = tensor([[1, 5, 9, 4]], { dtype: 'int32' });
  const next = tensor([[5, 9, 4, 2]], { dtype: 'int32' });
  const { history } = await narrow.fit(tokens, next, { epochs: 4, verbose: 0 });
  const curve = history.loss as number[];
  expect(curve.at(-1)).toBeLessThan(curve[0] as number);
  const after = await Promise.all(
    narrow.weights.filter((each) => !each.trainable).map((each) => each.data()),
  );
  expect(after).toEqual(frozen);
  narrow.removeLora();
  // Without `dtype`, a file has the floats of the matrices: the bits that were loaded.
  const original = await tensorsIn(filesOf('qwen2')['model.safetensors'] as File);
  for (const [key, value] of await savedTensors(narrow)) expect(value).toEqual(original.get(key));
  for (const net of nets) net.dispose();
});

test('a new head over a frozen backbone is trained alone; without one there is nothing to train', async () => {
  clearSession();
  const options = { task: 'tokenClassifier', numClasses: 3, onReport: () => {} } as const;
  const tagger = await fromPretrained(folderOf('qwen2'), options);
  expect(tagger.trainableWeights.map(({ path }) => path.replace(/^.*\//, ''))).toEqual(['kernel', 'bias']);
  expect(tagger.outputDense.kernel?.dtype).toBe('float32');
  tagger.dispose();
  const net = await fromPretrained(folderOf('qwen2'));
  net.compile({ optimizer: 'sgd', loss: losses.sparseCategoricalCrossentropy({ fromLogits: true }) });
  const tokens = tensor([[1, 2]], { dtype: 'int32' });
  await expect(net.fit(tokens, tokens, { verbose: 0 })).rejects.toThrow(/enableLora/);
  net.dispose();
});

test('float32 is rounded to 16 bits if the app asks for it', async () => {
  clearSession();
  const expected = new Expected('llama');
  const net = await fromPretrained(folderOf('llama'), { dtype: 'float16' });
  await expectClose(logitsOf(net, expected), expected.values('logits'), 5e-3);
  const given = await parameters(net, 'llama', 'causalLM');
  expect(given.filter(({ matrix }) => matrix?.format === 'float16').length).toBeGreaterThan(4);
  net.dispose();
  await expect(fromPretrained(folderOf('llama'), { dtype: 'float8' as never })).rejects.toThrow(/float8/);
});

/** Parameters, and bytes on the device, of a Llama of these sizes: as the tiny ones above are counted. */
test('a network of a billion parameters takes at most 2.2 GB', () => {
  const [features, inner, layers, vocabulary, keys] = [2048, 8192, 16, 32_000, 512];
  const inLayer = 2 * features * features + 2 * features * keys + 3 * features * inner;
  const matrices = vocabulary * features + layers * inLayer;
  const norms = (2 * layers + 1) * features;
  expect(matrices + norms).toBeGreaterThan(1e9);
  expect((2 * matrices + 4 * norms) / (matrices + norms)).toBeLessThan(2.2);
});
