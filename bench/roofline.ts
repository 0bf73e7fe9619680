/**
 * @file Measures the limits of the adapter, and how close a row comes to them.
 * Source: Williams, Waterman and Patterson, Roofline: an insightful visual performance model, CACM 2009.
 */

/** The minimum work of a computation: operations (a multiply-add is two), bytes read and written. */
export interface Work {
  flops: number;
  bytes: number;
}

export interface Limits {
  /** Bytes per second that a copy kernel reads and writes. */
  bandwidth: number;
  /** Operations per second of multiply-adds in registers. */
  flops: number;
}

export interface Roofline extends Work {
  limit: 'compute' | 'memory';
  /** The shortest time in milliseconds that the limit allows. */
  milliseconds: number;
  /** Fraction of the limit that was reached. */
  reached: number;
}

export function roofline(work: Work, limits: Limits, milliseconds: number): Roofline {
  const computing = (1000 * work.flops) / limits.flops;
  const moving = (1000 * work.bytes) / limits.bandwidth;
  const min = Math.max(computing, moving);
  return {
    ...work,
    limit: computing >= moving ? 'compute' : 'memory',
    milliseconds: min,
    reached: min / milliseconds,
  };
}

const workgroup = 64;

const copyShader = `
@group(0) @binding(0) var<storage, read> source: array<vec4f>;
@group(0) @binding(1) var<storage, read_write> sink: array<vec4f>;
@compute @workgroup_size(${workgroup})
fn main(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) count: vec3u) {
  let step = count.x * ${workgroup}u;
  for (var i = id.x; i < arrayLength(&source); i += step) { sink[i] = source[i]; }
}`;

/** Enough chains to hide the latency of a multiply-add; their sum is stored so that they aren't optimized away. */
const chains = 8;
const turns = 64;

const computeShader = `
@group(0) @binding(0) var<storage, read> source: array<vec4f>;
@group(0) @binding(1) var<storage, read_write> sink: array<vec4f>;
@compute @workgroup_size(${workgroup})
fn main(@builtin(global_invocation_id) id: vec3u) {
  let factor = source[0];
  let term = source[1];
  ${times(chains, (i) => `var x${i} = source[${i}] + f32(id.x);`)}
  for (var turn = 0; turn < ${turns}; turn++) {
    ${times(chains, (i) => `x${i} = fma(x${i}, factor, term);`)}
  }
  sink[id.x] = ${Array.from({ length: chains }, (_, i) => `x${i}`).join(' + ')};
}`;

function times(count: number, line: (i: number) => string): string {
  return Array.from({ length: count }, (_, i) => line(i)).join('\n    ');
}

/** Measures both limits on `device`: the best of a few runs each. */
export async function measureLimits(device: GPUDevice, adapter: 'cpu' | 'gpu'): Promise<Limits> {
  const bytes = adapter === 'gpu' ? 128 * 2 ** 20 : 32 * 2 ** 20;
  const invocations = adapter === 'gpu' ? 2 ** 20 : 2 ** 14;
  const usage = GPUBufferUsage.STORAGE;
  const buffers = [0, 1].map(() => device.createBuffer({ size: bytes, usage }));
  const seconds = async (code: string, groups: number) => {
    const module = device.createShaderModule({ code });
    const pipeline = await device.createComputePipelineAsync({ layout: 'auto', compute: { module } });
    const entries = buffers.map((buffer, binding) => ({ binding, resource: { buffer } }));
    const bindGroup = device.createBindGroup({ layout: pipeline.getBindGroupLayout(0), entries });
    let best = Number.POSITIVE_INFINITY;
    for (let run = 0; run < 6; run++) {
      const repeats = run === 0 ? 1 : 4;
      const start = performance.now();
      const encoder = device.createCommandEncoder();
      const pass = encoder.beginComputePass();
      pass.setPipeline(pipeline);
      pass.setBindGroup(0, bindGroup);
      for (let i = 0; i < repeats; i++) pass.dispatchWorkgroups(groups);
      pass.end();
      device.queue.submit([encoder.finish()]);
      await device.queue.onSubmittedWorkDone();
      if (run > 0) best = Math.min(best, (performance.now() - start) / 1000 / repeats);
    }
    return best;
  };
  const copying = await seconds(copyShader, Math.min(65_535, bytes / 16 / workgroup));
  const computing = await seconds(computeShader, invocations / workgroup);
  for (const buffer of buffers) buffer.destroy();
  return { bandwidth: (2 * bytes) / copying, flops: (invocations * turns * chains * 8) / computing };
}
