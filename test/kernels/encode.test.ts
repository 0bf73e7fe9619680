/** @file `retrograd/kernels`: kernels and ops on an app's own buffers, submitted at any time by the app. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  DeviceError,
  DTypeError,
  type Device,
  init,
  memory,
  ones,
  setDevice,
  ShapeError,
  topK,
  ValueError,
} from '../../src/index.ts';
import * as kernels from '../../src/kernels.ts';
import { maxPool } from '../../src/ops/index.ts';
import { readBytes, readFloats, useDevice } from '../support/gpu.ts';

let before: Device;
let own: Awaited<ReturnType<typeof useDevice>>;
let gpu: GPUDevice;

beforeAll(async () => {
  before = await init();
  own = await useDevice();
  gpu = own.device;
  await init({ device: gpu });
});

afterAll(async () => {
  setDevice(before);
  await own[Symbol.asyncDispose]();
});

const usage = () => GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_SRC | GPUBufferUsage.COPY_DST;

function bufferOf(values: ArrayLike<number>, as: 'float32' | 'int32' = 'float32'): GPUBuffer {
  const buffer = gpu.createBuffer({ label: 'app', size: 4 * values.length, usage: usage() });
  const data = as === 'float32' ? Float32Array.from(values) : Int32Array.from(values);
  gpu.queue.writeBuffer(buffer, 0, data);
  return buffer;
}

const empty = (count: number) => gpu.createBuffer({ label: 'app', size: 4 * count, usage: usage() });

async function submitted(encode: (encoder: GPUCommandEncoder) => void): Promise<void> {
  const encoder = gpu.createCommandEncoder();
  encode(encoder);
  gpu.queue.submit([encoder.finish()]);
}

const scale = kernels.defineKernel({
  name: 'scale',
  bindings: { x: 'read f32', y: 'write f32' },
  params: { count: 'u32', factor: 'f32' },
  source: () => /* wgsl */ `
    ${kernels.flatIndex}
    @compute @workgroup_size(64)
    fn main(
      @builtin(workgroup_id) group: vec3<u32>,
      @builtin(num_workgroups) groups: vec3<u32>,
      @builtin(local_invocation_index) local: u32,
    ) {
      let i = flat_index(group, groups, local, 64u);
      if (i < params.count) {
        y[i] = x[i] * params.factor;
      }
    }`,
});

const scaling = (x: GPUBuffer, y: GPUBuffer, count: number, factor: number) =>
  ({ bindings: { x, y }, params: { count, factor }, workgroups: Math.ceil(count / 64) }) as const;

test('a kernel runs in an encoder and in an open pass', async () => {
  const [x, y, z] = [bufferOf([1, 2, 3]), empty(3), empty(3)];
  await submitted((encoder) => {
    kernels.encodeKernel(encoder, scale, scaling(x, y, 3, 10));
    const pass = encoder.beginComputePass();
    kernels.encodeKernel(pass, scale, scaling(y, z, 3, -1));
    pass.end();
  });
  expect([...(await readFloats(gpu, z))]).toEqual([-10, -20, -30]);
});

test('parameters keep their values until the app submits, and every time it does', async () => {
  const [x, y, z] = [bufferOf([1]), empty(1), empty(1)];
  const [first, second] = [gpu.createCommandEncoder(), gpu.createCommandEncoder()];
  kernels.encodeKernel(first, scale, scaling(x, y, 1, 2));
  kernels.encodeKernel(second, scale, scaling(x, z, 1, 3));
  const commands = first.finish();
  gpu.queue.submit([second.finish()]);
  gpu.queue.submit([commands]);
  expect([...(await readFloats(gpu, y)), ...(await readFloats(gpu, z))]).toEqual([2, 3]);
});

test('a launch encoded again makes no buffer', () => {
  const [x, y] = [bufferOf([1]), empty(1)];
  const encoder = gpu.createCommandEncoder();
  kernels.encodeKernel(encoder, scale, scaling(x, y, 1, 5));
  const { createBuffer } = gpu;
  let made = 0;
  gpu.createBuffer = (descriptor) => {
    made++;
    return createBuffer.call(gpu, descriptor);
  };
  try {
    for (let frame = 0; frame < 100; frame++) kernels.encodeKernel(encoder, scale, scaling(x, y, 1, 5));
  } finally {
    gpu.createBuffer = createBuffer;
  }
  expect(made).toBe(0);
});

test('ranges of one buffer', async () => {
  const buffer = empty(128);
  gpu.queue.writeBuffer(buffer, 256, Float32Array.from([7, 8]));
  const y = empty(66);
  await submitted((encoder) =>
    kernels.encodeKernel(encoder, scale, {
      bindings: { x: { buffer, offset: 256, size: 8 }, y: { buffer: y, offset: 256 } },
      params: { count: 2, factor: 2 },
      workgroups: 1,
    }),
  );
  expect([...(await readFloats(gpu, y, 256))]).toEqual([14, 16]);
});

