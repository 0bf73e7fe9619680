/** @file Readbacks that are requested together: one submission and one mapping, and each gets its own values and errors. */
import { describe, expect, test, vi } from 'vitest';
import {
  add,
  DeviceLostError,
  gather,
  IndexOutOfRangeError,
  mul,
  OutOfMemoryError,
  range,
  type Tensor,
  tensor,
  variable,
} from '../../src/index.ts';
import { type OwnDevice, ownDevice } from '../support/ownDevice.ts';
import { limitMemory } from '../support/limitedMemory.ts';
import { filled, limited, MiB } from '../support/limitedDevice.ts';

/** Counts the mappings and the submissions that `body` causes. */
async function counting<T>({ device }: Pick<OwnDevice, 'device'>, body: () => Promise<T>) {
  const mapAsync = vi.spyOn(GPUBuffer.prototype, 'mapAsync');
  const before = device.stream.statistics.submits;
  try {
    const result = await body();
    return { result, maps: mapAsync.mock.calls.length, submits: device.stream.statistics.submits - before };
  } finally {
    mapAsync.mockRestore();
  }
}

const numbered = (count: number) => Array.from({ length: count }, (_, i) => tensor([i, i + 1, i + 2]));
const readAll = (tensors: readonly Tensor[]) => Promise.all(tensors.map((x) => x.data()));
const ints = (...values: number[]) => tensor(Int32Array.from(values)) as Tensor;

describe('many readbacks at once', () => {
  test('take one submission and one mapping, however many there are', async () => {
    await using own = await ownDevice();
    const tensors = numbered(2000);
    // The first time, the staging buffer is new.
    await readAll(tensors);
    const { result, maps, submits } = await counting(own, () => readAll(tensors));
    expect([maps, submits]).toEqual([1, 1]);
    result.forEach((data, i) => {
      expect([...data]).toEqual([i, i + 1, i + 2]);
    });
  });

  test('include those of work that is launched between them, and of every dtype and size', async () => {
    await using own = await ownDevice();
    const x = tensor([1, 2, 3]);
    const requests = () => [
      x.data(),
      mul(x, 2).data(),
      tensor([true, false, true]).data(),
      tensor(new Float32Array(0)).data(),
      tensor([0.5, 2], { dtype: 'float16' }).data(),
      add(x, 1).array(),
      tensor(7).item(),
    ];
    await Promise.all(requests());
    const { result, maps, submits } = await counting(own, () => Promise.all<unknown>(requests()));
    // The first launch goes to the idle device at once.
    expect([maps, submits]).toEqual([1, 2]);
    expect(result).toEqual([
      new Float32Array([1, 2, 3]),
      new Float32Array([2, 4, 6]),
      new Uint8Array([1, 0, 1]),
      new Float32Array(0),
      new Float32Array([0.5, 2]),
      [2, 3, 4],
      7,
    ]);
  });

  test('read the values of the time of the request', async () => {
    await using _own = await ownDevice();
    const v = variable(tensor([1, 2]));
    const x = tensor([5]);
    const before = v.data();
    const kept = x.data();
    v.assign(tensor([3, 4]));
    x.dispose();
    const after = v.data();
    v.dispose();
    expect([...(await before), ...(await after), ...(await kept)]).toEqual([1, 2, 3, 4, 5]);
  });

  test('are copied before an app gets at a buffer, or a write of the app would overtake them', async () => {
    await using own = await ownDevice();
    const x = tensor([1, 2]);
    const first = x.data();
    const write = (...values: number[]) => own.gpu.queue.writeBuffer(x.buffer, 0, Float32Array.from(values));
    write(8, 9);
    const second = x.data();
    write(6, 7);
    expect([...(await first), ...(await second)]).toEqual([1, 2, 8, 9]);
  });

  test('report a fault to the one that depends on it', async () => {
    await using own = await ownDevice();
    const table = tensor([1, 2, 3, 4]);
    const tensors = numbered(20);
    tensors[7] = gather(table, ints(0, 9));
    tensors[13] = mul(gather(table, ints(-9)), 2);
    await readAll(numbered(30));
    const { result, maps } = await counting(own, () => Promise.allSettled(tensors.map((x) => x.data())));
    expect(maps).toBe(1);
    const rejected = result.flatMap(({ status }, i) => (status === 'rejected' ? [i] : []));
    expect(rejected).toEqual([7, 13]);
    for (const i of rejected) {
      const { reason } = result[i] as PromiseRejectedResult;
      expect(reason).toBeInstanceOf(IndexOutOfRangeError);
      expect(reason.others).toEqual([]);
    }
    await own.device.sync();
  });

  test('are each rejected if the device is lost', async () => {
    await using own = await ownDevice();
    const tensors = numbered(100);
    const pending = tensors.map((x) => x.data());
    own.gpu.destroy();
    for (const result of await Promise.allSettled(pending))
      expect((result as PromiseRejectedResult).reason).toBeInstanceOf(DeviceLostError);
    await expect(tensors[0]?.data()).rejects.toThrow(DeviceLostError);
  });

  test('get the error of a device once each, and name others once', async () => {
    await using own = await limited(64 * MiB);
    const tensors = numbered(50);
    await own.device.sync();
    const { budget } = own.room;
    own.room.budget = own.room.live;
    const [a, b] = [filled(2 * MiB, 1), filled(2 * MiB, 2)];
    own.room.budget = budget;
    const results = await Promise.allSettled(tensors.map((x) => x.data()));
    const messages = results.map((result) => (result as PromiseRejectedResult).reason.message as string);
    expect(new Set(messages).size).toBe(1);
    expect(messages[0]?.match(/with 1 more error/g)).toHaveLength(1);
    a.dispose();
    b.dispose();
    expect((await readAll(tensors)).map(([first]) => first)).toEqual(tensors.map((_, i) => i));
  });
});

