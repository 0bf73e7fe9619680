/**
 * @file The allocator of a device: creates and destroys its buffers, and counts their bytes.
 *
 * WebGPU reports out of memory after the call that caused it. The buffer is then marked as failed, and everything idle
 * is destroyed. From then on, idle buffers are destroyed before the total exceeds what the device is known to hold.
 */
import { OutOfMemoryError } from '../core/errors.ts';
import { adoptBuffer, type DeviceBuffer } from './deviceBuffer.ts';
import type { ErrorWatch } from './watch.ts';

export interface PoolStatistics {
  /** Bytes in buffers that are in use. */
  bytesInUse: number;
  /** The peak of `bytesInUse`. */
  peakBytes: number;
  /** Bytes in idle buffers, kept for reuse. */
  bytesPooled: number;
  buffersInUse: number;
  /** Buffers created since the device was opened; flat in a steady loop. */
  allocations: number;
}

/** The order of submissions, which decides when a buffer may be destroyed. */
export interface SubmissionOrder {
  /** The number of the newest submission. */
  readonly submitted: number;
  /** Submits what was appended. */
  flush(): void;
}

/** A store of idle buffers. */
export interface IdleBuffers {
  /** Removes idle buffers of at least `bytes` bytes in total, or all if there are fewer. Returns the bytes removed. */
  trim(bytes: number): number;
}

/** What an allocation is for, for its error message. */
export interface AllocationPurpose {
  readonly label: string;
  readonly rule?: string;
  readonly hint?: string;
}

/** Bytes of a new buffer, or of those pending destruction, that justify a submission. */
const worthFlushing = 2 ** 20;
/** Once a device holds `ampleBytes`, buffers of at least this size are created only after idle ones were destroyed. */
const largeBytes = 2 ** 26;
const ampleBytes = 2 ** 31;

/** For allocators without a stream: every buffer may be destroyed immediately. */
const noSubmissions: SubmissionOrder = { submitted: Number.POSITIVE_INFINITY, flush: () => {} };

