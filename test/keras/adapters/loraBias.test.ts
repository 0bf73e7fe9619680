/** @file Adapters whose second matrix has a bias, made here: they begin as plain ones, are trained, merged, saved and read again. */
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { init, tensor } from '../../../src/index.ts';
import {
  BytesTarget,
  FilesTarget,
  loadAdapter,
  readSafetensors,
  saveAdapter,
} from '../../../src/io/index.ts';
import { clearSession, input, layers, model } from '../../../src/keras/index.ts';
import { dataOf, expectClose, setTrained } from '../../support/adapters.ts';
import { peftIds, peftModules as modules, peftNet } from '../../support/peftNet.ts';

beforeAll(async () => {
  await init();
});
beforeEach(clearSession);

const targets = ['query', 'attention_output', 'up_0', 'conv'];

describe.each(['keras', 'peft'] as const)('in the layout of %s', (layout) => {
  test('they change nothing at first, and fit trains the biases', async () => {
    const net = peftNet();
    const before = await dataOf(net.apply(peftIds()));
    net.enableLora({ rank: 2, targets, layout, loraBias: true });
    expect(await dataOf(net.apply(peftIds()))).toEqual(before);
    const biases = net.trainableWeights.filter(({ path }) => /lora_kernel_bias$/.test(path));
    expect(biases.map(({ shape }) => shape)).toEqual([[2, 4], [8], [12], [2, 4], [8], [6]]);
    net.compile({ optimizer: 'sgd', loss: 'meanSquaredError' });
    await net.fit(peftIds(), tensor(new Float32Array(100), { shape: [2, 5, 10] }), { verbose: 0 });
    for (const bias of biases) expect(Math.max(...(await dataOf(bias)).map(Math.abs))).toBeGreaterThan(0);
  });

  test('merged and unmerged, as a file of Keras, as one of PEFT, and removed', async () => {
    const net = peftNet();
    const plain = await dataOf(net.apply(peftIds()));
    net.enableLora({ rank: 2, alpha: 3, targets, layout, loraBias: true });
    setTrained(net);
    const adapted = await dataOf(net.apply(peftIds()));
    net.mergeLora();
    expectClose(await dataOf(net.apply(peftIds())), adapted);
    net.unmergeLora();
    expectClose(await dataOf(net.apply(peftIds())), adapted);
    const [file, folder] = [new BytesTarget(), new FilesTarget()];
    await net.saveWeights(file);
    await saveAdapter(net, folder, { modules, config: { fan_in_fan_out: true } });
    // Keys and values, which have no adapter, are parts of the same module, and add nothing to its bias.
    const weights = folder.files.find(({ name }) => name === 'adapter_model.safetensors') as File;
    const bias = readSafetensors(await weights.arrayBuffer()).tensors.get(
      'base_model.model.h.0.c_attn.lora_B.bias',
    );
    expect(bias?.shape).toEqual([24]);
    expect(Array.from(bias?.data ?? []).slice(8)).toEqual(new Array(16).fill(0));
    net.mergeLora();
    net.removeLora();
    expectClose(await dataOf(net.apply(peftIds())), adapted);

    const other = peftNet();
    await loadAdapter(other, folder.files, { modules });
    expectClose(await dataOf(other.apply(peftIds())), adapted);
    other.removeLora();
    expectClose(await dataOf(other.apply(peftIds())), plain);
    // The biases of the file have what the adapter added, and another model's adapter adds nothing more.
    const again = peftNet();
    again.enableLora({ rank: 1, targets, layout, loraBias: true });
    setTrained(again);
    await again.loadWeights(file.bytes);
    expectClose(await dataOf(again.apply(peftIds())), adapted);
  });
});

test.each(['int8', 'int4'] as const)('over weights of %s, also in a file of Keras', async (mode) => {
  const x = tensor(
    Float32Array.from({ length: 24 }, (_, i) => Math.sin(i)),
    { shape: [3, 8] },
  );
  const made = () => {
    const given = input({ shape: [8] });
    return model({ inputs: given, outputs: layers.dense({ units: 6, name: 'top' }).apply(given) });
  };
  const net = made();
  await net.quantize(mode);
  const before = await dataOf(net.apply(x));
  net.enableLora({ rank: 2, alpha: 4, targets: 'top', loraBias: true });
  const bias = net.trainableWeights.find(({ path }) => /lora_kernel_bias/.test(path));
  bias?.assign(tensor([1, 2, 3, 4, 5, 6]));
  const moved = before.map((value, i) => value + 2 * ((i % 6) + 1));
  expectClose(await dataOf(net.apply(x)), moved, 3);
  const file = new BytesTarget();
  await net.saveWeights(file);
  const other = made();
  await other.quantize(mode);
  await other.loadWeights(file.bytes);
  expectClose(await dataOf(other.apply(x)), moved, 3);
});

test('a bias of a layer without one is trained and saved alone, and has no sum', async () => {
  const made = () => {
    const given = input({ shape: [4] });
    const layer = layers.dense({ units: 3, useBias: false, name: 'top', kernelInitializer: 'ones' });
    return model({ inputs: given, outputs: layer.apply(given) });
  };
  const net = made();
  net.enableLora({ rank: 1, targets: 'top', loraBias: true });
  setTrained(net);
  const x = tensor([[1, -2, 0.5, 3]]);
  const adapted = await dataOf(net.apply(x));
  const folder = new FilesTarget();
  await saveAdapter(net, folder);
  const other = made();
  await loadAdapter(other, folder.files);
  expect(await dataOf(other.apply(x))).toEqual(adapted);
  await expect(async () => net.mergeLora()).rejects.toThrow(/without a bias/);
  await expect(net.save(new BytesTarget())).rejects.toThrow(/without a bias/);
});

test('what PEFT has no files for is refused', async () => {
  const net = peftNet();
  const enabled = async (options: object) => net.enableLora({ rank: 1, ...options });
  await expect(enabled({ targets: 'wte', loraBias: true })).rejects.toThrow(/for adapters of kernels/);
  await expect(enabled({ dora: true, loraBias: true })).rejects.toThrow(/choose one/);
  const both = peftNet();
  await both.enableLora({ rank: 1, targets: 'wte' });
  (both.layers.find(({ name }) => name === 'up_0') as ReturnType<typeof layers.dense>).enableLora(1, {
    loraBias: true,
  });
  await expect(saveAdapter(both, new FilesTarget(), { modules })).rejects.toThrow(
    /'wte', which is an embedding/,
  );
});
