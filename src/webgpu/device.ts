/** @file A device: everything that belongs to one GPUDevice. */
import type { SubgroupMatrixSize } from '../../shaders/gemm/problem.ts';
import { type DeviceError, DeviceLostError, type RetrogradError } from '../core/errors.ts';
import { type AdapterDescription, describeAdapter } from './adapter.ts';
import { BufferAllocator } from './allocator.ts';
import type { Autotuner, VariantBlocklist } from './autotuner.ts';
import { countUnderWay } from './compileAhead.ts';
import { polled } from './completion.ts';
import { copyWith } from './copyWith.ts';
import { adoptBuffer, type DeviceBuffer } from './deviceBuffer.ts';
import { type EagerDevice, EagerExecutor } from './eagerExecutor.ts';
import { type Executor, type ExecutorHolder, openHolders } from './executor.ts';
import { registerDevice } from './knownDevices.ts';
import { type FaultReport, FaultWords, joinErrors } from './faults.ts';
import { MapMode } from './flags.ts';
import type { FaultCarrier } from './faultSets.ts';
import type { Check } from './faultTracker.ts';
import { invalidUse } from './invalidUse.ts';
import { Journal } from './journal.ts';
import type { Bindings, Kernel, KernelOptions } from './kernel.ts';
import type { Launch } from './launch.ts';
import { lossError } from './losses.ts';
import type { ParamFields, ParamValue } from './params.ts';
import { type CompileProgress, PipelineCache } from './pipelines.ts';
import { BufferPool } from './pool.ts';
import { Readback } from './readback.ts';
import { StagingBuffers } from './stagingBuffers.ts';
import { Storage } from './storage.ts';
import type { BoundRange } from './boundRange.ts';
import { CommandStream } from './stream.ts';
import { ErrorWatch } from './watch.ts';

/** Device properties that influence the selection of kernels. */
export interface DeviceTuning {
  attach(device: Device): Promise<void>;
}

/**
 * A GPUDevice with the library's state for it: command stream, buffer pool, pipelines, fault words. Made by `init`.
 */
export class Device implements EagerDevice, ExecutorHolder {
  readonly adapter: AdapterDescription;
  /** Creates all buffers of the device and counts their bytes. */
  readonly allocator: BufferAllocator;
  readonly pool: BufferPool;
  readonly stream: CommandStream;
  readonly pipelines: PipelineCache;
  readonly faults: FaultWords;
  /** The work that isn't known to have run. */
  readonly journal: Journal;
  readonly #readback: Readback;
  /** Executes work immediately. */
  readonly eager: Executor;
  /** Decides what launching, allocating, copying and uploading currently do. */
  executor: Executor;
  /** Subgroup-matrix size for float16 matmul; null if unsupported or not requested. */
  subgroupMatrix: SubgroupMatrixSize | null = null;
  /** The adapter profile by which kernels are selected: opaque here, made and read by src/kernels/selection/adapterProfiles.ts. */
  profile: object | null = null;
  /** Chooses algorithms by measurement; null if kernels select them by themselves. */
  autotuner: Autotuner | null = null;
  /** Variants that must not be launched on this device; null if there are none. */
  blocklist: VariantBlocklist | null = null;
  /**
   * Called when a pipeline begins to compile, and when it is compiled. Those that `warmup` compiles are compiled in the background;
   * one that a launch compiles counts as compiled when the browser has it.
   *
   *     device.onCompile = ({ done, total }) => { bar.value = done / total; };
   *     await warmup(net, { batchSize: 32, training: true });
   */
  onCompile: ((progress: CompileProgress) => void) | null = null;
  /** Collects asynchronous errors for the next readback. */
  readonly watch: ErrorWatch;
  /** Compilations that wait until the device is idle, since they would compete with its work for CPU cores. */
  #postponed: (() => void)[] = [];
  #lost: DeviceLostError | null = null;
  #isDestroyed = false;

