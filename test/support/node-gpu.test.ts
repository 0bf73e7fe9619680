import { expect, test } from 'vitest';
import { captureErrors, readFloats, takeUncapturedErrors, useDevice, withErrorScope } from './gpu.ts';

const DOUBLE = /* wgsl */ `
@group(0) @binding(0) var<storage, read_write> x: array<f32>;
@compute @workgroup_size(4) fn main(@builtin(global_invocation_id) id: vec3u) { x[id.x] = 2.0 * x[id.x]; }`;

test('a compute shader runs in Node', async () => {
  await using own = await useDevice();
  const { device } = own;
  const doubled = await withErrorScope(device, async () => {
    const usage = GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_DST | GPUBufferUsage.COPY_SRC;
    const buffer = device.createBuffer({ label: 'x', size: 16, usage });
    device.queue.writeBuffer(buffer, 0, new Float32Array([1, 2, 3, 4]));
    const module = device.createShaderModule({ label: 'double', code: DOUBLE });
    const pipeline = device.createComputePipeline({ label: 'double', layout: 'auto', compute: { module } });
    const entries = [{ binding: 0, resource: { buffer } }];
    const group = device.createBindGroup({ layout: pipeline.getBindGroupLayout(0), entries });
    const encoder = device.createCommandEncoder();
    const pass = encoder.beginComputePass();
    pass.setPipeline(pipeline);
    pass.setBindGroup(0, group);
    pass.dispatchWorkgroups(1);
    pass.end();
    device.queue.submit([encoder.finish()]);
    return readFloats(device, buffer);
  });
  expect([...doubled]).toEqual([2, 4, 6, 8]);
});

test('navigator.gpu and the WebGPU globals are in place', () => {
  expect(navigator.gpu).toBeDefined();
  expect(GPUBufferUsage.STORAGE).toBe(0x80);
});

test('a captured error is handed back and does not count as uncaptured', async () => {
  await using own = await useDevice();
  const { device } = own;
  const { error } = await captureErrors(device, () => device.createBuffer({ size: 4, usage: 0 }));
  expect(error).toBeInstanceOf(GPUValidationError);
  expect(await takeUncapturedErrors()).toEqual([]);
});

test('an uncaptured error is recorded', async () => {
  await using own = await useDevice();
  own.device.createBuffer({ size: 4, usage: 0 });
  const errors = await takeUncapturedErrors();
  expect(errors).toHaveLength(1);
});

test('an error scope turns a GPU error into a rejection', async () => {
  await using own = await useDevice();
  const { device } = own;
  await expect(withErrorScope(device, () => device.createBuffer({ size: 4, usage: 0 }))).rejects.toThrow(
    'GPU error',
  );
});
