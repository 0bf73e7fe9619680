/**
 * @file The command stream of a device. Launches append to one open compute pass; the pass is submitted at a readback,
 * when the device has nothing to do, when the parameter ring is full or the pass contains much work, or by `flush()`. Work
 * runs in the order it was appended.
 */
import type { DeviceError } from '../core/errors.ts';
import { BindGroups, requireMemory } from './bindGroup.ts';
import { BufferUsage } from './flags.ts';
import { invalidUse } from './invalidUse.ts';
import { type ParamLayout, type ParamValue, ParamWords } from './params.ts';
import type { Pipeline } from './pipelines.ts';
import { adoptBuffer, type DeviceBuffer } from './deviceBuffer.ts';
import type { BoundRange } from './boundRange.ts';
import type { PreparedLaunch } from './command.ts';
import type { Journal } from './journal.ts';
import type { StreamWatcher } from './streamWatcher.ts';
import type { ErrorWatch } from './watch.ts';

/** Dynamic uniform offsets are multiples of this on every device (the WebGPU default limit). */
const ringSlotBytes = 256;
/** The maximum number of launches in one submission. */
const ringSlots = 256;
/** Launches in the first submission after a readback that isn't made for an idle device: few, so that it has more work soon. */
const firstSlots = 32;
/** Launches for which an idle device waits, if more follow at once: calling them takes about as long as a few submissions. */
const deferredSlots = 8;
/**
 * Estimated work after which a submission ends, in multiply-adds. Drivers reset a GPU whose submission takes two seconds;
 * a phone's GPU at 10¹¹ multiply-adds per second takes a third of a second for these.
 */
const maxWork = 2 ** 35;

/** The maximum number of bind groups cached per layout. */
const maxGroups = 4096;

type LiveParams = Readonly<Record<string, ParamValue>>;

export interface StreamStatistics {
  submits: number;
  launches: number;
}

export class CommandStream {
  readonly #ring: DeviceBuffer;
  readonly #words = new ParamWords(ringSlotBytes * ringSlots);
  #slot = 0;
  /** The estimated work of the present submission so far. */
  #work = 0;
  /** Launches after which the work so far is submitted. */
  #room = firstSlots;
  #encoder: GPUCommandEncoder | null = null;
  /** Encoders before the open one, if a watcher wants each launch in a separate submission. */
  #closed: GPUCommandEncoder[] = [];
  #pass: GPUComputePassEncoder | null = null;
  /** The pipeline that is set in the open pass. */
  #pipeline: GPUComputePipeline | null = null;
  /** Number of the submission that is being recorded; buffers used by it carry this number. */
  #serial = 1;
  /** Submissions that aren't known to be done. */
  #unfinished = 0;
  /** Launches for which an idle device waits. */
  #awaited = 0;
  readonly #statistics: StreamStatistics = { submits: 0, launches: 0 };
  /** Observes the passes; set between submissions. */
  watcher: StreamWatcher | null = null;
  readonly bindGroups: BindGroups;

