/**
 * @file A pool of GPU buffers in size classes: eight per power of two, so that at most an eighth of a buffer is unused.
 * A released buffer may be reused immediately, since the launches of a device run in order.
 */
import { OutOfMemoryError } from '../core/errors.ts';
import type { BufferAllocator, IdleBuffers, PoolStatistics } from './allocator.ts';
import type { DeviceBuffer } from './deviceBuffer.ts';
import { BufferUsage } from './flags.ts';

const smallestClass = 256;

/** Returns the size class that holds `bytes`: powers of two in eight steps each, multiples of 256. */
export function sizeClass(bytes: number): number {
  if (bytes <= 8 * smallestClass) return Math.max(1, Math.ceil(bytes / smallestClass)) * smallestClass;
  const step = 2 ** (28 - Math.clz32(Math.min(bytes, 2 ** 32 - 1)));
  return Math.ceil(bytes / step) * step;
}

/** What happens to buffers that are not kept: 'forget' is for those that an app's encoder may still use. */
export type Disposal = 'destroy' | 'forget';

export class BufferPool implements IdleBuffers {
  readonly #free = new Map<number, DeviceBuffer[]>();
  /** The largest size of a buffer: the device's limit, rounded down to whole words. */
  readonly limit: number;

  constructor(
    readonly allocator: BufferAllocator,
    private readonly disposal: Disposal = 'destroy',
  ) {
    const { maxBufferSize, maxStorageBufferBindingSize } = allocator.device.limits;
    this.limit = Math.floor(Math.min(maxBufferSize, maxStorageBufferBindingSize) / 4) * 4;
    allocator.addStore(this);
  }

  get statistics(): Readonly<PoolStatistics> {
    return this.allocator.statistics;
  }

  /** Returns a buffer of at least `bytes` bytes with undefined contents, last used no later than submission `idleSince`. */
  acquire(bytes: number, label: string, idleSince = Number.POSITIVE_INFINITY): DeviceBuffer {
    const size = this.sizeFor(bytes);
    const buffer = this.#reuse(size, idleSince) ?? this.#create(size, bytes, label);
    this.allocator.take(size);
    return buffer;
  }

  /** Bytes of the buffer that holds `bytes` bytes. */
  sizeFor(bytes: number): number {
    return Math.min(sizeClass(bytes), Math.max(this.limit, bytes));
  }

  release(buffer: DeviceBuffer): void {
    const { allocator } = this;
    allocator.giveBack(buffer.size);
    if (!allocator.keepIdle(buffer)) {
      allocator[this.disposal](buffer);
      return;
    }
    const waiting = this.#free.get(buffer.size);
    if (waiting) waiting.push(buffer);
    else this.#free.set(buffer.size, [buffer]);
  }

  /** Like `release`, for a buffer that must not be used again. */
  discard(buffer: DeviceBuffer): void {
    this.allocator.giveBack(buffer.size);
    this.allocator[this.disposal](buffer);
  }

  /** Removes large buffers first, so that few are lost. */
  trim(bytes = Number.POSITIVE_INFINITY): number {
    let removed = 0;
    for (const size of [...this.#free.keys()].sort((a, b) => b - a)) {
      const waiting = this.#free.get(size) as DeviceBuffer[];
      while (waiting.length > 0 && removed < bytes) {
        this.allocator.leaveIdle(size);
        this.allocator[this.disposal](waiting.pop() as DeviceBuffer);
        removed += size;
      }
      if (waiting.length === 0) this.#free.delete(size);
    }
    return removed;
  }

  #reuse(size: number, idleSince: number): DeviceBuffer | null {
    const waiting = this.#free.get(size);
    const found = waiting?.findLastIndex((buffer) => buffer.lastUse <= idleSince) ?? -1;
    if (!waiting || found < 0)
      return this.disposal === 'destroy' ? this.allocator.rescue(size, idleSince) : null;
    this.allocator.leaveIdle(size);
    // Most often the last one, for which `splice` takes longer.
    return (found === waiting.length - 1 ? waiting.pop() : waiting.splice(found, 1)[0]) as DeviceBuffer;
  }

  #create(size: number, bytes: number, label: string): DeviceBuffer {
    if (bytes > this.limit) {
      throw new OutOfMemoryError({
        rule: `a tensor takes at most ${this.limit} bytes on this device.`,
        received: `${bytes} bytes for ${label}`,
        hint: 'split it, or open a device with larger limits.',
      });
    }
    const usage = BufferUsage.STORAGE | BufferUsage.COPY_SRC | BufferUsage.COPY_DST;
    return this.allocator.create({ size, usage }, { label });
  }
}
