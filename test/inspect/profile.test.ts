import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { getDevice } from '../../src/webgpu/current.ts';
import {
  add,
  checkpoint,
  compile,
  conv2d,
  type Device,
  exp,
  GradientTape,
  gather,
  matMul,
  mul,
  ones,
  profile,
  type ProfileReport,
  relu,
  reshape,
  sum,
  type Tensor,
  tensor,
  tidy,
  ValueError,
  variable,
} from '../../src/index.ts';
import { input, layers, model, optimizers } from '../../src/keras/index.ts';
import { installNodeGpu } from '../support/gpu.ts';
import { type OwnDevice, ownDevice } from '../support/ownDevice.ts';
import { keepBusy } from '../support/keepBusy.ts';

async function timestampsWhereTheyAre(): Promise<GPUDeviceDescriptor> {
  const adapter = await (await installNodeGpu()).requestAdapter();
  return adapter?.features.has('timestamp-query') ? { requiredFeatures: ['timestamp-query'] } : {};
}

let own: OwnDevice;
let device: Device;

beforeAll(async () => {
  own = await ownDevice({ descriptor: await timestampsWhereTheyAre() });
  device = own.device;
});

afterAll(async () => {
  await own[Symbol.asyncDispose]();
});

/** Rows by `op`, and `op*` for gradients. */
function byOp({ rows }: ProfileReport) {
  return new Map(rows.map((row) => [`${row.op}${row.backward ? '*' : ''}`, row]));
}

function network() {
  const image = input({ shape: [8, 8, 3] });
  const seen = layers
    .conv2d({ filters: 4, kernelSize: 3, activation: 'relu', padding: 'same', name: 'eye' })
    .apply(image);
  const flat = layers.flatten().apply(seen);
  const outputs = layers.dense({ units: 2, name: 'head' }).apply(flat);
  return model({ inputs: image, outputs, name: 'net' });
}

