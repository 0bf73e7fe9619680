import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, test, vi } from 'vitest';
import { openDevice } from '../../src/webgpu/adapter.ts';
import {
  gpuTime,
  add,
  compile,
  conv2d,
  type Device,
  DeviceError,
  DeviceLostError,
  fromBuffer,
  GradientTape,
  gather,
  getDevice,
  init,
  matMul,
  max,
  maxPool,
  memory,
  mul,
  ones,
  profile,
  reshape,
  setDevice,
  ShapeError,
  softmax,
  sum,
  type Tensor,
  tensor,
  tidy,
  ValueError,
} from '../../src/index.ts';
import { commandsOf } from '../../src/autotune/survey.ts';
import { readBuffers } from '../../src/inspect/step/readBuffers.ts';
import { withDevice } from '../../src/webgpu/current.ts';
import { defineKernel } from '../../src/webgpu/kernel.ts';
import { timePasses } from '../../src/webgpu/timing.ts';
import { installNodeGpu, readFloats, useDevice } from '../support/gpu.ts';
import { ownDevice } from '../support/ownDevice.ts';

/** A bit of everything: several kernels, a gradient, uploads and readbacks. */
async function work(): Promise<void> {
  const results = tidy(() => {
    const x = ones([1, 8, 8, 4]);
    using tape = new GradientTape();
    tape.watch(x);
    const y = maxPool(conv2d(x, ones([3, 3, 4, 4]), { padding: 'same' }), { poolSize: 2 });
    const loss = sum(mul(y, y));
    const product = matMul(ones([300, 200]), ones([200, 100]));
    const rows = gather(product, tensor([3, 1], { dtype: 'int32' }));
    return [tape.gradient(loss, x) as Tensor, softmax(rows), sum(product)];
  });
  for (const t of results) {
    await t.data();
    t.dispose();
  }
}

/** Runs `body` as if no device were open. */
const withoutDevice = <T>(body: () => T): T => withDevice(null as never, body);

test('init is idempotent, also while it is under way', async () => {
  const first = await init();
  expect(await init()).toBe(first);
  const [a, b] = await withoutDevice(() => Promise.all([init(), init()]));
  expect(a).toBe(b);
  a.destroy();
  expect(() => getDevice()).toThrow(DeviceError);
  setDevice(first);
});

test("an app's device with default limits does all the work, and stays the app's", async () => {
  const before = await init();
  await using own = await useDevice();
  const device = await init({ device: own.device });
  try {
    expect([device.gpu, device.owned]).toEqual([own.device, false]);
    expect(getDevice()).toBe(device);
    expect(await init({ device: own.device })).toBe(device);
    await work();
    device.destroy();
    // It isn't destroyed: the app continues to use it.
    const buffer = own.device.createBuffer({ size: 4, usage: GPUBufferUsage.COPY_SRC });
    expect(await readFloats(own.device, buffer)).toEqual(new Float32Array(1));
  } finally {
    setDevice(before);
  }
});

test("an app's buffer is used without a copy, and the app may use a tensor's buffer without a copy", async () => {
  await using own = await ownDevice();
  const usage = GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_SRC | GPUBufferUsage.COPY_DST;
  const buffer = own.gpu.createBuffer({ label: 'app', size: 1024, usage });
  own.gpu.queue.writeBuffer(buffer, 256, Float32Array.from([1, 2, 3, 4, 5]));
  const { allocations } = memory();
  const x = fromBuffer(buffer, { shape: [5], offset: 256, name: 'shared' });
  expect(memory().allocations).toBe(allocations);
  expect([x.buffer, x.bufferOffset, x.name]).toEqual([buffer, 256, 'shared']);
  const y = mul(x, 10);
  expect([...(await y.data())]).toEqual([10, 20, 30, 40, 50]);
  // The app reads what the library made, from the buffer itself, after its own submission.
  expect([...(await readFloats(own.gpu, add(y, 1).buffer)).slice(0, 5)]).toEqual([11, 21, 31, 41, 51]);
  x.dispose();
  own.device.pool.trim();
  own.device.flush();
  // It was neither pooled nor destroyed.
  expect([...(await readFloats(own.gpu, buffer, 256)).slice(0, 5)]).toEqual([1, 2, 3, 4, 5]);
});

