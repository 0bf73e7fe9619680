/** @file Pipelines that are compiled beside other work, ahead of the launches that need them. */
import type { Kernel, KernelOptions } from './kernel.ts';
import { explainFailure, type Pipeline, type PipelineCache } from './pipelines.ts';

/** A pipeline that is being compiled. Its `gpu` isn't to be used. */
interface Pending {
  readonly pipeline: Pipeline;
  readonly ready: Promise<void>;
}

/** By kernel and options, of each cache. */
const underWay = new WeakMap<PipelineCache, Map<Kernel, Map<string, Pending>>>();

/** How many are being compiled for `cache`. */
export function countUnderWay(cache: PipelineCache): number {
  return [...(underWay.get(cache)?.values() ?? [])].reduce((total, { size }) => total + size, 0);
}

/**
 * Compiles the pipeline of `kernel` under `options`, if it is new; `told` hears of the promise, which rejects with a
 * DeviceError for WGSL that doesn't compile. What is returned says what the launch binds; it can't run.
 */
export function compileAhead(
  cache: PipelineCache,
  kernel: Kernel,
  options: KernelOptions,
  told: (ready: Promise<void>) => void,
): Pipeline {
  const key = JSON.stringify(options);
  const known = cache.find(kernel, key);
  if (known) return known;
  const all = underWay.get(cache) ?? new Map<Kernel, Map<string, Pending>>();
  underWay.set(cache, all);
  const variants = all.get(kernel) ?? new Map<string, Pending>();
  all.set(kernel, variants);
  const pending = variants.get(key) ?? begin(cache, kernel, options, key, () => variants.delete(key));
  variants.set(key, pending);
  told(pending.ready);
  return pending.pipeline;
}

function begin(
  cache: PipelineCache,
  kernel: Kernel,
  options: KernelOptions,
  key: string,
  done: () => void,
): Pending {
  const { device } = cache;
  const described = cache.describe(kernel, options);
  // The rejected promise tells of it, too: the scope only keeps the error from the page.
  device.pushErrorScope('validation');
  const { module, descriptor } = cache.sources(kernel, options, key, described);
  const compiling = device.createComputePipelineAsync(descriptor);
  device.popErrorScope().catch(() => null);
  const ready = compiling
    .then(
      (gpu) => {
        // A launch may have needed it meanwhile.
        if (!cache.find(kernel, key)) cache.add(kernel, key, { ...described, gpu });
      },
      async (error: GPUError) => {
        throw await explainFailure(kernel, module, error);
      },
    )
    .finally(done);
  return { pipeline: { ...described, gpu: null as never }, ready };
}
