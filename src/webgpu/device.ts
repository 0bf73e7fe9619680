/**
 * @file A device: everything that belongs to one GPUDevice, and the current device that creation uses.
 */
import type { MatrixUnits } from '../../shaders/gemm/problem.ts';
import { DeviceError, DeviceLostError, type RetrogradError } from '../core/errors.ts';
import { type AdapterDescription, describeAdapter, openDevice } from './adapter.ts';
import { takeCharge } from './charge.ts';
import type { Chooser } from './choice.ts';
import { compileLater, countUnderWay } from './compileAhead.ts';
import { forgetDevice, openedDevice, setDevice } from './current.ts';
import { type FaultReport, FaultWords, joinErrors } from './faults.ts';
import type { Check } from './faultSets.ts';
import type { Bindings, Kernel, KernelOptions } from './kernel.ts';
import { foldWorkgroups, type Launch } from './launch.ts';
import { matrixUnitFeatures, matrixUnitsOf } from './matrixUnits.ts';
import type { ParamFields, ParamValue } from './params.ts';
import { type Pipeline, PipelineCache } from './pipelines.ts';
import { BufferAllocator } from './allocator.ts';
import { adoptBuffer, type DeviceBuffer } from './deviceBuffer.ts';
import { BufferPool } from './pool.ts';
import { Readback } from './readback.ts';
import { activeDryRun, activeRecording, requireNoRecording } from './activeRecording.ts';
import type { RecordedDevice, RecordedLaunch, Recording } from './recording.ts';
import type { Diversion, Route } from './route.ts';
import { Storage, wholeWords } from './storage.ts';
import { type BoundRange, CommandStream } from './stream.ts';
import { ErrorWatch } from './watch.ts';

export { getDevice, setDevice, withDevice } from './current.ts';

/** What a device is tuned by. */
export interface DeviceTuning {
  attach(device: Device): Promise<void>;
}

export class Device implements RecordedDevice {
  readonly adapter: AdapterDescription;
  /** All buffers of the device, and the account of their bytes. */
  readonly allocator: BufferAllocator;
  readonly pool: BufferPool;
  readonly stream: CommandStream;
  readonly pipelines: PipelineCache;
  readonly faults: FaultWords;
  readonly #readback: Readback;
  /** Where launches go in place of the stream. */
  diversion: Diversion | null = null;
  /** Sizes of the matrices that products of halves are made of; null where they aren't. */
  matrixUnits: MatrixUnits | null = null;
  /** Who answers which variants of kernels are launched; null where they are guessed. */
  chooser: Chooser | null = null;
  /** Errors that arrive while no one waits; the next readback tells them. */
  readonly watch: ErrorWatch;
  /** What is compiled once the device has done the work before it, which would else share its cores. */
  #postponed: (() => void)[] = [];
  #lost: DeviceLostError | null = null;

