/**
 * @file Launches into an app's own encoder, which the app may submit now, later, or never. Parameters therefore can't use
 * the stream's ring. They are in small immutable buffers, cached by their contents, so that a launch encoded again every
 * frame makes no buffer.
 */
import { DeviceError } from '../core/errors.ts';
import type { PreparedLaunch } from '../webgpu/command.ts';
import type { Kernel } from '../webgpu/kernel.ts';
import { type Launch, prepareLaunch } from '../webgpu/launch.ts';
import { withExecutors } from './currentExecutor.ts';
import { ForwardingExecutor } from './forwardingExecutor.ts';
import type { BufferAllocator } from '../webgpu/allocator.ts';
import type { Device } from '../webgpu/device.ts';
import type { DeviceBuffer } from '../webgpu/deviceBuffer.ts';
import { type ParamLayout, type ParamValue, ParamWords } from '../webgpu/params.ts';
import type { Pipeline } from '../webgpu/pipelines.ts';
import { BufferPool } from '../webgpu/pool.ts';
import { BufferUsage } from '../webgpu/flags.ts';
import { Storage } from '../webgpu/storage.ts';
import type { BoundRange } from '../webgpu/boundRange.ts';

/** An app's encoder, between passes, or an open compute pass. */
export type EncodeTarget = GPUCommandEncoder | GPUComputePassEncoder;

/** The maximum number of parameter buffers cached. */
const maxKept = 1024;

/** Immutable uniform buffers, by their contents. */
class ParamBuffers {
  readonly #buffers = new Map<string, DeviceBuffer>();

  constructor(private readonly allocator: BufferAllocator) {}

  get(layout: ParamLayout, values: Readonly<Record<string, ParamValue>>): DeviceBuffer {
    const words = new ParamWords(layout.bytes);
    layout.pack(words, 0, values);
    const key = words.u32.join();
    const known = this.#buffers.get(key);
    if (known && !known.failure) return known;
    const buffer = this.allocator.createFilled(words.u32, BufferUsage.UNIFORM, { label: 'parameters' });
    if (this.#buffers.size >= maxKept) this.#forgetOldest();
    this.#buffers.set(key, buffer);
    return buffer;
  }

  /** Drops the oldest buffer without destroying it, since an encoder may use it. */
  #forgetOldest(): void {
    const [key, buffer] = this.#buffers.entries().next().value as [string, DeviceBuffer];
    this.#buffers.delete(key);
    this.allocator.forget(buffer);
  }
}

/** Resources of the encoded launches of one device. */
interface Held {
  readonly params: ParamBuffers;
  /** Intermediate values. None is destroyed, since a pending command buffer may use any of them. */
  readonly scratch: BufferPool;
}

const held = new WeakMap<Device, Held>();

function heldFor(device: Device): Held {
  const known = held.get(device);
  if (known) return known;
  const { allocator } = device;
  const made = { params: new ParamBuffers(allocator), scratch: new BufferPool(allocator, 'forget') };
  held.set(device, made);
  return made;
}

/**
 * Runs `body` with all launches of `device` appended to an app's encoder instead of the stream. For each allocation,
 * `claim` may return a storage of the app; other intermediate values are in buffers that nothing else uses. In a dry run
 * nothing is encoded.
 */
export function encodeWork<T>(
  device: Device,
  target: EncodeTarget,
  claim: (bytes: number) => Storage | null,
  body: () => T,
): T {
  if (device.executor.mode === 'dry run') return body();
  const encoder = new EncoderExecutor(device, target, claim);
  return withExecutors((holder) => (holder === device ? encoder : holder.executor), body);
}

/** Appends launches and copies to an app's encoder. */
class EncoderExecutor extends ForwardingExecutor {
  override readonly mode = 'encoded';

  constructor(
    private readonly device: Device,
    private readonly target: EncodeTarget,
    private readonly claim: (bytes: number) => Storage | null,
  ) {
    super(device.eager);
  }

