/** @file The moving averages of BatchNormalization, and when they are updated. */
import { beforeAll, describe, expect, test } from 'vitest';
import { compile, GradientTape, init, memory, sum, type Tensor, tensor } from '../../../../src/index.ts';
import { layers, model, input } from '../../../../src/keras/index.ts';

beforeAll(async () => {
  await init();
});

const rows = [
  [1, 10],
  [3, 30],
];
const read = async (layer: { weights: Tensor[] }) =>
  Promise.all(layer.weights.map((weight) => weight.array() as Promise<number[]>));

function expectNear(found: readonly number[], wanted: readonly number[]): void {
  wanted.forEach((value, i) => {
    expect(found[i]).toBeCloseTo(value, 5);
  });
}

describe('batchNormalization', () => {
  test('updates its moving averages only in training, by 1 - momentum', async () => {
    const layer = layers.batchNormalization({ momentum: 0.9 });
    const x = tensor(rows);
    layer.apply(x);
    expect((await read(layer)).slice(2)).toEqual([
      [0, 0],
      [1, 1],
    ]);
    // Batch means 2 and 20, population variances 1 and 100.
    layer.apply(x, { training: true });
    const [, , mean, variance] = await read(layer);
    expectNear(mean as number[], [0.2, 2]);
    expectNear(variance as number[], [1, 0.9 + 10]);
    layer.apply(x, { training: true });
    expectNear((await read(layer))[2] as number[], [0.38, 3.8]);
  });

  test('uses its moving averages when it is frozen, in training, too', async () => {
    const layer = layers.batchNormalization({ epsilon: 0 });
    layer.trainable = false;
    const x = tensor(rows);
    expect(await layer.apply(x, { training: true }).array()).toEqual(rows);
    expect((await read(layer)).slice(2)).toEqual([
      [0, 0],
      [1, 1],
    ]);
  });

  test('is not trained inside a frozen model', async () => {
    const x = input({ shape: [2] });
    const layer = layers.batchNormalization();
    const net = model({ inputs: x, outputs: layer.apply(x) });
    net.trainable = false;
    net.apply(tensor(rows), { training: true });
    expect((await read(layer))[2]).toEqual([0, 0]);
  });

  test('gives no gradient to its moving averages, and records none of their updates', () => {
    const layer = layers.batchNormalization();
    const x = tensor(rows);
    layer.ensureBuilt([2, 2]);
    const tape = new GradientTape();
    const y = layer.apply(x, { training: true });
    const [gamma, beta] = tape.gradient(sum(y), layer.trainableWeights);
    expect([gamma?.shape, beta?.shape]).toEqual([[2], [2]]);
    expect(layer.nonTrainableWeights.map(({ path }) => path)).toEqual([
      `${layer.name}/moving_mean`,
      `${layer.name}/moving_variance`,
    ]);
  });

  test('updates its moving averages in captured work as outside of it', async () => {
    const [plain, captured] = [layers.batchNormalization(), layers.batchNormalization()];
    const step = compile((x: Tensor) => captured.apply(x, { training: true }));
    captured.ensureBuilt([2, 2]);
    for (let i = 1; i <= 4; i++) {
      const x = tensor(rows.map((row) => row.map((value) => value * i)));
      const [a, b] = [plain.apply(x, { training: true }), step(x)];
      expect(await b.array()).toEqual(await a.array());
    }
    expect(await read(captured)).toEqual(await read(plain));
  });

  test('holds no more after many steps than after one', () => {
    const layer = layers.batchNormalization();
    const x = tensor(rows);
    layer.apply(x, { training: true }).dispose();
    const before = memory().tensors;
    for (let i = 0; i < 20; i++) layer.apply(x, { training: true }).dispose();
    expect(memory().tensors).toBe(before);
  });

  test('leaves masked steps out of its moments', async () => {
    const layer = layers.batchNormalization({ momentum: 0 });
    const x = layers.masking().apply(
      tensor([
        [[1], [3], [0]],
        [[5], [0], [0]],
      ]),
    );
    layer.apply(x, { training: true });
    const [, , mean, variance] = await read(layer);
    expectNear(mean as number[], [3]);
    expectNear(variance as number[], [8 / 3]);
  });
});
