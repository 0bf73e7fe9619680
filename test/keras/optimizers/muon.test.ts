/** @file Muon beyond the golden cases: tall matrices, embeddings, and dynamic loss scales in a captured step. */
import { beforeAll, expect, test } from 'vitest';
import { init, tensor, transpose, type Variable, variable } from '../../../src/index.ts';
import { layers, optimizers, sequential } from '../../../src/keras/index.ts';
import { valuesOf, wave } from './support.ts';

beforeAll(async () => {
  await init();
});

const weightDecay = 0;
const wide = tensorOf([2, 5], 0);

function tensorOf(shape: number[], phase: number) {
  return () => tensor(wave(10, phase), { shape });
}

test('a tall matrix is updated like its transpose', async () => {
  const across = variable(wide(), { name: 'a' });
  const down = variable(transpose(wide()), { name: 'b' });
  const optimizer = optimizers.muon({ learningRate: 0.1, weightDecay });
  const gradient = tensorOf([2, 5], 2)();
  optimizer.apply([gradient, transpose(gradient)], [across, down]);
  const [a, b] = await valuesOf([transpose(across), down]);
  a?.forEach((value, i) => {
    expect(b?.[i]).toBeCloseTo(value, 5);
  });
});

test('embeddings and excluded layers are updated by Adam, if they are not asked for', async () => {
  const make = (name: string): Variable => variable(wide(), { name });
  const variables = ['embedding/embeddings', 'head/kernel', 'dense/kernel'].map(make);
  const slots = (options: optimizers.MuonOptions) => {
    const optimizer = optimizers.muon({ ...options, name: 'm' });
    optimizer.build(variables);
    return optimizer.variables.slice(2).map(({ path }) => path.slice(2));
  };
  expect(slots({ excludeLayers: ['^head'] })).toEqual([
    'embedding_embeddings_momentum',
    'embedding_embeddings_velocity',
    'head_kernel_momentum',
    'head_kernel_velocity',
    'dense_kernel_momentum',
  ]);
  expect(slots({ excludeEmbeddings: false })).toHaveLength(3);
});

test('a captured step adapts its loss scale, and skips overflows', async () => {
  const net = sequential([layers.inputLayer({ shape: [2] }), layers.dense({ units: 1 })]);
  const optimizer = optimizers.lossScaleOptimizer({
    innerOptimizer: optimizers.adam({ learningRate: 0.1 }),
    initialScale: 4,
    dynamicGrowthSteps: 2,
  });
  net.compile({ optimizer, loss: 'mse' });
  const step = (value: number) => net.trainOnBatch([[value, 1]], [[2]]);
  for (let i = 0; i < 4; i++) await step(1);
  expect(await optimizer.dynamicScale?.item()).toBe(16);
  const before = await valuesOf(net.weights);
  const slots = await optimizer.getWeights();
  await step(1e30);
  expect(await optimizer.dynamicScale?.item()).toBe(8);
  expect(await valuesOf(net.weights)).toEqual(before);
  // All but the counts and the scale.
  expect((await optimizer.getWeights()).slice(5)).toEqual(slots.slice(5));
  await step(1);
  expect(await valuesOf(net.weights)).not.toEqual(before);
  expect(net.explainStep().text).toMatch(/replay|captured/);
});