  override allocate(bytes: number, label: string, freed?: (storage: Storage) => void): Storage {
    const claimed = this.claim(bytes);
    if (claimed) return claimed;
    const { scratch } = heldFor(this.device);
    const buffer = scratch.acquire(bytes, label);
    const free = (storage: Storage) => {
      freed?.(storage);
      scratch.release(buffer);
    };
    return new Storage(buffer, 0, buffer.size, free, bytes);
  }

  /** The write happens now, but the launch reads it at an unknown time, so the buffer is never reused. */
  override upload(data: ArrayBufferView<ArrayBuffer>, label: string): Storage {
    const { scratch } = heldFor(this.device);
    const buffer = scratch.acquire(Math.max(4, data.byteLength), label, -1);
    this.device.write(buffer, data);
    return new Storage(buffer, 0, buffer.size, () => scratch.discard(buffer));
  }

  override launch(kernel: Kernel, launch: Launch): void {
    this.run(prepareLaunch(kernel, launch, this.base.pipelineOf(kernel, launch.options, launch.key), null));
  }

  override run(launch: PreparedLaunch): void {
    encodeLaunch(this.device, this.target, launch);
  }

  override copy(source: BoundRange, target: BoundRange, bytes: number): void {
    if (!('copyBufferToBuffer' in this.target)) {
      throw new DeviceError({
        op: 'encode',
        rule: 'a compute pass has no copies.',
        received: `a copy of ${bytes} bytes`,
        hint: 'pass the command encoder, between passes.',
      });
    }
    const { gpu } = target.buffer;
    this.target.copyBufferToBuffer(source.buffer.gpu, source.offset, gpu, target.offset, bytes);
  }
}

/** Appends one launch to an app's encoder. Errors: DeviceError for a kernel that reports faults without `faultWords`. */
export function encodeLaunch(
  device: Device,
  target: EncodeTarget,
  { kernel, pipeline, ranges, layout, params, grid }: PreparedLaunch,
  faultWords: GPUBufferBinding | null = null,
): void {
  if (kernel.faults && !faultWords) {
    throw new DeviceError({
      op: kernel.name,
      rule: "faults are reported by the library's own readbacks, which don't see an app's encoder.",
      received: 'a validating kernel, encoded without `faultWords`',
      hint: 'turn validation off (validateIndices: false), or bind faultWords and read them yourself.',
    });
  }
  const hasParams = layout.fields.length > 0;
  const buffer = hasParams ? heldFor(device).params.get(layout, { fault_slot: 0, ...params }) : null;
  encodeDispatch(device, target, pipeline, ranges, buffer, kernel.faults ? faultWords : null, grid);
}

/** Appends one dispatch to `target`, in a new pass if that is an encoder. */
function encodeDispatch(
  device: Device,
  target: EncodeTarget,
  pipeline: Pipeline,
  ranges: readonly BoundRange[],
  params: DeviceBuffer | null,
  faultWords: GPUBufferBinding | null,
  [x, y, z]: readonly [number, number, number],
): void {
  const entries: GPUBindGroupEntry[] = ranges.map(({ buffer, offset, bytes }, binding) => ({
    binding,
    resource: { buffer: buffer.gpu, offset, size: bytes },
  }));
  if (params) entries.push({ binding: ranges.length, resource: { buffer: params.gpu } });
  if (faultWords) entries.push({ binding: ranges.length + 1, resource: faultWords });
  const { gpu } = device;
  const { label, bindings } = pipeline;
  const buffers = [...ranges.map(({ buffer }) => buffer), ...(params ? [params] : [])];
  // Errors of the app's own buffers are reported to the app.
  const group = buffers.every(({ confirmed }) => confirmed)
    ? gpu.createBindGroup({ label: `retrograd ${label}`, layout: bindings.gpu, entries })
    : device.stream.bindGroups.create(pipeline, entries, buffers);
  const isPass = 'dispatchWorkgroups' in target;
  const pass = isPass ? target : target.beginComputePass({ label: `retrograd ${pipeline.label}` });
  pass.setPipeline(pipeline.gpu);
  pass.setBindGroup(0, group, params ? [0] : []);
  pass.dispatchWorkgroups(x, y, z);
  if (!isPass) pass.end();
}
