/**
 * @file A bounded pool of GPU buffers in size classes: eight to an octave, so that at most an eighth of a buffer
 * is unused. A buffer that is given back may be taken again at once, since the launches of a device run in order.
 */
import { OutOfMemoryError } from '../core/errors.ts';
import { BufferUsage } from './flags.ts';
import type { ErrorWatch } from './watch.ts';

const smallestClass = 256;

/** A GPU buffer with the number that caches know it by. */
export interface DeviceBuffer {
  readonly id: number;
  readonly gpu: GPUBuffer;
  /** Bytes of the whole buffer. */
  readonly size: number;
  /** The submission that last used it; uploads must not overtake launches that still wait to be submitted. */
  lastUse: number;
}

export interface PoolStatistics {
  /** Bytes in buffers that are in use. */
  bytesInUse: number;
  /** The most that `bytesInUse` has been. */
  peakBytes: number;
  /** Bytes kept ready in the pool. */
  bytesPooled: number;
  buffersInUse: number;
  /** Buffers created since the device was opened; flat in a steady loop. */
  allocations: number;
}

let nextBufferId = 1;

const adopted = new WeakMap<GPUBuffer, DeviceBuffer>();

/** A buffer adopted again is the same to caches. */
export function adoptBuffer(gpu: GPUBuffer): DeviceBuffer {
  const known = adopted.get(gpu);
  if (known) return known;
  const buffer = { id: nextBufferId++, gpu, size: gpu.size, lastUse: 0 };
  adopted.set(gpu, buffer);
  return buffer;
}

/** The size class that holds `bytes`: powers of two in eight steps each, multiples of 256. */
export function sizeClass(bytes: number): number {
  if (bytes <= 8 * smallestClass) return Math.max(1, Math.ceil(bytes / smallestClass)) * smallestClass;
  const step = 2 ** (28 - Math.clz32(Math.min(bytes, 2 ** 32 - 1)));
  return Math.ceil(bytes / step) * step;
}

export class BufferPool {
  readonly #free = new Map<number, DeviceBuffer[]>();
  #condemned: DeviceBuffer[] = [];
  readonly #statistics: PoolStatistics;
  /** The most bytes that a buffer can have: bindings take whole words, whatever the device's limits are. */
  readonly limit: number;

  constructor(
    private readonly device: GPUDevice,
    private readonly watch: ErrorWatch,
    /** Bytes that may lie unused; beyond it buffers are destroyed when they are given back. */
    private readonly maxPooledBytes: number,
    /** Counts of pools that share one account. */
    statistics: Readonly<PoolStatistics> = {
      bytesInUse: 0,
      peakBytes: 0,
      bytesPooled: 0,
      buffersInUse: 0,
      allocations: 0,
    },
  ) {
    this.#statistics = statistics;
    const { maxBufferSize, maxStorageBufferBindingSize } = device.limits;
    this.limit = Math.floor(Math.min(maxBufferSize, maxStorageBufferBindingSize) / 4) * 4;
  }

  get statistics(): Readonly<PoolStatistics> {
    return this.#statistics;
  }

  resetPeak(): void {
    this.#statistics.peakBytes = this.#statistics.bytesInUse;
  }

  /** A buffer of at least `bytes` bytes with undefined contents, last used no later than submission `idleSince`. */
  acquire(bytes: number, label: string, idleSince = Number.POSITIVE_INFINITY): DeviceBuffer {
    const size = Math.min(sizeClass(bytes), Math.max(this.limit, bytes));
    const waiting = this.#free.get(size);
    const found = waiting?.findLastIndex((buffer) => buffer.lastUse <= idleSince) ?? -1;
    let buffer: DeviceBuffer;
    if (waiting && found >= 0) {
      buffer = waiting.splice(found, 1)[0] as DeviceBuffer;
      this.#statistics.bytesPooled -= size;
    } else {
      buffer = this.#create(size, bytes, label);
    }
    const statistics = this.#statistics;
    statistics.bytesInUse += size;
    statistics.buffersInUse++;
    statistics.peakBytes = Math.max(statistics.peakBytes, statistics.bytesInUse);
    return buffer;
  }

  release(buffer: DeviceBuffer): void {
    const statistics = this.#statistics;
    statistics.bytesInUse -= buffer.size;
    statistics.buffersInUse--;
    if (statistics.bytesPooled + buffer.size > this.maxPooledBytes) {
      this.#condemned.push(buffer);
      return;
    }
    statistics.bytesPooled += buffer.size;
    const waiting = this.#free.get(buffer.size);
    if (waiting) waiting.push(buffer);
    else this.#free.set(buffer.size, [buffer]);
  }

  /** Destroys what was condemned; called after a submission, when no open encoder names these buffers. */
  destroyCondemned(): void {
    for (const buffer of this.#condemned) buffer.gpu.destroy();
    this.#condemned = [];
  }

  /** Moves all unused buffers to the condemned. */
  trim(): void {
    for (const waiting of this.#free.values()) {
      this.#condemned.push(...waiting);
      for (const { size } of waiting) this.#statistics.bytesPooled -= size;
    }
    this.#free.clear();
  }

  #create(size: number, bytes: number, label: string): DeviceBuffer {
    if (bytes > this.limit) {
      throw new OutOfMemoryError({
        rule: `a tensor takes at most ${this.limit} bytes on this device.`,
        received: `${bytes} bytes for ${label}`,
        hint: 'split the tensor, or open a device with larger maxBufferSize and maxStorageBufferBindingSize limits.',
      });
    }
    this.#statistics.allocations++;
    const gpu = this.watch.during(
      'out-of-memory',
      () =>
        this.device.createBuffer({
          label: `retrograd ${label}`,
          size,
          usage: BufferUsage.STORAGE | BufferUsage.COPY_SRC | BufferUsage.COPY_DST,
        }),
      (error) =>
        new OutOfMemoryError({
          rule: 'the device must have room for the tensors that are alive.',
          received: `${size} bytes for ${label}, with ${this.#statistics.bytesInUse} bytes in use: ${error.message}`,
          hint: 'dispose of tensors (tidy, using), or take smaller batches.',
        }),
    );
    return adoptBuffer(gpu);
  }
}