test('buffers that can not hold the tensor are rejected', async () => {
  await using own = await ownDevice();
  const make = (size: number, usage: number = GPUBufferUsage.STORAGE) =>
    own.gpu.createBuffer({ size, usage });
  expect(() => fromBuffer(make(16), { shape: [5] })).toThrow(ShapeError);
  expect(() => fromBuffer(make(512), { shape: [1], offset: 4 })).toThrow(ValueError);
  expect(() => fromBuffer(make(512), { shape: [1], offset: -256 })).toThrow(ValueError);
  expect(() => fromBuffer(make(16, GPUBufferUsage.COPY_DST), { shape: [1] })).toThrow(ValueError);
});

test('every object is labelled', async () => {
  const labels: string[] = [];
  await using own = await ownDevice({
    descriptor: await timestampsWhereTheyAre(),
    prepare: (gpu) => {
      for (const name of [
        'createBuffer',
        'createShaderModule',
        'createComputePipeline',
        'createPipelineLayout',
        'createBindGroup',
        'createBindGroupLayout',
        'createCommandEncoder',
        'createQuerySet',
      ] as const) {
        const create = gpu[name] as (descriptor: GPUObjectDescriptorBase) => unknown;
        Object.assign(gpu, {
          [name]: (descriptor: GPUObjectDescriptorBase) => {
            labels.push(`${name}: ${descriptor?.label}`);
            return create.call(gpu, descriptor);
          },
        });
      }
    },
  });
  await work();
  await gpuTime(() => void ones([4]), { device: own.device });
  expect(labels.filter((label) => !/^create\w+: retrograd \S/.test(label))).toEqual([]);
  expect(new Set(labels.map((label) => label.split(':')[0])).size).toBeGreaterThanOrEqual(7);
  // A pipeline's label names its kernel.
  expect(labels.some((label) => /^createComputePipeline: retrograd conv/.test(label))).toBe(true);
});

/** Collects everything that is only weakly referenced. */
async function collectGarbage(): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve));
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
}

async function timestampsWhereTheyAre(): Promise<GPUDeviceDescriptor> {
  const adapter = await (await installNodeGpu()).requestAdapter();
  return adapter?.features.has('timestamp-query') ? { requiredFeatures: ['timestamp-query'] } : {};
}

test('only limits and features that are used are requested', async () => {
  const real = await (await installNodeGpu()).requestAdapter();
  const requests: GPUDeviceDescriptor[] = [];
  const adapter = {
    limits: real?.limits,
    features: new Set(['timestamp-query', 'shader-f16', 'subgroups', 'depth-clip-control']),
    requestDevice: async (descriptor: GPUDeviceDescriptor) => ({ order: requests.push(descriptor) }),
  };
  const asked: GPURequestAdapterOptions[] = [];
  const gpu = {
    requestAdapter: async (options: GPURequestAdapterOptions) => {
      asked.push(options);
      return adapter;
    },
  } as unknown as GPU;
  await openDevice(gpu, { powerPreference: 'low-power' });
  expect(asked).toEqual([{ powerPreference: 'low-power' }]);
  const [{ requiredFeatures, requiredLimits } = {}] = requests;
  expect(requiredFeatures).toEqual(['timestamp-query', 'subgroups']);
  expect(Object.keys(requiredLimits ?? {}).sort()).toEqual([
    'maxBufferSize',
    'maxComputeInvocationsPerWorkgroup',
    'maxComputeWorkgroupSizeX',
    'maxComputeWorkgroupStorageSize',
    'maxStorageBufferBindingSize',
    'maxStorageBuffersPerShaderStage',
  ]);
  adapter.features.clear();
  await openDevice(gpu, {});
  expect(requests[1]?.requiredFeatures).toEqual([]);
});

