/** @file Convolutional LSTMs beyond the battery: states that are images. */
import { beforeAll, expect, test } from 'vitest';
import { init, ones, randomNormal, ShapeError, split, type Tensor, tidy } from '../../../../src/index.ts';
import { input, layers, model } from '../../../../src/keras/index.ts';

beforeAll(async () => {
  await init();
});

const options = { filters: 2, kernelSize: 2, padding: 'same' } as const;
const values = async (x: Tensor) => Array.from(await x.data(), (value) => Math.fround(value).toFixed(5));

test('states are images, from which the next call continues', async () => {
  using layer = layers.convLSTM2d({ ...options, returnState: true });
  const x = randomNormal([1, 4, 3, 2, 1], { seed: 3 });
  const [whole, h, c] = layer.apply(x) as [Tensor, Tensor, Tensor];
  expect([whole.shape, h.shape, c.shape]).toEqual(new Array(3).fill([1, 3, 2, 2]));
  const [first, second] = split(x, { numOrSizeSplits: 2, axis: 1 }) as [Tensor, Tensor];
  const [, ...states] = layer.apply(first);
  const [again] = layer.apply(second, { initialState: states }) as [Tensor];
  expect(await values(again)).toEqual(await values(whole));

  using stateful = layers.convLSTM2d({ ...options, stateful: true });
  stateful.apply(first);
  stateful.setWeights(layer.weights);
  stateful.resetState();
  stateful.apply(first);
  expect(await values(stateful.apply(second))).toEqual(await values(whole));
  expect(() => layer.apply(x, { initialState: [h] })).toThrow(/\[1, 3, 2, 2\], \[1, 3, 2, 2\]/);
});

test('inputs must have the size that it was built with', () => {
  tidy(() => {
    using layer = layers.convLSTM1d(options);
    expect(layer.apply(ones([1, 0, 4, 1])).shape).toEqual([1, 4, 2]);
    expect(() => layer.apply(ones([1, 2, 5, 1]))).toThrow(ShapeError);
    expect(() => layers.convLSTM1d(options).apply(input({ shape: [2, null, 1] }))).toThrow(/known sizes/);
  });
});

test('each gate has its own dropout, the same at all times', async () => {
  const same = { kernelInitializer: 'ones', recurrentInitializer: 'zeros', activation: null } as const;
  using layer = layers.convLSTM1d({
    ...same,
    filters: 1,
    kernelSize: 1,
    recurrentActivation: null,
    unitForgetBias: false,
    dropout: 0.5,
    seed: 5,
    returnSequences: true,
  });
  const outputs = await layer.apply(ones([1, 2, 64, 1]), { training: true }).data();
  // With factors i, f, g and o of 0 or 2, the same at both times: o i g, then o (f + 1) i g.
  const pairs = Array.from({ length: 64 }, (_, k) => `${outputs[k]}, ${outputs[k + 64]}`);
  expect(new Set(pairs)).toEqual(new Set(['0, 0', '8, 8', '8, 24']));
});

test('it runs in both directions, in a model', () => {
  const x = input({ shape: [3, 4, 1] });
  using net = model({
    inputs: x,
    outputs: layers.bidirectional({ layer: layers.convLSTM1d(options) }).apply(x) as never,
  });
  expect((net.apply(ones([2, 3, 4, 1])) as unknown as Tensor).shape).toEqual([2, 4, 4]);
});