test('a validating kernel writes into words of the app', async () => {
  const check = kernels.defineKernel({
    name: 'reject negatives',
    bindings: { x: 'read f32' },
    params: { count: 'u32' },
    faults: true,
    source: () => /* wgsl */ `
      @compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
        if (id.x < params.count && x[id.x] < 0.0) {
          report_fault(id.x, params.count, bitcast<u32>(x[id.x]));
        }
      }`,
  });
  const [x, faultWords] = [bufferOf([1, 2, -3, -4]), empty(32)];
  const encoding = { bindings: { x }, params: { count: 4 }, workgroups: 1 };
  await submitted((encoder) => kernels.encodeKernel(encoder, check, { ...encoding, faultWords }));
  const words = new Uint32Array(await readBytes(gpu, faultWords));
  const fault = kernels.decodeFault(words, 4);
  expect(fault?.position).toBe(2);
  expect(new Float32Array(Uint32Array.of(fault?.value ?? 0).buffer)[0]).toBe(-3);
  const encoder = gpu.createCommandEncoder();
  expect(() => kernels.encodeKernel(encoder, check, encoding)).toThrow(DeviceError);
});

const counting = (n: number) => Array.from({ length: n }, (_, i) => i);

test('matMul, in every transposition', async () => {
  const [m, n, k] = [5, 3, 4];
  const a = counting(m * k).map((i) => Math.sin(i));
  const b = counting(k * n).map((i) => Math.cos(i));
  const swapped = (values: number[], rows: number, columns: number) =>
    counting(rows * columns).map((i) => values[(i % rows) * columns + Math.floor(i / rows)] as number);
  const expected = counting(m * n).map((i) => {
    const [row, column] = [Math.floor(i / n), i % n];
    return counting(k).reduce(
      (total, j) => total + (a[row * k + j] as number) * (b[j * n + column] as number),
      0,
    );
  });
  for (const transposeA of [false, true]) {
    for (const transposeB of [false, true]) {
      const out = empty(m * n);
      await submitted((encoder) =>
        kernels.matMul(encoder, {
          a: bufferOf(transposeA ? swapped(a, m, k) : a),
          b: bufferOf(transposeB ? swapped(b, k, n) : b),
          ...{ out, m, n, k, transposeA, transposeB },
        }),
      );
      expectClose(await readFloats(gpu, out), expected);
    }
  }
});

function expectClose(actual: ArrayLike<number>, expected: readonly number[]): void {
  expect(actual).toHaveLength(expected.length);
  expected.forEach((e, i) => {
    expect(Math.abs((actual[i] as number) - e)).toBeLessThanOrEqual(1e-5 + 1e-5 * Math.abs(e));
  });
}

test('a product whose parts are summed in a second launch', async () => {
  const k = 20_000;
  const [a, b, out] = [bufferOf(counting(k).map(() => 1)), bufferOf(counting(k).map((i) => i % 3)), empty(1)];
  await submitted((encoder) => {
    const pass = encoder.beginComputePass();
    kernels.matMul(pass, { a, b, out, m: 1, n: 1, k });
    pass.end();
  });
  expectClose(await readFloats(gpu, out), [counting(k).reduce((total, i) => total + (i % 3), 0)]);
});

test('conv2d, gather, softmax and map', async () => {
  const x = bufferOf(counting(16));
  const kernel = bufferOf([1, 1, 1, 1]);
  const sums = empty(9);
  const rows = empty(12);
  const weights = empty(3);
  const blend = empty(3);
  await submitted((encoder) => {
    const pass = encoder.beginComputePass();
    kernels.conv2d(pass, {
      ...{ x, kernel, out: sums },
      ...{ inputShape: [1, 4, 4, 1], kernelShape: [2, 2, 1, 1], padding: 'valid' },
    });
    kernels.gather(pass, {
      ...{ x, indices: bufferOf([3, 0, 9], 'int32'), out: rows },
      ...{ shape: [4, 4], indicesShape: [3] },
    });
    kernels.softmax(pass, { x: bufferOf([0, Math.log(3), 0]), out: weights, shape: [3] });
    kernels.map(pass, {
      ...{ expression: 'a * params.alpha + b', inputs: [bufferOf([1, 2, 3]), bufferOf([5, 5, 5])] },
      ...{ out: blend, count: 3, alpha: 10 },
    });
    pass.end();
  });
  expectClose(await readFloats(gpu, sums), [10, 14, 18, 26, 30, 34, 42, 46, 50]);
  expectClose(await readFloats(gpu, rows), [12, 13, 14, 15, 0, 1, 2, 3, 0, 0, 0, 0]);
  expectClose(await readFloats(gpu, weights), [0.2, 0.6, 0.2]);
  expectClose(await readFloats(gpu, blend), [15, 25, 35]);
});

