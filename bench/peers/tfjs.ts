/**
 * @file TF.js on its WebGPU backend as a contender. As in its guide: temporaries inside `tidy`, no reads between ops. Its
 * backend submits dispatches in batches, so a wait submits the rest.
 */
import type * as Core from '@tensorflow/tfjs-core';
import type { HostArray } from '../host.ts';
import { type Contender, type Job, type Layout, laidOut } from '../job.ts';

export type Tfjs = typeof Core;
type Tensor = Core.Tensor;

/** The parts of its WebGPU backend that are used here. */
interface Backend {
  device: GPUDevice;
  queue: GPUQueue;
  commandEncoder: GPUCommandEncoder | null;
  endComputePassEncoder(): void;
  submitQueue(): void;
}

let opened: Promise<Tfjs> | undefined;

export function openTfjs(): Promise<Tfjs> {
  opened ??= (async () => {
    const tf = await import('@tensorflow/tfjs-core');
    await import('@tensorflow/tfjs-core/dist/register_all_gradients.js');
    await import('@tensorflow/tfjs-backend-webgpu');
    if (!(await tf.setBackend('webgpu'))) throw new Error('the WebGPU backend did not start');
    await tf.ready();
    return tf;
  })();
  return opened;
}

const backendOf = (tf: Tfjs) => tf.backend() as unknown as Backend;
export const deviceOfTfjs = (tf: Tfjs) => backendOf(tf).device;

export const waitForTfjs = async (tf: Tfjs) => {
  const backend = backendOf(tf);
  if (backend.commandEncoder) {
    backend.endComputePassEncoder();
    backend.submitQueue();
  }
  await backend.queue.onSubmittedWorkDone();
};

export const uploadTo = (tf: Tfjs, { shape, values }: HostArray): Tensor =>
  tf.tensor(values, [...shape], values instanceof Int32Array ? 'int32' : 'float32');

export async function readTfjs(x: Tensor): Promise<HostArray> {
  return { shape: x.shape, values: (await x.data()) as HostArray['values'] };
}

export function tfjs(
  compute: (tf: Tfjs, ...inputs: Tensor[]) => Tensor | Tensor[],
  layout: Layout = {},
): Contender {
  return async (hostInputs) => {
    const tf = await openTfjs();
    const inputs = laidOut(hostInputs, layout.inputs).map((input) => uploadTo(tf, input));
    return {
      run() {
        tf.tidy(() => {
          compute(tf, ...inputs);
        });
      },
      wait: () => waitForTfjs(tf),
      async results() {
        const outputs = [tf.tidy(() => compute(tf, ...inputs))].flat();
        const values = await Promise.all(outputs.map(readTfjs));
        tf.dispose(outputs);
        return laidOut(values, layout.outputs);
      },
      dispose() {
        tf.dispose(inputs);
      },
      device: deviceOfTfjs(tf),
    } satisfies Job;
  };
}
