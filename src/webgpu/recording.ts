/**
 * @file A recording of the launches that a piece of work makes while it runs, from which it can be replayed.
 *
 * What the work allocates is known, and gets other places for the replays. What it finds (constants) is pinned. Variables have a home, the storage that the launches name: at the end of the work their values lie
 * there again, whatever was assigned in between.
 */
import { activeDryRun } from './activeRecording.ts';
import type { Charge } from './charge.ts';
import type { FaultReport } from './faults.ts';
import type { Check } from './faultSets.ts';
import type { Kernel, KernelOptions } from './kernel.ts';
import type { ParamLayout, ParamValue } from './params.ts';
import type { Pipeline, PipelineCache } from './pipelines.ts';
import type { BufferPool } from './pool.ts';
import type { Route } from './route.ts';
import { Storage, wholeWords } from './storage.ts';
import type { BoundRange } from './stream.ts';

/** Something whose storage may be replaced: a variable. */
export interface StorageHolder {
  readonly label: string;
  readonly bytes: number;
  /** Where the values lie now. */
  readonly current: Storage;
  /** Puts `storage` in place of the current one, which is let go. Takes over one reference. */
  adopt(storage: Storage): void;
  /** A function that puts back what it is now. To be called once. */
  snapshot(): () => void;
}

/** What recordings know of the dry run to which they belong. */
export interface DryRunState {
  /** Listens where nothing is being captured. */
  readonly root: Recording;
  /** Notes what `holder` is, before it changes. */
  save(holder: StorageHolder): void;
  /** A storage without memory. */
  standIn(bytes: number, label: string, freed?: (storage: Storage) => void): Storage;
  /** A pipeline that may be about to be compiled; it says what a launch binds, and can't run. */
  pipelineOf(cache: PipelineCache, kernel: Kernel, options: KernelOptions): Pipeline;
  /** Makes variables what they were, for work that is real. */
  interrupt(): void;
}

export interface RecordedLaunch {
  readonly kind: 'launch';
  readonly kernel: Kernel;
  readonly options: KernelOptions;
  readonly pipeline: Pipeline;
  readonly ranges: readonly BoundRange[];
  readonly layout: ParamLayout;
  readonly params: Readonly<Record<string, ParamValue>>;
  readonly grid: readonly [number, number, number];
  readonly fault: FaultReport | null;
  /** What it is charged to; null outside of ops, and where nobody keeps an account. */
  readonly charge: Charge | null;
}

export interface RecordedCopy {
  readonly kind: 'copy';
  readonly source: BoundRange;
  readonly target: BoundRange;
  readonly bytes: number;
}

export type RecordedCommand = RecordedLaunch | RecordedCopy;

/** A storage whose values depend on checks of earlier launches, though no command says so. */
export interface Attachment {
  /** The number of commands before it. */
  readonly at: number;
  readonly reports: readonly FaultReport[];
  readonly storage: Storage;
}

/** What a recording needs of the device on which the work runs. */
export interface RecordedDevice {
  /** A storage outside of every recording. */
  allocateOutside(bytes: number, label: string): Storage;
  /** Copies now, unrecorded. */
  copyOutside(source: BoundRange, target: BoundRange, bytes: number): void;
  /** Copies now, and in every replay. */
  copy(source: BoundRange, target: BoundRange, bytes: number): void;
  allocate(bytes: number, label: string): Storage;
  readonly pool: BufferPool;
  allocateFrom(pool: BufferPool, bytes: number, label: string, freed: (storage: Storage) => void): Storage;
  /** Launches now, unrecorded. */
  run(launch: RecordedLaunch): void;
}

/** Storages that a recording names but didn't make. Pinned, their buffers stay; their values may still be replaced. */
export class Pins {
  readonly #storages = new Set<Storage>();