  constructor(
    readonly gpu: GPUDevice,
    readonly owned: boolean,
    maxPooledBytes: number,
  ) {
    this.adapter = describeAdapter(gpu);
    this.watch = new ErrorWatch(gpu);
    this.stream = new CommandStream(gpu, this.watch, () => this.#submitted());
    this.allocator = new BufferAllocator(gpu, this.watch, maxPooledBytes, this.stream);
    this.pool = new BufferPool(this.allocator);
    this.pipelines = new PipelineCache(gpu, this.watch);
    // A cached bind group may name a buffer without memory: bound again, it is refused with its error.
    this.allocator.onFailure = () => this.pipelines.clearBindGroups();
    this.faults = new FaultWords(gpu);
    this.#readback = new Readback(gpu, this.stream, this.faults, this.watch, this.allocator);
    gpu.lost.then((info) => {
      this.#lost = new DeviceLostError({
        rule: 'a device can be used until it is lost.',
        received: `lost, ${info.reason}: ${info.message || 'no reason given'}`,
        hint: 'call init() again and restore the variables on the new device.',
      });
    });
  }

  get limits(): GPUSupportedLimits {
    return this.gpu.limits;
  }

  #submitted(): void {
    this.allocator.afterSubmit();
    const compilations = this.#postponed.splice(0);
    if (compilations.length === 0) return;
    const begin = () => {
      for (const compile of compilations) compile();
    };
    this.gpu.queue.onSubmittedWorkDone().then(begin, () => {});
  }

  /** Number of pipelines, compiled or under way; flat once every kernel in use was met. */
  get pipelineCount(): number {
    return this.pipelines.size + countUnderWay(this.pipelines);
  }

  /** A storage of `bytes` bytes with undefined contents. */
  allocate(bytes: number, label: string): Storage {
    this.requireAlive();
    return this.#route?.allocate(bytes, label) ?? this.allocateOutside(bytes, label);
  }

  /** A storage that no recording owns. */
  allocateOutside(bytes: number, label: string): Storage {
    this.requireAlive();
    return activeDryRun()?.standIn(bytes, label) ?? this.allocateFrom(this.pool, bytes, label);
  }

  /** A storage from `pool`, which gets it back; `freed` hears of it. */
  allocateFrom(pool: BufferPool, bytes: number, label: string, freed?: (storage: Storage) => void): Storage {
    const buffer = pool.acquire(bytes, label);
    const free = (storage: Storage) => {
      freed?.(storage);
      this.#release(pool, buffer);
    };
    return new Storage(buffer, 0, buffer.size, free, bytes);
  }

  /** What takes this device's work now. A dry run goes before all. */
  get #route(): Route | null {
    return (activeDryRun() ? null : this.diversion) ?? this.#recording();
  }

  /** The recording that listens to this device. One of another device can't replay what happens here, and hears so. */
  #recording(): Recording | null {
    const recording = activeRecording();
    if (!recording || recording.device === this) return recording;
    recording.refuse('it computes on a second device');
    return null;
  }

  /** A storage that holds `data`. */
  upload(data: ArrayBufferView<ArrayBuffer>, label: string): Storage {
    this.requireAlive();
    const bytes = Math.max(4, data.byteLength);
    if (this.diversion) return this.diversion.upload(data, bytes, label);
    // A queue write overtakes launches that still wait: take a buffer that none of them uses.
    const buffer = this.pool.acquire(bytes, label, this.stream.submitted);
    this.write(buffer, data);
    return new Storage(buffer, 0, buffer.size, () => this.#release(this.pool, buffer), bytes);
  }

  /** Gives `buffer` back. Whoever takes it next has values of its own, with other faults. */
  #release(pool: BufferPool, buffer: DeviceBuffer): void {
    this.faults.tracker.put(buffer, null);
    pool.release(buffer);
  }

  /** Writes `data` into `buffer` before all commands that are submitted later. */
  write(buffer: DeviceBuffer, data: ArrayBufferView<ArrayBuffer>): void {
    const write = () =>
      this.gpu.queue.writeBuffer(buffer.gpu, 0, data.buffer, data.byteOffset, data.byteLength);
    if (buffer.confirmed) write();
    else
      this.watch.during('validation', write, ({ message }) => (buffer.failure ? null : writeError(message)));
  }

  /** A storage over a buffer of the app's. It is never pooled and never destroyed here. */
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
    const route = this.#route;
    if (route || activeDryRun()) {
      const prepared = this.prepare(kernel, launch);
      if (route) route.launch(prepared);
      return;
    }
    this.run(this.prepare(kernel, this.#soonest(kernel as unknown as Kernel, launch)));
  }

  /** A launch of what can run at once; what was asked for is then compiled behind it, for the next time. */
  #soonest<L extends Pick<Launch<KernelOptions, Bindings, ParamFields>, 'options' | 'meanwhile'>>(
    kernel: Kernel,
    launch: L,
  ): L {
    const { options, meanwhile } = launch;
    if (!meanwhile || this.pipelines.find(kernel, JSON.stringify(options))) return launch;
    this.#postponed.push(compileLater(this.pipelines, kernel, options));
    return { ...launch, ...meanwhile };
  }

  /** A launch of a kernel with its pipeline; in a dry run with one that is being compiled, and can't run. */
  prepare<O extends KernelOptions, B extends Bindings, P extends ParamFields>(
    given: Kernel<O, B, P>,
    { options, key, bindings, params, workgroups, fault }: Launch<O, B, P>,
  ): RecordedLaunch {
    const kernel = given as unknown as Kernel;
    const pipeline = this.pipelineOf(kernel, options, key);
    return {
      kind: 'launch',
      kernel,
      options,
      pipeline,
      ranges: pipeline.bindingNames.map((name) => bindings[name] as BoundRange),
      grid: typeof workgroups === 'number' ? foldWorkgroups(workgroups) : workgroups,
      layout: pipeline.layout,
      params,
      fault: (kernel.faults && fault) || null,
      charge: takeCharge(),
    };
  }

  pipelineOf(kernel: Kernel, options: KernelOptions, key?: string): Pipeline {
    const dry = activeDryRun();
    return dry ? dry.pipelineOf(this.pipelines, kernel, options) : this.pipelines.get(kernel, options, key);
  }

  /** Appends a launch to the stream. In a dry run nothing happens. */
  run(launch: RecordedLaunch): void {
    const { kernel, params, fault } = launch;
    if (kernel.faults && !fault) {
      throw new TypeError(`kernel ${kernel.name} reports faults, but its launch doesn't say what they mean`);
    }
    if (activeDryRun()) return;
    const { tracker } = this.faults;
    const { ranges, pipeline } = launch;
    if (fault) {
      const validating = this.beginCheck(params, fault);
      this.stream.launch(launch, validating.params, this.faults.buffer);
      tracker.follow(ranges, pipeline.bindings.writes, validating.check);
      return;
    }
    this.stream.launch(launch, params, null);
    if (tracker.isActive) tracker.follow(ranges, pipeline.bindings.writes);
  }

  /** A check for a validating launch, and the launch's parameters with the slot in which a fault is reported. */
  beginCheck(
    params: Readonly<Record<string, ParamValue>>,
    fault: FaultReport,
  ): { params: Readonly<Record<string, ParamValue>>; check: Check } {
    // What the slots hold is read in the background. It is reported as ever, to those who read what depends on it.
    if (this.faults.full) this.watch.until(this.#readback.read(null).then(() => []));
    const { slot, check } = this.faults.take(fault);
    return { params: { ...params, fault_slot: slot }, check };
  }

  /** Lets `storage` depend on `checks` of earlier launches. */
  attachChecks(checks: readonly Check[], storage: Storage): void {
    if (checks.length === 0) return;
    this.#recording()?.attach(checks, storage);
    this.faults.tracker.attach(checks, storage.buffer);
  }

  /** The same for a gradient of what made `checks`: their faults are reported there only where they aren't elsewhere. */
  echoChecks(checks: readonly Check[], storage: Storage): void {
    if (checks.length === 0) return;
    this.#recording()?.attach(checks, storage);
    this.faults.tracker.attach(this.faults.echo(checks), storage.buffer);
  }

  /** Copies `bytes` bytes, a multiple of 4, from one buffer to another. */
  copy(source: BoundRange, target: BoundRange, bytes: number): void {
    this.#copy(source, target, bytes, false);
  }

  /** The same, beside any recording. */
  copyOutside(source: BoundRange, target: BoundRange, bytes: number): void {
    this.#copy(source, target, bytes, true);
  }

  #copy(source: BoundRange, target: BoundRange, bytes: number, outside: boolean): void {
    this.requireAlive();
    // WebGPU copies between two buffers alone.
    if (source.buffer === target.buffer) {
      const aside = outside ? this.allocateOutside(bytes, 'copy') : this.allocate(bytes, 'copy');
      this.#copy(source, aside, bytes, outside);
      this.#copy(aside, target, bytes, outside);
      aside.release();
      return;
    }
    if (!outside) this.#recording()?.add({ kind: 'copy', source, target, bytes });
    if (activeDryRun()) return;
    this.stream.copy(source.buffer, source.offset, target.buffer, target.offset, bytes);
    const { tracker } = this.faults;
    if (tracker.isActive) tracker.followCopy(source.buffer, target.buffer, fills(target, bytes));
  }

  /** Submits the launches appended so far, without waiting. */
  flush(): void {
    this.stream.flush();
  }

  /**
   * The bytes of `range`, once all work before it is done.
   * Throws the first fault of the work that its values depend on (others in its `others`), and errors of the device that
   * arrived in between.
   */
  async read(range: BoundRange): Promise<ArrayBuffer> {
    const reader = this.faults.tracker.reader(range.buffer);
    try {
      const { bytes, failure } = await this.#wait(range);
      this.#throwFirst(reader.take(), failure);
      return bytes;
    } finally {
      reader.release();
    }
  }

  /**
   * Waits for all work and its checks. Faults stay where they are; errors of the device that arrived in between are thrown.
   */
  async finish(): Promise<void> {
    await this.#wait(null);
    this.#throwFirst([]);
  }

  /** Waits for all work, without reading data. Throws every fault that was reported to no one yet. */
  async sync(): Promise<void> {
    await this.#wait(null);
    this.#throwFirst(this.faults.tracker.takeAll());
    // The queue says that the work of a lost device is done, but not before the device says that it is lost.
    this.requireAlive();
  }

  async #wait(range: BoundRange | null): Promise<{ bytes: ArrayBuffer; failure: RetrogradError | null }> {
    this.requireAlive();
    requireNoRecording();
    // A buffer without memory has no bytes to copy.
    const reading = this.#readback.read(range?.buffer.failure ? null : range);
    const submission = this.stream.submitted;
    const failure = () => range && (range.buffer.failure ?? this.watch.doomOf(submission));
    // What the readback submitted is watched by now; what comes after it is for the next one to report.
    const settled = this.watch.settled();
    const bytes = await reading.catch(async (cause: unknown) => {
      throw await this.watch.explain(cause, () => this.#lost, failure);
    });
    await settled;
    return { bytes, failure: failure() };
  }

  /** Throws the first error: `failure`, then what arrived in between, then `faults`. */
  #throwFirst(faults: readonly RetrogradError[], failure: RetrogradError | null = null): void {
    const reported = [...this.watch.take(), ...faults];
    const error = joinErrors(failure && !reported.includes(failure) ? [failure, ...reported] : reported);
    if (error) throw error;
  }

  get isLost(): boolean {
    return this.#lost !== null;
  }

  requireAlive(): void {
    if (this.#lost) throw this.#lost;
  }

  /** Destroys the GPUDevice, unless it belongs to the app. */
  destroy(): void {
    if (this.owned) this.gpu.destroy();
    forgetDevice(this);
  }
}

