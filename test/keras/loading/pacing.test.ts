/** @file Loading and saving large models let other tasks run, and end at once when they are aborted. A clock of their own ticks. */
import { afterEach, beforeAll, expect, test } from 'vitest';
import { init } from '../../../src/index.ts';
import { tensorCount } from '../../../src/tensor/tensor.ts';
import { type Functional, input, layers, model, sequential } from '../../../src/keras/index.ts';
import { BytesTarget, loadModel } from '../../../src/io/index.ts';
import { stopTicking, tick } from '../../support/tick.ts';

const count = 40;
let file: Blob;

function deep(depth = count): Functional {
  const x = input({ shape: [4] });
  let y = x;
  for (let i = 0; i < depth; i++) y = layers.dense({ units: 4 }).apply(y);
  return model({ inputs: x, outputs: y }) as unknown as Functional;
}

async function saved(net: Functional, options = {}): Promise<Blob> {
  const pieces: Blob[] = [];
  const write = (piece: Uint8Array<ArrayBuffer>) => void pieces.push(new Blob([piece]));
  await net.save(new WritableStream({ write }), options);
  return new Blob(pieces);
}

beforeAll(async () => {
  await init();
  const net = deep();
  file = await saved(net);
  net.dispose();
});
afterEach(stopTicking);

test('loading yields for each layer that it creates, calls and finds in the file, and for each weight', async () => {
  const counted = tick();
  const net = await loadModel(file);
  // Layers are created, called, listed with their weights and matched; weights are found in the file, checked and read.
  expect(counted.yields).toBeGreaterThan(9 * count);
  net.dispose();
});

test('loading a Sequential yields for each layer, too: when it is created, and when it is called', async () => {
  const stack = Array.from({ length: count }, () => layers.dense({ units: 4 }));
  const net = sequential([input({ shape: [4] }), ...stack]);
  const saved = new BytesTarget();
  await net.save(saved);
  const counted = tick();
  const loaded = await loadModel(saved.bytes);
  expect(counted.yields).toBeGreaterThan(3 * count);
  expect(loaded.summary()).toBe(net.summary());
  loaded.dispose();
  net.dispose();
});

test.each([1, 10, count, 2 * count, 3 * count])(
  'loading that is aborted at yield %i ends there, and leaves nothing',
  async (at) => {
    const before = tensorCount();
    const controller = new AbortController();
    const counted = tick((yields) => {
      if (yields === at) controller.abort(new Error('enough'));
    });
    await expect(loadModel(file, { signal: controller.signal })).rejects.toThrow('enough');
    expect(counted.yields).toBe(at);
    expect(tensorCount()).toBe(before);
  },
);

test('saving yields between pieces', async () => {
  const net = deep();
  const counted = tick();
  await saved(net);
  // Layers are described, listed with their weights, read and written; their descriptions become text.
  expect(counted.yields).toBeGreaterThan(8 * count);
  net.dispose();
});

test.each([5, count, 3 * count, 6 * count, 8 * count])(
  'saving that is aborted at yield %i ends there',
  async (at) => {
    const net = deep();
    const controller = new AbortController();
    const counted = tick((yields) => {
      if (yields === at) controller.abort(new Error('enough'));
    });
    await expect(saved(net, { signal: controller.signal })).rejects.toThrow('enough');
    expect(counted.yields).toBe(at);
    net.dispose();
  },
);

test('reading the variables of an optimizer, which are in one group, ends where it is aborted', async () => {
  const depth = 8;
  const net = deep(depth);
  net.compile({ optimizer: 'adam', loss: 'mse' });
  net.optimizer?.build(net.trainableWeights);
  const trained = await saved(net);
  net.dispose();
  const counted = tick();
  const whole = await loadModel(trained);
  whole.dispose();
  stopTicking();
  expect(counted.yields).toBeGreaterThan(18 * depth);
  const before = tensorCount();
  for (const at of [2, 2 * depth, 4 * depth]) {
    const controller = new AbortController();
    tick((yields) => {
      if (yields === at) controller.abort(new Error('enough'));
    });
    await expect(loadModel(trained, { signal: controller.signal })).rejects.toThrow('enough');
    stopTicking();
    expect(tensorCount()).toBe(before);
  }
});
