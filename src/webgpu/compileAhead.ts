/** @file Pipelines that are compiled concurrently with other work, ahead of the launches that need them. */
import { type Kernel, type KernelOptions, keyOf } from './kernel.ts';
import type { Pipeline, PipelineCache } from './pipelines.ts';

/** A pipeline that is being compiled, or will be. */
interface Pending {
  /** Describes the bindings of a launch; it can't run. */
  readonly pipeline: Pipeline;
  /** Begins to compile, once. Rejects with a DeviceError for WGSL that doesn't compile. */
  begin(): Promise<void>;
}

/** The pending pipelines of each cache, by kernel and options. */
const underWay = new WeakMap<PipelineCache, Map<Kernel, Map<string, Pending>>>();

/** Returns the number of pending pipelines of `cache`, without those that a launch has compiled in the meantime. */
export function countUnderWay(cache: PipelineCache): number {
  let count = 0;
  for (const [kernel, variants] of underWay.get(cache) ?? []) {
    for (const key of variants.keys()) if (!cache.find(kernel, key)) count++;
  }
  return count;
}

/**
 * Compiles the pipeline of `kernel` under `options`, if it is new; `onBegin` receives the promise, which rejects with a
 * DeviceError for WGSL that doesn't compile. The pipeline returned describes the bindings of a launch; it can't run.
 */
export function compileAhead(
  cache: PipelineCache,
  kernel: Kernel,
  options: KernelOptions,
  onBegin: (ready: Promise<void>) => void,
): Pipeline {
  const key = keyOf(kernel, options);
  const known = cache.find(kernel, key);
  if (known) return known;
  const pending = pendingOf(cache, kernel, options, key);
  onBegin(pending.begin());
  return pending.pipeline;
}

/** Returns a function that begins to compile a new pipeline. A failure is reported by the launch that needs it. */
export function compileLater(cache: PipelineCache, kernel: Kernel, options: KernelOptions): () => void {
  const pending = pendingOf(cache, kernel, options, keyOf(kernel, options));
  return () => {
    pending.begin().catch(() => {});
  };
}

function pendingOf(cache: PipelineCache, kernel: Kernel, options: KernelOptions, key: string): Pending {
  const all = underWay.get(cache) ?? new Map<Kernel, Map<string, Pending>>();
  underWay.set(cache, all);
  const variants = all.get(kernel) ?? new Map<string, Pending>();
  all.set(kernel, variants);
  const known = variants.get(key);
  if (known) return known;
  const described = cache.describe(kernel, options);
  let compiling: Promise<void> | undefined;
  const pending = {
    pipeline: { ...described, gpu: null as never },
    begin: () => {
      compiling ??= cache
        .reporting(kernel, () => compile(cache, kernel, options, key, described))
        .finally(() => variants.delete(key));
      return compiling;
    },
  };
  variants.set(key, pending);
  return pending;
}

async function compile(
  cache: PipelineCache,
  kernel: Kernel,
  options: KernelOptions,
  key: string,
  described: Omit<Pipeline, 'gpu'>,
): Promise<void> {
  // A launch may have compiled it in the meantime.
  if (cache.find(kernel, key)) return;
  const { device } = cache;
  // The error is reported by the promise, too: the scope only keeps it from being uncaptured.
  device.pushErrorScope('validation');
  const { module, descriptor } = cache.sources(kernel, options, key, described);
  const compiling = device.createComputePipelineAsync(descriptor);
  device.popErrorScope().catch(() => null);
  const gpu = await compiling.catch(async (error: GPUError) => {
    throw await cache.explainFailure(kernel, options, module, error);
  });
  if (!cache.find(kernel, key)) cache.add(kernel, key, { ...described, gpu });
}