test('the object that a device came from lives as long as the device', async () => {
  const adapter = {
    limits: {},
    features: new Set<string>(),
    info: {},
    requestDevice: async () => ({}) as GPUDevice,
  };
  const open = async () => {
    const gpu = { requestAdapter: async () => adapter } as unknown as GPU;
    return { device: await openDevice(gpu, {}), gpu: new WeakRef(gpu) };
  };
  const { device, gpu } = await open();
  await collectGarbage();
  expect(device).toBeDefined();
  expect(gpu.deref()).toBeDefined();
  // Without its device it is collected, so the test can detect a difference.
  const forgotten = (await open()).gpu;
  await collectGarbage();
  expect(forgotten.deref()).toBeUndefined();
});

test('an environment without an adapter gets a hint on drivers, not on browsers', async () => {
  const none = { requestAdapter: async () => null } as unknown as GPU;
  await expect(openDevice(none, {})).rejects.toThrow(DeviceError);
  await expect(openDevice(none, {})).rejects.toThrow(/no adapter[\s\S]*hint: (?!.*chrome:).*driver/);
});

test('sizes past the default binding of 128 MiB work where the adapter allows them', async () => {
  const device = await init();
  if (device.limits.maxStorageBufferBindingSize <= 2 ** 27) return;
  const x = ones([2 ** 25 + 1024]);
  expect(x.bytes).toBeGreaterThan(2 ** 27);
  const top = max(x);
  expect(await top.item()).toBe(1);
  x.dispose();
  top.dispose();
  device.pool.trim();
  device.flush();
});

test('a lost device is reported by pending and by later calls', async () => {
  const before = await init();
  const lost = await ownDevice();
  const x = ones([4]);
  const waiting = [x.data(), lost.device.sync()];
  lost.gpu.destroy();
  await Promise.all(waiting.map((wait) => expect(wait).rejects.toThrow(DeviceLostError)));
  await expect(x.data()).rejects.toThrow(DeviceLostError);
  expect(() => ones([4])).toThrow(DeviceLostError);
  expect(() => add(x, x)).toThrow(/hint: call init\(\) again/);
  expect(lost.device.isLost).toBe(true);
  // Freeing what was on it is harmless, and a new device takes its place.
  x.dispose();
  const next = await init();
  expect(next).not.toBe(lost.device);
  expect(await ones([2]).data()).toEqual(new Float32Array([1, 1]));
  next.destroy();
  setDevice(before);
  await lost[Symbol.asyncDispose]();
});

describe('a failed mapping', () => {
  const delayed = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));
  /** As a busy browser does: what was under way fails at once, the loss is reported later. */
  const reportLate = (gpu: GPUDevice) => {
    const late = gpu.lost.then((info) => delayed(300).then(() => info));
    Object.defineProperty(gpu, 'lost', { value: late });
  };

  test.each<[string, (device: Device) => Promise<unknown>]>([
    ['values', () => ones([4]).data()],
    ['values of an inspection', (device) => readBuffers(device, [{ storage: ones([4]).storage, bytes: 16 }])],
    ['timestamps', (device) => timePasses(device, () => void softmax(ones([4])))],
  ])('is the loss of the device, even if that is reported later: %s', async (_, read) => {
    await using own = await ownDevice({
      descriptor: { requiredFeatures: ['timestamp-query'] },
      prepare: reportLate,
    });
    await ones([4]).data();
    const reading = read(own.device);
    own.gpu.destroy();
    await expect(reading).rejects.toThrow(DeviceLostError);
  });

  test('is an error of its own on a device that works', async () => {
    await using own = await ownDevice();
    const x = ones([4]);
    own.device.flush();
    const mapAsync = vi.spyOn(GPUBuffer.prototype, 'mapAsync').mockRejectedValueOnce(new Error('no mapping'));
    vi.useFakeTimers({ toFake: ['setTimeout'] });
    const reading = x.data();
    const rejected = expect(reading).rejects.toThrow(/as long as the device works[\s\S]*no mapping/);
    await vi.runAllTimersAsync();
    await rejected;
    vi.useRealTimers();
    mapAsync.mockRestore();
    expect(await x.data()).toEqual(new Float32Array(4).fill(1));
  });
});