describe('large readbacks', () => {
  test('use a bounded amount of staging memory', async () => {
    let room: ReturnType<typeof limitMemory> | undefined;
    await using own = await ownDevice({
      prepare: (gpu) => {
        room = limitMemory(gpu, Number.POSITIVE_INFINITY);
      },
    });
    if (!room) throw new Error('the device was not prepared');
    const sizes = [70, 3, 1 / 64, 40];
    const tensors = sizes.map((size, i) => add(filled(size * MiB, i + 1), 0));
    await own.device.sync();
    own.device.allocator.trim();
    room.peak = room.live;
    const before = room.live;
    const values = await readAll(tensors);
    expect(room.peak - before).toBeLessThanOrEqual(66 * MiB);
    values.forEach((data, i) => {
      expect(data.length).toBe(tensors[i]?.size);
      expect([data[0], data[data.length >> 1], data.at(-1)]).toEqual([i + 1, i + 1, i + 1]);
    });
  });

  test('read every value at its place, and those of the time of the request', async () => {
    await using _own = await ownDevice();
    const v = variable(range(0, 9 * MiB, { dtype: 'int32' }), { trainable: false });
    const reading = v.data();
    await Promise.resolve();
    v.assign(mul(v, 0));
    const data = await reading;
    let wrong = 0;
    for (let i = 0; i < data.length; i++) if (data[i] !== i) wrong++;
    expect([data.length, wrong]).toEqual([9 * MiB, 0]);
    expect((await v.data()).at(-1)).toBe(0);
  });

  test('are rejected for lack of memory, and succeed once there is some', async () => {
    await using own = await limited(160 * MiB);
    const [x, y] = [filled(40 * MiB, 3), filled(MiB, 4)];
    await own.device.sync();
    own.device.allocator.trim();
    const { budget } = own.room;
    own.room.budget = own.room.live;
    for (const result of await Promise.allSettled([x.data(), y.data()]))
      expect((result as PromiseRejectedResult).reason).toBeInstanceOf(OutOfMemoryError);
    own.room.budget = budget;
    const [a, b] = await readAll([x, y]);
    expect([a?.[0], a?.at(-1), b?.[0]]).toEqual([3, 3, 4]);
  });
});
