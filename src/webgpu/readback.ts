/**
 * @file Readback: the only wait. Values and the fault words taken since the last readback travel in one copy and one
 * submission; staging buffers are kept for the next one.
 */
import type { BufferAllocator, IdleBuffers } from './allocator.ts';
import type { DeviceBuffer } from './deviceBuffer.ts';
import type { FaultWords } from './faults.ts';
import { BufferUsage, MapMode } from './flags.ts';
import type { BoundRange } from './boundRange.ts';
import type { CommandStream } from './stream.ts';
import { sizeClass } from './pool.ts';
import type { ErrorWatch } from './watch.ts';

/** Staging buffers kept between readbacks, at most. */
const maxIdle = 8;

export class Readback implements IdleBuffers {
  /** The one that waited longest comes first. */
  readonly #idle: DeviceBuffer[] = [];

  constructor(
    private readonly device: GPUDevice,
    private readonly stream: CommandStream,
    private readonly faults: FaultWords,
    private readonly watch: ErrorWatch,
    private readonly allocator: BufferAllocator,
  ) {
    allocator.addStore(this);
  }

  /**
   * The bytes of `range`, once all work before it is done and its checks are resolved. With a null range nothing is read
   * but the fault words.
   */
  async read(range: BoundRange | null): Promise<ArrayBuffer> {
    const collection = this.faults.collect();
    let words: Uint32Array | null = null;
    try {
      const read = await this.#read(range, collection.bytes);
      words = read.words;
      return read.bytes;
    } finally {
      collection.resolve(words);
      await collection.resolved;
    }
  }

  async #read(
    range: BoundRange | null,
    faultBytes: number,
  ): Promise<{ bytes: ArrayBuffer; words: Uint32Array | null }> {
    const dataBytes = range ? Math.ceil(range.bytes / 4) * 4 : 0;
    if (dataBytes + faultBytes === 0) return this.#finish();
    // A tensor may be as large as a buffer can be: the fault words then get a buffer of their own.
    const joined = dataBytes + faultBytes <= this.device.limits.maxBufferSize;
    const staging = this.#stagingBuffer(dataBytes + (joined ? faultBytes : 0));
    const faultStaging = joined ? staging : this.#stagingBuffer(faultBytes);
    const faultOffset = joined ? dataBytes : 0;
    if (range && dataBytes > 0) this.stream.copy(range.buffer, range.offset, staging, 0, dataBytes);
    if (faultBytes > 0) this.#takeFaultWords(this.faults.buffer, faultStaging, faultOffset, faultBytes);
    this.stream.drain();
    const bytes = await this.#take(staging, dataBytes + (joined ? faultBytes : 0));
    const copied = joined ? bytes : await this.#take(faultStaging, faultBytes);
    return { bytes, words: new Uint32Array(copied, faultOffset, faultBytes / 4) };
  }

  /** A wait for nothing but the work: mapping would be a second one. It ends for a lost device, too. */
  async #finish(): Promise<{ bytes: ArrayBuffer; words: null }> {
    this.stream.drain();
    await this.device.queue.onSubmittedWorkDone();
    return { bytes: new ArrayBuffer(0), words: null };
  }

  async #take(staging: DeviceBuffer, size: number): Promise<ArrayBuffer> {
    const mapped = Math.max(4, size);
    const { gpu } = staging;
    try {
      await this.#map(staging, mapped);
    } catch (error) {
      this.allocator.destroy(staging);
      throw staging.failure ?? error;
    }
    const bytes = gpu.getMappedRange(0, mapped).slice(0);
    gpu.unmap();
    this.#keep(staging);
    return bytes;
  }

  #map(staging: DeviceBuffer, bytes: number): Promise<undefined> {
    const map = () => staging.gpu.mapAsync(MapMode.READ, 0, bytes);
    // The rejection says what there is to say, but WebGPU also reports an error where the buffer has no memory.
    return staging.confirmed ? map() : this.watch.during('validation', map, () => null);
  }

  #keep(staging: DeviceBuffer): void {
    if (!this.allocator.keepIdle(staging)) {
      this.allocator.destroy(staging);
      return;
    }
    // The one that waited longest goes: its size is asked for least.
    if (this.#idle.push(staging) > maxIdle) this.#dropOldest();
  }

  trim(bytes: number): number {
    let removed = 0;
    while (this.#idle.length > 0 && removed < bytes) removed += this.#dropOldest();
    return removed;
  }

  /** The bytes of what was dropped. */
  #dropOldest(): number {
    const oldest = this.#idle.shift() as DeviceBuffer;
    this.allocator.leaveIdle(oldest.size);
    this.allocator.destroy(oldest);
    return oldest.size;
  }

  #takeFaultWords(words: DeviceBuffer, staging: DeviceBuffer, offset: number, bytes: number): void {
    this.stream.copy(words, 0, staging, offset, bytes);
    this.stream.clear(words, 0, bytes);
  }

  #stagingBuffer(bytes: number): DeviceBuffer {
    const size = Math.min(sizeClass(bytes), Math.max(bytes, this.device.limits.maxBufferSize));
    const found = this.#idle.findIndex((buffer) => buffer.size === size);
    if (found >= 0) {
      this.allocator.leaveIdle(size);
      return this.#idle.splice(found, 1)[0] as DeviceBuffer;
    }
    // Where there is no room for the buffer, the copy into it fails with its submission: nothing else may be in it.
    this.stream.flush();
    return this.allocator.create(
      { size, usage: BufferUsage.MAP_READ | BufferUsage.COPY_DST },
      {
        label: 'readback',
        rule: 'a readback needs as much memory as the values take.',
        hint: 'dispose of tensors first, or read slices.',
      },
    );
  }
}
