/**
 * @file A device: everything that belongs to one GPUDevice, and the current device that creation uses.
 */
import { DeviceError, DeviceLostError, type RetrogradError } from '../core/errors.ts';
import { type AdapterDescription, describeAdapter, openDevice } from './adapter.ts';
import { type FaultReport, FaultWords, joinErrors } from './faults.ts';
import type { Bindings, Kernel, KernelOptions } from './kernel.ts';
import type { ParamFields, ParamValues } from './params.ts';
import { PipelineCache } from './pipelines.ts';
import { adoptBuffer, BufferPool } from './pool.ts';
import { Readback } from './readback.ts';
import { Storage } from './storage.ts';
import { type BoundRange, CommandStream } from './stream.ts';
import { PassTimer } from './timing.ts';

export interface InitOptions extends GPURequestAdapterOptions {
  /** Your app's own device, shared without a copy. It stays yours: Retrograd never destroys it. */
  device?: GPUDevice;
  /** The WebGPU entry, where it isn't `navigator.gpu` (Node). */
  gpu?: GPU;
  /** Bytes that may lie ready in the buffer pool. Default 1 GiB. */
  maxPooledBytes?: number;
}

/** One launch of a kernel. */
export interface Launch<O extends KernelOptions, B extends Bindings, P extends ParamFields> {
  options: O;
  bindings: { [K in keyof B]: BoundRange };
  params: ParamValues<P>;
  /** Workgroups: a count, folded over the dimensions where it exceeds 65,535, or a grid. */
  workgroups: number | readonly [number, number, number];
  /** What a fault of this launch means; for kernels that report faults. */
  fault?: FaultReport;
}

/** The largest count of workgroups along one dimension, on every device. */
const maxWorkgroups = 65535;

/** Folds a count of workgroups into a grid; WGSL's `flat_index` unfolds it. */
export function foldWorkgroups(count: number): readonly [number, number, number] {
  if (count <= maxWorkgroups) return [count, 1, 1];
  const y = Math.ceil(count / maxWorkgroups);
  return [Math.ceil(count / y), y, 1];
}

export class Device {
  readonly adapter: AdapterDescription;
  readonly pool: BufferPool;
  readonly stream: CommandStream;
  readonly #pipelines: PipelineCache;
  readonly #faults: FaultWords;
  readonly #readback: Readback;
  /** Errors that arrived while no one waited; the next readback tells them. */
  #pending: RetrogradError[] = [];
  /** Settles once all fault words that were collected in between have arrived in `#pending`. */
  #collecting: Promise<unknown> = Promise.resolve();
  #lost: DeviceLostError | null = null;

  constructor(
    readonly gpu: GPUDevice,
    readonly owned: boolean,
    maxPooledBytes: number,
  ) {
    this.adapter = describeAdapter(gpu);
    const remember = (error: RetrogradError) => void this.#pending.push(error);
    this.pool = new BufferPool(gpu, remember, maxPooledBytes);
    this.stream = new CommandStream(gpu, () => this.pool.destroyCondemned());
    this.#pipelines = new PipelineCache(gpu, remember);
    this.#faults = new FaultWords(gpu);
    this.#readback = new Readback(gpu, this.stream, this.#faults);
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
    const buffer = this.pool.acquire(bytes, label);
    return new Storage(buffer, 0, buffer.size, this.#free);
  }

  /** A storage that holds `data`. */
  upload(data: ArrayBufferView<ArrayBuffer>, label: string): Storage {
    this.requireAlive();
    const bytes = Math.max(4, data.byteLength);
    // A queue write overtakes launches that still wait: take a buffer that none of them uses.
    const buffer = this.pool.acquire(bytes, label, this.stream.submitted);
    this.gpu.queue.writeBuffer(buffer.gpu, 0, data.buffer, data.byteOffset, data.byteLength);
    return new Storage(buffer, 0, buffer.size, this.#free);
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
    const pipeline = this.#pipelines.get(kernel as unknown as Kernel, launch.options);
    const ranges = pipeline.bindingNames.map((name) => launch.bindings[name] as BoundRange);
    const grid =
      typeof launch.workgroups === 'number' ? foldWorkgroups(launch.workgroups) : launch.workgroups;
    let params: Readonly<Record<string, number | readonly number[]>> = launch.params;
    if (kernel.faults) {
      if (!launch.fault)
        throw new TypeError(
          `kernel ${kernel.name} reports faults, but its launch doesn't say what they mean`,
        );
      if (this.#faults.full) this.#collectFaultsInBackground();
      params = { ...params, fault_slot: this.#faults.take(launch.fault) };
    }
    this.stream.launch(
      pipeline,
      ranges,
      kernel.faults ? this.#faults.buffer : null,
      kernel.layout,
      params,
      grid,
    );
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
    const collecting = this.#collecting;
    let result: Awaited<ReturnType<Readback['read']>>;
    try {
      result = await this.#readback.read(range);
    } catch (cause) {
      await Promise.resolve();
      throw this.#lost ?? cause;
    }
    await collecting;
    this.#throwPending(result.errors);
    return result.bytes;
  }

  /** Waits for all work and raises its faults, without reading data. */
  async sync(): Promise<void> {
    await this.read(null);
  }

  /** Milliseconds of GPU time that the launches inside `run` took; null where the device has no timestamps. */
  async time(run: () => void): Promise<number | null> {
    if (!this.gpu.features.has('timestamp-query')) return null;
    this.flush();
    const timer = new PassTimer(this.gpu);
    this.stream.timer = timer;
    try {
      run();
      this.flush();
    } finally {
      this.stream.timer = null;
    }
    const milliseconds = await timer.milliseconds();
    timer.destroy();
    return milliseconds;
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
    if (current === this) current = null;
  }

  readonly #free = (storage: Storage): void => this.pool.release(storage.buffer);

  /** Frees the fault slots; what they held is told at the next readback. */
  #collectFaultsInBackground(): void {
    const collected = this.#readback.read(null).then(
      ({ errors }) => void this.#pending.push(...errors),
      () => {},
    );
    this.#collecting = Promise.all([this.#collecting, collected]);
  }

  #throwPending(errors: RetrogradError[]): void {
    const error = joinErrors([...this.#pending, ...errors]);
    this.#pending = [];
    if (error) throw error;
  }
}

let current: Device | null = null;

/**
 * Opens a device and makes it the current one. Called again it returns the current device, unless options name
 * another `device`.
 * Errors: DeviceError where there is no WebGPU or no adapter.
 */
export async function init(options: InitOptions = {}): Promise<Device> {
  const { device: appDevice, gpu, maxPooledBytes = 2 ** 30, ...adapterOptions } = options;
  if (current && !current.isLost && (!appDevice || current.gpu === appDevice)) return current;
  const device = appDevice ?? (await openDevice(gpu, adapterOptions));
  current = new Device(device, !appDevice, maxPooledBytes);
  return current;
}

/** The current device. Errors: DeviceError before `init()`. */
export function getDevice(): Device {
  if (current) return current;
  throw new DeviceError({
    rule: 'a device must be open before tensors are made.',
    received: 'no device',
    mend: 'await init() first.',
  });
}

/** Makes `device` the one that creation uses. */
export function setDevice(device: Device): void {
  current = device;
}
