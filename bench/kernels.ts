/**
 * @file The kernels that Retrograd chose: the labels of the pipelines that a run sets, which contain the kernels' options, and
 * a hash of their WGSL, by which results of two versions are known to be of the same kernels.
 */
import type { Job } from './job.ts';

const prefix = 'retrograd ';

export interface LaunchedKernels {
  /** Each named once, in the order of their first launch. */
  readonly kernels: readonly string[];
  /** A hash of their WGSL; undefined if a pipeline is older than `watchPrograms`. */
  readonly code?: string;
}

/** A hash of the WGSL of each module and pipeline that was created while programs were watched. */
const hashes = new WeakMap<GPUShaderModule | GPUComputePipeline, number>();
let watching = false;

/** Begins to watch the WGSL of pipelines, by wrapping WebGPU. Those that exist already stay unknown. */
export function watchPrograms(): void {
  if (watching) return;
  watching = true;
  const { prototype } = GPUDevice;
  const { createShaderModule, createComputePipeline, createComputePipelineAsync } = prototype;
  const keep = <T extends GPUShaderModule | GPUComputePipeline>(made: T, hash: number | undefined): T => {
    if (hash !== undefined) hashes.set(made, hash);
    return made;
  };
  prototype.createShaderModule = function (descriptor) {
    return keep(createShaderModule.call(this, descriptor), hashOf(descriptor.code));
  };
  prototype.createComputePipeline = function (descriptor) {
    return keep(createComputePipeline.call(this, descriptor), hashes.get(descriptor.compute.module));
  };
  prototype.createComputePipelineAsync = async function (descriptor) {
    const made = await createComputePipelineAsync.call(this, descriptor);
    return keep(made, hashes.get(descriptor.compute.module));
  };
}

/** FNV-1a. */
function hashOf(text: string, start = 0x811c9dc5): number {
  let value = start;
  for (let i = 0; i < text.length; i++) value = Math.imul(value ^ text.charCodeAt(i), 0x01000193) >>> 0;
  return value;
}

/** Returns the kernels of one run. */
export async function kernelsOf({ run, wait }: Job): Promise<LaunchedKernels> {
  const found = new Map<string, number | undefined>();
  const { prototype } = GPUComputePassEncoder;
  const { setPipeline } = prototype;
  prototype.setPipeline = function (pipeline) {
    if (pipeline.label.startsWith(prefix))
      found.set(pipeline.label.slice(prefix.length), hashes.get(pipeline));
    setPipeline.call(this, pipeline);
  };
  try {
    await run();
    await wait();
  } finally {
    prototype.setPipeline = setPipeline;
  }
  const kernels = [...found.keys()];
  const codes = [...found.values()];
  if (kernels.length === 0 || codes.includes(undefined)) return { kernels };
  return { kernels, code: hashOf(codes.join()).toString(16).padStart(8, '0') };
}

/** Returns whether two runs launched the same kernels, as far as is known. */
export function sameKernels(a: LaunchedKernels, b: LaunchedKernels): boolean {
  if (a.code !== undefined && b.code !== undefined) return a.code === b.code;
  return a.kernels.length > 0 && a.kernels.join('\n') === b.kernels.join('\n');
}
