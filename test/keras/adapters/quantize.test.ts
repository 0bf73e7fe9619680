/** @file Quantized weights and adapters over them. test/fixtures/keras/quantize.py made the values of Keras. */
import fs from 'node:fs';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { init, type Tensor, tensor, ValueError } from '../../../src/index.ts';
import type { Variable } from '../../../src/tensor/variable.ts';
import type { QuantizedDense } from '../../../src/keras/layers/quantized/quantizedDense.ts';
import { BytesTarget, loadModel } from '../../../src/io/index.ts';
import { clearSession, input, layers, model, sequential } from '../../../src/keras/index.ts';

beforeAll(async () => {
  await init();
});
beforeEach(clearSession);

const read = (name: string) => fs.readFileSync(new URL(`../../fixtures/keras/${name}`, import.meta.url));

interface Case {
  readonly layer: 'dense' | 'einsum' | 'embedding';
  readonly mode: 'int8' | 'int4';
  readonly block: number | null;
  readonly saved: readonly (readonly number[])[];
  readonly output: readonly number[];
}
const cases: Case[] = JSON.parse(read('quantize.json').toString());

function formula(shape: readonly number[], step: number): Tensor {
  const size = shape.reduce((product, n) => product * n, 1);
  return tensor(
    Float32Array.from({ length: size }, (_, i) => ((i * step * 7) % 1) - 0.5),
    { shape },
  );
}

const dataOf = async (x: unknown) => Array.from(await (x as Tensor).data());

function expectClose(values: readonly number[], expected: readonly number[], digits = 5) {
  expect(values).toHaveLength(expected.length);
  for (const [i, value] of values.entries()) expect(value).toBeCloseTo(expected[i] as number, digits);
}

function network(kind: Case['layer']) {
  const made = {
    dense: () => [input({ shape: [5] }), layers.dense({ units: 3, name: 'layer' })],
    einsum: () => [
      input({ shape: [2, 5] }),
      layers.einsumDense('abc,cde->abde', [null, 2, 3], { biasAxes: 'e', name: 'layer' }),
    ],
    embedding: () => [
      input({ shape: [3], dtype: 'int32' }),
      layers.embedding({ inputDim: 6, outputDim: 5, name: 'layer' }),
    ],
  }[kind]();
  const net = sequential(made as never);
  net.weights.forEach((weight, i) => {
    weight.assign(formula(weight.shape, 0.31 + 0.1 * i));
  });
  const x =
    kind === 'embedding'
      ? tensor([[0, 3, 5]], { dtype: 'int32' })
      : formula([1, ...(kind === 'dense' ? [5] : [2, 5])], 0.17);
  return { net, x };
}

