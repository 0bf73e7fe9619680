/**
 * @file Capture: executes a piece of work and records it, so that it can be replayed.
 *
 * Storages that the work allocates get other buffers for the replays. Existing storages that it uses (constants) are
 * pinned. Each variable has a slot, the storage that the recorded launches name: at the end of the work its values are
 * written back there, regardless of what was assigned in between.
 */
import { TapeError } from '../core/errors.ts';
import { type Command, type PreparedLaunch, rangesOf } from '../webgpu/command.ts';
import { copyWith } from '../webgpu/copyWith.ts';
import type { Executor, ExecutorHolder, StorageHolder } from '../webgpu/executor.ts';
import type { FaultReport } from '../webgpu/faults.ts';
import type { Check } from '../webgpu/faultTracker.ts';
import type { Kernel } from '../webgpu/kernel.ts';
import { type Launch, prepareLaunch } from '../webgpu/launch.ts';
import { DynamicScalar } from '../webgpu/params.ts';
import { Storage, wholeWords } from '../webgpu/storage.ts';
import type { BoundRange } from '../webgpu/boundRange.ts';
import { withExecutors } from './currentExecutor.ts';
import { ForeignExecutor } from './foreignExecutor.ts';
import { ForwardingExecutor } from './forwardingExecutor.ts';
import { CallScope } from './profilerScope.ts';

/** For larger data, this many bytes are read, evenly spread. */
const maxBytes = 2 ** 20;

/** FNV-1a, 32 bits. */
export function digestOf({ buffer, byteOffset, byteLength }: ArrayBufferView<ArrayBuffer>): number {
  const bytes = new Uint8Array(buffer, byteOffset, byteLength);
  const step = Math.ceil(byteLength / maxBytes);
  let hash = 0x811c9dc5 ^ byteLength;
  for (let i = 0; i < byteLength; i += step) hash = Math.imul(hash ^ (bytes[i] as number), 0x01000193);
  return hash;
}

/** A storage whose values depend on checks of earlier launches, though no command says so. */
export interface Attachment {
  /** How many commands precede it. */
  readonly at: number;
  readonly reports: readonly FaultReport[];
  readonly storage: Storage;
}

/** Storages that a recording uses but didn't make. Pinning keeps their buffers; their values may still be replaced. */
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

export class Capture extends ForwardingExecutor {
  override readonly mode = 'captured';
  override readonly profiler = new CallScope();
  readonly commands: Command[] = [];
  readonly attachments: Attachment[] = [];
  /** Host effects that run again before each replay. */
  readonly effects: (() => void)[] = [];
  /** The scalars that launches have read since the last effect of the work, and copies of them. */
  readonly #valuesHere = new Map<DynamicScalar, DynamicScalar>();
  /** The storages that hold variables at the beginning and at the end of each run. */
  readonly variableSlots = new Map<StorageHolder, Storage>();
  /** The storages that the work allocated, with the bytes it asked for. */
  readonly made = new Map<Storage, number>();
  readonly #alive = new Map<Storage, string>();
  readonly pins = new Pins();
  /** Digests of the host values that the work uploaded. */
  readonly uploads = new WeakMap<Storage, number>();
  /** Why the work can't be replayed; null if it can. */
  obstacle: string | null = null;
  readonly #postponed: (() => void)[] = [];

  /** Forwards the work to the present executor of `holder`. */
  constructor(private readonly holder: ExecutorHolder) {
    super(holder.executor);
  }

  /** Whether the work is actually executed, so that there is something to replay. */
  get isReal(): boolean {
    return this.base.mode === 'eager';
  }

  /** Runs `body` and records what it does on the device. */
  record(body: () => void): void {
    const executorOf = (holder: ExecutorHolder) =>
      holder === this.holder
        ? this
        : new ForeignExecutor(holder.executor, () => this.preventReplay('it computes on a second device'));
    withExecutors(executorOf, () => {
      body();
      this.#writeBackVariables();
    });
  }

  /** Records why the work can't be replayed. Only the first reason is stored. */
  preventReplay(obstacle: string): void {
    this.obstacle ??= obstacle;
  }

  override allocate(bytes: number, label: string, freed?: (storage: Storage) => void): Storage {
    // Storages outlive the capture, so their callbacks must not hold it, and with it its variables.
    const alive = this.#alive;
    const storage = this.base.allocate(bytes, label, (storage) => {
      alive.delete(storage);
      freed?.(storage);
    });
    this.made.set(storage, bytes);
    alive.set(storage, label);
    return storage;
  }

  override upload(data: ArrayBufferView<ArrayBuffer>, label: string): Storage {
    const storage = this.base.upload(data, label);
    this.uploads.set(storage, digestOf(data));
    return storage;
  }

  /** Compiles the requested pipeline synchronously, since a fallback variant would be replayed from then on. */
  override launch(kernel: Kernel, launch: Launch): void {
    const pipeline = this.base.pipelineOf(kernel, launch.options, launch.key);
    this.run(prepareLaunch(kernel, launch, pipeline, this.profiler.take()));
  }

  override run(launch: PreparedLaunch): void {
    this.base.run(launch);
    this.#add(this.#withValuesHere(launch));
  }

