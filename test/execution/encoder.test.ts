/** @file Launches in an app's encoder, and the buffers that they use. */
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { DeviceError, OutOfMemoryError } from '../../src/core/errors.ts';
import { encodeWork } from '../../src/execution/encoder.ts';
import { defineKernel, encodeFunction, encodeKernel, matMul } from '../../src/kernels.ts';
import { warmup } from '../../src/autodiff/warmup.ts';
import { add } from '../../src/ops/elementwise/arithmetic.ts';
import { tensor } from '../../src/tensor/create.ts';
import { memory } from '../../src/tensor/memory.ts';
import type { Tensor } from '../../src/tensor/tensor.ts';
import { readFloats, takeUncapturedErrors } from '../support/gpu.ts';
import { type LimitedMemory, limitMemory } from '../support/limitedMemory.ts';
import { type OwnDevice, ownDevice } from '../support/ownDevice.ts';

let own: OwnDevice;

beforeEach(async () => {
  own = await ownDevice();
  onTestFinished(() => own[Symbol.asyncDispose]());
});

const usage = () => GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_SRC | GPUBufferUsage.COPY_DST;

function bufferOf(values: readonly number[]): GPUBuffer {
  const buffer = own.gpu.createBuffer({ label: 'app', size: 4 * values.length, usage: usage() });
  own.gpu.queue.writeBuffer(buffer, 0, Float32Array.from(values));
  return buffer;
}

const floats = async (buffer: GPUBuffer) => [...(await readFloats(own.gpu, buffer))];

const half = defineKernel({
  name: 'half',
  bindings: { x: 'read f32', y: 'write f32' },
  params: {},
  source: () => '@compute @workgroup_size(1) fn main() { y[0] = x[0] / 2.0; }',
});

const scale = defineKernel({
  name: 'scale',
  bindings: { x: 'read f32', y: 'write f32' },
  params: { factor: 'f32' },
  source: () => '@compute @workgroup_size(1) fn main() { y[0] = x[0] * params.factor; }',
});

test('copies happen when the app submits', async () => {
  const [source, target] = [tensor([1, 2]), tensor([0, 0])];
  await own.device.sync();
  const encoder = own.gpu.createCommandEncoder();
  const copy = () => own.device.copy(source.storage, target.storage, 8);
  encodeWork(own.device, encoder, () => null, copy);
  expect(await target.array()).toEqual([0, 0]);
  own.gpu.queue.submit([encoder.finish()]);
  expect(await target.array()).toEqual([1, 2]);
});

test('work on another device is no part of it', async () => {
  const [source, target] = [tensor([1, 2]), tensor([0, 0])];
  const encoder = own.gpu.createCommandEncoder();
  await using _other = await ownDevice();
  const x = tensor([3]);
  let sum: Tensor | undefined;
  encodeWork(
    own.device,
    encoder,
    () => null,
    () => {
      own.device.copy(source.storage, target.storage, 8);
      sum = add(x, 1);
    },
  );
  expect(await (sum as Tensor).item()).toBe(4);
  own.gpu.queue.submit([encoder.finish()]);
  expect(await target.array()).toEqual([1, 2]);
});

test('a compute pass rejects copies', () => {
  const [source, target] = [tensor([1, 2]), tensor([0, 0])];
  const pass = own.gpu.createCommandEncoder().beginComputePass();
  const copy = () =>
    encodeWork(
      own.device,
      pass,
      () => null,
      () => own.device.copy(source.storage, target.storage, 8),
    );
  expect(copy).toThrow(DeviceError);
  expect(copy).toThrow(/encode: a compute pass has no copies.*a copy of 8 bytes.*pass the command encoder/s);
});

test('a dry run encodes nothing', async () => {
  const [a, out] = [bufferOf([1, 2, 3, 4]), bufferOf([0, 0, 0, 0])];
  const encoder = own.gpu.createCommandEncoder();
  const product = () => matMul(encoder, { a, b: a, out, m: 2, n: 2, k: 2 });
  await warmup(product);
  own.gpu.queue.submit([encoder.finish()]);
  expect(await floats(out)).toEqual([0, 0, 0, 0]);
});

test('a kernel without parameters', async () => {
  const [x, y] = [bufferOf([3]), bufferOf([0])];
  const encoder = own.gpu.createCommandEncoder();
  encodeKernel(encoder, half, { bindings: { x, y }, params: {}, workgroups: 1 });
  own.gpu.queue.submit([encoder.finish()]);
  expect(await floats(y)).toEqual([1.5]);
});

test('an open pass stays open for what the app adds', async () => {
  const [x, y, z] = [bufferOf([8]), bufferOf([0]), bufferOf([0])];
  const encoder = own.gpu.createCommandEncoder();
  const pass = encoder.beginComputePass();
  encodeKernel(pass, half, { bindings: { x, y }, params: {}, workgroups: 1 });
  encodeKernel(pass, half, { bindings: { x: y, y: z }, params: {}, workgroups: 1 });
  pass.end();
  own.gpu.queue.submit([encoder.finish()]);
  expect([await floats(y), await floats(z)]).toEqual([[4], [2]]);
});

test('a result goes to the app’s buffer without a copy', async () => {
  const [a, out] = [bufferOf([1, 2, 3, 4]), bufferOf([0, 0, 0, 0])];
  const encoder = own.gpu.createCommandEncoder();
  const { beginComputePass } = encoder;
  let passes = 0;
  encoder.beginComputePass = (descriptor) => {
    passes++;
    return beginComputePass.call(encoder, descriptor);
  };
  matMul(encoder, { a, b: a, out, m: 2, n: 2, k: 2 });
  expect(passes).toBe(1);
  own.gpu.queue.submit([encoder.finish()]);
  expect(await floats(out)).toEqual([7, 10, 15, 22]);
});

