/** @file Retrograd as a contender. */
import { compile, getDevice, init, type Tensor, tensor, tidy } from 'retrograd';
import type { HostArray } from './host.ts';
import type { Contender, Job } from './job.ts';

export const upload = ({ shape, values }: HostArray): Tensor => tensor(values, { shape: [...shape] });

export async function read(x: Tensor): Promise<HostArray> {
  return { shape: x.shape, values: (await x.data()) as HostArray['values'] };
}

type Compute = (...inputs: Tensor[]) => Tensor | Tensor[];

interface Options {
  /** Whether the launches are recorded once and replayed, which pays off for computations of several ops. */
  compiled?: boolean;
}

export function retrograd(compute: Compute, { compiled = false }: Options = {}): Contender {
  return async (hostInputs) => {
    await init();
    const inputs = hostInputs.map(upload);
    const replayed = compiled ? compile(compute) : null;
    const once = replayed ?? compute;
    return {
      run() {
        tidy(() => {
          once(...inputs);
        });
      },
      wait: () => getDevice().sync(),
      async results() {
        const outputs = [tidy(() => once(...inputs))].flat();
        const read_ = await Promise.all(outputs.map(read));
        for (const output of outputs) output.dispose();
        return read_;
      },
      dispose() {
        replayed?.dispose();
        for (const input of inputs) input.dispose();
      },
      device: getDevice().gpu,
    } satisfies Job;
  };
}
