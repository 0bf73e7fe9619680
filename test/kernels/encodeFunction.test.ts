/** @file encodeFunction: gradients of a tape, on an app's own buffers and in its own encoder. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  type Device,
  DeviceError,
  GradientTape,
  gather,
  init,
  matMul,
  mean,
  memory,
  mul,
  ShapeError,
  setDevice,
  square,
  sub,
  sum,
  type Tensor,
  ValueError,
  valueAndGrad,
  zeros,
} from '../../src/index.ts';
import { type BufferTensor, encodeFunction } from '../../src/kernels.ts';
import { readFloats, useDevice } from '../support/gpu.ts';

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

function bufferOf(values: readonly number[]): GPUBuffer {
  const buffer = gpu.createBuffer({ label: 'app', size: 4 * values.length, usage: usage() });
  gpu.queue.writeBuffer(buffer, 0, Float32Array.from(values));
  return buffer;
}

const empty = (count: number) => bufferOf(new Array(count).fill(0));
const vector = (values: GPUBuffer): BufferTensor => ({ values, shape: [values.size / 4] });
const scalar = (values: GPUBuffer): BufferTensor => ({ values, shape: [] });

function encoded(encode: (encoder: GPUCommandEncoder) => void): GPUCommandBuffer {
  const encoder = gpu.createCommandEncoder();
  encode(encoder);
  return encoder.finish();
}

/** Returns the squared length of x, and its gradient. */
function length(x: Tensor): Tensor[] {
  const { value, grad } = valueAndGrad((x: Tensor) => sum(square(x)))(x);
  return [value, grad];
}

test('a value and its gradient, submitted when the app likes, as often as it likes', async () => {
  const [x, value, gradient] = [bufferOf([1, 2, 3]), empty(1), empty(3)];
  const commands = () =>
    encoded((encoder) =>
      encodeFunction(encoder, length, { inputs: [vector(x)], outputs: [scalar(value), vector(gradient)] }),
    );
  const waiting = commands();
  expect([...(await readFloats(gpu, value))]).toEqual([0]);
  gpu.queue.submit([waiting]);
  expect([...(await readFloats(gpu, value))]).toEqual([14]);
  expect([...(await readFloats(gpu, gradient))]).toEqual([2, 4, 6]);
  gpu.queue.writeBuffer(x, 0, Float32Array.of(0, -1, 0));
  gpu.queue.submit([commands()]);
  expect([...(await readFloats(gpu, value))]).toEqual([1]);
  expect([...(await readFloats(gpu, gradient))]).toEqual([0, -2, 0]);
});

test('gradient descent in one command buffer, through a matrix product and a mean', async () => {
  const [a, x] = [bufferOf([1, 2, 3, 4]), [bufferOf([1, -1]), empty(2)] as const];
  const descend = (a: Tensor, x: Tensor): Tensor => {
    using tape = new GradientTape();
    tape.watch(x);
    const loss = mean(square(matMul(a, x)));
    const gradient = tape.gradient(loss, x) as Tensor;
    return sub(x, mul(gradient, 0.05));
  };
  const column = (values: GPUBuffer): BufferTensor => ({ values, shape: [2, 1] });
  gpu.queue.submit([
    encoded((encoder) => {
      const pass = encoder.beginComputePass();
      for (let step = 0; step < 20; step++) {
        const [from, to] = step % 2 === 0 ? x : [x[1], x[0]];
        encodeFunction(pass, descend, {
          inputs: [{ values: a, shape: [2, 2] }, column(from)],
          outputs: [column(to)],
        });
      }
      pass.end();
    }),
  ]);
  let expected = [1, -1];
  for (let step = 0; step < 20; step++) {
    const [p, q] = expected as [number, number];
    const [r, s] = [p + 2 * q, 3 * p + 4 * q];
    expected = [p - 0.05 * (r + 3 * s), q - 0.05 * (2 * r + 4 * s)];
  }
  const found = await readFloats(gpu, x[0]);
  for (const [i, e] of expected.entries()) expect(found[i]).toBeCloseTo(e, 5);
});

test('leaves no tensor, and makes no buffer once it was encoded', () => {
  const [x, value, gradient] = [bufferOf([1, 2, 3]), empty(1), empty(3)];
  const run = () =>
    encoded((encoder) =>
      encodeFunction(encoder, length, { inputs: [vector(x)], outputs: [scalar(value), vector(gradient)] }),
    );
  run();
  const { tensors, bytes } = memory();
  const { createBuffer } = gpu;
  let made = 0;
  gpu.createBuffer = (descriptor) => {
    made++;
    return createBuffer.call(gpu, descriptor);
  };
  for (let i = 0; i < 20; i++) run();
  gpu.createBuffer = createBuffer;
  expect(memory()).toMatchObject({ tensors, bytes });
  expect(made).toBe(0);
});

test('a function may return its input', async () => {
  const [x, y] = [bufferOf([1, 2, 3]), empty(3)];
  gpu.queue.submit([
    encoded((encoder) => encodeFunction(encoder, (x) => x, { inputs: [vector(x)], outputs: [vector(y)] })),
  ]);
  expect([...(await readFloats(gpu, y))]).toEqual([1, 2, 3]);
});

test.each<[why: string, fn: (x: Tensor) => unknown, type: new (...args: never[]) => Error]>([
  ['a result of another shape', (x) => sum(x), ShapeError],
  ['too many results', (x) => [x, x], ShapeError],
  ['a number', () => 3, ValueError],
  ['undefined', () => undefined, ValueError],
  ['an async function', async (x) => x, ValueError],
  ['a validating gather', (x) => gather(x, zeros([3], { dtype: 'int32' })), DeviceError],
])('rejects %s', (_, fn, type) => {
  const [x, y] = [bufferOf([1, 2, 3]), empty(3)];
  const encode = () =>
    encodeFunction(gpu.createCommandEncoder(), fn as (x: Tensor) => Tensor, {
      inputs: [vector(x)],
      outputs: [vector(y)],
    });
  expect(encode).toThrow(type);
});
