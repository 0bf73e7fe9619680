/**
 * @file A dry run: the JavaScript of a piece of work runs, its launches don't. Allocations are placeholders without memory,
 * nothing is copied, the pipeline of each launch is compiled in the background, and at the end every variable has its old
 * values. Permanent objects (the weights of a layer, the states of an optimizer) are created untraced.
 */
import { DeviceError, TapeError, ValueError } from '../core/errors.ts';
import type { Command, PreparedLaunch } from '../webgpu/command.ts';
import { compileAhead } from '../webgpu/compileAhead.ts';
import type { Device } from '../webgpu/device.ts';
import type { DeviceBuffer } from '../webgpu/deviceBuffer.ts';
import type { Executor, StorageHolder } from '../webgpu/executor.ts';
import type { Check } from '../webgpu/faultTracker.ts';
import { type Kernel, type KernelOptions, keyOf } from '../webgpu/kernel.ts';
import { type Launch, prepareLaunch } from '../webgpu/launch.ts';
import type { Pipeline, PipelineCache } from '../webgpu/pipelines.ts';
import { sizeClass } from '../webgpu/pool.ts';
import { Storage } from '../webgpu/storage.ts';
import type { BoundRange } from '../webgpu/boundRange.ts';
import { withExecutors } from './currentExecutor.ts';

export class DryRun {
  readonly #snapshots = new Map<StorageHolder, () => void>();
  /** One for each pipeline that is launched; rejects with a DeviceError if the kernel doesn't compile. */
  readonly compilations = new Set<Promise<void>>();
  /** What would have been executed, in order. */
  readonly commands: Command[] = [];
  #disturbed = false;

  /** Whether the run created something permanent, so that a repeated run may launch other kernels. */
  get disturbed(): boolean {
    return this.#disturbed;
  }

  /** Runs `body` dry, on all devices. */
  run<T>(body: () => T): T {
    return withExecutors((holder) => new DryRunExecutor(holder as Device, this), body);
  }

  /** Executes `body` untraced, with the values that variables had before the dry run. */
  suspend<T>(body: () => T): T {
    this.#disturbed = true;
    this.#restore();
    return withExecutors((holder) => holder.eager, body);
  }

  pipelineOf(cache: PipelineCache, kernel: Kernel, options: KernelOptions): Pipeline {
    return compileAhead(cache, kernel, options, (ready) => {
      // It may reject before anything awaits it.
      ready.catch(() => {});
      this.compilations.add(ready);
    });
  }

  /** Saves the state of `holder` before it changes. */
  save(holder: StorageHolder): void {
    if (!this.#snapshots.has(holder)) this.#snapshots.set(holder, holder.snapshot());
  }

  /** Restores every variable. */
  end(): void {
    this.#restore();
  }

  #restore(): void {
    const snapshots = [...this.#snapshots.values()];
    this.#snapshots.clear();
    for (const restore of snapshots) restore();
  }
}

/** A dry run that only finds which launches there would be; it compiles nothing. */
export class LaunchSurvey extends DryRun {
  override pipelineOf(cache: PipelineCache, kernel: Kernel, options: KernelOptions): Pipeline {
    const known = cache.find(kernel, keyOf(kernel, options));
    return known ?? { ...cache.describe(kernel, options), gpu: null as never };
  }
}

class DryRunExecutor implements Executor {
  readonly mode = 'dry run';
  readonly profiler = null;

  constructor(
    private readonly device: Device,
    private readonly dry: DryRun,
  ) {}

  allocate(bytes: number, label: string, freed: (storage: Storage) => void = () => {}): Storage {
    const buffer = new PlaceholderBuffer(sizeClass(bytes), label);
    return new Storage(buffer, 0, buffer.size, freed, bytes);
  }

  /** Really uploads host data, since it may be kept for later calls (constants). */
  upload(data: ArrayBufferView<ArrayBuffer>, label: string): Storage {
    return this.device.eager.upload(data, label);
  }

  launch(kernel: Kernel, launch: Launch): void {
    this.run(prepareLaunch(kernel, launch, this.pipelineOf(kernel, launch.options), null));
  }

  run(launch: PreparedLaunch): void {
    this.dry.commands.push(launch);
  }

  copy(source: BoundRange, target: BoundRange, bytes: number): void {
    this.dry.commands.push({ kind: 'copy', source, target, bytes });
  }

  pipelineOf(kernel: Kernel, options: KernelOptions): Pipeline {
    return this.dry.pipelineOf(this.device.pipelines, kernel, options);
  }

  /** A variable that is only read keeps its values: there is nothing to save. */
  touch(_holder: StorageHolder): void {}

  replacing(holder: StorageHolder): void {
    this.dry.save(holder);
  }

  creating(label: string): void {
    throw new ValueError({
      op: 'warmup',
      rule: 'a dry run makes no variables: they would have no values.',
      received: `variable '${label}'`,
      hint: 'create it before, and let the function use it.',
    });
  }

  attachChecks(_checks: readonly Check[], _storage: Storage): void {}

  onReplay(_effect: () => void): void {}

  untraced<T>(body: () => T): T {
    return this.dry.suspend(body);
  }

  postpone(_reason: string, action: () => void): void {
    this.dry.suspend(action);
  }

  requireReadable(): void {
    throw new TapeError({
      op: 'warmup',
      rule: 'a dry run has no values: only what launches work can be prepared.',
      received: 'a readback inside of it',
      hint: 'warm up the function up to there, and read values outside.',
    });
  }
}

/** A buffer without memory. */
class PlaceholderBuffer implements DeviceBuffer {
  readonly id = 0;
  lastUse = 0;
  confirmed = true;
  isVariable = false;
  failure = null;
  faults = null;

  constructor(
    readonly size: number,
    private readonly label: string,
  ) {}

  get gpu(): GPUBuffer {
    throw new DeviceError({
      op: 'warmup',
      rule: 'tensors made in a dry run have no values and cannot be used after it.',
      received: `a value made by ${this.label} in a dry run`,
      hint: 'call the function again for values; keep none of `warmup`.',
    });
  }
}
