/**
 * @file An app with its own device, buffers and render loop, which uses Retrograd. A frame is one encoder and one submit: the
 * app draws a scene, the library blurs it, compares it and differentiates, a kernel of the app takes a step down the
 * gradient, and the app draws the results directly from the buffers that they were written to. No values are read back.
 */
import { fromBuffer, init } from 'retrograd';
import { type BufferTensor, conv2d, encodeFunction, encodeKernel } from 'retrograd/kernels';
import { count, lookAt, scattered, side } from './lights.ts';
import { descend, drawShader, kept, sceneShader } from './shaders.ts';

/** Settings that the user can change. */
export interface Controls {
  /** Centre of the disc; from (0, 0) at the top left to (1, 1). */
  disc: readonly [x: number, y: number];
  seconds: number;
  /** How far a light moves in one step. */
  rate: number;
  /** Whether the lights are marked. */
  rings: boolean;
}

/** Where a frame is drawn to. */
export interface Views {
  scene: GPUTexture;
  seen: GPUTexture;
  curve: GPUTexture;
}

export interface App {
  /** Draws a frame, and moves the lights one step. */
  frame(controls: Controls, views: Views): void;
  /** Puts the lights at random positions. */
  scatter(): void;
  /** The losses of the newest frames, oldest first: the only readback of this app. */
  losses(): Promise<number[]>;
}

const softness = 5;

/** Weights of a soft brush for each of three colours, [softness, softness, 1, 3]. */
function brush(): Float32Array<ArrayBuffer> {
  const bell = Array.from({ length: softness }, (_, i) => Math.exp(-(((i - (softness - 1) / 2) / 1.3) ** 2)));
  const total = bell.reduce((sum, weight) => sum + weight) ** 2;
  const weights = bell.flatMap((down) => bell.map((across) => (down * across) / total));
  return Float32Array.from(weights.flatMap((weight) => [weight, weight, weight]));
}

function draw(encoder: GPUCommandEncoder, to: GPUTexture, body: (pass: GPURenderPassEncoder) => void): void {
  const view = to.createView();
  const pass = encoder.beginRenderPass({
    colorAttachments: [{ view, loadOp: 'clear', storeOp: 'store', clearValue: [0, 0, 0, 0] }],
  });
  body(pass);
  pass.end();
}

