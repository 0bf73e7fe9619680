/**
 * @file The app without a window: 400 frames into offscreen textures, counting submissions and readbacks; then one readback
 * of the losses.
 */
import { makeApp, type Views } from './app.ts';

const format = 'rgba8unorm';

/** Counts the relevant calls. */
function watch(gpu: GPUDevice) {
  const counts = { submits: 0, buffers: 0, readbacks: 0 };
  const { createBuffer } = gpu;
  const { submit } = gpu.queue;
  gpu.createBuffer = (descriptor) => {
    counts.buffers++;
    if (descriptor.usage & GPUBufferUsage.MAP_READ) counts.readbacks++;
    return createBuffer.call(gpu, descriptor);
  };
  gpu.queue.submit = (commands) => {
    counts.submits++;
    return submit.call(gpu.queue, commands);
  };
  return counts;
}

function textures(gpu: GPUDevice): Views {
  const texture = (width: number, height: number) =>
    gpu.createTexture({ size: [width, height], format, usage: GPUTextureUsage.RENDER_ATTACHMENT });
  return { scene: texture(128, 128), seen: texture(128, 128), curve: texture(256, 64) };
}

export async function run(print: (line: string) => void, frames = 400): Promise<void> {
  const adapter = await navigator.gpu?.requestAdapter();
  if (!adapter) throw new Error('This needs WebGPU: a browser that has it, and an adapter.');
  const gpu = await adapter.requestDevice();
  const app = await makeApp(gpu, format);
  const views = textures(gpu);
  const frame = (n: number) =>
    app.frame({ disc: [0.5, 0.5], seconds: n / 60, rate: 0.01, rings: true }, views);

  frame(0);
  const counts = watch(gpu);
  const start = performance.now();
  for (let n = 1; n <= frames; n++) {
    frame(n);
    // A window would wait for its next refresh here.
    if (n % 20 === 0) await gpu.queue.onSubmittedWorkDone();
  }
  const milliseconds = (performance.now() - start) / frames;
  const { submits, buffers, readbacks } = counts;
  print(`${frames} frames, ${submits} submits, ${buffers} new buffers, ${readbacks} readbacks`);
  print(`${milliseconds.toFixed(1)} ms a frame`);

  const losses = await app.losses();
  const [first = 0, last = 0] = [losses[0], losses.at(-1)];
  print(
    `then one readback: the loss fell from ${first.toFixed(4)} to ${last.toFixed(4)}, to 1/${(first / last).toFixed(0)}`,
  );
  gpu.destroy();
}