test('at most 1024 buffers of parameters are kept, and those that were dropped keep their values', async () => {
  const [x, first, last] = [bufferOf([2]), bufferOf([0]), bufferOf([0])];
  const encoder = own.gpu.createCommandEncoder();
  const encode = (y: GPUBuffer, factor: number) =>
    encodeKernel(encoder, scale, { bindings: { x, y }, params: { factor }, workgroups: 1 });
  encode(first, 1);
  for (let factor = 2; factor <= 1024; factor++) encode(last, factor);
  const { bytes } = memory();
  for (let factor = 1025; factor <= 1030; factor++) encode(last, factor);
  expect(memory().bytes).toBe(bytes);
  const { createBuffer } = own.gpu;
  let made = 0;
  own.gpu.createBuffer = (descriptor) => {
    made++;
    return createBuffer.call(own.gpu, descriptor);
  };
  // The oldest were dropped; the newest are kept.
  for (let factor = 1030; factor > 1030 - 1024; factor--) encode(last, factor);
  expect(made).toBe(0);
  encode(last, 6);
  expect(made).toBe(1);
  encode(last, 1030);
  own.gpu.queue.submit([encoder.finish()]);
  expect([await floats(first), await floats(last)]).toEqual([[2], [2060]]);
});

test('host values are written at once, each into a buffer of its own that isn’t held on to', async () => {
  const [x, y, z] = [bufferOf([1, 1]), bufferOf([0, 0]), bufferOf([0, 0])];
  const encoder = own.gpu.createCommandEncoder();
  const encode = (out: GPUBuffer, value: number) =>
    encodeFunction(encoder, (x: Tensor) => add(x, tensor([value, value])), {
      inputs: [{ values: x, shape: [2] }],
      outputs: [{ values: out, shape: [2] }],
    });
  encode(y, 10);
  const { bytes } = memory();
  encode(z, 20);
  expect(memory().bytes).toBe(bytes);
  own.gpu.queue.submit([encoder.finish()]);
  expect([await floats(y), await floats(z)]).toEqual([
    [11, 11],
    [21, 21],
  ]);
});

test('host values of any size', async () => {
  const count = 5000;
  const [x, y] = [bufferOf(new Array(count).fill(1)), bufferOf(new Array(count).fill(0))];
  const encoder = own.gpu.createCommandEncoder();
  const values = Float32Array.from({ length: count }, (_, i) => i);
  encodeFunction(encoder, (x: Tensor) => add(x, tensor(values)), {
    inputs: [{ values: x, shape: [count] }],
    outputs: [{ values: y, shape: [count] }],
  });
  own.gpu.queue.submit([encoder.finish()]);
  expect((await floats(y))[count - 1]).toBe(count);
});

test('a kernel that reports faults says where they go', () => {
  const check = defineKernel({
    name: 'check',
    bindings: { x: 'read f32' },
    params: {},
    faults: true,
    source: () =>
      '@compute @workgroup_size(1) fn main() { if (x[0] < 0.0) { report_fault(0u, 1u, bitcast<u32>(x[0])); } }',
  });
  const encode = () =>
    encodeKernel(own.gpu.createCommandEncoder(), check, {
      bindings: { x: bufferOf([1]) },
      params: {},
      workgroups: 1,
    });
  expect(encode).toThrow(/check: faults are reported by.*without `faultWords`.*bind faultWords/s);
});

test('parameters without memory are one typed error', async () => {
  let room: LimitedMemory | undefined;
  await using limited = await ownDevice({
    prepare(gpu) {
      room = limitMemory(gpu, Number.POSITIVE_INFINITY);
    },
  });
  const buffer = () => limited.gpu.createBuffer({ size: 4, usage: usage() });
  const [x, y] = [buffer(), buffer()];
  const { live } = room as LimitedMemory;
  (room as LimitedMemory).budget = live;
  encodeKernel(limited.gpu.createCommandEncoder(), scale, {
    bindings: { x, y },
    params: { factor: 3 },
    workgroups: 1,
  });
  await expect(limited.device.sync()).rejects.toThrow(OutOfMemoryError);
  expect(await takeUncapturedErrors()).toEqual([]);
  expect((room as LimitedMemory).uncaptured).toBe(0);
});

test('what the library makes in an encoder is labelled', async () => {
  const labels: (string | undefined)[] = [];
  const { gpu } = own;
  const { createBindGroup, createBuffer } = gpu;
  gpu.createBindGroup = (descriptor) => {
    labels.push(descriptor.label);
    return createBindGroup.call(gpu, descriptor);
  };
  gpu.createBuffer = (descriptor) => {
    labels.push(descriptor.label);
    return createBuffer.call(gpu, descriptor);
  };
  const [x, y] = [bufferOf([1]), bufferOf([0])];
  const encoder = gpu.createCommandEncoder();
  const { beginComputePass } = encoder;
  encoder.beginComputePass = (descriptor) => {
    labels.push(descriptor?.label);
    return beginComputePass.call(encoder, descriptor);
  };
  const encode = () =>
    encodeKernel(encoder, scale, { bindings: { x, y }, params: { factor: 2 }, workgroups: 1 });
  encode();
  await own.device.sync();
  // Its parameters are confirmed.
  encode();
  expect(labels).toEqual([
    'app',
    'app',
    'retrograd parameters',
    ...Array.from({ length: 4 }, () => expect.stringMatching(/^retrograd scale/)),
  ]);
});
