/** @file Staging buffers: values are copied into them and mapped. They are kept for the next readbacks. */
import type { BufferAllocator, IdleBuffers } from './allocator.ts';
import { polled } from './completion.ts';
import type { DeviceBuffer } from './deviceBuffer.ts';
import { BufferUsage, MapMode } from './flags.ts';
import { sizeClass } from './pool.ts';
import type { CommandStream } from './stream.ts';
import type { ErrorWatch } from './watch.ts';

/** The maximum number of staging buffers kept between readbacks. */
const maxIdle = 8;

export class StagingBuffers implements IdleBuffers {
  /** Least recently used first. */
  readonly #idle: DeviceBuffer[] = [];

  constructor(
    private readonly device: GPUDevice,
    private readonly stream: CommandStream,
    private readonly watch: ErrorWatch,
    private readonly allocator: BufferAllocator,
  ) {
    allocator.addStore(this);
  }

  /** Returns a buffer of at least `bytes` bytes. Errors: OutOfMemoryError, as `BufferAllocator.create`. */
  acquire(bytes: number): DeviceBuffer {
    const size = Math.min(sizeClass(bytes), Math.max(bytes, this.device.limits.maxBufferSize));
    const idle = this.#takeIdle(size);
    if (idle) return idle;
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

  /** Takes the smallest idle buffer of at least `size` bytes; null if there is none. */
  #takeIdle(size: number): DeviceBuffer | null {
    const smallest = Math.min(...this.#idle.map((buffer) => buffer.size).filter((other) => other >= size));
    const found = this.#idle.findLastIndex((buffer) => buffer.size === smallest);
    if (found < 0) return null;
    this.allocator.leaveIdle(smallest);
    return this.#idle.splice(found, 1)[0] as DeviceBuffer;
  }

  /**
   * Passes the first `bytes` bytes to `take`, once the copies into `staging` are done, and frees the buffer. Errors: those of the
   * mapping.
   */
  async read<T>(staging: DeviceBuffer, bytes: number, take: (mapped: ArrayBuffer) => T): Promise<T> {
    const size = Math.max(4, bytes);
    const { gpu } = staging;
    try {
      await this.#map(staging, size);
    } catch (error) {
      this.allocator.destroy(staging);
      throw staging.failure ?? error;
    }
    const taken = take(gpu.getMappedRange(0, size));
    gpu.unmap();
    this.#keep(staging);
    return taken;
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
}