function writeError(message: string): DeviceError {
  return new DeviceError({
    rule: 'host data are written into a valid buffer.',
    received: message,
    hint: 'look at the first error reported: the others may follow from it.',
  });
}

/** Whether a copy of `bytes` bytes replaces all values that the buffer of `target` holds. */
function fills(target: BoundRange, bytes: number): boolean {
  const isWhole = target.offset === 0 && target.bytes === target.buffer.size;
  return isWhole && bytes >= wholeWords(target instanceof Storage ? target.valueBytes : target.bytes);
}

/** How a device is opened. */
export interface OpenOptions extends GPURequestAdapterOptions {
  /** Your app's own device, shared without a copy. It stays yours: Retrograd never destroys it. */
  device?: GPUDevice;
  /** The WebGPU entry, where it isn't `navigator.gpu` (Node). */
  gpu?: GPU;
  /** Bytes that may be kept in idle buffers for reuse, all pools together. Default 1 GiB. */
  maxPooledBytes?: number;
  /**
   * Whether products of two float16 tensors are computed by the device's matrix units, where it has them: halves by
   * halves with float32 sums, in another order than otherwise. Experimental, as the browser's feature is
   * (Chromium with unsafe WebGPU allowed). Default false.
   */
  matrixUnits?: boolean;
  /**
   * Hears of faults that would be lost: the tensors that depend on them were freed unread, and no `device.sync()` came
   * within a second. Default: console.warn.
   */
  onFault?: (error: RetrogradError) => void;
}

let opening: Promise<Device> | null = null;

/** The current device, unless options name another `device`; where there is none, a new one, which it makes the current one. */
export async function open({
  device: appDevice,
  gpu,
  maxPooledBytes = 2 ** 30,
  matrixUnits = false,
  onFault,
  ...adapterOptions
}: OpenOptions): Promise<Device> {
  const current = openedDevice();
  const listen = (device: Device) => {
    if (onFault) device.faults.tracker.announce = onFault;
    return device;
  };
  if (current && !current.isLost && (!appDevice || current.gpu === appDevice)) return listen(current);
  const opened = (device: Device) => {
    listen(device);
    if (matrixUnits) device.matrixUnits = matrixUnitsOf(device.gpu);
    setDevice(device);
    return device;
  };
  if (appDevice) return opened(new Device(appDevice, false, maxPooledBytes));
  // Two parts of an app may both call this before either has a device: they get the same one.
  opening ??= openDevice(gpu, adapterOptions, matrixUnits ? matrixUnitFeatures : [])
    .then((device) => opened(new Device(device, true, maxPooledBytes)))
    .finally(() => {
      opening = null;
    });
  return opening;
}
