/**
 * @file GPU time of compute passes, from timestamp queries if the device has the feature.
 */
import { BufferUsage } from './flags.ts';
import type { PreparedLaunch } from './command.ts';
import type { Device } from './device.ts';
import type { StreamWatcher } from './streamWatcher.ts';

/** When something began and ended, in microseconds from an arbitrary start. */
export interface Span {
  readonly begin: number;
  readonly end: number;
}

/** Passes in one set of queries: WebGPU's limit is 4,096 queries. */
const passesPerSet = 2048;

interface QuerySet {
  readonly queries: GPUQuerySet;
  readonly resolved: GPUBuffer;
  passes: number;
  /** Passes whose timestamps were resolved in a submission. */
  done: number;
}

/** Collects the begin and end timestamps of the passes of a stream. */
export class PassTimer implements StreamWatcher {
  readonly #sets: QuerySet[] = [];

  constructor(
    private readonly device: Device,
    readonly isolates: 'pass' | null = null,
    private readonly perSet = passesPerSet,
  ) {}

  next(_launch: PreparedLaunch): GPUComputePassTimestampWrites {
    let set = this.#sets.at(-1);
    if (!set || set.passes === this.perSet) {
      set = this.#makeSet();
      this.#sets.push(set);
    }
    const begin = 2 * set.passes++;
    return { querySet: set.queries, beginningOfPassWriteIndex: begin, endOfPassWriteIndex: begin + 1 };
  }

  resolve(encoder: GPUCommandEncoder): void {
    for (const set of this.#sets) {
      if (set.done === set.passes) continue;
      encoder.resolveQuerySet(set.queries, 0, 2 * set.passes, set.resolved, 0);
      set.done = set.passes;
    }
  }

  /** When the passes ran, counted from the first timestamp. Call after the stream was flushed. */
  async spans(): Promise<Span[]> {
    const sets = this.#sets.filter(({ done }) => done > 0);
    const stamps = (await Promise.all(sets.map((set) => this.#read(set)))).flatMap((part) => [...part]);
    const first = stamps[0] ?? 0n;
    const microseconds = (stamp: bigint) => Number(stamp - first) / 1000;
    return Array.from({ length: stamps.length / 2 }, (_, pass) => {
      const [begin, end] = [stamps[2 * pass] as bigint, stamps[2 * pass + 1] as bigint];
      return { begin: microseconds(begin), end: microseconds(end) };
    });
  }

  /** Milliseconds spent inside passes, summed. Call after the stream was flushed. */
  async milliseconds(): Promise<number> {
    const spans = await this.spans();
    return spans.reduce((total, { begin, end }) => total + end - begin, 0) / 1000;
  }

  destroy(): void {
    for (const { queries, resolved } of this.#sets.splice(0)) {
      queries.destroy();
      resolved.destroy();
    }
  }

  #makeSet(): QuerySet {
    const device = this.device.gpu;
    const label = 'retrograd timer';
    return {
      queries: device.createQuerySet({ label, type: 'timestamp', count: 2 * this.perSet }),
      resolved: device.createBuffer({
        label,
        size: 16 * this.perSet,
        usage: BufferUsage.QUERY_RESOLVE | BufferUsage.COPY_SRC,
      }),
      passes: 0,
      done: 0,
    };
  }

  async #read({ resolved, done }: QuerySet): Promise<BigUint64Array> {
    const bytes = 16 * done;
    const label = 'retrograd timer readback';
    const usage = BufferUsage.MAP_READ | BufferUsage.COPY_DST;
    const { gpu } = this.device;
    const staging = gpu.createBuffer({ label, size: bytes, usage });
    const encoder = gpu.createCommandEncoder({ label });
    encoder.copyBufferToBuffer(resolved, 0, staging, 0, bytes);
    gpu.queue.submit([encoder.finish()]);
    await this.device.map(staging);
    const stamps = new BigUint64Array(staging.getMappedRange().slice(0));
    staging.destroy();
    return stamps;
  }
}

/**
 * Milliseconds taken by the passes that `run` appends to the device's stream; null, without calling `run`, if the device has no
 * timestamps or the stream is already watched.
 */
export async function timePasses(device: Device, run: () => void): Promise<number | null> {
  const { gpu, stream } = device;
  if (!gpu.features.has('timestamp-query') || stream.watcher) return null;
  stream.flush();
  const timer = new PassTimer(device);
  stream.watcher = timer;
  try {
    try {
      run();
      stream.flush();
    } finally {
      stream.watcher = null;
    }
    return await timer.milliseconds();
  } finally {
    timer.destroy();
  }
}

/**
 * Wall time of launches, for devices without timestamps: each is submitted separately, and ends when the queue reports
 * that it is done. Times include the delay of that report.
 */
export class WallTimer implements StreamWatcher {
  readonly isolates = 'submission';
  readonly #submitted: number[] = [];
  readonly #done: Promise<number>[] = [];
  #launches = 0;

  constructor(private readonly device: Device) {}

  next(_launch: PreparedLaunch): undefined {
    this.#launches++;
  }

  submit(queue: GPUQueue, buffers: readonly GPUCommandBuffer[]): void {
    for (const buffer of buffers) {
      queue.submit([buffer]);
      // Copies may follow the last launch.
      if (this.#done.length === this.#launches) continue;
      this.#submitted.push(performance.now());
      this.#done.push(this.device.submittedWorkDone().then(() => performance.now()));
    }
  }

  /** When the launches ran, one after the other, counted from the first submission. Call after the stream was flushed. */
  async spans(): Promise<Span[]> {
    const done = await Promise.all(this.#done);
    const first = this.#submitted[0] ?? 0;
    let free = first;
    return done.map((end, i) => {
      const begin = Math.max(free, this.#submitted[i] as number);
      free = Math.max(begin, end);
      // Whole microseconds, so that starts and durations add up exactly.
      const microseconds = (time: number) => Math.round(1000 * (time - first));
      return { begin: microseconds(begin), end: microseconds(free) };
    });
  }
}