test('any op, with several results, too', async () => {
  const [pooled, largest, places] = [empty(2), empty(2), empty(2)];
  await submitted((encoder) => {
    kernels.encodeOp(encoder, maxPool, {
      inputs: [{ values: bufferOf([1, 5, 2, 4]), shape: [1, 1, 4, 1] }],
      options: { poolSize: [1, 2] },
      outputs: [{ values: pooled, shape: [1, 1, 2, 1] }],
    });
    kernels.encodeOp(encoder, topK, {
      inputs: [{ values: bufferOf([1, 5, 2, 4]), shape: [4] }],
      options: { k: 2 },
      outputs: [
        { values: largest, shape: [2] },
        { values: places, shape: [2], dtype: 'int32' },
      ],
    });
  });
  expectClose(await readFloats(gpu, pooled), [5, 4]);
  expectClose(await readFloats(gpu, largest), [5, 4]);
  expect([...new Int32Array(await readBytes(gpu, places))]).toEqual([1, 3]);
});

test('what waits in an encoder is not touched by what the library does meanwhile', async () => {
  const k = 20_000;
  const [a, b, out] = [bufferOf(counting(k).map(() => 1)), bufferOf(counting(k).map(() => 2)), empty(1)];
  const encoder = gpu.createCommandEncoder();
  kernels.matMul(encoder, { a, b, out, m: 1, n: 1, k });
  const tensors = counting(50).map((i) => ones([64 + i * 256]));
  gpu.queue.submit([encoder.finish()]);
  // Neither the other way round: the tensors' values were not overwritten by the waiting launch.
  for (const tensor of tensors) expect(new Set(await tensor.data())).toEqual(new Set([1]));
  expectClose(await readFloats(gpu, out), [2 * k]);
  for (const tensor of tensors) tensor.dispose();
});

test('no tensors are left behind', () => {
  const { tensors, bytes } = memory();
  const encoder = gpu.createCommandEncoder();
  const [x, out] = [bufferOf([1, 2, 3, 4]), empty(4)];
  kernels.softmax(encoder, { x, out, shape: [4] });
  expect(memory()).toMatchObject({ tensors, bytes });
});

const x = () => bufferOf([1, 2, 3, 4]);
const out = () => empty(4);
const encoder = () => gpu.createCommandEncoder();
const bad = <T>(value: unknown) => value as T;

test.each<[why: string, call: () => void, type: new (...args: never[]) => Error]>([
  ['no encoder', () => kernels.encodeKernel(bad(null), scale, scaling(x(), out(), 4, 1)), ValueError],
  ['a queue', () => kernels.encodeKernel(bad(gpu.queue), scale, scaling(x(), out(), 4, 1)), ValueError],
  [
    'a binding too few',
    () => kernels.encodeKernel(encoder(), scale, { ...scaling(x(), out(), 4, 1), bindings: bad({ x: x() }) }),
    ValueError,
  ],
  [
    'a parameter too few',
    () => kernels.encodeKernel(encoder(), scale, { ...scaling(x(), out(), 4, 1), params: bad({ count: 4 }) }),
    ValueError,
  ],
  [
    'a tensor',
    () => kernels.encodeKernel(encoder(), scale, scaling(bad(ones([4])), out(), 4, 1)),
    ValueError,
  ],
  [
    'an offset between alignments',
    () =>
      kernels.map(encoder(), { expression: 'a', inputs: [{ buffer: x(), offset: 4 }], out: out(), count: 1 }),
    ValueError,
  ],
  [
    'a buffer without STORAGE',
    () => {
      const buffer = gpu.createBuffer({ size: 16, usage: GPUBufferUsage.UNIFORM });
      kernels.softmax(encoder(), { x: buffer, out: out(), shape: [4] });
    },
    ValueError,
  ],
  ['a buffer too small', () => kernels.softmax(encoder(), { x: x(), out: out(), shape: [5] }), ShapeError],
  [
    'an empty shape list',
    () => kernels.map(encoder(), { expression: '1.0', inputs: [], out: out(), count: 4 }),
    ValueError,
  ],
  [
    'an output of another shape',
    () =>
      kernels.encodeOp(encoder(), maxPool, {
        inputs: [{ values: x(), shape: [1, 2, 2, 1] }],
        options: { poolSize: 2 },
        outputs: [{ values: out(), shape: [1, 2, 2, 1] }],
      }),
    ShapeError,
  ],
  [
    'an unknown dtype',
    () =>
      kernels.encodeOp(encoder(), maxPool, {
        inputs: [{ values: x(), shape: [1, 2, 2, 1], dtype: bad('float64') }],
        options: { poolSize: 2 },
        outputs: [{ values: out(), shape: [1, 1, 1, 1] }],
      }),
    DTypeError,
  ],
  [
    'options that the op rejects',
    () =>
      kernels.encodeOp(encoder(), maxPool, {
        inputs: [{ values: x(), shape: [1, 2, 2, 1] }],
        options: { poolSize: 0 },
        outputs: [{ values: out(), shape: [1, 1, 1, 1] }],
      }),
    ValueError,
  ],
])('rejects %s', (_, call, type) => {
  expect(call).toThrow(type);
});