  constructor(
    readonly gpu: GPUDevice,
    readonly owned: boolean,
    maxPooledBytes: number,
  ) {
    this.adapter = describeAdapter(gpu);
    this.watch = new ErrorWatch(gpu);
    this.faults = new FaultWords(gpu);
    this.journal = new Journal(this.faults.tracker);
    this.stream = new CommandStream(gpu, this.watch, this.journal, () => this.#submitted());
    this.allocator = new BufferAllocator(gpu, this.watch, maxPooledBytes, this.stream);
    this.pool = new BufferPool(this.allocator);
    this.pipelines = new PipelineCache(gpu, this.watch, (progress) => this.onCompile?.(progress));
    // A cached bind group may use a buffer without memory. Binding that buffer again throws its error.
    this.allocator.onFailure = () => this.pipelines.clearBindGroups();
    const staging = new StagingBuffers(gpu, this.stream, this.watch, this.allocator);
    this.#readback = new Readback(gpu, this.stream, this.faults, this.journal, this.watch, staging);
    this.eager = new EagerExecutor(this);
    this.executor = this.eager;
    registerDevice(this);
    openHolders.add(this);
    gpu.lost.then((info) => {
      openHolders.delete(this);
      this.#lost = new DeviceLostError({
        rule: 'a device can be used until it is lost.',
        received: `lost, ${info.reason}: ${info.message || 'no reason given'}`,
        hint: 'call init() again, and restore the variables.',
      });
    });
  }

  get limits(): GPUSupportedLimits {
    return this.gpu.limits;
  }

  /** Waits until all work submitted so far is done. Also resolves if the device is lost. */
  submittedWorkDone(): Promise<undefined> {
    return polled(this.gpu, this.gpu.queue.onSubmittedWorkDone());
  }

  /** Runs `begin` once the device has done what was submitted by the next submission. */
  whenIdle(begin: () => void): void {
    this.#postponed.push(begin);
  }

  #submitted(): void {
    this.allocator.afterSubmit();
    const compilations = this.#postponed.splice(0);
    if (compilations.length === 0) return;
    const begin = () => {
      for (const compile of compilations) compile();
    };
    this.submittedWorkDone().then(begin, () => {});
  }

  get isLost(): boolean {
    return this.#lost !== null;
  }

  /** Changes whenever kernels would be selected differently than before. */
  get selectionVersion(): number {
    return (this.autotuner?.version ?? 0) + (this.blocklist?.version ?? 0);
  }

  /** Allocations and submissions that failed so far. */
  get failures(): number {
    return this.allocator.failures + this.journal.failures;
  }

  /** Number of pipelines, compiled or pending; constant once every kernel in use has been launched. */
  get pipelineCount(): number {
    return this.pipelines.size + countUnderWay(this.pipelines);
  }

  /** Allocates a storage of `bytes` bytes with undefined contents. */
  allocate(bytes: number, label: string): Storage {
    this.requireAlive();
    return this.executor.allocate(bytes, label);
  }

  /** Uploads `data` into a new storage. */
  upload(data: ArrayBufferView<ArrayBuffer>, label: string): Storage {
    this.requireAlive();
    return this.executor.upload(data, label);
  }

  /** Writes `data` into `buffer` before all commands that are submitted later. */
  write(buffer: DeviceBuffer, data: ArrayBufferView<ArrayBuffer>): void {
    // Deno 2.9 crashes on an empty write.
    if (data.byteLength === 0) return;
    const write = () =>
      this.gpu.queue.writeBuffer(buffer.gpu, 0, data.buffer, data.byteOffset, data.byteLength);
    if (buffer.confirmed) write();
    else
      this.watch.during('validation', write, ({ message }) => (buffer.failure ? null : writeError(message)));
  }

  /** Returns a storage over a buffer owned by the app. It is never pooled and never destroyed here. */
  adopt(gpu: GPUBuffer, offset: number, bytes: number): Storage {
    const storage = new Storage(adoptBuffer(gpu), offset, bytes, () => {});
    storage.exposed = true;
    return storage;
  }

  launch<O extends KernelOptions, B extends Bindings, P extends ParamFields>(
    kernel: Kernel<O, B, P>,
    launch: Launch<O, B, P>,
  ): void {
    this.requireAlive();
    this.executor.launch(kernel as unknown as Kernel, launch as unknown as Launch);
  }

  /** Copies `bytes` bytes, a multiple of 4. */
  copy(source: BoundRange, target: BoundRange, bytes: number): void {
    this.requireAlive();
    copyWith(this.executor, source, target, bytes);
  }

  /** A check for a validating launch, and the launch's parameters with the slot for its fault. */
  beginCheck(
    params: Readonly<Record<string, ParamValue>>,
    fault: FaultReport,
  ): { params: Readonly<Record<string, ParamValue>>; check: Check } {
    // Empty the slots in the background. Faults are still reported by readbacks of the values that depend on them.
    if (this.faults.full) this.watch.until(this.#readback.finish().then(() => []));
    const { slot, check } = this.faults.take(fault);
    return { params: { fault_slot: slot, ...params }, check };
  }

  /** The values in `buffer` are not needed any more: their faults and losses don't apply to the next ones. */
  forgetValues(buffer: DeviceBuffer): void {
    this.faults.tracker.put(buffer, null);
    this.journal.released(buffer);
  }

  /** Makes `storage` depend on `checks` of earlier launches. */
  attachChecks(checks: readonly Check[], storage: Storage): void {
    if (checks.length === 0) return;
    this.executor.attachChecks(checks, storage);
    this.faults.tracker.attach(checks, storage.buffer);
  }

  /** Like `attachChecks`, for a gradient of the op that made `checks`: a fault already reported isn't reported again there. */
  echoChecks(checks: readonly Check[], storage: Storage): void {
    if (checks.length === 0) return;
    this.executor.attachChecks(checks, storage);
    this.faults.tracker.attach(this.faults.echo(checks), storage.buffer);
  }

  /** Submits the launches appended so far if the GPU has nothing to do: those of a call, so that it starts at once. */
  flushIfIdle(): void {
    this.stream.flushIfIdle();
  }

  /** Runs `body`, whose launches are submitted with those that follow, even if the GPU has nothing to do. */
  deferringSubmission<T>(body: () => T): T {
    return this.stream.deferring(body);
  }

  /** Submits the launches appended so far, without waiting. */
  flush(): void {
    this.stream.flush();
  }

  /** Submits the launches and the copies of readbacks appended so far, before an app gets at a buffer. */
  expose(): void {
    this.#readback.submit();
    this.stream.flush();
  }

  /**
   * Returns the bytes of `range`, once all work before it is done. Reads that are requested together are submitted together, when
   * the program yields: until then, the range must be retained. `isExposed`: whether an app may write to it before.
   * Throws the first fault of the work that its values depend on (others in its `others`), and errors of the device that
   * arrived in between. Throws, each time, why the values are lost if work that they depend on did not run.
   */
  async read(range: BoundRange, isExposed = false): Promise<ArrayBuffer> {
    const { buffer } = range;
    const reader = this.faults.tracker.reader(buffer);
    try {
      this.#requireReadable();
      const reading = this.#readback.read(range, reader.values);
      if (isExposed) this.#readback.submit();
      const cause = () => buffer.failure ?? reader.values.faults?.loss?.cause ?? null;
      const { bytes, arrived } = await this.#explained(reading, cause);
      this.#throwFirst(withOwn(arrived, buffer, reader.values), reader.take());
      return bytes;
    } finally {
      reader.release();
    }
  }

  /**
   * Waits for all work and its checks. Faults stay pending; errors of the device that arrived in between are thrown.
   */
  async finish(): Promise<void> {
    this.#throwFirst(await this.#finish());
  }

  /** Waits for all work, without reading data. Throws every fault that was not reported yet. */
  async sync(): Promise<void> {
    this.#throwFirst(await this.#finish(), this.faults.tracker.takeAll());
    // The queue of a lost device reports its work as done, too, but not before the loss itself is known.
    this.requireAlive();
  }

  /**
   * Maps a buffer for reading, once the work before is done, without a check for faults. Errors: DeviceLostError; DeviceError if
   * it can't be mapped.
   */
  async map(buffer: GPUBuffer): Promise<void> {
    try {
      await polled(this.gpu, buffer.mapAsync(MapMode.READ));
    } catch (cause) {
      throw await this.#explain(cause);
    }
  }

  #explain(cause: unknown, own?: () => RetrogradError | null): Promise<RetrogradError> {
    return this.watch.explain(cause, () => this.#lost, own);
  }

  async #finish(): Promise<readonly RetrogradError[]> {
    this.#requireReadable();
    return this.#explained(this.#readback.finish());
  }

  #requireReadable(): void {
    this.requireAlive();
    this.executor.requireReadable();
  }

  /** Awaits `reading`; if it fails, throws why. */
  #explained<T>(reading: Promise<T>, own?: () => RetrogradError | null): Promise<T> {
    return reading.catch(async (cause) => {
      throw await this.#explain(cause, own);
    });
  }

  /** Throws the first error, in this order: `errors`, others of the device that nobody asked about, `faults`. */
  #throwFirst(errors: readonly RetrogradError[], faults: readonly RetrogradError[] = []): void {
    const found = [...errors, ...this.watch.take(), ...faults];
    // Thousands of readbacks look at a time, and most find nothing.
    const error = found.length > 0 && joinErrors([...new Set(found)]);
    if (error) throw error;
  }

  get isDestroyed(): boolean {
    return this.#isDestroyed;
  }

  requireAlive(): void {
    if (this.#lost) throw this.#lost;
  }

  /** Destroys the GPUDevice, unless it belongs to the app. */
  destroy(): void {
    if (this.owned) this.gpu.destroy();
    this.#isDestroyed = true;
    openHolders.delete(this);
  }
}

/** Returns why the values read from `buffer` are wrong, if they are, then the errors that arrived. */
function withOwn(
  arrived: readonly RetrogradError[],
  { failure }: DeviceBuffer,
  { faults }: FaultCarrier,
): readonly RetrogradError[] {
  const loss = faults?.loss ?? null;
  // Among those that arrived, it follows the errors of earlier calls, which it may come from.
  const own = failure ?? (loss && !arrived.includes(loss.cause) ? lossError(loss) : null);
  return own ? [own, ...arrived] : arrived;
}

function writeError(message: string): DeviceError {
  return invalidUse(message, { rule: 'host data are written into a valid buffer.' });
}