  constructor(
    private readonly device: GPUDevice,
    private readonly watch: ErrorWatch,
    private readonly journal: Journal,
    private readonly afterSubmit: () => void,
  ) {
    this.bindGroups = new BindGroups(device, watch);
    this.#ring = adoptBuffer(
      device.createBuffer({
        label: 'retrograd parameter ring',
        size: ringSlotBytes * ringSlots,
        usage: BufferUsage.UNIFORM | BufferUsage.COPY_DST,
      }),
    );
  }

  get statistics(): Readonly<StreamStatistics> {
    return this.#statistics;
  }

  /** The number of the submission that is being recorded. */
  get serial(): number {
    return this.#serial;
  }

  /** The newest submission whose work can't be overtaken by a queue write. */
  get submitted(): number {
    return this.#serial - 1;
  }

  /** Appends one dispatch. `params` are those of the launch, with its fault slot if it has one. */
  launch(launch: PreparedLaunch, params: LiveParams, faultWords: DeviceBuffer | null): void {
    const { pipeline, ranges, layout } = launch;
    const group = this.#bindGroup(pipeline, ranges, faultWords, layout);
    const offsets = this.pack(layout, params);
    this.journal.launched(ranges, pipeline.bindings.writes);
    this.dispatch(launch, group, offsets);
    for (const range of ranges) range.buffer.lastUse = this.#serial;
  }

  /** Appends one dispatch with its bind group. The caller marks the buffers as used, and notes it in the journal. */
  dispatch(launch: PreparedLaunch, group: GPUBindGroup, offsets: readonly number[]): void {
    const pass = this.#passFor(launch);
    const { gpu } = launch.pipeline;
    if (gpu !== this.#pipeline) pass.setPipeline(gpu);
    this.#pipeline = gpu;
    pass.setBindGroup(0, group, offsets);
    pass.dispatchWorkgroups(...launch.grid);
    this.#statistics.launches++;
    this.#cut();
    this.#work += launch.work;
    if (this.#work >= maxWork) this.flush();
  }

  /** Packs parameters into the next slot of the ring, and returns the dynamic offsets at which a launch reads them. */
  pack(layout: ParamLayout, params: LiveParams): readonly number[] {
    if (layout.fields.length === 0) return [];
    if (this.#slot >= this.#room) {
      this.flush();
      this.#room = Math.min(ringSlots, 2 * this.#room);
    }
    const offset = this.#slot * ringSlotBytes;
    layout.pack(this.#words, offset / 4, params);
    this.#slot++;
    return [offset];
  }

  /** Appends a copy between buffers; offsets and size are multiples of 4. */
  copy(
    source: DeviceBuffer,
    sourceOffset: number,
    target: DeviceBuffer | GPUBuffer,
    targetOffset: number,
    bytes: number,
  ): void {
    const isPooled = 'gpu' in target;
    const to = isPooled ? target.gpu : target;
    requireMemory(source);
    if (isPooled) requireMemory(target);
    this.#openEncoder().copyBufferToBuffer(source.gpu, sourceOffset, to, targetOffset, bytes);
    source.lastUse = this.#serial;
    if (isPooled) target.lastUse = this.#serial;
  }

  clear(buffer: DeviceBuffer, offset: number, bytes: number): void {
    this.#openEncoder().clearBuffer(buffer.gpu, offset, bytes);
    buffer.lastUse = this.#serial;
  }

  /** Lets `encode` append its own commands between passes. */
  encode(encode: (encoder: GPUCommandEncoder) => void): void {
    encode(this.#openEncoder());
  }

  /**
   * Submits what was appended if the device has nothing to do. Call it after work that is complete in itself. Work that is being
   * measured is left together.
   */
  flushIfIdle(): void {
    if (this.#unfinished === 0 && this.#slot >= this.#awaited && !this.watcher) this.flush();
  }

  /** Runs `body`, whose work isn't complete in itself: it is submitted with what follows, even if the device is idle, until it is much. */
  deferring<T>(body: () => T): T {
    const awaited = this.#awaited;
    this.#awaited = deferredSlots;
    try {
      return body();
    } finally {
      this.#awaited = awaited;
    }
  }

  /** Submits what was appended; the caller waits for it. */
  drain(): void {
    this.flush();
    this.#room = firstSlots;
  }

  /** Submits what was appended, if anything. */
  flush(): void {
    if (!this.#encoder && this.#closed.length === 0) return;
    const encoder = this.#openEncoder();
    if (this.#slot > 0) {
      // Queue writes are ordered after earlier submissions, so one ring serves all of them.
      this.device.queue.writeBuffer(this.#ring.gpu, 0, this.#words.u32, 0, (this.#slot * ringSlotBytes) / 4);
    }
    this.watcher?.resolve?.(encoder);
    this.#encoder = null;
    const before = this.#closed.splice(0);
    const submission = this.journal.submit(this.#serial);
    this.watch.during(
      'validation',
      () => {
        const { queue } = this.device;
        const buffers = [...before, encoder].map((each) => each.finish());
        if (this.watcher?.submit) this.watcher.submit(queue, buffers);
        else queue.submit(buffers);
      },
      ({ message }) => {
        const reported = this.watch.failureOf(submission.serial);
        const failure = reported ?? this.bindGroups.reasonFor(message) ?? invalidSubmission(message);
        this.journal.settle(submission, failure);
        return reported ? null : failure;
      },
      () => this.journal.settle(submission, null),
    );
    this.#slot = this.#work = 0;
    this.#serial++;
    this.#statistics.submits++;
    this.#follow();
    this.afterSubmit();
  }

  /** Notes when the submission is done. If the device would then be idle, it gets what was appended meanwhile. */
  #follow(): void {
    this.#unfinished++;
    const done = () => {
      this.#unfinished--;
      this.flushIfIdle();
    };
    // If the device is lost, nothing runs any more.
    this.device.queue.onSubmittedWorkDone().then(done, () => {});
  }

  /** Returns the pass that `launch` goes into. */
  #passFor(launch: PreparedLaunch): GPUComputePassEncoder {
    if (this.watcher?.isolates) this.#closePass();
    if (!this.#pass) {
      const encoder = this.#encoder ?? this.#begin();
      const timestampWrites = this.watcher?.next(launch);
      this.#pass = encoder.beginComputePass({
        label: 'retrograd pass',
        ...(timestampWrites ? { timestampWrites } : {}),
      });
    }
    return this.#pass;
  }

  /** Ends the command buffer after a launch that is to be submitted separately. */
  #cut(): void {
    if (this.watcher?.isolates !== 'submission') return;
    this.#closed.push(this.#openEncoder());
    this.#encoder = null;
  }

  #openEncoder(): GPUCommandEncoder {
    this.#closePass();
    return this.#encoder ?? this.#begin();
  }

  #begin(): GPUCommandEncoder {
    this.#encoder = this.device.createCommandEncoder({ label: 'retrograd stream' });
    return this.#encoder;
  }

  #closePass(): void {
    this.#pass?.end();
    this.#pass = this.#pipeline = null;
  }

  /** The cached bind group of a launch whose parameters are in the ring. */
  #bindGroup(
    pipeline: Pipeline,
    ranges: readonly BoundRange[],
    faultWords: DeviceBuffer | null,
    layout: ParamLayout,
  ): GPUBindGroup {
    const { groups } = pipeline.bindings;
    const key = keyOfRanges(ranges);
    const known = groups.get(key);
    if (known) return known;
    // An invalid one is made again at the next call, so that its reader learns why.
    const group = this.makeBindGroup(pipeline, ranges, faultWords, layout, this.#ring, () =>
      groups.delete(key),
    );
    // Buffer ids are never reused, so stale entries are harmless; drop all before too many accumulate.
    if (groups.size > maxGroups) groups.clear();
    groups.set(key, group);
    return group;
  }

  /** A bind group with the parameters in `params`, read at dynamic offsets. If it is invalid, `forget` is called. */
  makeBindGroup(
    pipeline: Pipeline,
    ranges: readonly BoundRange[],
    faultWords: DeviceBuffer | null,
    layout: ParamLayout,
    params: DeviceBuffer = this.#ring,
    forget?: () => void,
  ): GPUBindGroup {
    const buffers = [...ranges.map(({ buffer }) => buffer), params];
    buffers.forEach(requireMemory);
    const entries: GPUBindGroupEntry[] = ranges.map(({ buffer, offset, bytes }, binding) => ({
      binding,
      resource: { buffer: buffer.gpu, offset, size: bytes },
    }));
    if (layout.fields.length > 0) {
      entries.push({ binding: ranges.length, resource: { buffer: params.gpu, size: layout.bytes } });
    }
    if (faultWords) entries.push({ binding: ranges.length + 1, resource: { buffer: faultWords.gpu } });
    return this.bindGroups.create(pipeline, entries, buffers, forget);
  }
}

function invalidSubmission(message: string): DeviceError {
  return invalidUse(message, { rule: 'all commands of a submission must be valid; none ran.' });
}

/** Buffer ids below this are packed into a number, three per key. */
const packedIds = 2 ** 17;

/** Returns the cache key of a bind group within its layout: a number for up to three whole buffers, the most common case. */
export function keyOfRanges(ranges: readonly BoundRange[]): number | string {
  let key = 0;
  for (const { buffer, offset, bytes } of ranges) {
    if (offset !== 0 || bytes !== buffer.size || buffer.id >= packedIds) return fullKeyOf(ranges);
    key = key * packedIds + buffer.id;
  }
  return ranges.length > 3 ? fullKeyOf(ranges) : key;
}

function fullKeyOf(ranges: readonly BoundRange[]): string {
  return ranges.map(({ buffer, offset, bytes }) => `${buffer.id}+${offset}+${bytes}`).join();
}
