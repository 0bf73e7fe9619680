/**
 * @file A device: everything that belongs to one GPUDevice, and the current device that creation uses.
 */
import type { MatrixUnits } from '../../shaders/gemm/problem.ts';
import { DeviceLostError } from '../core/errors.ts';
import { type AdapterDescription, describeAdapter, openDevice } from './adapter.ts';
import { takeCharge } from './charge.ts';
import type { Autotuner } from './autotuner.ts';
import { compileLater, countUnderWay } from './compileAhead.ts';
import { forgetDevice, openedDevice, setDevice } from './current.ts';
import { type FaultReport, FaultWords, joinErrors } from './faults.ts';
import type { Bindings, Kernel, KernelOptions } from './kernel.ts';
import { foldWorkgroups, type Launch } from './launch.ts';
import { subgroupMatrixFeatures, subgroupMatrixOf } from './subgroupMatrices.ts';
import type { ParamFields, ParamValue } from './params.ts';
import { type Pipeline, PipelineCache } from './pipelines.ts';
import { adoptBuffer, BufferPool } from './pool.ts';
import { Readback } from './readback.ts';
import { activeDryRun, activeRecording, requireNoRecording } from './activeRecording.ts';
import type { RecordedDevice, RecordedLaunch, Recording } from './recording.ts';
import type { Diversion, Route } from './route.ts';
import { Storage } from './storage.ts';
import { type BoundRange, CommandStream } from './stream.ts';
import { ErrorWatch } from './watch.ts';

export { getDevice, setDevice, withDevice } from './current.ts';

/** What a device is tuned by. */
export interface DeviceTuning {
  attach(device: Device): Promise<void>;
}

export class Device implements RecordedDevice {
  readonly adapter: AdapterDescription;
  readonly pool: BufferPool;
  readonly stream: CommandStream;
  readonly pipelines: PipelineCache;
  readonly faults: FaultWords;
  readonly #readback: Readback;
  /** Where launches go in place of the stream. */
  diversion: Diversion | null = null;
  /** Subgroup-matrix size for float16 matmul; null where unsupported, or not asked for. */
  subgroupMatrix: MatrixUnits | null = null;
  /** What kernels are selected by: src/kernels/adapterProfiles.ts makes it and reads it. */
  profile: object | null = null;
  /** Answers by measurement which algorithms are launched; null where kernels select them by themselves. */
  autotuner: Autotuner | null = null;
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
    this.pool = new BufferPool(gpu, this.watch, maxPooledBytes);
    this.stream = new CommandStream(gpu, this.watch, () => this.#submitted());
    this.pipelines = new PipelineCache(gpu, this.watch);
    this.faults = new FaultWords(gpu);
    this.#readback = new Readback(gpu, this.stream, this.faults, this.watch);
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
    this.pool.destroyCondemned();
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
      pool.release(buffer);
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
    this.gpu.queue.writeBuffer(buffer.gpu, 0, data.buffer, data.byteOffset, data.byteLength);
    return new Storage(buffer, 0, buffer.size, () => this.pool.release(buffer), bytes);
  }

  /** A storage over a buffer of the app's. It is never pooled and never destroyed here. */
  adopt(gpu: GPUBuffer, offset: number, bytes: number): Storage {
    return new Storage(adoptBuffer(gpu), offset, bytes, () => {});
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
    if (fault) this.stream.launch(launch, this.withFaultSlot(params, fault), this.faults.buffer);
    else this.stream.launch(launch, params, null);
  }

  /** Parameters with a slot in which a fault is told. */
  withFaultSlot(
    params: Readonly<Record<string, ParamValue>>,
    fault: FaultReport,
  ): Readonly<Record<string, ParamValue>> {
    // What the slots held is told at the next readback.
    if (this.faults.full) this.watch.until(this.#readback.read(null).then(({ errors }) => errors));
    return { ...params, fault_slot: this.faults.take(fault) };
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
  }

  /** Submits the launches appended so far, without waiting. */
  flush(): void {
    this.stream.flush();
  }

  /**
   * The bytes of `range`, once all work before it is done.
   * Throws the first fault of that work (others in its `others`), and errors that arrived in between.
   */
  async read(range: BoundRange | null): Promise<ArrayBuffer> {
    this.requireAlive();
    requireNoRecording();
    const reading = this.#readback.read(range);
    // What the readback submitted is watched by now; what comes after it is for the next one to tell.
    const settled = this.watch.settled();
    const result = await reading.catch(async (cause: unknown) => {
      throw await this.watch.explain(cause, () => this.#lost);
    });
    await settled;
    const error = joinErrors([...this.watch.take(), ...result.errors]);
    if (error) throw error;
    return result.bytes;
  }

  /** Waits for all work and raises its faults, without reading data. */
  async sync(): Promise<void> {
    await this.read(null);
    // The queue says that the work of a lost device is done, but not before the device says that it is lost.
    this.requireAlive();
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

/** How a device is opened. */
export interface OpenOptions extends GPURequestAdapterOptions {
  /** Your app's own device, shared without a copy. It stays yours: Retrograd never destroys it. */
  device?: GPUDevice;
  /** The WebGPU entry, where it isn't `navigator.gpu` (Node). */
  gpu?: GPU;
  /** Bytes that may lie ready in the buffer pool. Default 1 GiB. */
  maxPooledBytes?: number;
  /**
   * Whether matmul of two float16 tensors uses subgroup matrices, where the device has them. Sums are float32, added in
   * another order than otherwise. Experimental, as the feature is: it needs Chromium with unsafe WebGPU allowed.
   * Default false.
   */
  subgroupMatrices?: boolean;
}

let opening: Promise<Device> | null = null;

/** The current device, unless options name another `device`; where there is none, a new one, which it makes the current one. */
export async function open({
  device: appDevice,
  gpu,
  maxPooledBytes = 2 ** 30,
  subgroupMatrices = false,
  ...adapterOptions
}: OpenOptions): Promise<Device> {
  const current = openedDevice();
  if (current && !current.isLost && (!appDevice || current.gpu === appDevice)) return current;
  const opened = (device: Device) => {
    if (subgroupMatrices) device.subgroupMatrix = subgroupMatrixOf(device.gpu);
    setDevice(device);
    return device;
  };
  if (appDevice) return opened(new Device(appDevice, false, maxPooledBytes));
  // Two parts of an app may both call this before either has a device: they get the same one.
  opening ??= openDevice(gpu, adapterOptions, subgroupMatrices ? subgroupMatrixFeatures : [])
    .then((device) => opened(new Device(device, true, maxPooledBytes)))
    .finally(() => {
      opening = null;
    });
  return opening;
}