describe.each(cases)('$layer $mode in blocks of $block', ({ layer: kind, mode, block, saved, output }) => {
  test('has the integers and scales of Keras, and trains adapters over them', async () => {
    const { net, x } = network(kind);
    await net.quantize(mode, { blockSize: block });
    const layer = net.getLayer('layer') as unknown as QuantizedDense;
    const inFile = async (variable: Variable) => {
      const data = await variable.data();
      return Array.from(layer.fileForms.get(variable)?.toFile(data) ?? data);
    };
    const values = await Promise.all(layer.savedVariables.map(inFile));
    expect(values).toHaveLength(saved.length);
    // Keras writes the numbers of groups and scales in float32, like the weights here.
    for (const [i, each] of values.entries()) expect(each).toEqual((saved[i] as number[]).map(Math.fround));
    expectClose(await dataOf(net.apply(x)), output);
    // The model goes to a file and comes back as it is.
    const file = new BytesTarget();
    await net.save(file);
    expect(await dataOf((await loadModel(file.bytes)).apply(x))).toEqual(await dataOf(net.apply(x)));
    net.enableLora({ rank: 2 });
    expect(net.trainableWeights.map(({ path }) => path.replace(/^.*\//, ''))).toEqual([
      expect.stringMatching(/^lora_\w+_a$/),
      expect.stringMatching(/^lora_\w+_b$/),
    ]);
    expectClose(await dataOf(net.apply(x)), output);
    net.compile({ optimizer: 'adam', loss: 'mse' });
    expect(net.trainableWeights).toHaveLength(2);
    const target = formula((net.apply(x) as Tensor).shape, 0.23);
    const { history } = await net.fit(x, target, { epochs: 3, verbose: 0 });
    const losses = history.loss as number[];
    expect(losses.at(-1)).toBeLessThan(losses[0] as number);
    expect(await Promise.all(layer.savedVariables.map(inFile))).toEqual(values);
    // A file has the sum, quantized again.
    const trained = new BytesTarget();
    await net.save(trained);
    const again = await loadModel(trained.bytes);
    const scale = Math.max(...(saved.at(kind === 'embedding' ? 1 : -1) as number[]).map(Math.abs));
    expect(scale).toBeGreaterThan(0);
    const [mine, theirs] = [await dataOf(net.apply(x)), await dataOf(again.apply(x))];
    for (const [i, value] of theirs.entries())
      expect(Math.abs(value - (mine[i] as number))).toBeLessThan(mode === 'int8' ? 0.03 : 0.35);
    expect(() => net.mergeLora()).toThrow(/quantized/);
    net.removeLora();
    expectClose(await dataOf(net.apply(x)), output);
  });
});

test('layers inside others and models inside models', async () => {
  const x = input({ shape: [4, 6] });
  const inner = sequential([input({ shape: [4, 6] }), layers.dense({ units: 6, name: 'deep' })], {
    name: 'inner',
  } as never);
  const attention = layers.multiHeadAttention({ numHeads: 2, keyDim: 3, name: 'attention' });
  const y = inner.apply(attention.apply([x, x])) as never;
  const net = model({ inputs: x, outputs: layers.dense({ units: 2, name: 'top' }).apply(y) });
  const before = net.weights.length;
  await net.quantize('int8', { filters: ['deep', 'attention'] });
  // The dense layer has a scale besides; the attention stays.
  expect(net.weights).toHaveLength(before + 1);
  await expect(net.quantize('int4', { filters: 'deep' })).rejects.toThrow(/stays so/);
  await expect(net.quantize('int2' as never)).rejects.toThrow(ValueError);
  await expect(net.quantize('int4', { filters: 'deeper' })).rejects.toThrow(/did you mean 'deep'/);
  net.enableLora({ rank: 1, targets: 'top' });
  await expect(net.quantize('int4', { filters: 'top' })).rejects.toThrow(/merge or remove/);
});

describe.each(['float16', 'bfloat16'] as const)('%s', (mode) => {
  /** The reverse of embeddings, an einsum whose axes aren't those of a matrix, and layers inside another. */
  const made = () => {
    const ids = input({ shape: [4], dtype: 'int32' });
    const table = layers.reversibleEmbedding({ inputDim: 9, outputDim: 6, tieWeights: false, name: 'table' });
    const x = table.apply(ids) as never;
    const attended = layers.multiHeadAttention({ numHeads: 2, keyDim: 3, name: 'attention' }).apply([x, x]);
    const scaled = layers.einsumDense('abc,bcd->abd', [4, 6], { name: 'each' }).apply(attended as never);
    const y = layers.dense({ units: 6, name: 'top' }).apply(scaled as never);
    const net = model({ inputs: ids, outputs: table.apply(y as never, { reverse: true } as never) as never });
    net.weights.forEach((weight, i) => {
      weight.assign(formula(weight.shape, 0.31 + 0.1 * i));
    });
    return net;
  };
  const ids = () => tensor([[0, 3, 8, 5]], { dtype: 'int32' });

  test('rounds weights to 16 bits, over which adapters train; files have float32', async () => {
    const net = made();
    const exact = await dataOf(net.apply(ids()));
    const bytes = () => net.weights.reduce((total, weight) => total + (weight as Variable).bytes, 0);
    await net.quantize(mode);
    const rounded = await dataOf(net.apply(ids()));
    const largest = Math.max(...exact.map(Math.abs));
    for (const [i, value] of rounded.entries())
      expect(Math.abs(value - (exact[i] as number)) / largest).toBeLessThan(mode === 'float16' ? 2e-3 : 2e-2);
    expect(rounded).not.toEqual(exact);
    await expect(net.quantize(mode)).rejects.toThrow(/16 bits/);
    const size = bytes();
    net.enableLora({ rank: 1, targets: ['top', 'table', 'each'] });
    net.compile({ optimizer: 'adam', loss: 'mse' });
    const target = formula([1, 4, 9], 0.23);
    const { history } = await net.fit(ids(), target, { epochs: 3, verbose: 0 });
    expect((history.loss as number[]).at(-1)).toBeLessThan((history.loss as number[])[0] as number);
    const file = new BytesTarget();
    await net.save(file);
    const loaded = await loadModel(file.bytes);
    expectClose(await dataOf(loaded.apply(ids())), await dataOf(net.apply(ids())), 4);
    net.removeLora();
    expect(await dataOf(net.apply(ids()))).toEqual(rounded);
    expect(bytes()).toBe(size);
  });

  test('can be rounded further, to integers', async () => {
    const { net, x } = network('dense');
    await net.quantize(mode);
    const before = await dataOf(net.apply(x));
    await net.quantize('int8');
    const after = await dataOf(net.apply(x));
    for (const [i, value] of after.entries())
      expect(Math.abs(value - (before[i] as number))).toBeLessThan(0.03);
    expect(after).not.toEqual(before);
  });
});
