import { expect, test } from 'vitest';
import { OutOfMemoryError } from '../../src/core/errors.ts';
import { BufferAllocator } from '../../src/webgpu/allocator.ts';
import { BufferPool, sizeClass } from '../../src/webgpu/pool.ts';
import { ErrorWatch } from '../../src/webgpu/watch.ts';
import { add, memory, mul, ones, sum, type Tensor, tensor, tidy, variable } from '../../src/index.ts';
import { ownDevice } from '../support/ownDevice.ts';
import { keepBusy } from '../support/keepBusy.ts';

test('size classes hold what is asked for, and waste an eighth at most', () => {
  let last = 0;
  for (let bytes = 1; bytes < 2 ** 31; bytes = Math.ceil(bytes * 1.013) + 1) {
    const size = sizeClass(bytes);
    expect(size).toBeGreaterThanOrEqual(bytes);
    expect(size % 256).toBe(0);
    expect(size).toBeGreaterThanOrEqual(last);
    expect(size - bytes).toBeLessThan(Math.max(256, bytes / 8));
    expect(sizeClass(size)).toBe(size);
    last = size;
  }
});

test('a steady loop allocates nothing after its first round', async () => {
  await using own = await ownDevice();
  const x = ones([64, 64]);
  const step = () => tidy(() => sum(mul(add(x, x), x)));
  step().dispose();
  const { allocations } = memory();
  for (let i = 0; i < 300; i++) step().dispose();
  await own.device.sync();
  expect(memory().allocations).toBe(allocations);
});

test('the pool keeps no more than its limit', async () => {
  await using own = await ownDevice({ maxPooledBytes: 64 * 1024 });
  const tensors = Array.from({ length: 32 }, () => ones([1024]));
  expect(memory().bytes).toBe(32 * 4096);
  for (const t of tensors) t.dispose();
  expect(memory().bytes).toBe(0);
  expect(memory().pooledBytes).toBeLessThanOrEqual(64 * 1024);
  await own.device.sync();
  // The destroyed buffers were no longer in use.
  expect(await ones([1024]).data()).toEqual(new Float32Array(1024).fill(1));
});

test('what is given back beyond the bound is destroyed, but not before pending work is submitted', async () => {
  const destroyed: string[] = [];
  await using own = await ownDevice({
    maxPooledBytes: 0,
    prepare: (gpu) => {
      const { createBuffer } = gpu;
      gpu.createBuffer = (descriptor) => {
        const buffer = createBuffer.call(gpu, descriptor);
        const { destroy } = buffer;
        buffer.destroy = () => {
          destroyed.push(descriptor.label ?? '');
          return destroy.call(buffer);
        };
        return buffer;
      };
    },
  });
  keepBusy();
  destroyed.length = 0;
  const x = ones([1024]);
  const y = mul(x, x);
  x.dispose();
  expect(destroyed).toEqual([]);
  expect(await y.data()).toEqual(new Float32Array(1024).fill(1));
  expect(destroyed).toContain('retrograd ones');
  y.dispose();
  own.device.flush();
});

test('trim empties the pool', async () => {
  await using own = await ownDevice();
  ones([1000]).dispose();
  expect(memory().pooledBytes).toBe(4096);
  own.device.pool.trim();
  expect(memory().pooledBytes).toBe(0);
  await own.device.sync();
});

test('an upload never overtakes launches that wait to be submitted', async () => {
  await using own = await ownDevice();
  const results: Tensor[] = [];
  keepBusy();
  const { submits } = own.device.stream.statistics;
  for (let round = 0; round < 20; round++) {
    const x = tensor(new Float32Array(1000).fill(round));
    // Reads x when it is submitted, at the end of all rounds.
    results.push(mul(x, 2));
    x.dispose();
    // The same size class: a buffer that a launch still reads must not be taken.
    tensor(new Float32Array(1000).fill(-1)).dispose();
  }
  expect(own.device.stream.statistics.submits).toBe(submits);
  for (const [round, y] of results.entries()) {
    expect(new Set(await y.data())).toEqual(new Set([2 * round]));
  }
});

test('an upload does not take the target of a copy that waits', async () => {
  await using own = await ownDevice();
  const shared = tensor(new Float32Array(1000).fill(1));
  const v = variable(shared);
  // The values are shared, so that writing in place copies them first.
  v.writableStorage();
  v.dispose();
  const uploaded = tensor(new Float32Array(1000).fill(7));
  expect(new Set(await uploaded.data())).toEqual(new Set([7]));
  own.device.flush();
});

test('after a submission, uploads use pooled buffers again', async () => {
  await using own = await ownDevice();
  const upload = () => tensor(new Float32Array(1000)).dispose();
  upload();
  const { allocations } = memory();
  for (let i = 0; i < 10; i++) upload();
  expect(memory().allocations).toBe(allocations);
  own.device.flush();
});

test('a tensor beyond the largest binding is rejected at once', async () => {
  await using own = await ownDevice();
  const limit = own.gpu.limits.maxStorageBufferBindingSize;
  expect(limit).toBe(2 ** 27);
  const before = memory();
  expect(() => ones([limit / 4 + 1])).toThrow(OutOfMemoryError);
  expect(() => ones([limit / 4 + 1])).toThrow(/134217728 bytes[\s\S]*hint: split/);
  expect(memory()).toEqual(before);
  const largest = ones([limit / 4]);
  expect(largest.storage.bytes).toBe(limit);
  largest.dispose();
  own.device.pool.trim();
  own.device.flush();
});

test('an allocation that the device rejects is reported as an OutOfMemoryError', async () => {
  const rejected = { message: 'no room' } as GPUError;
  const device = {
    limits: { maxBufferSize: 2 ** 28, maxStorageBufferBindingSize: 2 ** 28 },
    pushErrorScope: () => {},
    popErrorScope: async () => rejected,
    createBuffer: ({ size }: GPUBufferDescriptor) => ({ size }),
  } as unknown as GPUDevice;
  const watch = new ErrorWatch(device);
  new BufferPool(new BufferAllocator(device, watch, 0)).acquire(1000, 'conv2d');
  await watch.settled();
  const [error, ...others] = watch.take();
  expect(error).toBeInstanceOf(OutOfMemoryError);
  expect(error?.received).toMatch(/1024 bytes for conv2d.*no room/);
  expect(others).toEqual([]);
  expect(watch.take()).toEqual([]);
});
