/** @file The kernels that Retrograd chose: the labels of the pipelines that a run sets, which contain the kernels' options. */
import type { Job } from './job.ts';

const prefix = 'retrograd ';

/** Returns the kernels of one run, each named once, in the order of their first launch. */
export async function kernelsOf({ run, wait }: Job): Promise<string[]> {
  const found = new Set<string>();
  const { prototype } = GPUComputePassEncoder;
  const { setPipeline } = prototype;
  prototype.setPipeline = function (pipeline) {
    if (pipeline.label.startsWith(prefix)) found.add(pipeline.label.slice(prefix.length));
    setPipeline.call(this, pipeline);
  };
  try {
    await run();
    await wait();
  } finally {
    prototype.setPipeline = setPipeline;
  }
  return [...found];
}
