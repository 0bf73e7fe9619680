/**
 * @file ONNX Runtime's WebGPU execution provider as a contender. As in its guide: models with fixed shapes, inputs and
 * outputs that stay on the device, and graph capture if all nodes run there. Captured graphs replay with the buffers of their
 * first run; handles of an app's own buffers are released after each run (as of 1.30), and replays fail with them. So inputs
 * are uploaded by the runtime itself.
 */
import type * as Ort from 'onnxruntime-web/webgpu';
import { type HostArray, sizeOf } from '../host.ts';
import { type Contender, type Job, type Layout, laidOut } from '../job.ts';
import { OnnxGraph, type Value } from '../onnx/graph.ts';

export type OrtWeb = typeof Ort;

/** Results stay on the device. */
export const ortOptions = { executionProviders: ['webgpu'], preferredOutputLocation: 'gpu-buffer' } as const;

let opened: Promise<OrtWeb> | undefined;
let capturing = true;

/** Disables graph capture: if nothing is executed, a replay can't be compared with a first run. */
export function captureNothing(): void {
  capturing = false;
}

export function openOrt(): Promise<OrtWeb> {
  opened ??= (async () => {
    const ort = await import('onnxruntime-web/webgpu');
    ort.env.logLevel = 'error';
    // Everything runs on the device; threads would take its cores from a software adapter.
    ort.env.wasm.numThreads = 1;
    // The device is created with the first session and destroyed with the last, so one session is kept.
    const graph = new OnnxGraph();
    graph.output(graph.node('Identity', [graph.input('float32', [1])]), [1]);
    await ort.InferenceSession.create(graph.encode(), ortOptions);
    return ort;
  })();
  return opened;
}

interface Options extends Layout {
  /** Inputs that are part of the model, like weights. */
  constants?: readonly number[];
  /** Shape of each output; default: the shape of the first input. */
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
    const model = graph.encode();
    const device = await runtime.env.webgpu.device;
    const fed = arrays.filter((_, i) => !constants.includes(i));
    const uploads: Upload[] = [];
    // One session at a time can be opened.
    for (const array of fed) uploads.push(await uploadTo(runtime, array));
    const feeds = Object.fromEntries(
      graph.inputs.map(({ name }, i) => [name, (uploads[i] as Upload).tensor]),
    );
    const outputs = graph.outputs.map(({ name, shape }) => ({ name, shape: shape as number[] }));
    const readAll = (found: Ort.InferenceSession.ReturnType) =>
      Promise.all(
        outputs.map(async ({ name, shape }): Promise<HostArray> => {
          const { gpuBuffer } = found[name] as Ort.Tensor;
          return { shape, values: await readBuffer(device, gpuBuffer as GPUBuffer, sizeOf(shape)) };
        }),
      );
    const { session, captured } = await openSession(runtime, model, async (opened) =>
      readAll(await opened.run(feeds)),
    );
    /** A captured graph keeps its outputs, and overwrites them. */
    const letGo = (found: Ort.InferenceSession.ReturnType) => {
      if (!captured) for (const { name } of outputs) found[name]?.dispose();
    };
    return {
      async run() {
        letGo(await session.run(feeds));
      },
      wait: () => device.queue.onSubmittedWorkDone(),
      async results() {
        const found = await session.run(feeds);
        const results = await readAll(found);
        letGo(found);
        return laidOut(results, layout.outputs);
      },
      async dispose() {
        await session.release();
        for (const upload of uploads) {
          upload.tensor.dispose();
          await upload.session.release();
        }
      },
      device,
    } satisfies Job;
  };
}

/** Trial runs of a captured graph: one to record, some to replay. */
const trials = 4;

/** Opens a session that captures its graph if possible, which it isn't with nodes on the CPU. */
async function openSession(
  runtime: OrtWeb,
  model: Uint8Array<ArrayBuffer>,
  resultsOf: (session: Ort.InferenceSession) => Promise<HostArray[]>,
): Promise<{ session: Ort.InferenceSession; captured: boolean }> {
  const plain = async () => ({
    session: await runtime.InferenceSession.create(model, ortOptions),
    captured: false,
  });
  if (!capturing) return plain();
  let session: Ort.InferenceSession | undefined;
  try {
    session = await runtime.InferenceSession.create(model, { ...ortOptions, enableGraphCapture: true });
    const first = await resultsOf(session);
    for (let i = 1; i < trials; i++) {
      if (!same(await resultsOf(session), first)) throw new Error('the replay gives other numbers');
    }
    return { session, captured: true };
  } catch {
    await session?.release();
    return plain();
  }
}

const same = (found: readonly HostArray[], right: readonly HostArray[]) =>
  found.every(({ values }, k) => values.every((value, i) => Object.is(value, right[k]?.values[i])));

/** A tensor on the device. Its session owns its memory, and is released after it. */
interface Upload {
  readonly tensor: Ort.Tensor;
  readonly session: Ort.InferenceSession;
}

/** Uploads by a graph that does nothing else. */
async function uploadTo(runtime: OrtWeb, array: HostArray): Promise<Upload> {
  const graph = new OnnxGraph();
  const type = typeOf(array);
  const input = graph.input(type, array.shape);
  const output = graph.node('Identity', [input]);
  graph.output(output, array.shape, type);
  const session = await runtime.InferenceSession.create(graph.encode(), ortOptions);
  const result = await session.run({ [input]: new runtime.Tensor(type, array.values, array.shape) });
  return { tensor: result[output] as Ort.Tensor, session };
}

const typeOf = ({ values }: HostArray) => (values instanceof Int32Array ? 'int32' : 'float32');

async function readBuffer(device: GPUDevice, buffer: GPUBuffer, count: number): Promise<HostArray['values']> {
  const usage = GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST;
  const staging = device.createBuffer({ size: count * 4, usage });
  const encoder = device.createCommandEncoder();
  encoder.copyBufferToBuffer(buffer, 0, staging, 0, count * 4);
  device.queue.submit([encoder.finish()]);
  await staging.mapAsync(GPUMapMode.READ);
  const values = new Float32Array(staging.getMappedRange().slice(0));
  staging.destroy();
  return values;
}