test('tensors of a device that is not the current one are computed where they are', async () => {
  await using own = await ownDevice();
  const x = tensor([1, 2, 3]);
  const shared = await withOtherDevice(own.device);
  const tape = new GradientTape();
  tape.watch(x);
  const y = sum(mul(add(x, 7), [1, 10, 100]));
  const dx = tape.gradient(y, x) as Tensor;
  expect([y.device, dx.device]).toEqual([own.device, own.device]);
  expect([...(await dx.data())]).toEqual([1, 10, 100]);
  expect(getDevice()).toBe(shared);
  expect(() => add(x, ones([3]))).toThrow(/one device/);
});

/** Makes another device than `own` the current one. */
async function withOtherDevice(own: Device): Promise<Device> {
  const other = await withoutDevice(() => init());
  expect(other).not.toBe(own);
  return other;
}

test('GPU time is measured where the device has timestamps, and null where not', async () => {
  const descriptor = await timestampsWhereTheyAre();
  {
    await using plain = await ownDevice();
    expect(await gpuTime(() => void ones([4]), { device: plain.device })).toBeNull();
  }
  if (!descriptor.requiredFeatures) return;
  await using own = await ownDevice({ descriptor });
  const a = ones([64, 64]);
  const { device } = own;
  // Dawn rounds timestamps to 0.1 ms. A launch takes a GPU some microseconds, however little it computes.
  const adding = (times: number) => () => {
    for (let i = 0; i < times; i++) tidy(() => void add(a, a));
  };
  // The least of three: a software adapter shares its cores.
  const least = async (times: number) => {
    const found: number[] = [];
    for (let run = 0; run < 3; run++) found.push((await gpuTime(adding(times), { device })) as number);
    return Math.min(...found);
  };
  const short = await least(400);
  expect(short).toBeGreaterThan(0);
  expect(await least(2000)).toBeGreaterThan(short);
  expect(await gpuTime(() => {}, { device })).toBe(0);
  await expect(
    gpuTime(
      () => {
        throw new Error('stop');
      },
      { device },
    ),
  ).rejects.toThrow('stop');
});

test('more launches than the parameter ring has slots', async () => {
  await using own = await ownDevice();
  const { statistics } = own.device.stream;
  let x: Tensor = tensor(new Float32Array(8));
  for (let i = 0; i < 1000; i++) {
    const next = add(x, 1);
    x.dispose();
    x = next;
  }
  expect(statistics.launches).toBe(1000);
  // The first alone, since the device was idle; 32, 64 and 128 launches, then 256 at a time; the last 7 wait.
  expect(statistics.submits).toBe(7);
  expect(await x.data()).toEqual(new Float32Array(8).fill(1000));
});

test('much work is submitted before the ring is full: a GPU that is busy for two seconds is reset', async () => {
  await using own = await ownDevice();
  const { stream } = own.device;
  const one = defineKernel({
    name: 'one',
    bindings: { out: 'write f32' },
    params: {},
    source: () => '@compute @workgroup_size(1)\nfn main() {\n  out[0] = 1.0;\n}\n',
  });
  const out = own.device.allocate(4, 'a number');
  const launch = (multiplications: number) =>
    own.device.launch(one, { options: {}, bindings: { out }, params: {}, workgroups: 1, multiplications });
  const times = (count: number, body: () => void) => {
    for (let i = 0; i < count; i++) body();
  };
  const submitsOf = (body: () => void) => {
    own.device.flush();
    const { submits } = stream.statistics;
    body();
    return stream.statistics.submits - submits;
  };
  expect(submitsOf(() => times(20, () => launch(2 ** 30)))).toBe(0);
  expect(submitsOf(() => times(5, () => launch(2 ** 34)))).toBe(2);
  out.release();
});

