import { beforeAll, describe, expect, it } from 'vitest';
import { fromBuffer, init, mul, tensor, variable } from '../../src/index.ts';
import type { Device } from '../../src/webgpu/device.ts';
import { installNodeGpu } from '../support/gpu.ts';

let device: Device;
beforeAll(async () => {
  await installNodeGpu();
  device = await init();
});

describe('a variable that takes the values of a buffer of the app', () => {
  const sharedBuffer = () => {
    const usage = GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_DST | GPUBufferUsage.COPY_SRC;
    const buffer = device.gpu.createBuffer({ size: 16, usage });
    const write = (values: number[]) => device.gpu.queue.writeBuffer(buffer, 0, new Float32Array(values));
    write([1, 2, 3, 4]);
    return { write, x: fromBuffer(buffer, { shape: [4] }) };
  };

  it('keeps them when the app writes to the buffer', async () => {
    const { write, x } = sharedBuffer();
    const made = variable(x);
    const assigned = variable(tensor([0, 0, 0, 0]));
    assigned.assign(x);
    await device.sync();
    write([5, 6, 7, 8]);
    expect(await made.array()).toEqual([1, 2, 3, 4]);
    expect(await assigned.array()).toEqual([1, 2, 3, 4]);
    expect(await x.array()).toEqual([5, 6, 7, 8]);
  });

  it('leaves the buffer alone when it is assigned', async () => {
    const { x } = sharedBuffer();
    const made = variable(x);
    made.assign(mul(made, 2));
    expect(await x.array()).toEqual([1, 2, 3, 4]);
    expect(await made.array()).toEqual([2, 4, 6, 8]);
  });
});
