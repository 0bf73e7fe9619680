/** @file The first step of `fit` lets other tasks run between its parts, and ends there when it is aborted. A clock of their own ticks. */
import { afterEach, beforeAll, expect, test, vi } from 'vitest';
import { init, ones, type Tensor, tensor } from '../../../src/index.ts';
import { Pacer } from '../../../src/core/pacer.ts';
import { inTurns } from '../../../src/core/pieces.ts';
import { tensorCount } from '../../../src/tensor/tensor.ts';
import { layers, optimizers, type Sequential, sequential } from '../../../src/keras/index.ts';
import { stopTicking, tick } from '../../support/tick.ts';

let x: Tensor;
let shared = optimizers.adam();
let y: Tensor;
beforeAll(async () => {
  await init();
  x = tensor([1, 2, 3, 4, 0, 1, 2, 2], { shape: [4, 2] });
  y = tensor([1, 0, 1, 0], { shape: [4, 1] });
});
afterEach(stopTicking);

function net(count = 2): Sequential {
  const made = sequential([
    layers.inputLayer({ shape: [2] }),
    ...Array.from({ length: count }, (_, i) =>
      layers.dense({
        units: 2,
        activation: 'tanh',
        kernelInitializer: { className: 'GlorotUniform', config: { seed: i } },
      }),
    ),
    layers.dense({ units: 1, kernelInitializer: 'ones' }),
  ]);
  made.compile({ optimizer: 'sgd', loss: 'mse' });
  return made;
}

const options = { batchSize: 2, epochs: 1, shuffle: false, verbose: 0 } as const;

/** Yields before the first batch is over, and those of all. */
async function yieldsOf(made: Sequential): Promise<{ first: number; all: number }> {
  const counted = tick();
  let first = 0;
  const onTrainBatchEnd = (batch: number) => {
    if (batch === 0) first = counted.yields;
  };
  await made.fit(x, y, { ...options, callbacks: { onTrainBatchEnd } });
  stopTicking();
  return { first, all: counted.yields };
}

test('a step that is recorded yields between its recording, the plan of its memory and its bind groups', async () => {
  const made = net();
  const { first, all } = await yieldsOf(made);
  // Variables, recording, dependences, fusion, lifetimes, each of the plans that are compared, parameters.
  expect(first).toBeGreaterThan(40);
  // A replay is one piece.
  expect(all - first).toBeLessThan(10);
  made.dispose();
});

test('no piece binds more than 256 launches', async () => {
  const made = net(60);
  made.optimizer?.build(made.trainableWeights);
  let [bound, most] = [0, 0];
  const { prototype } = globalThis.GPUDevice;
  const real = prototype.createBindGroup;
  tick((yields) => {
    // Before the second, the step is recorded, in one piece.
    if (yields > 2) most = Math.max(most, bound);
    bound = 0;
  });
  vi.spyOn(prototype, 'createBindGroup').mockImplementation(function (this: GPUDevice, descriptor) {
    bound++;
    return real.call(this, descriptor);
  });
  await made.fit(x, y, options);
  expect(most).toBeGreaterThan(0);
  expect(most).toBeLessThanOrEqual(256);
  made.dispose();
});

test.each([1, 2, 3, 10, 40])(
  'a fit that is aborted at yield %i ends there; the model trains on as if nothing had been',
  async (at) => {
    const made = net();
    const before = tensorCount();
    const controller = new AbortController();
    const counted = tick((yields) => {
      if (yields === at) controller.abort(new Error('enough'));
    });
    await expect(made.fit(x, y, { ...options, signal: controller.signal })).rejects.toThrow('enough');
    expect(counted.yields).toBe(at);
    stopTicking();
    // The optimizer's own variables stay.
    expect(tensorCount() - before).toBeLessThanOrEqual(1);
    const { history } = await made.fit(x, y, options);
    expect(history.loss?.[0]).toBeGreaterThan(0);
    made.dispose();
  },
);

test('steps that other work of the page runs between two pieces leave the bits alone', async () => {
  const [alone, disturbed] = [net(), net()];
  const other = net();
  await alone.fit(x, y, { ...options, epochs: 3 });
  let ran = 0;
  tick((yields) => {
    if (yields % 5 !== 0 || ran > 8) return;
    ran++;
    // Replaced between the recording and the first replay, the weight is written back to its slot.
    const [kernel] = disturbed.weights;
    kernel?.assign(kernel);
    other.predictOnBatch(x);
  });
  await disturbed.fit(x, y, { ...options, epochs: 3 });
  stopTicking();
  expect(ran).toBeGreaterThan(3);
  for (const [i, weight] of alone.weights.entries())
    expect(await disturbed.weights[i]?.data()).toEqual(await weight.data());
  for (const made of [alone, disturbed, other]) made.dispose();
});

test.each(['adam', 'lamb'] as const)(
  'the variables of an optimizer are created in pieces: %s, which has none if it is ended early',
  async (name) => {
    const made = net(30);
    const weights = made.trainableWeights;
    const optimizer = optimizers[name]({ learningRate: 0.1, useEma: true });
    const before = tensorCount();
    const controller = new AbortController();
    const ended = tick((yields) => {
      if (yields === 2) controller.abort(new Error('enough'));
    });
    const begin = (signal?: AbortSignal) => inTurns(optimizer.buildInPieces(weights), new Pacer(signal));
    await expect(begin(controller.signal)).rejects.toThrow('enough');
    expect(ended.yields).toBe(2);
    expect([optimizer.built, tensorCount()]).toEqual([false, before]);
    stopTicking();
    const counted = tick();
    await begin();
    // Lamb has slots of each variable, Adam packs some variables together.
    expect(counted.yields).toBeGreaterThanOrEqual(name === 'lamb' ? weights.length : 3);
    expect(optimizer.variables.length).toBe(2 + 3 * weights.length);
    optimizer.apply(
      weights.map(({ shape }) => ones(shape)),
      weights,
    );
    optimizer.dispose();
    made.dispose();
  },
);

test.each([
  ['adam', () => optimizers.adam()],
  ['lossScaleOptimizer', () => optimizers.lossScaleOptimizer({ innerOptimizer: optimizers.adam() })],
  ['multiOptimizer', () => optimizers.multiOptimizer({ optimizerMap: () => shared })],
] as const)('a step between two pieces builds the same optimizer: %s', async (name, make) => {
  shared = optimizers.adam();
  const made = net(30);
  const weights = made.trainableWeights;
  const gradients = weights.map(({ shape }) => ones(shape));
  const optimizer = make();
  const pieces = optimizer.buildInPieces(weights);
  pieces.next();
  optimizer.apply(gradients, weights);
  const count = tensorCount();
  while (!pieces.next().done);
  expect(tensorCount(), name).toBe(count);
  optimizer.apply(gradients, weights);
  expect(optimizer.variables.some((variable) => 'disposed' in variable && variable.disposed)).toBe(false);
  optimizer.dispose();
  made.dispose();
});
