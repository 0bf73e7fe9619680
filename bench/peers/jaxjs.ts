/**
 * @file jax-js on WebGPU as a contender. As in its guide: `jit`, which fuses and records, and reference-counted arrays. Its
 * computations are lazy: an array released before it is submitted is never computed, so a run submits its results
 * (`gpuBufferSync`) when it releases them.
 */
import type * as Jax from '@jax-js/jax';
import type { HostArray } from '../host.ts';
import { type Contender, type Job, type Layout, laidOut } from '../job.ts';

export type JaxJs = typeof Jax;
export type JaxArray = Jax.Array;

let opened: Promise<JaxJs> | undefined;

export function openJaxJs(): Promise<JaxJs> {
  opened ??= (async () => {
    const jax = await import('@jax-js/jax');
    const devices = await jax.init('webgpu');
    if (!devices.includes('webgpu')) throw new Error('the WebGPU device did not start');
    jax.defaultDevice('webgpu');
    return jax;
  })();
  return opened;
}

export const uploadToJax = (jax: JaxJs, { shape, values }: HostArray): JaxArray =>
  jax.numpy.array(values, { shape: [...shape], device: 'webgpu' });

export async function readJax(x: JaxArray): Promise<HostArray> {
  const shape = x.shape;
  return { shape, values: (await x.data()) as HostArray['values'] };
}

/** Submits the computation of `x`, and releases it. */
export const submitJax = (x: JaxArray) => x.gpuBufferSync();

export const waitForJax = (jax: JaxJs) => jax.getWebGPUDevice().queue.onSubmittedWorkDone();

interface Options extends Layout {
  /** Whether the function is compiled. Default true. */
  jitted?: boolean;
}

export function jaxjs(
  compute: (jax: JaxJs, ...inputs: JaxArray[]) => JaxArray | JaxArray[],
  { jitted = true, ...layout }: Options = {},
): Contender {
  return async (hostInputs) => {
    const jax = await openJaxJs();
    const inputs = laidOut(hostInputs, layout.inputs).map((input) => uploadToJax(jax, input));
    const traced = (...given: JaxArray[]) => compute(jax, ...given);
    const compiled = jitted ? jax.jit(traced) : null;
    const once = () => [(compiled ?? traced)(...inputs.map((input) => input.ref))].flat() as JaxArray[];
    return {
      run() {
        for (const output of once()) submitJax(output);
      },
      wait: () => waitForJax(jax),
      async results() {
        return laidOut(await Promise.all((await jax.blockUntilReady(once())).map(readJax)), layout.outputs);
      },
      dispose() {
        compiled?.dispose();
        for (const input of inputs) input.dispose();
      },
      device: jax.getWebGPUDevice(),
    } satisfies Job;
  };
}
