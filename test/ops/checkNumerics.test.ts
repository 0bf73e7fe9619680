/** @file The first NaN or infinity of a run, named. */
import { afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import {
  checkNumerics,
  div,
  GradientTape,
  getDevice,
  init,
  log,
  mul,
  NonFiniteError,
  sqrt,
  sum,
  tensor,
} from '../../src/index.ts';

beforeAll(async () => {
  await init();
});

beforeEach(() => checkNumerics());
afterEach(() => checkNumerics(false));

const failure = async (run: Promise<unknown>) =>
  run.then(
    () => null,
    (error: unknown) => error,
  ) as Promise<NonFiniteError | null>;

test('names the op that made it, not those that it spoils', async () => {
  using _ = new GradientTape();
  const x = tensor([
    [1, 2, 3],
    [4, 0, 6],
  ]);
  const loss = sum(mul(log(mul(x, 0)), 2));
  const error = await failure(loss.data());
  expect(error).toBeInstanceOf(NonFiniteError);
  expect(error).toMatchObject({
    op: 'log',
    position: [0, 0],
    value: Number.NEGATIVE_INFINITY,
    inputs: ['float32[2, 3]'],
  });
  expect(error?.history).toMatchObject({ operation: { name: 'log' } });
  expect(error?.message).toMatch(/output 0 float32\[2, 3\] holds -Infinity at position \[0, 0\]/);
  expect(error?.others).toEqual([]);
});

test('sees the gradient, too', async () => {
  const x = tensor([4, 0]);
  const tape = new GradientTape();
  tape.watch(x);
  const y = sum(sqrt(x));
  const dx = tape.gradient(y, x);
  const error = await failure(dx?.data() ?? Promise.resolve());
  expect(error).toBeInstanceOf(NonFiniteError);
  expect(error?.message).toMatch(/in the gradient of 'sqrt'/);
});

test('the readback after it is clean, and so is a run of numbers', async () => {
  await failure(div(tensor([1]), tensor([0])).data());
  expect(await mul(tensor([2]), 3).item()).toBe(6);
});

test('off, nothing is launched', () => {
  checkNumerics(false);
  const x = tensor([1]);
  const { stream } = getDevice();
  const before = stream.statistics.launches;
  log(x);
  expect(stream.statistics.launches).toBe(before + 1);
});
