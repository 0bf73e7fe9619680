/** @file Out of memory: it is reported once, typed, and the device works again as soon as tensors are disposed of. */
import { describe, expect, test, vi } from 'vitest';
import {
  add,
  compile,
  concat,
  cumsum,
  fill,
  gather,
  IndexOutOfRangeError,
  memory,
  mul,
  ones,
  OutOfMemoryError,
  sum,
  type Tensor,
  tensor,
  tidy,
  variable,
} from '../../src/index.ts';
import { input, layers, model } from '../../src/keras/index.ts';
import { encodeFunction } from '../../src/kernels.ts';
import {
  elements,
  expectValues,
  filled,
  leaveRoom,
  type LimitedDevice,
  limited,
  MiB,
} from '../support/limitedDevice.ts';

/** Room for none, some and nearly all of what recording a function on 4 MiB takes. */
const partialRooms = [0, 1024, 3 * MiB, 5 * MiB, 9 * MiB];

test.each([
  { maxPooledBytes: 0, delay: 0 },
  { maxPooledBytes: 2 ** 20, delay: 0 },
  { maxPooledBytes: 2 ** 30, delay: 0 },
  // The staging buffer of the readback is destroyed before its error is known.
  { maxPooledBytes: 2 ** 30, delay: 20 },
])(
  'after disposing, the next allocation succeeds (pool of $maxPooledBytes bytes, answers late by $delay ms)',
  async (options) => {
    await using own = await limited(32 * MiB, options);
    const held = [1, 2, 3, 4, 5].map((value) => filled(5 * MiB, value));
    const failed = filled(12 * MiB, 1);
    await expect(failed.data()).rejects.toThrow(OutOfMemoryError);
    // It was reported; the tensors made before are unchanged.
    await expectValues(held[0] as Tensor, 1);
    for (const t of [...held, failed]) t.dispose();
    const { rejected } = own.room;
    // Another size, so that no idle buffer can be reused.
    const next = filled(29 * MiB, 7);
    expect(own.room.rejected).toBe(rejected);
    await expectValues(next, 7);
    expect(own.room.uncaptured).toBe(0);
  },
);

test('idle and pending buffers make room without any readback', async () => {
  await using own = await limited(32 * MiB);
  const failed = filled(40 * MiB, 1);
  await expect(own.device.sync()).rejects.toThrow(OutOfMemoryError);
  failed.dispose();
  // 20 MiB of each of many sizes: the previous ones must be freed each time.
  for (let i = 0; i < 20; i++) tidy(() => void add(filled(MiB * (5 + i / 2), i), 1));
  const last = filled(20 * MiB, 3);
  expect(own.room.rejected).toBe(1);
  await expectValues(last, 3);
});

test('with no pool, what is disposed of is destroyed before its successor is made', async () => {
  await using own = await limited(16 * MiB, { maxPooledBytes: 0 });
  for (let i = 0; i < 30; i++) filled(4 * MiB + 4096 * i, i).dispose();
  expect(own.room.rejected).toBe(0);
  const last = filled(12 * MiB, 5);
  await expectValues(last, 5);
  // Buffers that no submission uses are destroyed at once.
  own.device.flush();
  const { live } = own.room;
  last.dispose();
  expect(own.room.live).toBe(live - 12 * MiB);
});

test('a tensor without memory gives the typed error whenever it is read, others work', async () => {
  await using own = await limited(24 * MiB);
  const small = filled(MiB, 2);
  own.device.flush();
  own.room.budget = own.room.live;
  const failed = filled(9 * MiB, 1);
  own.room.budget += 16 * MiB;
  const read = failed.data();
  await expect(read).rejects.toMatchObject({ others: [] });
  await expectValues(small, 2);
  await expect(failed.data()).rejects.toThrow(OutOfMemoryError);
  expect(() => add(failed, 1)).toThrow(OutOfMemoryError);
  await expectValues(add(small, 1), 3);
  await own.device.sync();
  const before = memory().bytes;
  failed.dispose();
  expect(memory().bytes).toBe(before - 9 * MiB);
  await expectValues(filled(3 * MiB, 4), 4);
});

test('an error that nobody asked about is reported by the next readback, once', async () => {
  await using own = await limited(8 * MiB);
  filled(9 * MiB, 1).dispose();
  own.device.flush();
  await expect(own.device.sync()).rejects.toThrow(OutOfMemoryError);
  await own.device.sync();
  await expectValues(filled(4 * MiB, 1), 1);
});

