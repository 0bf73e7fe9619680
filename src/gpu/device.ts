/**
 * @file A device: everything that belongs to one GPUDevice, and the current device that creation uses.
 */
import { DeviceError, DeviceLostError } from '../core/errors.ts';
import { type AdapterDescription, describeAdapter, openDevice } from './adapter.ts';
import { CapturedWork } from './capturedWork.ts';
import { takeCharge } from './charge.ts';
import { forgetDevice, openedDevice, setDevice } from './current.ts';
import { standIn } from './dryRun.ts';
import { encodeDispatch, type EncodeTarget, ParamBuffers } from './encode.ts';
import { type FaultReport, FaultWords, joinErrors } from './faults.ts';
import type { Bindings, Kernel, KernelOptions } from './kernel.ts';
import { type EncodedLaunch, foldWorkgroups, type Launch } from './launch.ts';
import type { ParamFields, ParamValue } from './params.ts';
import { type Pipeline, PipelineCache } from './pipelines.ts';
import { adoptBuffer, BufferPool, type DeviceBuffer } from './pool.ts';
import { Readback } from './readback.ts';
import {
  activeDryRun,
  activeRecording,
  type RecordedCommand,
  type RecordedDevice,
  type RecordedLaunch,
  type Recording,
  requireNoRecording,
} from './recording.ts';
import { Storage } from './storage.ts';
import { type BoundRange, CommandStream } from './stream.ts';
import { timePasses } from './timing.ts';
import { ErrorWatch } from './watch.ts';

export { getDevice, setDevice, withDevice } from './current.ts';

export interface InitOptions extends GPURequestAdapterOptions {
  /** Your app's own device, shared without a copy. It stays yours: Retrograd never destroys it. */
  device?: GPUDevice;
  /** The WebGPU entry, where it isn't `navigator.gpu` (Node). */
  gpu?: GPU;
  /** Bytes that may lie ready in the buffer pool. Default 1 GiB. */
  maxPooledBytes?: number;
}

/** Where launches go in place of the stream, and where results are wanted. */
interface Diversion {
  readonly target: EncodeTarget;
  /** A storage of the app's for an allocation of this size, or null. */
  readonly claim: (bytes: number) => Storage | null;
}

export class Device implements RecordedDevice {
  readonly adapter: AdapterDescription;
  readonly pool: BufferPool;
  readonly stream: CommandStream;
  readonly #pipelines: PipelineCache;
  readonly #faults: FaultWords;
  readonly #readback: Readback;
  readonly #encodedParams: ParamBuffers;
  /** Intermediate values of launches in an app's encoders. What one of them holds may be needed at any time. */
  readonly #scratch: BufferPool;
  #diversion: Diversion | null = null;
  /** Intermediate values of captured work. Between two runs no one needs what lies there. */
  readonly capturePool: BufferPool;
  /** Errors that arrive while no one waits; the next readback tells them. */
  readonly #watch: ErrorWatch;
  #lost: DeviceLostError | null = null;

