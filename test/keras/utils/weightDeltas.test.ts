/** @file Weight deltas of several clients: averaged, saved, and applied. */
import { beforeAll, beforeEach, expect, test } from 'vitest';
import { init, memory, type Tensor, tensor, ValueError } from '../../../src/index.ts';
import { loadTensors, saveTensors } from '../../../src/io/index.ts';
import { clearSession, input, layers, sequential, utils } from '../../../src/keras/index.ts';

beforeAll(async () => {
  await init();
});
beforeEach(clearSession);

const { applyDelta, averageDeltas, trainedWeights, weightDelta } = utils;
const dataOf = async (x: unknown) => Array.from(await (x as Tensor).data());

function client() {
  clearSession();
  const net = sequential(
    [input({ shape: [2] }), layers.dense({ units: 2, kernelInitializer: 'ones', name: 'top' })],
    { name: 'net' } as never,
  );
  net.compile({ optimizer: 'sgd', loss: 'mse' });
  return net;
}

test('a round: clients train, their deltas are averaged by their samples, and the server applies them', async () => {
  const server = client();
  const start = trainedWeights(server);
  const kernel = () => dataOf(server.trainableWeights[0]);
  const before = await kernel();
  const { tensors } = memory();
  const files: Uint8Array<ArrayBuffer>[] = [];
  const kernels: number[][] = [];
  for (const samples of [1, 3]) {
    const net = client();
    applyDelta(net, weightDelta(server, start));
    const x = tensor(Array.from({ length: samples }, (_, i) => [i + 1, samples]));
    await net.fit(x, tensor(Array.from({ length: samples }, () => [0, 1])), { epochs: 1, verbose: 0 });
    kernels.push(await dataOf(net.trainableWeights[0]));
    files.push(await saveTensors(weightDelta(net, start), { samples: String(samples) }));
    net.dispose();
  }
  expect(memory().tensors).toBeGreaterThanOrEqual(tensors);
  const mean = averageDeltas(
    files.map((file) => loadTensors(file)),
    { shares: [1, 3] },
  );
  expect([...mean.keys()]).toEqual([...start.keys()]);
  applyDelta(server, mean);
  const expected = before.map(
    (value, i) =>
      value + ((kernels[0]?.[i] as number) - value) / 4 + (((kernels[1]?.[i] as number) - value) * 3) / 4,
  );
  for (const [i, value] of (await kernel()).entries()) expect(value).toBeCloseTo(expected[i] as number, 5);
  applyDelta(server, mean, { scale: -1 });
  for (const [i, value] of (await kernel()).entries()) expect(value).toBeCloseTo(before[i] as number, 5);
});

test('with adapters a delta has the adapters alone', () => {
  const net = client();
  net.enableLora({ rank: 1 });
  const start = trainedWeights(net);
  expect([...start.keys()].map((path) => path.replace(/^.*\//, ''))).toEqual([
    'lora_kernel_a',
    'lora_kernel_b',
  ]);
  expect(() => applyDelta(client(), start)).toThrow(/freeze the others first|did you mean/);
});

test('errors, and nothing changes', async () => {
  const net = client();
  const start = trainedWeights(net);
  const [path] = start.keys();
  const before = await dataOf(net.trainableWeights[0]);
  const other = (name: string, value: Tensor) => new Map([...start, [name, value]]);
  expect(() => applyDelta(net, other(path as string, tensor([[1]])))).toThrow(/has the shape \[2, 2\]/);
  expect(() => applyDelta(net, other('more', tensor([1])))).toThrow(/no others/);
  expect(() => applyDelta(net, new Map([...start].slice(1)))).toThrow(/nothing for/);
  expect(() => applyDelta(net, start, { scale: Number.NaN })).toThrow(ValueError);
  expect(() => weightDelta(net, {} as never)).toThrow(/in a Map/);
  expect(() => averageDeltas([])).toThrow(/list of deltas/);
  expect(() => averageDeltas([start], { shares: [0] })).toThrow(/none below 0/);
  expect(() => averageDeltas([start, start], { shares: [1] })).toThrow(/for 2/);
  expect(() => trainedWeights(3 as never)).toThrow(/takes a model/);
  expect(await dataOf(net.trainableWeights[0])).toEqual(before);
});
