/** @file Embedding and wrappers beyond the battery: faults, names, states, masks. */
import { beforeAll, describe, expect, test } from 'vitest';
import {
  GradientTape,
  IndexOutOfRangeError,
  init,
  randomNormal,
  slice,
  sum,
  type Tensor,
  tensor,
} from '../../../../src/index.ts';
import { input, layers } from '../../../../src/keras/index.ts';
import { maskOf } from '../../../../src/keras/masks.ts';

beforeAll(async () => {
  await init();
});

const draw = (seed: number, ...shape: number[]) => randomNormal(shape, { seed });
const values = async (x: Tensor) => Array.from(await x.data());
const flags = (rows: number[][]) => tensor(rows, { dtype: 'bool' });

async function expectClose(found: Tensor, wanted: Tensor): Promise<void> {
  const expected = await values(wanted);
  const actual = await values(found);
  expect(actual).toHaveLength(expected.length);
  actual.forEach((value, i) => {
    expect(Math.abs(value - (expected[i] as number))).toBeLessThan(1e-5);
  });
}

describe('embedding', () => {
  test('accumulates gradients in the rows that were read', async () => {
    const layer = layers.embedding({ inputDim: 4, outputDim: 2 });
    const tape = new GradientTape();
    const total = sum(layer.apply(tensor([[1, 3, 1]], { dtype: 'int32' })));
    const [gradient] = tape.gradient(total, layer.weights) as [Tensor];
    expect(await gradient.array()).toEqual([
      [0, 0],
      [2, 2],
      [0, 0],
      [1, 1],
    ]);
  });

  test('reports an id out of range under its own name, and continues', async () => {
    const layer = layers.embedding({ inputDim: 4, outputDim: 2, name: 'words' });
    const ids = tensor([[1, 4]], { dtype: 'int32' });
    const rejected = layer.apply(ids).data();
    await expect(rejected).rejects.toThrow(IndexOutOfRangeError);
    await expect(rejected).rejects.toThrow(/'words'/);
    expect(await values(layer.apply(tensor([[1, 3]], { dtype: 'int32' })))).toHaveLength(4);
  });

  test('masks padding with maskZero', async () => {
    const ids = tensor([[1, 0, 2]], { dtype: 'int32' });
    expect(maskOf(layers.embedding({ inputDim: 4, outputDim: 2 }).apply(ids))).toBeNull();
    const mask = maskOf(layers.embedding({ inputDim: 4, outputDim: 2, maskZero: true }).apply(ids));
    expect(await values(mask as Tensor)).toEqual([1, 0, 1]);
  });

  test('starts small, and adds its penalty to the loss', async () => {
    const layer = layers.embedding({ inputDim: 30, outputDim: 9, embeddingsRegularizer: 'l2' });
    layer.build();
    for (const value of await values(layer.embeddings as Tensor))
      expect(Math.abs(value)).toBeLessThanOrEqual(0.05);
    expect(layer.losses).toHaveLength(1);
  });
});