export class BufferAllocator {
  readonly #statistics: PoolStatistics = {
    bytesInUse: 0,
    peakBytes: 0,
    bytesPooled: 0,
    buffersInUse: 0,
    allocations: 0,
  };
  readonly #idle: IdleBuffers[] = [];
  /** Buffers used by commands that aren't submitted yet. They are destroyed after the submission. */
  #pending: DeviceBuffer[] = [];
  #pendingBytes = 0;
  /** Buffers that exist: in use, idle, and pending destruction. */
  readonly #counted = new WeakSet<DeviceBuffer>();
  /** Their bytes. */
  #existing = 0;
  /** The maximum number of bytes that the device is known to hold at a time; unlimited until an allocation fails. */
  #room = Number.POSITIVE_INFINITY;
  /** Total bytes of all allocations that failed. */
  #failedBytes = 0;
  #failures = 0;
  /** Called after an allocation has failed. */
  onFailure: () => void = () => {};

  constructor(
    readonly device: GPUDevice,
    private readonly watch: ErrorWatch,
    /** Bytes that all stores together may keep idle. */
    private readonly maxIdleBytes: number,
    private readonly order: SubmissionOrder = noSubmissions,
  ) {}

  get statistics(): Readonly<PoolStatistics> {
    return this.#statistics;
  }

  /** Allocations that failed so far. */
  get failures(): number {
    return this.#failures;
  }

  resetPeak(): void {
    this.#statistics.peakBytes = this.#statistics.bytesInUse;
  }

  /** Registers a store that gives up its buffers when memory is short. */
  addStore(store: IdleBuffers): void {
    this.#idle.push(store);
  }

  /** Counts `size` bytes as in use. */
  take(size: number): void {
    const statistics = this.#statistics;
    statistics.bytesInUse += size;
    statistics.buffersInUse++;
    statistics.peakBytes = Math.max(statistics.peakBytes, statistics.bytesInUse);
  }

  /** Counts `size` bytes as no longer in use. */
  giveBack(size: number): void {
    this.#statistics.bytesInUse -= size;
    this.#statistics.buffersInUse--;
  }

  /** Returns whether `buffer` may be kept for reuse. It is then counted as idle. */
  keepIdle({ size, failure }: DeviceBuffer): boolean {
    if (failure || this.#statistics.bytesPooled + size > this.maxIdleBytes) return false;
    this.#statistics.bytesPooled += size;
    return true;
  }

  /** Counts a buffer of `size` bytes as no longer idle. */
  leaveIdle(size: number): void {
    this.#statistics.bytesPooled -= size;
  }

  /**
   * Creates a buffer. Errors: OutOfMemoryError, immediately if WebGPU throws, otherwise at the next readback: the buffer then
   * carries it as its `failure`.
   */
  create(descriptor: GPUBufferDescriptor, purpose: AllocationPurpose): DeviceBuffer {
    const { size } = descriptor;
    this.#makeRoom(size);
    const buffer = this.#tryCreate(descriptor, purpose) ?? this.#createLast(descriptor, purpose);
    this.#statistics.allocations++;
    this.#counted.add(buffer);
    this.#existing += size;
    return buffer;
  }

  /** A new buffer that holds `words`. Errors: those of `create`. */
  createFilled(
    words: Uint32Array<ArrayBuffer>,
    usage: GPUBufferUsageFlags,
    purpose: AllocationPurpose,
  ): DeviceBuffer {
    const size = words.byteLength;
    const buffer = this.create({ size, usage, mappedAtCreation: true }, purpose);
    const { gpu } = buffer;
    new Uint32Array(this.#mappedRange(gpu, purpose)).set(words);
    gpu.unmap();
    return buffer;
  }

  #mappedRange(gpu: GPUBuffer, purpose: AllocationPurpose): ArrayBuffer {
    try {
      return gpu.getMappedRange();
    } catch (error) {
      // Deno 2.9 maps no buffer that has no memory.
      throw this.#outOfMemory(gpu.size, purpose, error instanceof Error ? error.message : String(error));
    }
  }

  /** Destroys `buffer` as soon as no unsubmitted command uses it. */
  destroy(buffer: DeviceBuffer): void {
    if (buffer.lastUse <= this.order.submitted) {
      this.#destroyNow(buffer);
      return;
    }
    this.#pending.push(buffer);
    this.#pendingBytes += buffer.size;
  }

  /** Drops `buffer` without destroying it: an app's encoder may name it. Its memory is freed with the last reference. */
  forget(buffer: DeviceBuffer): void {
    this.#uncount(buffer);
  }

  /** A buffer may be destroyed before its failure is known. */
  #uncount(buffer: DeviceBuffer): void {
    if (this.#counted.delete(buffer)) this.#existing -= buffer.size;
  }

  /** Takes back a buffer of `size` bytes that is pending destruction; null if there is none. */
  rescue(size: number, idleSince: number): DeviceBuffer | null {
    const found = this.#pending.findLastIndex(
      (buffer) => buffer.size === size && buffer.lastUse <= idleSince && !buffer.failure,
    );
    if (found < 0) return null;
    this.#pendingBytes -= size;
    return this.#pending.splice(found, 1)[0] as DeviceBuffer;
  }

  /** Destroys the buffers that waited for a submission. */
  afterSubmit(): void {
    const pending = this.#pending;
    this.#pending = [];
    this.#pendingBytes = 0;
    for (const buffer of pending) this.#destroyNow(buffer);
  }

  /** Removes idle buffers from all stores: at least `bytes` bytes, or all if there are fewer. */
  trim(bytes = Number.POSITIVE_INFINITY): void {
    let removed = 0;
    for (const store of this.#idle) {
      if (removed >= bytes) return;
      removed += store.trim(bytes - removed);
    }
  }

  #destroyNow(buffer: DeviceBuffer): void {
    buffer.gpu.destroy();
    this.#uncount(buffer);
  }

  /** Destroys unused buffers before the total grows by `size` bytes, if the device may not have room for both. */
  #makeRoom(size: number): void {
    // A failed allocation invalidates the submission that uses it, so earlier work is submitted separately.
    if (size >= worthFlushing || this.#pendingBytes >= worthFlushing) this.order.flush();
    const room = size >= largeBytes ? Math.min(this.#room, ampleBytes) : this.#room;
    const excess = this.#existing + size - room;
    if (excess > 0) this.#reclaim(excess);
  }

  /** Immediately destroys at least `bytes` bytes that are not in use, or all of them. */
  #reclaim(bytes: number): void {
    const target = this.#existing - bytes;
    if (this.#pendingBytes + this.#statistics.bytesPooled === 0) return;
    this.order.flush();
    if (this.#existing > target) this.trim(this.#existing - target);
  }

  #createLast(descriptor: GPUBufferDescriptor, purpose: AllocationPurpose): DeviceBuffer {
    this.#reclaim(Number.POSITIVE_INFINITY);
    const buffer = this.#tryCreate(descriptor, purpose);
    if (buffer) return buffer;
    throw this.#outOfMemory(descriptor.size, purpose, 'the browser has no memory to map it');
  }

  /** Null if WebGPU throws for lack of memory. */
  #tryCreate(descriptor: GPUBufferDescriptor, purpose: AllocationPurpose): DeviceBuffer | null {
    const { size } = descriptor;
    const total = this.#existing + size;
    const failedBefore = this.#failedBytes;
    const firstUse = this.order.submitted + 1;
    // Exclude allocations that have failed since.
    const realTotal = () => total - (this.#failedBytes - failedBefore);
    let made: DeviceBuffer | null = null;
    const explain = ({ message }: GPUError) => {
      const error = this.#outOfMemory(size, purpose, message);
      if (made) this.#fail(made, error, firstUse, realTotal() - size);
      return error;
    };
    const confirm = () => {
      if (made) this.#confirm(made, realTotal());
    };
    try {
      made = this.watch.during(
        'out-of-memory',
        () => adoptBuffer(this.device.createBuffer({ ...descriptor, label: `retrograd ${purpose.label}` })),
        explain,
        confirm,
      );
    } catch (error) {
      if (error instanceof RangeError) return null;
      throw error;
    }
    made.confirmed = false;
    return made;
  }

  #confirm(buffer: DeviceBuffer, total: number): void {
    buffer.confirmed = true;
    if (this.#failures > 0) this.#room = Math.max(this.#room, total);
  }

  /** `buffer` got no memory while `others` bytes existed. `firstUse` is the first submission that may use it. */
  #fail(buffer: DeviceBuffer, error: OutOfMemoryError, firstUse: number, others: number): void {
    buffer.failure = error;
    this.#failures++;
    this.#failedBytes += buffer.size;
    this.#uncount(buffer);
    this.#room = others;
    this.watch.markFailed(firstUse, buffer.lastUse, error);
    this.onFailure();
    this.#reclaim(Number.POSITIVE_INFINITY);
  }

  #outOfMemory(
    size: number,
    {
      label,
      rule = 'the device must have room for the tensors that are alive.',
      hint = 'dispose of tensors (tidy, using), or take smaller batches. Repeat the work submitted with this allocation: it did not run.',
    }: AllocationPurpose,
    message: string,
  ): OutOfMemoryError {
    return new OutOfMemoryError({
      rule,
      received: `${size} bytes for ${label}, with ${this.#statistics.bytesInUse} bytes in use: ${message}`,
      hint,
    });
  }
}