test('a buffer without memory is never reused', async () => {
  await using own = await limited(8 * MiB);
  filled(9 * MiB, 1).dispose();
  await expect(own.device.sync()).rejects.toThrow(OutOfMemoryError);
  own.room.budget = 64 * MiB;
  await expectValues(filled(9 * MiB, 2), 2);
});

test('repeatedly', async () => {
  await using own = await limited(16 * MiB);
  for (let round = 1; round <= 5; round++) {
    const held = [filled(6 * MiB, round), filled(6 * MiB, round), filled((4 + round) * MiB, round)];
    await expect((held[2] as Tensor).data()).rejects.toThrow(OutOfMemoryError);
    for (const t of held) t.dispose();
    const { rejected } = own.room;
    const next = filled((11 + round / 2) * MiB, round);
    await expectValues(next, round);
    expect(own.room.rejected).toBe(rejected);
    next.dispose();
  }
});

test('several allocations at once', async () => {
  await using _ = await limited(16 * MiB);
  const batch = Array.from({ length: 10 }, (_, i) => filled(3 * MiB, i));
  const results = await Promise.allSettled(batch.map((t) => t.data()));
  for (const { status, reason } of results.slice(5) as PromiseRejectedResult[]) {
    expect(status).toBe('rejected');
    expect(reason).toBeInstanceOf(OutOfMemoryError);
  }
  for (const t of batch) t.dispose();
  await expectValues(filled(14 * MiB, 1), 1);
});

test('at an upload', async () => {
  await using own = await limited(8 * MiB);
  const data = new Float32Array(elements(9 * MiB)).fill(3);
  const failed = tensor(data);
  await expect(failed.data()).rejects.toThrow(OutOfMemoryError);
  failed.dispose();
  await expectValues(tensor(data.subarray(0, elements(3 * MiB))), 3);
  expect(own.room.uncaptured).toBe(0);
});

test('at a scalar: it is uploaded again', async () => {
  await using own = await limited(MiB);
  const x = tensor([1, 2]);
  await own.device.sync();
  const { budget } = own.room;
  own.room.budget = own.room.live;
  add(x, 0.625);
  await expect(own.device.sync()).rejects.toThrow(OutOfMemoryError);
  own.room.budget = budget;
  expect([...(await add(x, 0.625).data())]).toEqual([1.625, 2.625]);
});

test('at the result of an op', async () => {
  await using own = await limited(16 * MiB);
  const x = filled(6 * MiB, 2);
  await own.device.sync();
  const [y, z] = tidy(() => [mul(x, 3), add(x, 5)]);
  await expect(z?.data()).rejects.toThrow(OutOfMemoryError);
  y?.dispose();
  z?.dispose();
  await expectValues(mul(x, 4), 8);
  expect(own.room.uncaptured).toBe(0);
});

test('at a readback: the values are there for the next one', async () => {
  await using own = await limited(32 * MiB);
  const other = filled(5 * MiB, 1);
  const x = mul(filled(2 * MiB, 2), 4);
  const y = filled(7 * MiB, 1.5);
  await own.device.sync();
  const z = add(x, 1);
  other.dispose();
  own.room.budget = own.room.live;
  await expect(y.data()).rejects.toThrow(OutOfMemoryError);
  own.room.budget += 16 * MiB;
  await expectValues(z, 9);
  await expectValues(y, 1.5);
});

test('at a readback: a fault that it would have collected is reported by the next one, and by no other', async () => {
  await using own = await limited(32 * MiB);
  const [table, good, bad] = [tensor([1, 2, 3]), tensor(Int32Array.of(1)), tensor(Int32Array.of(7))];
  expect(await gather(table, good).array()).toEqual([2]);
  const large = filled(2 * MiB, 2);
  await own.device.sync();
  const wrong = gather(table, bad);
  const { budget } = own.room;
  own.room.budget = own.room.live;
  await expect(large.data()).rejects.toThrow(OutOfMemoryError);
  own.room.budget = budget;
  const right = gather(table, good);
  expect(await right.array()).toEqual([2]);
  await expect(wrong.data()).rejects.toThrow(IndexOutOfRangeError);
  await expectValues(large, 2);
});