describe('bidirectional', () => {
  const x = () => draw(1, 2, 4, 3);

  test('names its layers and their weights as Keras does', () => {
    const layer = layers.bidirectional({ layer: layers.lstm({ units: 2, name: 'lstm' }), name: 'context' });
    layer.apply(x());
    const weights = ['kernel', 'recurrent_kernel', 'bias'];
    expect(layer.weights.map(({ path }) => path)).toEqual([
      ...weights.map((name) => `context/forward_lstm/lstm_cell/${name}`),
      ...weights.map((name) => `context/backward_lstm/lstm_cell/${name}`),
    ]);
    const { layer: forward, backwardLayer } = layer.getConfig() as Record<
      string,
      { config: { name: string } }
    >;
    expect([forward?.config.name, backwardLayer?.config.name]).toEqual(['forward_lstm', 'backward_lstm']);
    const again = layers.Bidirectional.fromConfig(layer.getConfig() as never);
    expect([again.forwardLayer.name, again.backwardLayer.name]).toEqual(['forward_lstm', 'backward_lstm']);
  });

  test('has its own weights', () => {
    const inner = layers.gru({ units: 2 });
    inner.apply(x());
    const layer = layers.bidirectional({ layer: inner });
    layer.apply(x());
    expect(layer.weights.some((weight) => inner.weights.includes(weight))).toBe(false);
  });

  test('takes states for both ends, and returns them in that order', async () => {
    const layer = layers.bidirectional({ layer: layers.gru({ units: 2, returnState: true }) });
    const [output, forward, backward] = layer.apply(x()) as [Tensor, Tensor, Tensor];
    await expectClose(slice(output, { begin: [0, 0], size: [-1, 2] }), forward);
    await expectClose(slice(output, { begin: [0, 2], size: [-1, 2] }), backward);
    const initialState = [draw(2, 2, 2), draw(3, 2, 2)];
    const [, first] = layer.apply(x(), { initialState }) as [Tensor, Tensor];
    const [wanted] = layer.forwardLayer.apply(x(), { initialState: initialState[0] }) as unknown as [Tensor];
    await expectClose(first, wanted);
  });

  test('clears masked steps of a sequence, and passes its mask on', async () => {
    const mask = flags([
      [1, 1, 0, 0],
      [0, 1, 1, 0],
    ]);
    const layer = layers.bidirectional({ layer: layers.lstm({ units: 1, returnSequences: true }) });
    const output = layer.apply(x(), { mask });
    const rows = (await output.array()) as number[][][];
    expect(rows.map((steps) => steps.map((step) => Number(step.some((v) => v !== 0))))).toEqual([
      [1, 1, 0, 0],
      [0, 1, 1, 0],
    ]);
    expect(await values(maskOf(output) as Tensor)).toEqual([1, 1, 0, 0, 0, 1, 1, 0]);
    const apart = layers.bidirectional({
      layer: layers.gru({ units: 1, returnSequences: true, returnState: true }),
      mergeMode: null,
    });
    const outputs = apart.apply(x(), { mask });
    expect(outputs.map((tensor) => maskOf(tensor) !== null)).toEqual([true, true, false, false]);
  });

  test('keeps states from call to call where its layers do', async () => {
    const layer = layers.bidirectional({ layer: layers.gru({ units: 2, stateful: true }) });
    const first = await values(layer.apply(x()));
    expect(await values(layer.apply(x()))).not.toEqual(first);
    expect(layer.states).toHaveLength(2);
    layer.resetState();
    expect(await values(layer.apply(x()))).toEqual(first);
  });

  test('is frozen as a whole', () => {
    const layer = layers.bidirectional({ layer: layers.gru({ units: 2 }), trainable: false });
    layer.apply(x());
    expect(layer.trainableWeights).toEqual([]);
  });
});

describe('timeDistributed', () => {
  test('passes its mask to the layer inside, and on', async () => {
    const mask = tensor(
      [
        [
          [1, 0],
          [1, 1],
        ],
      ],
      { dtype: 'bool' },
    );
    const x = draw(1, 1, 2, 2, 3);
    const inner = layers.gru({ units: 2 });
    const layer = layers.timeDistributed({ layer: inner });
    const output = layer.apply(x, { mask });
    const alone = inner.apply(tensor((await values(x)).slice(0, 3), { shape: [1, 1, 3] }));
    expect((await values(output)).slice(0, 2)).toEqual(await values(alone));
  });

  test('names the weights inside, and shows open sizes', () => {
    const layer = layers.timeDistributed({ layer: layers.dense({ units: 4, name: 'tag' }), name: 'tags' });
    const output = layer.apply(input({ shape: [null, 3] }));
    expect(output.shape).toEqual([null, null, 4]);
    expect(layer.weights.map(({ path }) => path)).toEqual(['tags/tag/kernel', 'tags/tag/bias']);
  });

  test('passes training on to the layer inside', async () => {
    const layer = layers.timeDistributed({ layer: layers.dropout({ rate: 0.5 }) });
    const x = tensor(new Array(100).fill(1), { shape: [5, 10, 2] });
    expect(new Set(await values(layer.apply(x)))).toEqual(new Set([1]));
    expect(new Set(await values(layer.apply(x, { training: true })))).toEqual(new Set([0, 2]));
  });
});
