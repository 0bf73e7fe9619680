/**
 * @file A dry run: the JavaScript of a piece of work runs, its launches don't. What it allocates are stand-ins without
 * memory, nothing is copied, each launch has its pipeline compiled beside, and at the end every variable is what it was.
 *
 * A dry run is a recording with nothing behind it. Where recordings are left (`withRecording(null, …)`), work is real:
 * so are made what lasts, the weights of a layer or the states of an optimizer.
 */
import { DeviceError } from '../core/errors.ts';
import { compileAhead } from './compileAhead.ts';
import type { Kernel, KernelOptions } from './kernel.ts';
import type { Pipeline, PipelineCache } from './pipelines.ts';
import type { DeviceBuffer } from './deviceBuffer.ts';
import { sizeClass } from './pool.ts';
import { type DryRunState, type RecordedDevice, Recording, type StorageHolder } from './recording.ts';
import { Storage } from './storage.ts';

export class DryRun implements DryRunState {
  /** What listens while nothing is being captured. */
  readonly root: Recording;
  readonly #snapshots = new Map<StorageHolder, () => void>();
  /** Of the pipelines of all launches; a promise rejects with a DeviceError where a kernel doesn't compile. */
  readonly compilations = new Set<Promise<void>>();
  #disturbed = false;

  constructor(device: RecordedDevice) {
    this.root = new Recording(device, this);
  }

  /** Whether something was made for real meanwhile: launches around it may be others from now on. */
  get disturbed(): boolean {
    return this.#disturbed;
  }

  pipelineOf(cache: PipelineCache, kernel: Kernel, options: KernelOptions): Pipeline {
    return compileAhead(cache, kernel, options, (ready) => {
      // It may reject before anybody waits.
      ready.catch(() => {});
      this.compilations.add(ready);
    });
  }

  standIn(bytes: number, label: string, freed: (storage: Storage) => void = () => {}): Storage {
    const buffer = new StandInBuffer(sizeClass(bytes), label);
    return new Storage(buffer, 0, buffer.size, freed, bytes);
  }

  save(holder: StorageHolder): void {
    if (!this.#snapshots.has(holder)) this.#snapshots.set(holder, holder.snapshot());
  }

  interrupt(): void {
    this.#disturbed = true;
    this.#restore();
  }

  /** Leaves every variable as it was. */
  end(): void {
    this.#restore();
    this.root.release();
  }

  #restore(): void {
    const snapshots = [...this.#snapshots.values()];
    this.#snapshots.clear();
    for (const restore of snapshots) restore();
  }
}

/** A dry run that compiles nothing either: it tells which launches there would be. */
export class QuietRun extends DryRun {
  override pipelineOf(cache: PipelineCache, kernel: Kernel, options: KernelOptions): Pipeline {
    const known = cache.find(kernel, JSON.stringify(options));
    return known ?? { ...cache.describe(kernel, options), gpu: null as never };
  }
}

/** No memory, for shapes alone. */
class StandInBuffer implements DeviceBuffer {
  readonly id = 0;
  readonly confirmed = true;
  readonly failure = null;
  lastUse = 0;
  faults = null;

  constructor(
    readonly size: number,
    private readonly label: string,
  ) {}

  get gpu(): GPUBuffer {
    throw new DeviceError({
      op: 'warmup',
      rule: 'what a dry run makes has no values, and is not used after it.',
      received: `a value made by ${this.label} in a dry run`,
      hint: 'keep tensors that `warmup` runs through in no variable outside; call the function again for real ones.',
    });
  }
}