  /** The launch as a replay repeats it. Few launches have scalars that change. */
  #withValuesHere(launch: PreparedLaunch): PreparedLaunch {
    const changing = Object.entries(launch.params).flatMap(([name, value]) =>
      value instanceof DynamicScalar ? [[name, this.#valueHere(value)] as const] : [],
    );
    if (changing.length === 0) return launch;
    return { ...launch, params: { ...launch.params, ...Object.fromEntries(changing) } };
  }

  /** What holds the present value of `scalar` in a replay, which runs all effects before the launches. */
  #valueHere(scalar: DynamicScalar): DynamicScalar {
    const known = this.#valuesHere.get(scalar);
    if (known) return known;
    const copy = new DynamicScalar(scalar.value);
    this.effects.push(() => {
      copy.value = scalar.value;
    });
    this.#valuesHere.set(scalar, copy);
    return copy;
  }

  override copy(source: BoundRange, target: BoundRange, bytes: number): void {
    this.base.copy(source, target, bytes);
    this.#add({ kind: 'copy', source, target, bytes });
  }

  #add(command: Command): void {
    this.commands.push(command);
    for (const range of rangesOf(command)) {
      if (range instanceof Storage && !this.made.has(range)) this.pins.add(range);
    }
  }

  override attachChecks(checks: readonly Check[], storage: Storage): void {
    this.attachments.push({ at: this.commands.length, reports: checks.map(({ report }) => report), storage });
  }

  /** At the first use of `holder`, makes its current storage its slot; a shared one is copied first. */
  override touch(holder: StorageHolder): void {
    this.base.touch(holder);
    if (this.variableSlots.has(holder)) return;
    if (!holder.current.exclusive) {
      const own = this.base.allocate(holder.bytes, holder.label);
      copyWith(this.base, holder.current, own, wholeWords(holder.bytes));
      holder.adopt(own);
    }
    const slot = holder.current;
    this.variableSlots.set(holder, slot);
    this.pins.add(slot);
  }

  override creating(label: string): void {
    this.base.creating(label);
    this.preventReplay(`it makes a variable, '${label}', which a replay would make again`);
  }

  override onReplay(effect: () => void): void {
    this.base.onReplay(effect);
    this.effects.push(effect);
    this.#valuesHere.clear();
  }

  override untraced<T>(body: () => T): T {
    const outside = (holder: ExecutorHolder) =>
      holder.executor === this ? new UntracedExecutor(this.base, this) : holder.executor;
    return this.base.untraced(() => withExecutors(outside, body));
  }

  override postpone(reason: string, action: () => void): void {
    if (this.base.mode === 'dry run') {
      this.base.postpone(reason, action);
      return;
    }
    this.preventReplay(reason);
    this.#postponed.push(action);
  }

  /** Runs the postponed actions. Call once the work is over. */
  runPostponed(): void {
    for (const action of this.#postponed.splice(0)) action();
  }

  override requireReadable(): void {
    this.base.requireReadable();
    throw new TapeError({
      op: 'compile',
      rule: 'a compiled function computes only on the device: its launches are replayed without its JavaScript.',
      received: 'a readback inside of it',
      hint: 'return the tensor, and read it from the result.',
    });
  }

  /** Copies the values assigned to variables into their slots. */
  #writeBackVariables(): void {
    const moved = [...this.variableSlots].filter(([holder, slot]) => holder.current !== slot);
    const slots = new Set(this.variableSlots.values());
    // If variables exchanged their storages, the first copy would overwrite what the second reads.
    const sources = moved.map(([holder]) => {
      const { current, bytes, label } = holder;
      if (!slots.has(current)) return current.retain();
      const copy = this.allocate(bytes, label);
      copyWith(this, current, copy, wholeWords(bytes));
      return copy;
    });
    moved.forEach(([holder, slot], i) => {
      const source = sources[i] as Storage;
      copyWith(this, source, slot, wholeWords(holder.bytes));
      holder.adopt(slot.retain());
      source.release();
    });
  }

  /** Rejects launches that bind part of a storage made by the work: such ranges can't be reassigned. */
  checkRanges(): void {
    const buffers = new Set([...this.made.keys()].map(({ buffer }) => buffer));
    const isOpaque = (range: BoundRange) => !(range instanceof Storage) && buffers.has(range.buffer);
    if (this.commands.some((command) => rangesOf(command).some(isOpaque)))
      this.preventReplay('a kernel binds part of a tensor that the call makes');
  }

  /** Returns the labels of the allocations that are still held, except `outputs`. */
  leftovers(outputs: ReadonlySet<Storage>): readonly string[] {
    return [...this.#alive].filter(([storage]) => !outputs.has(storage)).map(([, label]) => label);
  }

  /** Releases everything that was pinned. */
  release(): void {
    this.pins.release();
  }
}

/** Executes untraced work, such as the creation of weights, while a capture is suspended. */
class UntracedExecutor extends ForwardingExecutor {
  constructor(
    base: Executor,
    private readonly capture: Capture,
  ) {
    super(base);
  }

  override creating(label: string): void {
    this.capture.creating(label);
  }
}
