/**
 * @file GPU time of compute passes, from timestamp queries where the device has the feature.
 */

/** Passes that one measurement can hold. */
const maxPasses = 1024;

/** Collects the begin and end timestamps of the passes of a stream. */
export class PassTimer {
  readonly #queries: GPUQuerySet;
  readonly #resolved: GPUBuffer;
  #passes = 0;

  constructor(private readonly device: GPUDevice) {
    this.#queries = device.createQuerySet({
      label: 'retrograd timer',
      type: 'timestamp',
      count: 2 * maxPasses,
    });
    this.#resolved = device.createBuffer({
      label: 'retrograd timer',
      size: 16 * maxPasses,
      usage: GPUBufferUsage.QUERY_RESOLVE | GPUBufferUsage.COPY_SRC,
    });
  }

  /** Where the next pass writes its timestamps; undefined once all queries are taken. */
  next(): GPUComputePassTimestampWrites | undefined {
    if (this.#passes === maxPasses) return undefined;
    const begin = 2 * this.#passes++;
    return { querySet: this.#queries, beginningOfPassWriteIndex: begin, endOfPassWriteIndex: begin + 1 };
  }

  resolve(encoder: GPUCommandEncoder): void {
    if (this.#passes > 0) encoder.resolveQuerySet(this.#queries, 0, 2 * this.#passes, this.#resolved, 0);
  }

  /** Milliseconds spent inside passes, summed. Call after the stream was flushed. */
  async milliseconds(): Promise<number> {
    if (this.#passes === 0) return 0;
    const bytes = 16 * this.#passes;
    const staging = this.device.createBuffer({
      label: 'retrograd timer readback',
      size: bytes,
      usage: GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST,
    });
    const encoder = this.device.createCommandEncoder({ label: 'retrograd timer readback' });
    encoder.copyBufferToBuffer(this.#resolved, 0, staging, 0, bytes);
    this.device.queue.submit([encoder.finish()]);
    await staging.mapAsync(GPUMapMode.READ);
    const stamps = new BigUint64Array(staging.getMappedRange());
    let nanoseconds = 0n;
    for (let i = 0; i < stamps.length; i += 2)
      nanoseconds += (stamps[i + 1] as bigint) - (stamps[i] as bigint);
    staging.destroy();
    return Number(nanoseconds) / 1e6;
  }

  destroy(): void {
    this.#queries.destroy();
    this.#resolved.destroy();
  }
}
