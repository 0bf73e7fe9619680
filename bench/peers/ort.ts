/**
 * @file ONNX Runtime's WebGPU execution provider as a contender. As its guide has it: models of fixed shapes, inputs and
 * outputs bound to buffers on the device, and the graph captured where all its nodes run there.
 */
import type * as Ort from 'onnxruntime-web/webgpu';
import { type HostArray, sizeOf } from '../host.ts';
import { type Contender, type Job, type Layout, laidOut, watch } from '../job.ts';
import { OnnxGraph, type Value } from '../onnx/graph.ts';

export type OrtWeb = typeof Ort;

let opened: Promise<OrtWeb> | undefined;
const watched = new Map<GPUDevice, string[]>();

/** The runtime makes its device with the first session. */
function errorsOf(device: GPUDevice): string[] {
  const errors = watched.get(device) ?? watch(device);
  watched.set(device, errors);
  return errors;
}

export function openOrt(): Promise<OrtWeb> {
  opened ??= (async () => {
    const ort = await import('onnxruntime-web/webgpu');
    ort.env.logLevel = 'error';
    // Everything runs on the device; threads would take its cores from a software adapter.
    ort.env.wasm.numThreads = 1;
    return ort;
  })();
  return opened;
}

interface Options extends Layout {
  /** Inputs that are part of the model, as weights are. */
  constants?: readonly number[];
  /** Of each output; default: the shape of the first input. */
  shapes?: readonly (readonly number[])[];
}

export function ort(
  build: (graph: OnnxGraph, ...inputs: Value[]) => Value | Value[],
  { constants = [], shapes, ...layout }: Options = {},
): Contender {
  return async (hostInputs) => {
    const runtime = await openOrt();
    const arrays = laidOut(hostInputs, layout.inputs);
    const graph = new OnnxGraph();
    const given = arrays.map((array, i) =>
      constants.includes(i) ? graph.constant(array) : graph.input(typeOf(array), array.shape),
    );
    const values = [build(graph, ...given)].flat();
    values.forEach((value, i) => {
      graph.output(value, shapes?.[i] ?? (arrays[0] as HostArray).shape);
    });
    const session = await openSession(runtime, graph.encode());
    const device = await runtime.env.webgpu.device;
    const fed = arrays.filter((_, i) => !constants.includes(i));
    const inputs = graph.inputs.map(({ name }, i) => bind(runtime, device, name, fed[i] as HostArray));
    const outputs = graph.outputs.map(({ name, shape }) =>
      bind(runtime, device, name, { shape: shape as number[], values: new Float32Array(0) }),
    );
    const feeds = Object.fromEntries(inputs.map(({ name, tensor }) => [name, tensor]));
    const fetches = Object.fromEntries(outputs.map(({ name, tensor }) => [name, tensor]));
    return {
      async run() {
        await session.run(feeds, fetches);
      },
      wait: () => device.queue.onSubmittedWorkDone(),
      async results() {
        await session.run(feeds, fetches);
        const results = await Promise.all(outputs.map((output) => readBuffer(device, output)));
        return laidOut(results, layout.outputs);
      },
      async dispose() {
        await session.release();
        for (const { buffer } of [...inputs, ...outputs]) buffer.destroy();
      },
      errors: errorsOf(device),
    } satisfies Job;
  };
}

async function openSession(runtime: OrtWeb, model: Uint8Array<ArrayBuffer>): Promise<Ort.InferenceSession> {
  const options = { executionProviders: ['webgpu'], preferredOutputLocation: 'gpu-buffer' } as const;
  try {
    return await runtime.InferenceSession.create(model, { ...options, enableGraphCapture: true });
  } catch {
    // Some node runs on the CPU: such a graph can't be captured.
    return runtime.InferenceSession.create(model, options);
  }
}

const typeOf = ({ values }: HostArray) => (values instanceof Int32Array ? 'int32' : 'float32');

interface Bound {
  name: string;
  shape: readonly number[];
  buffer: GPUBuffer;
  tensor: Ort.Tensor;
}

function bind(runtime: OrtWeb, device: GPUDevice, name: string, array: HostArray): Bound {
  // The runtime's kernels read and write whole vec4s.
  const size = Math.ceil((sizeOf(array.shape) * 4) / 16) * 16;
  const usage = GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_SRC | GPUBufferUsage.COPY_DST;
  const buffer = device.createBuffer({ size, usage });
  if (array.values.length > 0) device.queue.writeBuffer(buffer, 0, array.values);
  const tensor = runtime.Tensor.fromGpuBuffer(buffer, { dataType: typeOf(array), dims: [...array.shape] });
  return { name, shape: array.shape, buffer, tensor };
}

async function readBuffer(device: GPUDevice, { buffer, shape }: Bound): Promise<HostArray> {
  const size = sizeOf(shape) * 4;
  const usage = GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST;
  const staging = device.createBuffer({ size, usage });
  const encoder = device.createCommandEncoder();
  encoder.copyBufferToBuffer(buffer, 0, staging, 0, size);
  device.queue.submit([encoder.finish()]);
  await staging.mapAsync(GPUMapMode.READ);
  const values = new Float32Array(staging.getMappedRange().slice(0));
  staging.destroy();
  return { shape, values };
}