test.each([{}, { throws: true }, { unmappable: true }])(
  'at the recording of a compiled function (mapped buffers: %o)',
  async (options) => {
    await using own = await limited(64 * MiB, options);
    const f = compile((x: Tensor) => sum(mul(add(x, 1), add(x, 2))));
    const x = filled(4 * MiB, 1);
    await own.device.sync();
    const { budget } = own.room;
    for (const room of partialRooms) {
      leaveRoom(own, room);
      f.dispose();
      const call = async () => tidy(() => f(x)).item();
      await call().then(
        (value) => expect(value).toBe(6 * x.size),
        (error) => expect(error).toBeInstanceOf(OutOfMemoryError),
      );
      own.room.budget = budget;
      // Other failures of that call.
      await own.device.sync().catch((error) => expect(error).toBeInstanceOf(OutOfMemoryError));
      // Nothing of the failed call is replayed.
      for (let i = 0; i < 3; i++) expect(await tidy(() => f(x)).item()).toBe(6 * x.size);
    }
    expect(own.room.uncaptured).toBe(0);
  },
);

test('the buffers of a recorded run that its replays do not need are destroyed', async () => {
  await using own = await limited(256 * MiB);
  const f = compile((x: Tensor) => {
    let rows = x;
    for (let i = 0; i < 3; i++) rows = cumsum(concat([rows, x], { axis: 0 }), { axis: 1 });
    return sum(rows);
  });
  const x = fill([1024, 1024], 1);
  await own.device.sync();
  const { live } = own.room;
  f(x).dispose();
  const [{ captured, bytes } = { captured: false, bytes: 0 }] = f.explain();
  expect(captured).toBe(true);
  // What replays need is the copy of the input, and the planned buffers.
  expect(own.room.live - live).toBeLessThan(x.bytes + bytes + MiB);
});

test('in replays before the failure of their recording is known', async () => {
  await using own = await limited(64 * MiB);
  const f = compile((x: Tensor) => sum(mul(add(x, 1), add(x, 2))));
  const x = filled(4 * MiB, 1);
  await own.device.sync();
  const { budget } = own.room;
  let failed = 0;
  for (const room of partialRooms) {
    leaveRoom(own, room);
    f.dispose();
    const calls = Array.from({ length: 3 }, () => tidy(() => f(x)).item());
    for (const call of await Promise.allSettled(calls)) {
      if (call.status === 'fulfilled') expect(call.value).toBe(6 * x.size);
      else {
        expect(call.reason).toBeInstanceOf(OutOfMemoryError);
        failed++;
      }
    }
    own.room.budget = budget;
    await own.device.sync().catch((error) => expect(error).toBeInstanceOf(OutOfMemoryError));
  }
  expect(failed).toBeGreaterThan(0);
});

describe('at what replays need, after the recorded call had its memory', () => {
  /** Records, with no more than `room` bytes for what its replays need, and replays at once. */
  async function recordWithRoom(own: LimitedDevice, room: number, call: () => void): Promise<void> {
    const { budget } = own.room;
    // Before it makes what replays need, a recording submits the recorded call.
    vi.spyOn(own.device, 'flush').mockImplementationOnce(() => {
      own.device.stream.flush();
      own.room.budget = own.room.live + room;
    });
    for (let run = 0; run < 3; run++) call();
    expect(own.room.rejected).toBeGreaterThan(0);
    own.room.budget = budget;
    vi.restoreAllMocks();
    await expect(own.device.sync()).rejects.toThrow(OutOfMemoryError);
  }

  test('buffers of intermediate values', async () => {
    await using own = await limited(64 * MiB);
    // Its results are large: each run makes separate buffers for them.
    const f = compile((x: Tensor) => sum(cumsum(add(x, 1), { axis: 2 }), { axis: 2 }));
    const x = fill([1024, 32, 32], 1);
    await own.device.sync();
    const results: Tensor[] = [];
    await recordWithRoom(own, MiB, () => void results.push(f(x)));
    await expectValues(results[0] as Tensor, 32 * 33);
    for (const replayed of results.slice(1)) await expect(replayed.data()).rejects.toThrow(OutOfMemoryError);
    await expectValues(f(x), 32 * 33);
  });

  test('parameters', async () => {
    await using own = await limited(64 * MiB);
    const total = variable(tensor([1]));
    const f = compile(() => void total.assign(add(total, 1)));
    await own.device.sync();
    // For the intermediate sum, whose buffer is made first.
    await recordWithRoom(own, 256, f);
    expect(own.room.rejected).toBe(1);
    await expect(total.item()).rejects.toThrow(OutOfMemoryError);
    total.assign(tensor([5]));
    f();
    expect(await total.item()).toBe(6);
  });
});

