/** @file Host values as operands: scalars are cached on each device, and live as long as anything uses them. */
import { expect, test } from 'vitest';
import {
  add,
  addN,
  checkpoint,
  compile,
  concat,
  customGradient,
  GradientTape,
  identity,
  memory,
  mul,
  stack,
  sum,
  type Tensor,
  tensor,
  tidy,
  where,
} from '../../src/index.ts';
import { encodeFunction } from '../../src/kernels.ts';
import { ownDevice } from '../support/ownDevice.ts';
import { readFloats } from '../support/gpu.ts';

/** More scalars than a device keeps. */
const many = 300;
let nextScalar = 1000;

/** Uses `count` scalars that were not used before. */
function useScalars(count = many): void {
  tidy(() => {
    const one = tensor(1);
    for (let i = 0; i < count; i++) add(one, nextScalar++);
  });
}

test.each([0, 1, 200, 254, 255, 256, 257, 511])('an op with two scalars, after %i others', async (others) => {
  await using _ = await ownDevice();
  useScalars(others);
  const condition = tensor([true, false]);
  expect([...(await where(condition, 0.5, 9999.5).data())]).toEqual([0.5, 9999.5]);
  // The first is cached, and the oldest; the second drops it.
  useScalars(many);
  where(condition, -1, -2);
  useScalars(254);
  expect([...(await where(condition, -1, -3).data())]).toEqual([-1, -3]);
});

const numbers = Array.from({ length: many }, (_, i) => i + 0.25);

test.each<[string, () => Tensor, number[]]>([
  ['stack', () => stack(numbers), numbers],
  ['addN', () => addN(numbers), [numbers.reduce((a, b) => a + b)]],
  ['concat', () => concat(numbers.map((n) => [n])), numbers],
])('%s of more numbers than are cached', async (_, run, expected) => {
  await using _own = await ownDevice();
  for (let round = 0; round < 2; round++) expect([...(await run().data())]).toEqual(expected);
});

test('scalars of an outer call survive those of the calls inside', async () => {
  await using _ = await ownDevice();
  const outer = customGradient((x: Tensor, y: Tensor) => {
    useScalars();
    return {
      value: mul(x, y),
      gradient: (dy: Tensor) => {
        useScalars();
        return [mul(dy, y), mul(dy, x)];
      },
    };
  });
  expect(await outer(3.5, 2.5).item()).toBe(8.75);
  using tape = new GradientTape();
  const x = tensor(4.5);
  tape.watch(x);
  const value = outer(x, 5.5);
  useScalars();
  expect(await (tape.gradient(value, x) as Tensor).item()).toBe(5.5);
});

test('scalars that a tape or a checkpoint needs survive others', async () => {
  await using _ = await ownDevice();
  using tape = new GradientTape();
  const x = tensor([2, 3]);
  tape.watch(x);
  const f = checkpoint((a: Tensor, b: Tensor) => {
    useScalars();
    return mul(a, mul(a, b));
  });
  const y = sum(mul(f(x, 1.5), 7.5));
  useScalars();
  expect([...(await (tape.gradient(y, x) as Tensor).data())]).toEqual([2 * 2 * 11.25, 2 * 3 * 11.25]);
});

test('a compiled function keeps its scalars', async () => {
  await using _ = await ownDevice();
  const f = compile((x: Tensor) => {
    const scaled = mul(x, 2.5);
    useScalars();
    return add(scaled, 1.25);
  });
  const x = tensor([2]);
  for (let i = 0; i < 4; i++) {
    useScalars();
    expect(await f(x).item()).toBe(6.25);
  }
  expect(f.explain()[0]?.captured).toBe(true);
});

test("a result that is a view of a scalar is the caller's own", async () => {
  await using _ = await ownDevice();
  const view = identity(0.75);
  useScalars();
  expect(await view.item()).toBe(0.75);
  identity(0.125).dispose();
  expect(await identity(0.125).item()).toBe(0.125);
});

test('encoded work keeps its scalars until it is submitted', async () => {
  await using own = await ownDevice({ maxPooledBytes: 0 });
  const usage = GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_SRC | GPUBufferUsage.COPY_DST;
  const values = own.gpu.createBuffer({ size: 16, usage });
  const result = own.gpu.createBuffer({ size: 16, usage });
  own.gpu.queue.writeBuffer(values, 0, Float32Array.of(1, 2, 3, 4));
  // Cached for ordinary ops first.
  add(tensor([1]), 0.375);
  const encoder = own.gpu.createCommandEncoder();
  encodeFunction(encoder, (x: Tensor) => add(x, 0.375), {
    inputs: [{ values, shape: [4] }],
    outputs: [{ values: result, shape: [4] }],
  });
  useScalars();
  await own.device.sync();
  own.gpu.queue.submit([encoder.finish()]);
  expect([...(await readFloats(own.gpu, result))]).toEqual([1.375, 2.375, 3.375, 4.375]);
});

test('scalars of two devices are separate, and a new device starts without any', async () => {
  await using first = await ownDevice();
  const x = tensor([1]);
  add(x, 0.5);
  await using second = await ownDevice();
  const y = tensor([2]);
  expect(await add(y, 0.5).item()).toBe(2.5);
  expect(await add(x, 0.5).item()).toBe(1.5);
  first.gpu.destroy();
  await first.gpu.lost;
  expect(() => add(x, 0.5)).toThrow(/lost/);
  expect(await add(y, 0.5).item()).toBe(2.5);
  expect(second.device.isLost).toBe(false);
});

test('operands that a call makes are freed with it', async () => {
  await using _ = await ownDevice();
  const x = tensor([1, 2]);
  const run = () => {
    add(x, [3, 4]).dispose();
    mul(x, 5).dispose();
  };
  run();
  const { tensors, bytes } = memory();
  for (let i = 0; i < 50; i++) run();
  expect(memory()).toMatchObject({ tensors, bytes });
  for (let i = 0; i < many; i++) mul(x, nextScalar++).dispose();
  // No more than the scalars that the device keeps.
  expect(memory().bytes - bytes).toBeLessThanOrEqual(256 * 256);
  expect(memory().tensors).toBe(tensors);
});