test('a launch costs its multiply-adds, or what it moves', () => {
  const a = ones([512, 256]);
  const workOf = (body: () => Tensor) => {
    const [launch] = commandsOf(getDevice(), body);
    return launch?.kind === 'launch' ? launch.work : null;
  };
  expect(workOf(() => matMul(a, a, { transposeB: true }))).toBe(512 * 512 * 256);
  // Three buffers, at four multiply-adds per byte.
  expect(workOf(() => add(a, a))).toBe(4 * 3 * 4 * a.size);
  a.dispose();
});

test('a buffer that the app destroyed is reported as a DeviceError, and later work goes on', async () => {
  await using own = await ownDevice();
  const buffer = own.gpu.createBuffer({
    size: 16,
    usage: GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_SRC,
  });
  const x = fromBuffer(buffer, { shape: [4] });
  buffer.destroy();
  await expect(add(x, 1).data()).rejects.toThrow(DeviceError);
  expect(await ones([2]).data()).toEqual(new Float32Array([1, 1]));
});

describe('an error of the library, not of WebGPU, names', () => {
  const usage = () => GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_SRC | GPUBufferUsage.COPY_DST;
  const foreign = {
    name: 'DeviceError',
    rule: 'a buffer is used on the device that created it.',
    received: "a buffer 'theirs' of another GPUDevice",
  };

  test('a buffer of another device, whatever uses it', async () => {
    await using own = await ownDevice();
    await using other = await useDevice();
    const buffer = other.device.createBuffer({ label: 'theirs', size: 16, usage: usage() });
    const uses: ((x: Tensor) => Promise<unknown>)[] = [
      (x) => x.data(),
      (x) => add(x, 1).data(),
      (x) => matMul(reshape(x, [2, 2]), ones([2, 2])).data(),
      (x) => sum(x).data(),
      (x) => own.device.sync().then(() => x.data()),
      (x) => {
        const step = compile((y: Tensor) => add(y, x));
        for (let call = 0; call < 2; call++) step(ones([4]));
        return step(ones([4])).data();
      },
      (x) => profile(() => add(x, 1)),
    ];
    // What was cached at a first use must not hide the reason from the second.
    for (const use of [...uses, ...uses])
      await expect(use(fromBuffer(buffer, { shape: [4] }))).rejects.toMatchObject(foreign);
    expect(await ones([2]).data()).toEqual(new Float32Array([1, 1]));
  });

  test('a buffer that was destroyed, or that can’t be read', async () => {
    await using own = await ownDevice();
    const destroyed = own.gpu.createBuffer({ label: 'mine', size: 16, usage: usage() });
    const x = fromBuffer(destroyed, { shape: [4] });
    destroyed.destroy();
    await expect(x.data()).rejects.toMatchObject({ received: "a buffer 'mine' that was destroyed" });
    const unreadable = own.gpu.createBuffer({ label: 'mine', size: 16, usage: GPUBufferUsage.STORAGE });
    const y = fromBuffer(unreadable, { shape: [4] });
    await expect(y.data()).rejects.toMatchObject({ received: "a buffer 'mine' without such a usage" });
    expect([...(await add(y, 1).data())]).toEqual([1, 1, 1, 1]);
  });

  test('a tensor of another device, and a GPUBuffer in place of a tensor', async () => {
    await using own = await ownDevice();
    const x = withDevice(getDevice(), () => ones([4]));
    await using other = await ownDevice();
    expect(other.device).not.toBe(own.device);
    const y = ones([4]);
    for (const use of [() => add(x, y), () => matMul(reshape(x, [2, 2]), reshape(y, [2, 2]))])
      expect(use).toThrow(DeviceError);
    const buffer = other.gpu.createBuffer({ label: 'mine', size: 16, usage: usage() });
    expect(() => add(buffer as never, y)).toThrow(/fromBuffer/);
  });
});