test('between the runs of a compiled function', async () => {
  await using _ = await limited(24 * MiB);
  const total = variable(tensor([0]));
  const f = compile((x: Tensor) => {
    total.assign(add(total, sum(x)));
    return mul(x, 2);
  });
  const x = filled(2 * MiB, 1);
  for (let i = 0; i < 3; i++) await expectValues(f(x), 2);
  const failed = filled(64 * MiB, 1);
  await expect(failed.data()).rejects.toThrow(OutOfMemoryError);
  failed.dispose();
  for (let i = 0; i < 3; i++) await expectValues(f(x), 2);
  expect(await total.item()).toBe(6 * x.size);
});

test('in a run of a compiled function', async () => {
  await using own = await limited(32 * MiB);
  const f = compile((x: Tensor) => mul(add(x, 1), 3));
  const [x, y] = [filled(4 * MiB, 1), filled(4 * MiB, 2)];
  await expectValues(f(x), 6);
  await expectValues(f(x), 6);
  await own.device.sync();
  own.device.allocator.trim();
  const { budget } = own.room;
  own.room.budget = own.room.live;
  const failed = f(y);
  await expect(failed.data()).rejects.toThrow(OutOfMemoryError);
  own.room.budget = budget;
  failed.dispose();
  // The input wasn't copied, so the next call must not assume that it was.
  await expectValues(f(y), 9);
  await expectValues(f(x), 6);
});

test('in fit', async () => {
  await using own = await limited(64 * MiB);
  const x = input({ shape: [64] });
  const net = model({
    inputs: x,
    outputs: layers.dense({ units: 1 }).apply(layers.dense({ units: 64 }).apply(x)),
  });
  net.compile({ optimizer: 'sgd', loss: 'mse' });
  const [data, labels] = [fill([256, 64], 0.01), ones([256, 1])];
  const train = (batchSize: number) => net.fit(data, labels, { epochs: 1, batchSize, verbose: 0 });
  await train(64);
  const { budget } = own.room;
  own.room.budget = own.room.live;
  own.device.allocator.trim();
  own.device.flush();
  // Batches of 64 would be replayed in the buffers that they have.
  await expect(train(32)).rejects.toThrow(OutOfMemoryError);
  own.room.budget = budget;
  const { history } = await train(32);
  expect(Number.isFinite(history.loss?.[0])).toBe(true);
  expect(own.room.uncaptured).toBe(0);
});

test("in an app's encoder", async () => {
  await using own = await limited(16 * MiB);
  const usage = GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_SRC | GPUBufferUsage.COPY_DST;
  const values = own.gpu.createBuffer({ size: MiB, usage });
  const result = own.gpu.createBuffer({ size: 4, usage });
  const encode = () => {
    const encoder = own.gpu.createCommandEncoder();
    encodeFunction(encoder, (x: Tensor) => sum(mul(add(x, 1), add(x, 2))), {
      inputs: [{ values, shape: [elements(MiB)] }],
      outputs: [{ values: result, shape: [] }],
    });
    return encoder;
  };
  const { budget } = own.room;
  own.room.budget = own.room.live;
  encode();
  await expect(own.device.sync()).rejects.toThrow(OutOfMemoryError);
  own.room.budget = budget;
  own.gpu.queue.submit([encode().finish()]);
  await own.device.sync();
  expect(own.room.uncaptured).toBe(0);
});

test('the total stays within what the device is known to hold', async () => {
  await using own = await limited(24 * MiB);
  filled(30 * MiB, 1).dispose();
  await expect(own.device.sync()).rejects.toThrow(OutOfMemoryError);
  // Alternating sizes of which two fit.
  for (let i = 0; i < 40; i++) {
    await own.device.sync();
    filled((8 + (i % 5)) * MiB, i).dispose();
  }
  expect(own.room.rejected).toBe(1);
  // A steady loop allocates nothing, even so.
  const { allocations } = memory();
  for (let i = 0; i < 20; i++) filled(8 * MiB, i).dispose();
  expect(memory().allocations - allocations).toBeLessThanOrEqual(1);
});
