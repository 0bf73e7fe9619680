/**
 * @file Readback: the only operation that waits. Values and the fault words since the last readback are copied to one staging
 * buffer in one submission; staging buffers are kept for the next one.
 */
import type { BufferAllocator, IdleBuffers } from './allocator.ts';
import { polled } from './completion.ts';
import type { DeviceBuffer } from './deviceBuffer.ts';
import type { FaultWords } from './faults.ts';
import type { FaultCarrier } from './faultSets.ts';
import { BufferUsage, MapMode } from './flags.ts';
import type { BoundRange } from './boundRange.ts';
import type { Journal } from './journal.ts';
import type { CommandStream } from './stream.ts';
import { sizeClass } from './pool.ts';
import type { ErrorWatch } from './watch.ts';

/** The maximum number of staging buffers kept between readbacks. */
const maxIdle = 8;

export class Readback implements IdleBuffers {
  /** Least recently used first. */
  readonly #idle: DeviceBuffer[] = [];

  constructor(
    private readonly device: GPUDevice,
    private readonly stream: CommandStream,
    private readonly faults: FaultWords,
    private readonly journal: Journal,
    private readonly watch: ErrorWatch,
    private readonly allocator: BufferAllocator,
  ) {
    allocator.addStore(this);
  }

  /**
   * Returns the bytes of `range`, once all work before it is done and its checks are resolved. With a null range, only the fault
   * words are read. A loss of the values is noted for `values`.
   */
  async read(range: BoundRange | null, values: FaultCarrier | null): Promise<ArrayBuffer> {
    const collection = this.faults.collect();
    let words: Uint32Array | null = null;
    const keepWords = (copied: Uint32Array) => {
      words = copied;
    };
    try {
      return await this.#read(range, values, collection.bytes, keepWords);
    } finally {
      collection.resolve(words);
      await collection.resolved;
    }
  }

  async #read(
    range: BoundRange | null,
    values: FaultCarrier | null,
    faultBytes: number,
    keepWords: (words: Uint32Array) => void,
  ): Promise<ArrayBuffer> {
    const dataBytes = range ? Math.ceil(range.bytes / 4) * 4 : 0;
    if (dataBytes + faultBytes === 0) return this.#finish();
    const fits = dataBytes + faultBytes <= this.device.limits.maxBufferSize;
    const staging = this.#stagingBuffer(dataBytes + (fits ? faultBytes : 0));
    // A tensor may fill the largest possible buffer. A new buffer may have no memory, and then nothing of its submission runs:
    // the fault words must not be lost with it.
    const isSeparate = dataBytes > 0 && faultBytes > 0 && !(fits && staging.confirmed);
    const faultStaging = isSeparate ? this.#stagingBuffer(faultBytes) : staging;
    const faultOffset = isSeparate ? 0 : dataBytes;
    if (faultBytes > 0) this.#takeFaultWords(this.faults.buffer, faultStaging, faultOffset, faultBytes);
    if (isSeparate) this.stream.flush();
    if (range && dataBytes > 0) {
      this.stream.copy(range.buffer, range.offset, staging, 0, dataBytes);
      if (values) this.journal.copied(range.buffer, values, true);
    }
    this.stream.drain();
    const reading = this.#take(staging, dataBytes + (isSeparate ? 0 : faultBytes));
    // If the fault words are read separately, it may reject while they are awaited.
    reading.catch(() => {});
    const copied = await (isSeparate ? this.#take(faultStaging, faultBytes) : reading);
    keepWords(new Uint32Array(copied, faultOffset, faultBytes / 4));
    return reading;
  }

  /** Waits only for the work, without mapping anything. Also resolves if the device is lost. */
  async #finish(): Promise<ArrayBuffer> {
    this.stream.drain();
    await polled(this.device, this.device.queue.onSubmittedWorkDone());
    return new ArrayBuffer(0);
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
    const map = () => polled(this.device, staging.gpu.mapAsync(MapMode.READ, 0, bytes));
    // If the buffer has no memory, WebGPU reports an error in addition to the rejection; ignore it.
    return staging.confirmed ? map() : this.watch.during('validation', map, () => null);
  }

  #keep(staging: DeviceBuffer): void {
    if (!this.allocator.keepIdle(staging)) {
      this.allocator.destroy(staging);
      return;
    }
    // Drop the least recently used one: its size is the least likely to be needed.
    if (this.#idle.push(staging) > maxIdle) this.#dropOldest();
  }

  trim(bytes: number): number {
    let removed = 0;
    while (this.#idle.length > 0 && removed < bytes) removed += this.#dropOldest();
    return removed;
  }

  /** Returns the bytes of the dropped buffer. */
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
    // If there is no memory for the buffer, the submission that copies into it fails: keep other work out of it.
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
