import { describe, expect, test } from 'vitest';
import {
  compile,
  conv2d,
  explainChoice,
  init,
  matMul,
  memory,
  relu,
  softmax,
  TapeError,
  type Tensor,
  tensor,
  tidy,
  tune,
  tuning,
  ValueError,
  variable,
  warmup,
} from '../../src/index.ts';
import { input, layers, model } from '../../src/keras/index.ts';
import { fastest } from '../../src/autotune/tuningTask.ts';
import { measure, stopwatch } from '../../src/autotune/measure.ts';
import { allowedError } from '../support/convolutions.ts';
import { draw, largestError } from '../support/reference.ts';
import { ownDevice } from '../support/ownDevice.ts';
import { size, tilesOf, tunedDevices } from './support.ts';

const tunedDevice = tunedDevices();

const matrix = (seed: number) => tensor(draw(96 * 96, seed), { shape: [96, 96] });

describe('what is measured as the fastest is taken', () => {
  test.each(['scalars', 'steps'])('%s', async (name) => {
    await using own = await tunedDevice({ [name]: 1 });
    const report = await tune(matMul, size, size);
    expect(report.choices).toHaveLength(1);
    expect(report.choices[0]).toMatchObject({ taken: name, source: 'measured' });
    expect(report).toMatchObject({ measured: 1, known: 0, left: 0 });
    const run = () => tidy(() => void matMul(matrix(1), matrix(2)));
    expect(tilesOf(own.device, run)).toEqual([name]);
  });

  test('for sizes of the same class, and for no others', async () => {
    await using _ = await tunedDevice({ scalars: 1 });
    await tune(matMul, size, size);
    const choiceOf = (m: number, n: number) =>
      explainChoice(matMul, { shape: [m, 96] }, { shape: [96, n] }).choices[0];
    expect(choiceOf(92, 96)).toMatchObject({ taken: 'scalars', source: 'measured' });
    expect(choiceOf(128, 128)).toMatchObject({ source: 'selected' });
    expect(choiceOf(93, 96)).toMatchObject({ taken: 'scalars', source: 'measured' });
    expect(choiceOf(96, 93)).toMatchObject({ source: 'selected' });
  });

  test('a less accurate variant only where it is clearly faster', () => {
    const candidates = [
      { name: 'plain', algorithm: 0, cost: null, rank: 0 },
      { name: 'rougher', algorithm: 1, cost: null, rank: 1 },
    ];
    expect(fastest(candidates, { plain: 1, rougher: 0.9 })?.name).toBe('plain');
    expect(fastest(candidates, { plain: 1, rougher: 0.8 })?.name).toBe('rougher');
    expect(fastest(candidates, { rougher: 3 })?.name).toBe('rougher');
    expect(fastest(candidates, {})).toBe(null);
  });

  test('algorithms of convolutions first, then the tiles of the one that is taken', async () => {
    await using own = await tunedDevice({ 'implicit GEMM': 1, scalars: 1 });
    const report = await tune(
      conv2d,
      { shape: [1, 32, 32, 32] },
      { shape: [3, 3, 32, 32] },
      { padding: 'same' },
    );
    expect(report.choices.map(({ taken }) => taken)).toEqual(['implicit GEMM', 'scalars']);
    const isAlgorithm = own.timed.map((name) => /GEMM|Winograd/.test(name));
    expect(isAlgorithm.lastIndexOf(true)).toBeLessThan(isAlgorithm.indexOf(false));
  });
});

test('what is known is not measured again', async () => {
  await using own = await tunedDevice({ scalars: 1 });
  await tune(matMul, size, size);
  const before = own.timed.length;
  expect(await tune((a: Tensor, b: Tensor) => relu(matMul(a, b)), size, size)).toMatchObject({
    measured: 0,
    known: 1,
  });
  expect(own.timed).toHaveLength(before);
});

test('without time left choices stay selected, and the report says so', async () => {
  await using own = await tunedDevice({ scalars: 1 });
  own.tuner.settings.budget = 0;
  const report = await tune(matMul, size, size);
  expect(report).toMatchObject({ measured: 0, left: 1 });
  expect(String(report)).toMatch(/1 left for lack of time/);
});