describe('profile', () => {
  test('reports time, bytes and operations of each op, and returns the result', async () => {
    const a = ones([32, 64]);
    const b = ones([64, 16]);
    const report = await profile(() => tidy(() => relu(matMul(a, b))));
    const rows = byOp(report);
    expect([...rows.keys()].sort()).toEqual(['matMul', 'relu']);
    const product = rows.get('matMul');
    expect(product).toMatchObject({ layer: '', backward: false, launches: 1, flops: 2 * 32 * 64 * 16 });
    expect(product?.bytes).toBe(4 * (32 * 64 + 64 * 16 + 32 * 16));
    expect(rows.get('relu')).toMatchObject({ flops: 512, bytes: 2 * 4 * 512 });
    for (const { milliseconds, bandwidth, speed } of rows.values()) {
      expect(milliseconds).toBeGreaterThanOrEqual(0);
      expect(bandwidth).toBeGreaterThanOrEqual(0);
      expect(speed).toBeGreaterThanOrEqual(0);
    }
    expect(report.total).toMatchObject({ launches: 2, flops: 2 * 32 * 64 * 16 + 512 });
    expect(report.total.milliseconds).toBeGreaterThan(0);
    expect(report.timing).toBe(device.gpu.features.has('timestamp-query') ? 'timestamps' : 'wall');
    expect(report.submissions).toBe(1);
    expect(await report.result.data()).toEqual(new Float32Array(512).fill(64));
  });

  test('attributes gradients to their op', async () => {
    const x = ones([1, 8, 8, 3]);
    const kernel = variable(ones([3, 3, 3, 4]));
    const report = await profile(() =>
      tidy(() => {
        using tape = new GradientTape();
        return tape.gradient(sum(exp(conv2d(x, kernel))), kernel) as Tensor;
      }),
    );
    const rows = byOp(report);
    // The gradient of the sum, a one, is launched on GPUs alone: a software adapter gets it from the host.
    const ops = [...rows.keys()].filter((op) => op !== 'fill').sort();
    expect(ops).toEqual(['conv2d', 'conv2d*', 'exp', 'exp*', 'sum', 'sum*']);
    const flops = 2 * 6 * 6 * 4 * 27;
    expect(rows.get('conv2d')?.flops).toBe(flops);
    expect(rows.get('conv2d*')?.flops).toBe(flops);
  });

  test('reports the enclosing layers, and their shares', async () => {
    const net = network();
    const x = ones([2, 8, 8, 3]);
    const report = await profile(() =>
      tidy(() => {
        using tape = new GradientTape();
        return tape.gradient(sum(net.apply(x)), net.trainableWeights) as Tensor[];
      }),
    );
    const found = new Set(report.rows.map(({ layer }) => layer));
    expect([...found].sort()).toEqual(['', 'net/eye', 'net/head']);
    const eye = report.layers.find(({ layer }) => layer === 'net/eye');
    expect(eye?.backwardMilliseconds).toBeLessThanOrEqual(eye?.milliseconds as number);
    expect(eye?.launches).toBeGreaterThan(1);
    expect(report.rows.some(({ layer, backward }) => layer === 'net/head' && backward)).toBe(true);
    const sumOfLayers = report.layers.reduce((total, { milliseconds }) => total + milliseconds, 0);
    expect(sumOfLayers).toBeCloseTo(report.total.milliseconds, 6);
  });

  test('knows the ops of captured launches, those that were fused, and kernels outside of ops', async () => {
    const net = network();
    const optimizer = optimizers.adam();
    const step = compile((x: Tensor) => {
      using tape = new GradientTape();
      const y = net.apply(x, { training: true });
      const loss = sum(exp(mul(add(y, 1), 0.01)));
      optimizer.apply(tape.gradient(loss, net.trainableWeights) as Tensor[], net.trainableWeights);
      return loss;
    });
    const x = ones([2, 8, 8, 3]);
    for (let i = 0; i < 3; i++) step(x);
    const replayed = step.explain()[0];
    expect(replayed).toMatchObject({ captured: true });
    const report = await profile(() => step(x));
    expect(report.total.launches).toBe(replayed?.launches);
    expect(report.submissions).toBe(1);
    const rows = byOp(report);
    expect(rows.get('add + mul + exp')).toMatchObject({ layer: '', flops: 12 });
    const convolution = report.rows.find(({ layer, backward }) => layer === 'net/eye' && !backward);
    expect(convolution?.flops).toBe(2 * 2 * 8 * 8 * 4 * 27 + 2 * 2 * 8 * 8 * 4);
    expect(report.rows.some(({ layer, backward }) => layer === 'net/eye' && backward)).toBe(true);
    expect([...rows.keys()].some((op) => op.includes('adam'))).toBe(true);
  });

  test('takes async work: an epoch of training', async () => {
    const net = network();
    net.compile({ optimizer: 'sgd', loss: 'mse' });
    const x = ones([16, 8, 8, 3]);
    const y = ones([16, 2]);
    const report = await profile(() => net.fit(x, y, { epochs: 1, batchSize: 4, verbose: 0 }));
    expect(report.result.history.loss).toHaveLength(1);
    const forward = report.rows.filter(({ layer, backward }) => layer === 'net/eye' && !backward);
    expect(forward.reduce((total, { launches }) => total + launches, 0)).toBe(4);
    expect(report.wallMilliseconds).toBeGreaterThan(0);
  });

  test('measures more launches than fit in one query set', async () => {
    const x = ones([4]);
    const report = await profile(() => {
      for (let i = 0; i < 2100; i++) tidy(() => void add(x, x));
    });
    expect(report.events).toHaveLength(2100);
    expect(byOp(report).get('add')?.launches).toBe(2100);
    const ends = report.events.map(({ end }) => end);
    expect(ends.at(-1)).toBeGreaterThan(ends[0] as number);
  });

  test('counts an op inside an op as part of it', async () => {
    const x = ones([4, 8]);
    const rows = byOp(await profile(() => tidy(() => void layers.softmax().apply(exp(x)))));
    expect([...rows.keys()].sort()).toEqual(['exp', 'softmax']);
    expect(rows.get('softmax')?.flops).toBe(4 * 32);
  });

  test('what a checkpoint recomputes belongs to its layers', async () => {
    const head = layers.dense({ units: 2, name: 'head' });
    const x = ones([4, 8]);
    head.apply(x);
    const report = await profile(() =>
      tidy(() => {
        using tape = new GradientTape();
        const y = checkpoint((input) => head.apply(exp(input)))(x);
        return tape.gradient(sum(y), head.trainableWeights) as Tensor[];
      }),
    );
    const inside = report.rows.filter(({ layer }) => layer === 'head');
    const forward = inside.filter(({ backward }) => !backward);
    expect(forward.reduce((total, { launches }) => total + launches, 0)).toBeGreaterThanOrEqual(2);
    expect(inside.some(({ backward }) => backward)).toBe(true);
  });

  test('gathers move, and compute nothing', async () => {
    const x = ones([4, 8]);
    const rows = byOp(await profile(() => tidy(() => void gather(x, tensor([1, 2], { dtype: 'int32' })))));
    expect(rows.get('gather')?.flops).toBe(0);
    expect(reshape(x, { shape: [32] }).size).toBe(32);
  });
});

