import { expect, test } from 'vitest';
import { useBrowser } from '../support/browser.ts';

const chromium = useBrowser();

/** Runs in the page: `[1, 2, 3, 4]`, doubled by a compute shader. */
async function doubleOnGpu(): Promise<number[]> {
  const adapter = await navigator.gpu.requestAdapter();
  if (!adapter) throw new Error('no WebGPU adapter');
  const device = await adapter.requestDevice();
  const module = device.createShaderModule({
    code: `
      @group(0) @binding(0) var<storage, read_write> x: array<f32>;
      @compute @workgroup_size(4) fn main(@builtin(global_invocation_id) id: vec3u) { x[id.x] = 2.0 * x[id.x]; }`,
  });
  const pipeline = await device.createComputePipelineAsync({ layout: 'auto', compute: { module } });
  const usage = GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_DST | GPUBufferUsage.COPY_SRC;
  const x = device.createBuffer({ size: 16, usage });
  const staging = device.createBuffer({ size: 16, usage: GPUBufferUsage.COPY_DST | GPUBufferUsage.MAP_READ });
  device.queue.writeBuffer(x, 0, new Float32Array([1, 2, 3, 4]));
  const encoder = device.createCommandEncoder();
  const pass = encoder.beginComputePass();
  pass.setPipeline(pipeline);
  const entries = [{ binding: 0, resource: { buffer: x } }];
  pass.setBindGroup(0, device.createBindGroup({ layout: pipeline.getBindGroupLayout(0), entries }));
  pass.dispatchWorkgroups(1);
  pass.end();
  encoder.copyBufferToBuffer(x, 0, staging, 0, 16);
  device.queue.submit([encoder.finish()]);
  await staging.mapAsync(GPUMapMode.READ);
  return [...new Float32Array(staging.getMappedRange())];
}

test('Chromium runs a compute shader', async () => {
  expect(await chromium.run('/', doubleOnGpu)).toEqual([2, 4, 6, 8]);
});

test('an uncaptured GPU error in the page fails the run', async () => {
  const provoke = async () => {
    const device = await (await navigator.gpu.requestAdapter())?.requestDevice();
    device?.createBuffer({ size: 4, usage: 0 });
    await device?.queue.onSubmittedWorkDone();
  };
  await expect(chromium.run('/', provoke)).rejects.toThrow('Uncaptured GPU error');
});

test('a request for what is not served fails the run', async () => {
  const request = () => import('/nowhere.js' as string).catch(() => null);
  await expect(chromium.run('/', request)).rejects.toThrow('404');
});

test('files outside of the served folder are out of reach', async () => {
  const status = await fetch(`${chromium.url}..%2fpackage.json`).then((response) => response.status);
  expect(status).toBe(400);
});
