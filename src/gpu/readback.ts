/**
 * @file Readback: the only wait. Values and the fault words taken since the last readback travel in one copy and one
 * submission; staging buffers are kept for the next one.
 */
import type { RetrogradError } from '../core/errors.ts';
import { decodeFaults, type FaultWords } from './faults.ts';
import type { DeviceBuffer } from './pool.ts';
import type { BoundRange, CommandStream } from './stream.ts';
import { sizeClass } from './pool.ts';

/** Staging buffers kept between readbacks, at most. */
const maxIdle = 8;

export class Readback {
  #idle: GPUBuffer[] = [];

  constructor(
    private readonly device: GPUDevice,
    private readonly stream: CommandStream,
    private readonly faults: FaultWords,
  ) {}

  /**
   * The bytes of `range`, once all work before it is done. With a null range only faults are collected.
   * Returns faults beside the bytes rather than throwing, so that the caller decides who is told.
   */
  async read(range: BoundRange | null): Promise<{ bytes: ArrayBuffer; errors: RetrogradError[] }> {
    const dataBytes = range ? Math.ceil(range.bytes / 4) * 4 : 0;
    const faultBytes = this.faults.bytesTaken;
    const reports = this.faults.collect();
    const staging = this.#stagingBuffer(Math.max(4, dataBytes + faultBytes));
    if (range && dataBytes > 0) this.stream.copy(range.buffer, range.offset, staging, 0, dataBytes);
    if (faultBytes > 0) this.#takeFaultWords(this.faults.buffer, staging, dataBytes, faultBytes);
    this.stream.flush();
    // A staging buffer that no copy writes maps at once, whatever is still running.
    if (dataBytes + faultBytes === 0) await this.device.queue.onSubmittedWorkDone();
    await staging.mapAsync(GPUMapMode.READ, 0, Math.max(4, dataBytes + faultBytes));
    const bytes = staging.getMappedRange(0, Math.max(4, dataBytes + faultBytes)).slice(0);
    staging.unmap();
    if (this.#idle.length < maxIdle) this.#idle.push(staging);
    else staging.destroy();
    const errors = decodeFaults(new Uint32Array(bytes, dataBytes, faultBytes / 4), reports);
    return { bytes, errors };
  }

  #takeFaultWords(words: DeviceBuffer, staging: GPUBuffer, offset: number, bytes: number): void {
    this.stream.copy(words, 0, staging, offset, bytes);
    this.stream.clear(words, 0, bytes);
  }

  #stagingBuffer(bytes: number): GPUBuffer {
    const size = sizeClass(bytes);
    const found = this.#idle.findIndex((buffer) => buffer.size === size);
    if (found >= 0) return this.#idle.splice(found, 1)[0] as GPUBuffer;
    return this.device.createBuffer({
      label: 'retrograd readback',
      size,
      usage: GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST,
    });
  }
}
