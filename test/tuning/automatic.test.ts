import { expect, test } from 'vitest';
import { compile, matMul, type Tensor, tensor, tidy } from '../../src/index.ts';
import { clockOf } from '../../src/tuning/automatic.ts';
import { allowedError } from '../support/convolutions.ts';
import { draw, largestError, product } from '../support/products.ts';
import { memoryStore, tilesOf, tunedDevice } from './support.ts';

const [left, right] = [draw(96 * 96, 1), draw(96 * 96, 2)];
const expected = product(left, right, [96, 96, 96]);
const operands = () => [tensor(left, { shape: [96, 96] }), tensor(right, { shape: [96, 96] })] as const;

/** Lets what waits outside of calls happen: compilations, and the times of measurements. */
const pause = () => new Promise((resolve) => setTimeout(resolve, 20));

async function settled(run: () => Promise<void>, isOver: () => boolean): Promise<number> {
  for (let calls = 1; calls < 400; calls++) {
    await run();
    if (isOver()) return calls;
    await pause();
  }
  throw new Error('never settled');
}

test('calls try the candidates in turn, and end with the fastest; each result is used', async () => {
  const store = memoryStore();
  await using own = await tunedDevice({ scalars: 1 }, { automatic: true, store });
  const [a, b] = operands();
  await settled(
    async () => {
      const c = matMul(a, b);
      expect(largestError(await c.data(), expected)).toBeLessThan(allowedError(96));
      c.dispose();
    },
    () => store.texts.size > 0,
  );
  expect(new Set(own.timed)).toContain('scalars');
  expect(own.timed.filter((name) => name === 'scalars')).toHaveLength(2);
  const count = own.timed.length;
  expect(tilesOf(own.device, () => tidy(() => void matMul(a, b)))).toEqual(['scalars']);
  matMul(a, b).dispose();
  expect(own.timed).toHaveLength(count);
});

test('compiled functions are captured anew for each candidate, and stay with the fastest', async () => {
  const store = memoryStore();
  await using own = await tunedDevice({ row: 1 }, { automatic: true, store });
  const [a, b] = operands();
  const f = compile((x: Tensor, y: Tensor) => matMul(x, y));
  const run = async () => {
    const c = f(a, b);
    expect(largestError(await c.data(), expected)).toBeLessThan(allowedError(96));
    c.dispose();
  };
  await settled(run, () => store.texts.size > 0);
  await run();
  const { launches } = own.device.stream.statistics;
  expect(tilesOf(own.device, () => f(a, b).dispose())).toEqual(['row']);
  expect(own.device.stream.statistics.launches).toBe(launches + 1);
  expect(f.explain()).toMatchObject([{ captured: true }]);
});

test('the first call is not timed, and waits for nothing', async () => {
  await using own = await tunedDevice({ scalars: 1 }, { automatic: true });
  const [a, b] = operands();
  matMul(a, b).dispose();
  expect(own.timed).toEqual([]);
});

test('while someone else watches the device, and on the way into an app, nothing is timed', async () => {
  await using own = await tunedDevice({ scalars: 1 }, { automatic: true });
  const [a, b] = operands();
  tilesOf(own.device, () => tidy(() => void matMul(a, b)));
  expect(own.timed).toEqual([]);
});

test('the same twice without it: the same bits', async () => {
  await using own = await tunedDevice({ scalars: 1 });
  const [a, b] = operands();
  const results: Float32Array[] = [];
  for (let i = 0; i < 4; i++) results.push((await matMul(a, b).data()) as Float32Array);
  for (const result of results) expect(result).toEqual(results[0]);
  expect(own.timed).toEqual([]);
});

test('the clock tells the time of what is launched inside alone', async () => {
  await using own = await tunedDevice({});
  const [a, b] = operands();
  const times = (count: number) => {
    for (let i = 0; i < count; i++) matMul(a, b).dispose();
  };
  times(1);
  await own.device.sync();
  const short = clockOf(own.device, 'short', () => times(1));
  times(60);
  const long = clockOf(own.device, 'long', () => times(60));
  expect(await long.time).toBeGreaterThan(4 * (await short.time));
});