  constructor(
    readonly gpu: GPUDevice,
    readonly owned: boolean,
    maxPooledBytes: number,
  ) {
    this.adapter = describeAdapter(gpu);
    this.#watch = new ErrorWatch(gpu);
    this.pool = new BufferPool(gpu, this.#watch, maxPooledBytes);
    this.stream = new CommandStream(gpu, this.#watch, () => this.pool.destroyCondemned());
    this.#pipelines = new PipelineCache(gpu, this.#watch);
    this.#faults = new FaultWords(gpu);
    this.#readback = new Readback(gpu, this.stream, this.#faults, this.#watch);
    this.#encodedParams = new ParamBuffers(gpu);
    this.#scratch = new BufferPool(gpu, this.#watch, Number.POSITIVE_INFINITY);
    this.capturePool = new BufferPool(gpu, this.#watch, Number.POSITIVE_INFINITY, this.pool.statistics);
    gpu.lost.then((info) => {
      this.#lost = new DeviceLostError({
        rule: 'a device can be used until it is lost.',
        received: `lost, ${info.reason}: ${info.message || 'no reason given'}`,
        mend: 'call init() again and restore the variables on the new device.',
      });
    });
  }

  get limits(): GPUSupportedLimits {
    return this.gpu.limits;
  }

  /** Number of compiled pipelines; flat once every kernel in use was met. */
  get pipelineCount(): number {
    return this.#pipelines.size;
  }

  /** A storage of `bytes` bytes with undefined contents. */
  allocate(bytes: number, label: string): Storage {
    this.requireAlive();
    const dry = activeDryRun();
    if (this.#diversion && !dry) {
      const claimed = this.#diversion.claim(bytes);
      return claimed ?? this.#allocateFrom(this.#scratch, bytes, label, this.#freeScratch);
    }
    const recording = this.#recording();
    if (!recording) return this.allocateOutside(bytes, label);
    const freed = (storage: Storage) => {
      recording.freed(storage);
      if (!dry) this.#free(storage);
    };
    const made = dry ? standIn(bytes, label, freed) : this.#allocateFrom(this.pool, bytes, label, freed);
    recording.allocated(made, bytes, label);
    return made;
  }

  /** A storage that no recording owns. */
  allocateOutside(bytes: number, label: string): Storage {
    this.requireAlive();
    if (activeDryRun()) return standIn(bytes, label);
    return this.#allocateFrom(this.pool, bytes, label, this.#free);
  }

  #allocateFrom(pool: BufferPool, bytes: number, label: string, free: (storage: Storage) => void): Storage {
    const buffer = pool.acquire(bytes, label);
    return new Storage(buffer, 0, buffer.size, free, bytes);
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
    if (this.#diversion) return this.#uploadForEncoder(data, bytes, label);
    // A queue write overtakes launches that still wait: take a buffer that none of them uses.
    const buffer = this.pool.acquire(bytes, label, this.stream.submitted);
    this.gpu.queue.writeBuffer(buffer.gpu, 0, data.buffer, data.byteOffset, data.byteLength);
    return new Storage(buffer, 0, buffer.size, this.#free, bytes);
  }

  /** The write happens now, the launch that reads it at an unknown time: the buffer is never used for anything else. */
  #uploadForEncoder(data: ArrayBufferView<ArrayBuffer>, bytes: number, label: string): Storage {
    const buffer = this.#scratch.acquire(bytes, label, -1);
    this.gpu.queue.writeBuffer(buffer.gpu, 0, data.buffer, data.byteOffset, data.byteLength);
    return new Storage(buffer, 0, buffer.size, () => {});
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
    const dry = activeDryRun();
    if (this.#diversion && !dry) {
      this.encodeLaunch(this.#diversion.target, kernel, launch);
      return;
    }
    const fault = kernel.faults ? (launch.fault ?? null) : null;
    if (kernel.faults && !fault) {
      throw new TypeError(`kernel ${kernel.name} reports faults, but its launch doesn't say what they mean`);
    }
    const { options, params } = launch;
    const { pipeline, ranges, grid } = this.#prepare(kernel, launch);
    const command: RecordedLaunch = {
      kind: 'launch',
      kernel: kernel as unknown as Kernel,
      options,
      pipeline,
      ranges,
      grid,
      layout: kernel.layout,
      params,
      fault,
      charge: takeCharge(),
    };
    this.#recording()?.add(command);
    if (dry) return;
    if (fault) this.stream.launch(command, this.#withFaultSlot(params, fault), this.#faults.buffer);
    else this.stream.launch(command, params, null);
  }

  readonly #withFaultSlot = (params: Readonly<Record<string, ParamValue>>, fault: FaultReport) => {
    if (this.#faults.full) this.#collectFaultsInBackground();
    return { ...params, fault_slot: this.#faults.take(fault) };
  };

  /** Copies `bytes` bytes, a multiple of 4, from one buffer to another. */
  copy(source: BoundRange, target: BoundRange, bytes: number): void {
    if (source.buffer === target.buffer) {
      const aside = this.allocate(bytes, 'copy');
      this.copy(source, aside, bytes);
      this.copy(aside, target, bytes);
      aside.release();
      return;
    }
    this.#recording()?.add({ kind: 'copy', source, target, bytes });
    this.copyOutside(source, target, bytes);
  }

  /** The same, beside any recording. */
  copyOutside(source: BoundRange, target: BoundRange, bytes: number): void {
    this.requireAlive();
    if (activeDryRun()) return;
    if (source.buffer === target.buffer) {
      // WebGPU copies between two buffers alone.
      const aside = this.allocateOutside(bytes, 'copy');
      this.copyOutside(source, aside, bytes);
      this.copyOutside(aside, target, bytes);
      aside.release();
      return;
    }
    this.stream.copy(source.buffer, source.offset, target.buffer, target.offset, bytes);
  }

  /** The compiled pipeline of a kernel under `options`; in a dry run one that is being compiled, and can't run. */
  pipelineOf(kernel: Kernel, options: KernelOptions): Pipeline {
    const dry = activeDryRun();
    if (!dry) return this.#pipelines.get(kernel, options);
    return this.#pipelines.prepare(kernel, options, (ready) => dry.compiling(ready));
  }

  /**
   * Makes what was recorded ready to run again. `outlets` are storages whose values are wanted after a run; `rewrite` may
   * put other commands in place of the recorded ones.
   */
  capture(
    recording: Recording,
    effects: readonly (() => void)[],
    outlets: readonly Storage[],
    rewrite: (commands: readonly RecordedCommand[]) => readonly RecordedCommand[],
  ): CapturedWork {
    return new CapturedWork(this, recording, effects, outlets, rewrite);
  }

  /** The bind group of a recorded launch; its parameters lie in `params`, or in the ring of the stream. */
  bindGroupOf(
    { pipeline, ranges, layout, fault }: RecordedLaunch,
    params: DeviceBuffer | null,
  ): GPUBindGroup {
    const words = fault ? this.#faults.buffer : null;
    return this.stream.makeBindGroup(pipeline, ranges, words, layout, params ?? undefined);
  }

  /** Runs captured work again, once its variables are home. */
  replay(work: CapturedWork): void {
    this.requireAlive();
    for (const effect of work.effects) effect();
    this.stream.replay(work, this.#withFaultSlot);
  }

  /** Appends one launch to an app's encoder. Errors: DeviceError for a kernel that reports faults without `faultWords`. */
  encodeLaunch<O extends KernelOptions, B extends Bindings, P extends ParamFields>(
    target: EncodeTarget,
    kernel: Kernel<O, B, P>,
    launch: EncodedLaunch<O, B, P>,
  ): void {
    this.requireAlive();
    const { faultWords = null } = launch;
    if (kernel.faults && !faultWords) {
      throw new DeviceError({
        op: kernel.name,
        rule: "faults are told by the library's own readbacks, which don't see an app's encoder.",
        received: 'a validating kernel, encoded without `faultWords`',
        mend: 'turn validation off (validateIndices: false), or bind faultWords and read them yourself.',
      });
    }
    const { pipeline, ranges, grid } = this.#prepare(kernel, launch);
    if (activeDryRun()) return;
    const { layout } = kernel;
    const params =
      layout.fields.length > 0 ? this.#encodedParams.get(layout, { fault_slot: 0, ...launch.params }) : null;
    encodeDispatch(this.gpu, target, pipeline, ranges, params, kernel.faults ? faultWords : null, grid);
  }

  /**
   * Runs `body` with all its launches appended to an app's encoder in place of the stream. `claim` may answer an
   * allocation with a storage of the app's; other values between launches lie in buffers that nothing else uses.
   */
  encode<T>(target: EncodeTarget, claim: (bytes: number) => Storage | null, body: () => T): T {
    const before = this.#diversion;
    this.#diversion = { target, claim };
    try {
      return body();
    } finally {
      this.#diversion = before;
    }
  }

  #prepare<O extends KernelOptions, B extends Bindings, P extends ParamFields>(
    kernel: Kernel<O, B, P>,
    { options, bindings, workgroups }: EncodedLaunch<O, B, P>,
  ) {
    const pipeline = this.pipelineOf(kernel as unknown as Kernel, options);
    const ranges = pipeline.bindingNames.map((name) => bindings[name] as BoundRange);
    const grid = typeof workgroups === 'number' ? foldWorkgroups(workgroups) : workgroups;
    return { pipeline, ranges, grid };
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
    const settled = this.#watch.settled();
    const result = await reading.catch(async (cause: unknown) => {
      throw await this.#watch.explain(cause, () => this.#lost);
    });
    await settled;
    const error = joinErrors([...this.#watch.take(), ...result.errors]);
    if (error) throw error;
    return result.bytes;
  }

  /** Waits for all work and raises its faults, without reading data. */
  async sync(): Promise<void> {
    await this.read(null);
  }

  /** Milliseconds of GPU time that the launches inside `run` took; null where the device has no timestamps. */
  async time(run: () => void): Promise<number | null> {
    return timePasses(this.gpu, this.stream, run);
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

  readonly #free = (storage: Storage): void => this.pool.release(storage.buffer);
  readonly #freeScratch = (storage: Storage): void => this.#scratch.release(storage.buffer);

  /** Frees the fault slots; what they held is told at the next readback. */
  #collectFaultsInBackground(): void {
    this.#watch.until(this.#readback.read(null).then(({ errors }) => errors));
  }
}

let opening: Promise<Device> | null = null;

/**
 * Opens a device and makes it the current one. Called again it returns the current device, unless options name
 * another `device`.
 * Errors: DeviceError where there is no WebGPU or no adapter.
 */
export async function init(options: InitOptions = {}): Promise<Device> {
  const { device: appDevice, gpu, maxPooledBytes = 2 ** 30, ...adapterOptions } = options;
  const current = openedDevice();
  if (current && !current.isLost && (!appDevice || current.gpu === appDevice)) return current;
  const opened = (device: Device) => {
    setDevice(device);
    return device;
  };
  if (appDevice) return opened(new Device(appDevice, false, maxPooledBytes));
  // Two parts of an app may both call this before either has a device: they get the same one.
  opening ??= openDevice(gpu, adapterOptions)
    .then((device) => opened(new Device(device, true, maxPooledBytes)))
    .finally(() => {
      opening = null;
    });
  return opening;
}
