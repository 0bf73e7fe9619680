/**
 * @file Launches into an app's own encoder, which the app submits when it likes: now, later, or never. Parameters can't
 * share the stream's ring then. They lie in small buffers that are written once and kept by their contents, so that a
 * launch that is encoded again every frame makes no buffer.
 */
import { type ParamLayout, type ParamValue, ParamWords } from './params.ts';
import type { Pipeline } from './pipelines.ts';
import type { BoundRange } from './stream.ts';

/** Where an app collects its commands: an encoder between passes, or a compute pass that is open. */
export type EncodeTarget = GPUCommandEncoder | GPUComputePassEncoder;

/** Parameter buffers kept, at most. */
const maxKept = 1024;

/** Immutable uniform buffers, by their contents. */
export class ParamBuffers {
  readonly #buffers = new Map<string, GPUBuffer>();

  constructor(private readonly device: GPUDevice) {}

  get(layout: ParamLayout, values: Readonly<Record<string, ParamValue>>): GPUBuffer {
    const words = new ParamWords(layout.bytes);
    layout.pack(words, 0, values);
    const key = words.u32.join();
    const known = this.#buffers.get(key);
    if (known) return known;
    const buffer = this.device.createBuffer({
      label: 'retrograd parameters',
      size: layout.bytes,
      usage: GPUBufferUsage.UNIFORM,
      mappedAtCreation: true,
    });
    new Uint32Array(buffer.getMappedRange()).set(words.u32);
    buffer.unmap();
    // The oldest is forgotten, not destroyed: an encoder may hold it still.
    if (this.#buffers.size >= maxKept) this.#buffers.delete(this.#buffers.keys().next().value as string);
    this.#buffers.set(key, buffer);
    return buffer;
  }
}

/** Appends one dispatch to `target`; a pass of its own where that is an encoder. */
export function encodeDispatch(
  device: GPUDevice,
  target: EncodeTarget,
  pipeline: Pipeline,
  ranges: readonly BoundRange[],
  params: GPUBuffer | null,
  faultWords: GPUBufferBinding | null,
  [x, y, z]: readonly [number, number, number],
): void {
  const entries: GPUBindGroupEntry[] = ranges.map(({ buffer, offset, bytes }, binding) => ({
    binding,
    resource: { buffer: buffer.gpu, offset, size: bytes },
  }));
  if (params) entries.push({ binding: ranges.length, resource: { buffer: params } });
  if (faultWords) entries.push({ binding: ranges.length + 1, resource: faultWords });
  const group = device.createBindGroup({
    label: `retrograd ${pipeline.label}`,
    layout: pipeline.bindGroupLayout,
    entries,
  });
  const isPass = 'dispatchWorkgroups' in target;
  const pass = isPass ? target : target.beginComputePass({ label: `retrograd ${pipeline.label}` });
  pass.setPipeline(pipeline.gpu);
  pass.setBindGroup(0, group, params ? [0] : []);
  pass.dispatchWorkgroups(x, y, z);
  if (!isPass) pass.end();
}
