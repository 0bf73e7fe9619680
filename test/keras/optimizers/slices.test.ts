/**
 * @file Gradients of tables that are read by several ids: a training step squares the contribution of each read separately,
 * like Keras on TensorFlow, rather than their sum.
 */
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { init, memory, type Tensor, tensor } from '../../../src/index.ts';
import { clearSession, input, layers, model, optimizers } from '../../../src/keras/index.ts';

beforeAll(async () => {
  await init();
});
beforeEach(clearSession);

const table = [
  [0.5, -0.25],
  [0.125, 1],
  [2, -1],
];
const ids = [[0, 2, 0, 0]];
/** The loss is the mean of the squared outputs of four reads of two values. */
const slices = (ids[0] as number[]).map((row) => ({
  row,
  values: (table[row] as number[]).map((v) => (2 * v) / 8),
}));

/** Sums over reads of the same row. */
function summed(of: (value: number) => number): number[][] {
  return table.map((values, row) =>
    values.map((_, k) =>
      slices
        .filter((slice) => slice.row === row)
        .reduce((sum, slice) => sum + of(slice.values[k] as number), 0),
    ),
  );
}

async function afterOneStep(
  optimizer: optimizers.OptimizerLike,
  runEagerly = false,
  epochs = 1,
): Promise<number[][]> {
  const x = input({ shape: [4], dtype: 'int32' });
  const embedded = layers.embedding({ inputDim: 3, outputDim: 2, name: 'table' }).apply(x);
  // A second weight, so that the table shares its block with another variable.
  const scaled = layers.prelu({ sharedAxes: [1], alphaInitializer: 'ones', name: 'prelu' }).apply(embedded);
  const net = model({ inputs: x, outputs: scaled });
  net.getLayer('table').setWeights([tensor(table)]);
  net.compile({ optimizer, loss: 'mse', runEagerly });
  const y = tensor(new Float32Array(8), { shape: [1, 4, 2] });
  await net.fit(tensor(ids, { dtype: 'int32' }), y, { epochs, shuffle: false });
  const values = await (net.getLayer('table').weights[0] as Tensor).array();
  net.dispose();
  return values as number[][];
}

function expectClose(found: number[][], wanted: number[][]): void {
  for (const [row, values] of wanted.entries())
    for (const [k, value] of values.entries()) expect(found[row]?.[k], `${row}, ${k}`).toBeCloseTo(value, 5);
}

const sums = summed((g) => g);
const squares = summed((g) => g * g);
const moved = (by: (g: number, square: number) => number) =>
  table.map((values, row) =>
    values.map((v, k) => v - by(sums[row]?.[k] as number, squares[row]?.[k] as number)),
  );
const length = Math.sqrt(squares.flat().reduce((a, b) => a + b, 0));

describe.each([
  ['captured', false],
  ['as written', true],
])('%s', (_, runEagerly) => {
  test('adam', async () => {
    const rate = (0.1 * Math.sqrt(1 - 0.999)) / (1 - 0.9);
    const step = (g: number, square: number) => (rate * 0.1 * g) / (Math.sqrt(0.001 * square) + 1e-7);
    expectClose(await afterOneStep(optimizers.adam({ learningRate: 0.1 }), runEagerly), moved(step));
  });

  test('adagrad and rmsprop', async () => {
    const adagrad = (g: number, square: number) => (0.1 * g) / Math.sqrt(0.1 + square + 1e-7);
    expectClose(await afterOneStep(optimizers.adagrad({ learningRate: 0.1 }), runEagerly), moved(adagrad));
    const rmsprop = (g: number, square: number) => (0.1 * g) / Math.sqrt(0.1 * square + 1e-7);
    expectClose(await afterOneStep(optimizers.rmsprop({ learningRate: 0.1 }), runEagerly), moved(rmsprop));
  });
});

test('the norm that is clipped is that of the slices', async () => {
  const clip = length / 3;
  const sgd = optimizers.sgd({ learningRate: 1, clipnorm: clip });
  expectClose(
    await afterOneStep(sgd),
    moved((g) => g / 3),
  );
  const adam = optimizers.adagrad({ learningRate: 0.1, clipnorm: clip, lossScaleFactor: 4 });
  const step = (g: number, square: number) => (0.1 * g) / 3 / Math.sqrt(0.1 + square / 9 + 1e-7);
  expectClose(await afterOneStep(adam), moved(step));
});

test('accumulated gradients, and those clipped by value, have no slices', async () => {
  const step = (g: number) => (0.1 * g) / Math.sqrt(0.1 + g * g + 1e-7);
  const clipped = optimizers.adagrad({ learningRate: 0.1, clipvalue: 100 });
  expectClose(await afterOneStep(clipped), moved(step));
  const added = optimizers.adagrad({ learningRate: 0.1, gradientAccumulationSteps: 2 });
  expectClose(await afterOneStep(added, false, 2), moved(step));
});

test('nothing is left behind', async () => {
  const before = memory().tensors;
  const optimizer = optimizers.adam();
  await afterOneStep(optimizer, true);
  optimizer.dispose();
  expect(memory().tensors - before).toBeLessThanOrEqual(3);
});
