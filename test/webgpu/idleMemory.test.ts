/** @file Idle memory: all buffers that a device retains for reuse, in all its pools, stay within `maxPooledBytes`. */
import { expect, test } from 'vitest';
import {
  add,
  type CompiledFunction,
  compile,
  fill,
  memory,
  mul,
  sum,
  type Tensor,
  tensor,
  tidy,
  transpose,
} from '../../src/index.ts';
import { encodeFunction } from '../../src/kernels.ts';
import { collectGarbage } from '../support/collectGarbage.ts';
import { readFloats } from '../support/gpu.ts';
import { type LimitedMemory, limitMemory } from '../support/limitedMemory.ts';
import { type OwnDevice, ownDevice } from '../support/ownDevice.ts';

const cap = 2 ** 20;

/** Returns a device that keeps few idle buffers, with all its buffers counted from outside. */
async function frugal(): Promise<{ own: OwnDevice; counted: LimitedMemory }> {
  let counted: LimitedMemory | undefined;
  const own = await ownDevice({
    maxPooledBytes: cap,
    prepare: (gpu) => {
      counted = limitMemory(gpu, Number.POSITIVE_INFINITY);
    },
  });
  return { own, counted: counted as LimitedMemory };
}

type Chain = CompiledFunction<[Tensor], Tensor>;

/** Returns a function with large intermediate values. */
const chain = (): Chain => compile((x: Tensor) => sum(mul(transpose(add(x, 1)), transpose(mul(x, 2)))));

/** Calls `f` on a square of `size` ones. */
const call = (f: Chain, size: number) => tidy(() => f(fill([size, size], 1)));

test('compiled functions that were disposed of keep no more than the cap', async () => {
  const { own, counted } = await frugal();
  await using _ = own;
  const before = memory();
  await own.device.sync();
  const baseline = counted.live;
  const functions = Array.from({ length: 24 }, (_, i) => ({ f: chain(), size: 100 + 20 * i }));
  for (const { f, size } of functions) {
    for (let run = 0; run < 3; run++) expect(await call(f, size).item()).toBe(4 * size ** 2);
    expect(memory().pooledBytes).toBeLessThanOrEqual(cap);
  }
  // What live functions need is in use, not idle.
  expect(memory().bytes - before.bytes).toBeGreaterThan(4 * cap);
  for (const { f } of functions.slice(0, -1)) f.dispose();
  const last = functions.at(-1) as (typeof functions)[number];
  for (let run = 0; run < 2; run++) expect(await call(last.f, last.size).item()).toBe(4 * last.size ** 2);
  last.f.dispose();
  own.device.flush();
  expect(memory().pooledBytes).toBeLessThanOrEqual(cap);
  // Next to idle buffers, the scalars that the device keeps.
  expect(counted.live - baseline).toBeLessThanOrEqual(cap + 64 * 1024);
});

test('functions share their buffers, and disposing of one leaves the others theirs', async () => {
  const { own } = await frugal();
  await using _ = own;
  const size = 400;
  const functions = Array.from({ length: 5 }, chain);
  call(functions[0] as Chain, size).dispose();
  const { bytes } = memory();
  for (const f of functions) call(f, size).dispose();
  // Each has its own input; the rest is shared.
  expect(memory().bytes - bytes).toBeLessThan(4.5 * 4 * size ** 2);
  while (functions.length > 0) {
    for (const f of functions) expect(await call(f, size).item()).toBe(4 * size ** 2);
    functions.pop()?.dispose();
    // Eager work may use the buffers it gave back.
    expect(await tidy(() => sum(fill([size, size], 3))).item()).toBe(3 * size ** 2);
  }
  expect(memory().pooledBytes).toBeLessThanOrEqual(cap);
});

test('a function disposed of right after a call', async () => {
  const { own } = await frugal();
  await using _ = own;
  const results = [200, 300, 400, 500].map((size) => {
    const f = chain();
    const values = [call(f, size), call(f, size)];
    f.dispose();
    return { size, values };
  });
  for (const { size, values } of results)
    for (const value of values) expect(await value.item()).toBe(4 * size ** 2);
});

test('functions that were dropped give their buffers back', async () => {
  const { own } = await frugal();
  await using _ = own;
  const before = memory().bytes;
  const use = async () => {
    for (let i = 0; i < 6; i++)
      expect(await call(chain(), 300 + 20 * i).item()).toBe(4 * (300 + 20 * i) ** 2);
  };
  await use();
  for (let i = 0; i < 10 && memory().bytes - before > 64 * 1024; i++) await collectGarbage();
  expect(memory().bytes - before).toBeLessThanOrEqual(64 * 1024);
  expect(memory().pooledBytes).toBeLessThanOrEqual(cap);
});

test('encoders of many sizes keep at most the cap, and pending work is submitted correctly', async () => {
  const { own } = await frugal();
  await using _ = own;
  const usage = GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_SRC | GPUBufferUsage.COPY_DST;
  const before = memory().bytes;
  const encodings = Array.from({ length: 16 }, (_, i) => {
    const size = 100 + 30 * i;
    const values = own.gpu.createBuffer({ size: 4 * size ** 2, usage });
    own.gpu.queue.writeBuffer(values, 0, new Float32Array(size ** 2).fill(1));
    const result = own.gpu.createBuffer({ size: 4, usage });
    const encoder = own.gpu.createCommandEncoder();
    encodeFunction(encoder, (x: Tensor) => sum(mul(transpose(add(x, 1)), transpose(mul(x, 2)))), {
      inputs: [{ values, shape: [size, size] }],
      outputs: [{ values: result, shape: [] }],
    });
    expect(memory().pooledBytes).toBeLessThanOrEqual(cap);
    return { size, result, commands: encoder.finish() };
  });
  expect(memory().bytes - before).toBeLessThanOrEqual(64 * 1024);
  // Other work in between, and a trim of all pools.
  await tidy(() => sum(fill([700, 700], 1))).item();
  own.device.allocator.trim();
  own.device.flush();
  expect(memory().pooledBytes).toBe(0);
  for (const { size, result, commands } of encodings.reverse()) {
    own.gpu.queue.submit([commands]);
    expect((await readFloats(own.gpu, result))[0]).toBe(4 * size ** 2);
  }
});

test('readbacks of many sizes keep no more than the cap', async () => {
  const { own, counted } = await frugal();
  await using _ = own;
  const baseline = counted.live;
  for (let i = 0; i < 20; i++) {
    const x = fill([50_000 + 20_000 * i], i);
    expect((await x.data())[0]).toBe(i);
    x.dispose();
    expect(memory().pooledBytes).toBeLessThanOrEqual(cap);
  }
  own.device.flush();
  expect(counted.live - baseline).toBeLessThanOrEqual(cap);
  own.device.allocator.trim();
  own.device.flush();
  expect(counted.live).toBe(baseline);
});

test('buffers beyond the cap are reused before they are destroyed', async () => {
  const { own, counted } = await frugal();
  await using _ = own;
  const x = tensor(new Float32Array(2 ** 17).fill(1));
  const { live } = counted;
  for (let i = 0; i < 50; i++) tidy(() => void mul(add(x, i), 3));
  expect(counted.peak - live).toBeLessThanOrEqual(4 * x.bytes + 64 * 1024);
});