/** The app on `gpu`, whose pictures have the texture format `format`. */
export async function makeApp(gpu: GPUDevice, format: GPUTextureFormat): Promise<App> {
  await init({ device: gpu });

  const usage = GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_SRC | GPUBufferUsage.COPY_DST;
  const floats = (label: string, length: number) => gpu.createBuffer({ label, size: 4 * length, usage });
  const controls = gpu.createBuffer({
    label: 'controls',
    size: 32,
    usage: GPUBufferUsage.UNIFORM | GPUBufferUsage.COPY_DST,
  });
  const sharp = floats('scene, sharp', side * side * 3);
  const soft = floats('scene', side * side * 3);
  const brushes = floats('brush', softness * softness * 3);
  const lights = floats('lights', 6 * count);
  const gradient = floats('gradient', 6 * count);
  const averages = floats('averages of the gradient', 2 * 6 * count);
  const seen = floats('picture of the lights', side * side * 3);
  const loss = floats('loss', 1);
  const losses = floats('losses', kept);
  gpu.queue.writeBuffer(brushes, 0, brush());

  const module = (code: string) => gpu.createShaderModule({ code });
  const painting = gpu.createComputePipeline({ layout: 'auto', compute: { module: module(sceneShader) } });
  const drawing = module(drawShader);
  const over: GPUBlendComponent = { srcFactor: 'one', dstFactor: 'one-minus-src-alpha' };
  const bound = (pipeline: GPUComputePipeline | GPURenderPipeline, buffers: Record<number, GPUBuffer>) =>
    gpu.createBindGroup({
      layout: pipeline.getBindGroupLayout(0),
      entries: Object.entries(buffers).map(([binding, buffer]) => ({
        binding: +binding,
        resource: { buffer },
      })),
    });
  const drawer = (vertex: string, fragment: string, buffers: Record<number, GPUBuffer>) => {
    const pipeline = gpu.createRenderPipeline({
      layout: 'auto',
      vertex: { module: drawing, entryPoint: vertex },
      primitive: { topology: 'triangle-strip' },
      fragment: {
        module: drawing,
        entryPoint: fragment,
        targets: [{ format, blend: { color: over, alpha: over } }],
      },
    });
    const group = bound(pipeline, buffers);
    return (pass: GPURenderPassEncoder, instances = 1) => {
      pass.setPipeline(pipeline);
      pass.setBindGroup(0, group);
      pass.draw(4, instances);
    };
  };
  const paintingBuffers = bound(painting, { 0: controls, 1: sharp });
  const drawScene = drawer('whole', 'picture', { 1: soft });
  const drawSeen = drawer('whole', 'picture', { 1: seen });
  const drawRings = drawer('light', 'ring', { 0: controls, 2: lights });
  const drawCurve = drawer('segment', 'line', { 0: controls, 3: losses });

  /** The app's buffers as the library's tensors. */
  const table = (values: GPUBuffer): BufferTensor => ({ values, shape: [6, count] });
  const pixels = (values: GPUBuffer): BufferTensor => ({ values, shape: [side, side * 3] });
  let frames = 0;

  function scatter(): void {
    frames = 0;
    gpu.queue.writeBuffer(lights, 0, scattered());
    gpu.queue.writeBuffer(averages, 0, new Float32Array(2 * 6 * count));
  }

  scatter();
  return {
    scatter,

    frame({ disc, seconds, rate, rings }, views) {
      const encoder = gpu.createCommandEncoder();
      const { width, height } = views.curve;
      gpu.queue.writeBuffer(controls, 0, Float32Array.of(...disc, seconds, rings ? 1 : 0, width, height));
      gpu.queue.writeBuffer(controls, 24, Uint32Array.of(frames + 1));

      // The app's own work; what follows is encoded in the same pass.
      const pass = encoder.beginComputePass();
      pass.setPipeline(painting);
      pass.setBindGroup(0, paintingBuffers);
      pass.dispatchWorkgroups(side / 8, side / 8);

      // A kernel of the library's on the app's buffers.
      conv2d(pass, {
        ...{ x: sharp, inputShape: [1, side, side, 3], padding: 'same' },
        ...{ kernel: brushes, kernelShape: [softness, softness, 1, 3], groups: 3, out: soft },
      });
      // A function, forwards and backwards.
      encodeFunction(pass, lookAt, {
        inputs: [table(lights), pixels(soft)],
        outputs: [{ values: loss, shape: [] }, table(gradient), pixels(seen)],
      });
      // A kernel of the app's, launched by the library.
      encodeKernel(pass, descend, {
        bindings: { gradient, lights, averages },
        params: { size: 6 * count, rate },
        workgroups: Math.ceil((6 * count) / 64),
      });
      pass.end();
      encoder.copyBufferToBuffer(loss, 0, losses, 4 * (frames % kept), 4);

      draw(encoder, views.scene, (pass) => drawScene(pass));
      draw(encoder, views.seen, (pass) => {
        drawSeen(pass);
        drawRings(pass, count);
      });
      draw(encoder, views.curve, (pass) => {
        if (frames > 0) drawCurve(pass, Math.min(frames, kept - 1));
      });
      gpu.queue.submit([encoder.finish()]);
      frames++;
    },

    async losses() {
      using all = fromBuffer(losses, { shape: [kept] });
      const values = [...(await all.data())];
      const start = frames > kept ? frames % kept : 0;
      return [...values.slice(start), ...values.slice(0, start)].slice(0, Math.min(frames, kept));
    },
  };
}
