/** @file Automatic tuning: problems are measured after the calls that need them, and a wrong selection affects only one step. */
import { expect, test } from 'vitest';
import { compile, matMul, type Tensor, tensor, tidy } from '../../src/index.ts';
import { getDevice } from '../../src/webgpu/current.ts';
import { layers, sequential } from '../../src/keras/index.ts';
import { gemmTiles } from '../../src/kernels/gemm/gemmTiles.ts';
import { allowedError } from '../support/convolutions.ts';
import { draw, largestError, product } from '../support/reference.ts';
import { memoryStore, type TunedDevice, tilesOf, tunedDevices } from './support.ts';

const tunedDevice = tunedDevices();

const [left, right] = [draw(96 * 96, 1), draw(96 * 96, 2)];
const expected = product(left, right, [96, 96, 96]);
const operands = () => [tensor(left, { shape: [96, 96] }), tensor(right, { shape: [96, 96] })] as const;

/** Returns the tiles that calls of matmul select; probed candidates aren't among them. */
function answersOf({ tuner }: TunedDevice): string[] {
  const answers: string[] = [];
  const choose = tuner.choose.bind(tuner);
  tuner.choose = (tunable, problem, profile) => {
    const chosen = choose(tunable, problem, profile);
    const algorithm = chosen ?? tunable.select(problem, profile);
    const tile = JSON.stringify((algorithm as { tile?: object }).tile);
    const named = Object.entries(gemmTiles).find(([, known]) => JSON.stringify(known) === tile);
    if (named && getDevice().executor.mode !== 'dry run') answers.push(named[0]);
    return chosen;
  };
  return answers;
}

async function multiply(): Promise<void> {
  const [a, b] = operands();
  const c = matMul(a, b);
  expect(largestError(await c.data(), expected)).toBeLessThan(allowedError(96));
  for (const x of [a, b, c]) x.dispose();
}

test('the first call takes the selected algorithm; from when it is measured on, calls take the fastest', async () => {
  const store = memoryStore();
  await using own = await tunedDevice({ scalars: 1 }, { automatic: true, store });
  const answers = answersOf(own);
  const [a, b] = operands();
  expect(own.tuner.measuring).toBeNull();
  matMul(a, b).dispose();
  expect(answers).toEqual(['block']);
  await own.tuner.measuring;
  expect(new Set(own.timed)).toContain('block');
  expect(new Set(own.timed)).toContain('scalars');
  expect(store.texts.size).toBe(1);
  const count = own.timed.length;
  expect(tilesOf(own.device, () => tidy(() => void matMul(a, b)))).toEqual(['scalars']);
  expect(own.tuner.measuring).toBeNull();
  expect(own.timed).toHaveLength(count);
  await multiply();
});

test('calls take nothing but the selected algorithm and the fastest, whenever they come', async () => {
  await using own = await tunedDevice({ steps: 1 }, { automatic: true });
  const answers = answersOf(own);
  await multiply();
  const measuring = own.tuner.measuring;
  for (let i = 0; i < 5; i++) await multiply();
  await measuring;
  await multiply();
  expect(answers.at(-1)).toBe('steps');
  expect([...new Set(answers)]).toEqual(['block', 'steps']);
});

test('compiled functions are captured again once, with the fastest', async () => {
  await using own = await tunedDevice({ steps: 1 }, { automatic: true });
  const [a, b] = operands();
  let recordings = 0;
  const f = compile((x: Tensor, y: Tensor) => {
    recordings++;
    return matMul(x, y);
  });
  const run = async () => {
    const c = f(a, b);
    expect(largestError(await c.data(), expected)).toBeLessThan(allowedError(96));
    c.dispose();
  };
  await run();
  await own.tuner.measuring;
  await run();
  await run();
  // The second call was traced once more, for values that the recording froze.
  expect(recordings).toBe(3);
  expect(tilesOf(own.device, () => f(a, b).dispose())).toEqual(['steps']);
  expect(f.explain()).toMatchObject([{ captured: true }]);
});

test('in fit a wrong selection costs one step', async () => {
  await using own = await tunedDevice({ scalars: 1 }, { automatic: true });
  const answers = answersOf(own);
  const net = sequential({ layers: [layers.inputLayer({ shape: [96] }), layers.dense({ units: 96 })] });
  net.compile({ optimizer: 'sgd', loss: 'mse' });
  await net.fit(left, right.slice(), { epochs: 1, batchSize: 96, shuffle: false, verbose: 0 });
  const first = [...new Set(answers)];
  expect(first).toEqual(['block']);
  answers.length = 0;
  await net.fit(left, right.slice(), { epochs: 1, batchSize: 96, shuffle: false, verbose: 0 });
  expect([...new Set(answers)]).toEqual(['scalars']);
});

test('while someone else watches the device, nothing is timed; afterwards it is', async () => {
  await using own = await tunedDevice({ scalars: 1 }, { automatic: true });
  const [a, b] = operands();
  own.device.stream.watcher = { isolates: null, next: () => undefined };
  matMul(a, b).dispose();
  await own.device.sync();
  await new Promise((resolve) => setTimeout(resolve, 200));
  expect(own.timed).toEqual([]);
  own.device.stream.watcher = null;
  await own.tuner.measuring;
  expect(own.timed).toContain('scalars');
});

test('on a device that is lost meanwhile, measuring ends, and says nothing', async () => {
  await using own = await tunedDevice({ scalars: 1 }, { automatic: true });
  const [a, b] = operands();
  matMul(a, b).dispose();
  own.gpu.destroy();
  await own.tuner.measuring;
  expect(own.tuner.measuring).toBeNull();
});

test('the same twice without it: the same bits', async () => {
  await using own = await tunedDevice({ scalars: 1 });
  const [a, b] = operands();
  const results: Float32Array[] = [];
  for (let i = 0; i < 4; i++) results.push((await matMul(a, b).data()) as Float32Array);
  for (const result of results) expect(result).toEqual(results[0]);
  expect(own.timed).toEqual([]);
});