describe('the report', () => {
  test('is a table', async () => {
    const net = network();
    const x = ones([2, 8, 8, 3]);
    const report = await profile(() => tidy(() => void net.apply(x)));
    const table = report.table();
    expect(table).toMatch(/ms +% +launches +MB +GFLOP +GB\/s +GFLOP\/s +op +layer/);
    expect(table).toMatch(/net\/eye$/m);
    expect(table).toMatch(/launches and 1 submission,/);
    expect(String(report)).toBe(table);
    expect(report.table({ by: 'layer' })).toMatch(/backward ms +layer/);
    expect(report.table({ limit: 1 })).toMatch(/and \d+ more rows/);
  });

  test('is a Chrome trace: complete events in order, layers around their launches', async () => {
    const net = network();
    const x = ones([2, 8, 8, 3]);
    const report = await profile(() =>
      tidy(() => {
        using tape = new GradientTape();
        return tape.gradient(sum(net.apply(x)), net.trainableWeights) as Tensor[];
      }),
    );
    const trace = JSON.parse(report.toChromeTrace()) as {
      traceEvents: { ph: string; name: string; tid: number; ts: number; dur: number; cat: string }[];
    };
    const complete = trace.traceEvents.filter(({ ph }) => ph === 'X');
    for (const { ts, dur } of complete) {
      expect(ts).toBeGreaterThanOrEqual(0);
      expect(dur).toBeGreaterThanOrEqual(0);
    }
    const names = trace.traceEvents.filter(({ ph }) => ph === 'M').map(({ name }) => name);
    expect(names).toEqual(['process_name', 'thread_name', 'thread_name']);
    const launches = complete.filter(({ tid }) => tid === 1);
    expect(launches).toHaveLength(report.total.launches);
    launches.reduce((before, event) => {
      // The clock counts nanoseconds; sums in microseconds are rounded.
      expect(event.ts - (before.ts + before.dur)).toBeGreaterThan(-1e-4);
      return event;
    });
    const slices = complete.filter(({ tid }) => tid === 2).map(({ name }) => name);
    expect(slices).toEqual(
      expect.arrayContaining(['net', 'eye', 'head', 'net (backward)', 'eye (backward)', 'head (backward)']),
    );
    const outer = complete.find(({ tid, name }) => tid === 2 && name === 'net');
    const inner = complete.find(({ tid, name }) => tid === 2 && name === 'eye');
    expect(inner?.ts).toBeGreaterThanOrEqual(outer?.ts as number);
    expect((inner?.ts ?? 0) + (inner?.dur ?? 0)).toBeLessThanOrEqual((outer?.ts ?? 0) + (outer?.dur ?? 0));
  });
});

describe('what profile leaves alone', () => {
  test('nothing is recorded without a profile', async () => {
    expect(getDevice().executor.profiler !== null).toBe(false);
    await profile(() => expect(getDevice().executor.profiler !== null).toBe(true));
    expect(getDevice().executor.profiler !== null).toBe(false);
    expect(device.stream.watcher).toBeNull();
  });

  test('a function that throws leaves the device as it was', async () => {
    const x = ones([4]);
    const failed = profile(() => {
      tidy(() => void add(x, x));
      throw new Error('stop');
    });
    await expect(failed).rejects.toThrow('stop');
    expect([device.stream.watcher, getDevice().executor.profiler !== null]).toEqual([null, false]);
    expect(await add(x, x).data()).toEqual(new Float32Array(4).fill(2));
  });

  test('rejects anything but a function, and a profile inside another', async () => {
    await expect(profile(3 as never)).rejects.toThrow(ValueError);
    const nested = profile(() => profile(() => 1));
    await expect(nested).rejects.toThrow(/one profile at a time/);
    expect(device.stream.watcher).toBeNull();
  });
});

test('a device without timestamps reports wall time, and says so', async () => {
  await using plain = await ownDevice();
  const a = ones([256, 256]);
  const b = matMul(a, a);
  const [one] = a.shape;
  const step = compile((x: Tensor) => relu(matMul(x, x)));
  step(a);
  step(a);
  const report = await profile(() => {
    const eager = tidy(() => add(matMul(a, b), 1));
    return [eager, step(a)];
  });
  expect(report.timing).toBe('wall');
  expect(report.submissions).toBe(1);
  expect(byOp(report).get('matMul')).toMatchObject({ launches: 2, flops: 2 * 2 * 256 ** 3 });
  expect(report.total.milliseconds).toBeGreaterThan(0);
  expect(report.table()).toMatch(/wall time of each launch, submitted on its own: no timestamp-query/);
  const [eager, captured] = report.result as [Tensor, Tensor];
  expect((await eager.data())[0]).toBe((one as number) ** 2 + 1);
  expect((await captured.data())[0]).toBe(256);
  // Afterwards launches share submissions again.
  keepBusy();
  const { submits } = plain.device.stream.statistics;
  await tidy(() => add(add(a, a), a)).data();
  expect(plain.device.stream.statistics.submits).toBe(submits + 1);
});
