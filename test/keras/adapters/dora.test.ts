/** @file Adapters with magnitudes (DoRA), made here: they begin as plain ones, are trained, merged, saved and read again. */
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { init, mul, tensor, tidy } from '../../../src/index.ts';
import { BytesTarget, FilesTarget, loadAdapter, saveAdapter } from '../../../src/io/index.ts';
import { clearSession, input, layers, model } from '../../../src/keras/index.ts';
import { dataOf, expectClose, setTrained } from '../../support/adapters.ts';
import { peftIds, peftModules as modules, peftNet } from '../../support/peftNet.ts';

beforeAll(async () => {
  await init();
});
beforeEach(clearSession);

const targets = ['attention_*', 'up_0', 'conv', 'wte'];

describe.each(['keras', 'peft'] as const)('in the layout of %s', (layout) => {
  test('it changes nothing at first, and fit trains its lengths', async () => {
    const net = peftNet();
    const before = await dataOf(net.apply(peftIds()));
    net.enableLora({ rank: 2, targets, layout, dora: true });
    expectClose(await dataOf(net.apply(peftIds())), before);
    const lengths = net.trainableWeights.filter(({ path }) => /lora_\w+_magnitude$/.test(path));
    expect(lengths.map(({ shape }) => shape)).toEqual(
      expect.arrayContaining([[8], [2, 4], [2, 4], [2, 4], [8], [2, 4], [2, 4], [2, 4], [8], [12], [6]]),
    );
    const first = await dataOf(lengths[1]);
    net.compile({ optimizer: 'sgd', loss: 'meanSquaredError' });
    await net.fit(peftIds(), tensor(new Float32Array(100), { shape: [2, 5, 10] }), { verbose: 0 });
    expect(await dataOf(lengths[1])).not.toEqual(first);
  });

  test('merged and unmerged, as a file of Keras, as one of PEFT, and removed', async () => {
    const net = peftNet();
    const plain = await dataOf(net.apply(peftIds()));
    const weights = net.weights.map(({ path }) => path);
    net.enableLora({ rank: 2, targets, layout, dora: true });
    setTrained(net);
    const adapted = await dataOf(net.apply(peftIds()));
    net.mergeLora();
    expectClose(await dataOf(net.apply(peftIds())), adapted);
    net.unmergeLora();
    expectClose(await dataOf(net.apply(peftIds())), adapted);
    const [file, folder] = [new BytesTarget(), new FilesTarget()];
    await net.saveWeights(file);
    await saveAdapter(net, folder, { modules, config: { fan_in_fan_out: true } });
    net.mergeLora();
    net.removeLora();
    expectClose(await dataOf(net.apply(peftIds())), adapted);
    expect(net.weights.map(({ path }) => path)).toEqual(weights);

    const other = peftNet();
    await loadAdapter(other, folder.files, { modules });
    expectClose(await dataOf(other.apply(peftIds())), adapted);
    other.removeLora();
    expectClose(await dataOf(other.apply(peftIds())), plain);
    // The kernels of the file have what the adapter added, and another model's adapter adds nothing more.
    const again = peftNet();
    again.enableLora({ rank: 1, targets, layout, dora: true });
    setTrained(again);
    await again.loadWeights(file.bytes);
    expectClose(await dataOf(again.apply(peftIds())), adapted);
  });
});

test.each(['int8', 'int4'] as const)('over weights of %s', async (mode) => {
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
  net.enableLora({ rank: 2, targets: 'top', dora: true });
  expectClose(await dataOf(net.apply(x)), before);
  const [, , lengths] = net.trainableWeights;
  lengths?.assign(tidy(() => mul(lengths, 2)));
  const doubled = before.map((value) => 2 * value);
  expectClose(await dataOf(net.apply(x)), doubled, 3);
});

test('what columns were multiplied by is named after the weight, whatever the name of the layer', () => {
  const inputs = input({ shape: [2] });
  const net = model({ inputs, outputs: layers.dense({ units: 3, name: 'my_block' }).apply(inputs) });
  net.enableLora({ rank: 2, dora: true });
  net.mergeLora();
  expect(net.weights.map(({ path }) => path)).toContain('my_block/lora_kernel_factor');
  net.unmergeLora();
  expect(net.weights.map(({ path }) => path)).not.toContain('my_block/lora_kernel_factor');
});