  add(storage: Storage): void {
    if (this.#storages.has(storage)) return;
    storage.pin();
    this.#storages.add(storage);
  }

  release(): void {
    for (const storage of this.#storages) storage.unpin();
    this.#storages.clear();
  }
}

export class Recording implements Route {
  readonly commands: RecordedCommand[] = [];
  readonly attachments: Attachment[] = [];
  readonly homes = new Map<StorageHolder, Storage>();
  /** What the work allocated, with the bytes it asked for. */
  readonly made = new Map<Storage, number>();
  readonly #alive = new Map<Storage, string>();
  readonly pins = new Pins();
  /** Why the work can't be replayed; null where it can. */
  obstacle: string | null = null;
  /** What is left to do once a recording that can't be replayed is over. */
  readonly afterRefusal: (() => void)[] = [];

  constructor(
    readonly device: RecordedDevice,
    /** The dry run in which it is made; its commands are never run. */
    readonly dry: DryRunState | null = activeDryRun(),
  ) {}

  /** Whether what it hears will be replayed, or would be but for a dry run. */
  get isCapture(): boolean {
    return this.dry?.root !== this;
  }

  /** Notes why the work can't be replayed. The first reason counts. */
  refuse(obstacle: string): void {
    this.obstacle ??= obstacle;
  }

  allocate(bytes: number, label: string): Storage {
    const { device, dry } = this;
    // Storages outlive the recording: they must not hold it, and with it the variables that it knows.
    const alive = this.#alive;
    const freed = (storage: Storage) => alive.delete(storage);
    const storage =
      dry?.standIn(bytes, label, freed) ?? device.allocateFrom(device.pool, bytes, label, freed);
    this.made.set(storage, bytes);
    alive.set(storage, label);
    return storage;
  }

  launch(launch: RecordedLaunch): void {
    this.device.run(launch);
    this.add(launch);
  }

  add(command: RecordedCommand): void {
    this.commands.push(command);
    for (const range of rangesOf(command)) {
      if (range instanceof Storage && !this.made.has(range)) this.pins.add(range);
    }
  }

  attach(checks: readonly Check[], storage: Storage): void {
    this.attachments.push({ at: this.commands.length, reports: checks.map(({ report }) => report), storage });
  }

  /** Notes that the work reads or writes `holder`. From here on its home is its own. */
  touch(holder: StorageHolder): void {
    this.dry?.save(holder);
    if (this.homes.has(holder)) return;
    if (!holder.current.exclusive) {
      const own = this.device.allocateOutside(holder.bytes, holder.label);
      this.device.copyOutside(holder.current, own, wholeWords(holder.bytes));
      holder.adopt(own);
    }
    const home = holder.current;
    this.homes.set(holder, home);
    this.pins.add(home);
  }

  /** Moves what was assigned to variables into their homes. */
  settleHolders(): void {
    const moved = [...this.homes].filter(([holder, home]) => holder.current !== home);
    const homes = new Set(this.homes.values());
    // Variables that exchanged their storages: the first move would overwrite what the second reads.
    const sources = moved.map(([holder]) => {
      const { current, bytes, label } = holder;
      if (!homes.has(current)) return current.retain();
      const aside = this.device.allocate(bytes, label);
      this.device.copy(current, aside, wholeWords(bytes));
      return aside;
    });
    moved.forEach(([holder, home], i) => {
      const source = sources[i] as Storage;
      this.device.copy(source, home, wholeWords(holder.bytes));
      holder.adopt(home.retain());
      source.release();
    });
  }

  /** Refuses ranges that can't be told from others in the same buffer. */
  checkRanges(): void {
    const buffers = new Set([...this.made.keys()].map(({ buffer }) => buffer));
    const isOpaque = (range: BoundRange) => !(range instanceof Storage) && buffers.has(range.buffer);
    if (this.commands.some((command) => rangesOf(command).some(isOpaque)))
      this.refuse('a kernel binds part of a tensor that the call makes');
  }

  /** What made the storages that are still held, but for those of `outlets`. */
  leftovers(outlets: ReadonlySet<Storage>): readonly string[] {
    return [...this.#alive].filter(([storage]) => !outlets.has(storage)).map(([, label]) => label);
  }

  /** Lets go of everything that was pinned. */
  release(): void {
    this.pins.release();
  }
}

/** What a command names. */
export function rangesOf(command: RecordedCommand): readonly BoundRange[] {
  return command.kind === 'launch' ? command.ranges : [command.source, command.target];
}