test('nothing that the function does happens', async () => {
  await using _ = await tunedDevice({ scalars: 1 });
  const w = variable(matrix(3), { name: 'w' });
  const before = await w.data();
  await tune((x: Tensor) => w.assign(matMul(x, w)), size);
  expect(await w.data()).toEqual(before);
});

test('memory is as before', async () => {
  await using own = await tunedDevice({ scalars: 1 });
  const before = memory(own.device);
  await tune(matMul, size, size);
  const { tensors, bytes } = before;
  expect(memory(own.device)).toMatchObject({ tensors, bytes, pooledBytes: 0 });
});

test('compiled functions are captured again, and warmup compiles what was chosen', async () => {
  await using own = await tunedDevice({ scalars: 1 });
  const [a, b] = [matrix(1), matrix(2)];
  const f = compile((x: Tensor, y: Tensor) => matMul(x, y));
  const before = await f(a, b).data();
  f(a, b).dispose();
  await tune(matMul, size, size);
  await warmup(f, size, size);
  const pipelines = own.device.pipelineCount;
  expect(tilesOf(own.device, () => f(a, b).dispose())).toEqual(['scalars']);
  expect(tilesOf(own.device, () => f(a, b).dispose())).toEqual(['scalars']);
  expect(own.device.pipelineCount).toBe(pipelines);
  expect(f.explain()).toMatchObject([{ captured: true }]);
  const after = await f(a, b).data();
  expect(largestError(after, before)).toBeLessThan(allowedError(96));
});

test('a model reports what it needs, including training', async () => {
  await using own = await tunedDevice({ scalars: 1 });
  const image = input({ shape: [14, 14, 8] });
  const h = layers.conv2d({ filters: 16, kernelSize: 3, activation: 'relu' }).apply(image);
  const net = model({ inputs: image, outputs: layers.dense({ units: 4 }).apply(layers.flatten().apply(h)) });
  net.compile({ optimizer: 'sgd', loss: 'meanSquaredError' });
  const report = await tune(net, { batchSize: 8, training: true });
  const whats = report.choices.map(({ what }) => what).join('\n');
  expect(whats).toMatch(/conv2d of 8 times 14 × 14/);
  expect(whats).toMatch(/kernel gradient of/);
  expect(report.measured).toBeGreaterThan(0);
  expect(own.tuner.version).toBeGreaterThan(0);
  expect(await tune(net, { batchSize: 8, training: true })).toMatchObject({ measured: 0, left: 0 });
});

test('real time is taken on the device', async () => {
  await using own = await ownDevice();
  await init({ device: own.gpu });
  const [x, y] = [matrix(1), matrix(2)];
  const subject = (name: string, times: number) => ({
    name,
    run: () => {
      for (let i = 0; i < times; i++) matMul(x, y).dispose();
    },
  });
  const times = await measure(own.device, [subject('once', 1), subject('often', 40)], stopwatch, () => false);
  expect(times.often).toBeGreaterThan(2 * (times.once as number));
});

describe('rejected', () => {
  test('what is no function', async () => {
    await using _ = await tunedDevice({});
    await expect(tune(3 as never)).rejects.toThrow(TapeError);
    await expect(tune(async () => {})).rejects.toThrow(/synchronous/);
    await expect(tune(softmax, { shape: [2.5] })).rejects.toThrow(/shape/);
  });

  test.each([
    [{ budget: -1 }, /`budget` is a number of milliseconds/],
    [{ budget: Number.NaN }, /`budget`/],
    [{ automatic: 1 }, /`automatic` is true or false/],
    [{ store: {} }, /`store` reads and writes/],
    [{ stores: null }, /did you mean 'store'/],
    [3, /its options are .* in one object/],
  ])('%o', (options, message) => {
    expect(() => tuning(options as never)).toThrow(ValueError);
    expect(() => tuning(options as never)).toThrow(message);
  });
});
