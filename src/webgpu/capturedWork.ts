/**
 * @file Captured work: the commands of a recording, made ready to run again. Bind groups and parameters are there
 * beforehand; only parameters that change between runs (live numbers, fault slots) are packed anew.
 */
import type { Device } from './device.ts';
import { Dependence, type FaultsOfRun } from './dependence.ts';
import type { FaultReport } from './faults.ts';
import type { Check } from './faultSets.ts';
import { BufferUsage } from './flags.ts';
import { DynamicScalar, ParamWords } from './params.ts';
import { placeCommands } from './placement.ts';
import { adoptBuffer, BufferPool, type DeviceBuffer } from './pool.ts';
import {
  type RecordedCommand,
  type RecordedCopy,
  type RecordedLaunch,
  type Recording,
  rangesOf,
} from './recording.ts';
import { type Storage, wholeWords } from './storage.ts';
import type { BoundRange } from './stream.ts';

/** A dispatch with all that it binds. */
interface BoundLaunch {
  /** `live` where parameters are packed at every run, into the ring of the stream. */
  readonly kind: 'ready' | 'live';
  readonly launch: RecordedLaunch;
  /** What it binds in a run that made `results`. */
  readonly groupFor: (results: Results) => GPUBindGroup;
  /** Of the parameters in the work's own buffer; empty for a kernel without parameters, and where they are live. */
  readonly offsets: readonly number[];
}

type BoundCommand = BoundLaunch | RecordedCopy;

/** The storages that a run made, by those of the recording. */
type Results = ReadonlyMap<Storage, Storage>;

/** Intermediate values of a device's captured work. Between two runs no one needs what lies there. */
const pools = new WeakMap<Device, BufferPool>();

function poolOf(device: Device): BufferPool {
  const { gpu, watch, pool } = device;
  const made = pools.get(device) ?? new BufferPool(gpu, watch, Number.POSITIVE_INFINITY, pool.statistics);
  pools.set(device, made);
  return made;
}

const slotBytes = 256;
/** Bytes from which a result is written where its tensor lies: to copy less costs less than to bind anew. */
const leastFresh = 2 ** 16;
/** Bind groups kept for one launch, at most. */
const maxGroups = 64;

export class CapturedWork {
  /** Buffers that the commands name in every run: a run of the work is a use of each. */
  readonly buffers: ReadonlySet<DeviceBuffer>;
  readonly launches: number;
  /** Bytes of what the launches hand to each other, and the least that any plan would need. */
  readonly bytes: number;
  readonly leastBytes: number;
  readonly #commands: readonly BoundCommand[];
  /** Results that every run writes into a storage of its own, with their bytes. */
  readonly #fresh: ReadonlyMap<Storage, number>;
  readonly #params: GPUBuffer | null;

  /** Where the values lie that are wanted after a run. */
  readonly #places: ReadonlyMap<Storage, BoundRange>;

  readonly #dependence: Dependence;
  /** What the results of the last run depend on; null where no fault is pending. */
  #faults: FaultsOfRun | null = null;

  constructor(
    private readonly device: Device,
    private readonly recording: Recording,
    private readonly effects: readonly (() => void)[],
    outlets: readonly Storage[],
    rewrite: (commands: readonly RecordedCommand[]) => readonly RecordedCommand[],
  ) {
    this.#dependence = new Dependence(recording);
    this.#fresh = freshOf(recording, outlets);
    const planned = placeCommands(poolOf(device), recording, outlets, rewrite, this.#fresh);
    const { commands } = planned;
    this.bytes = planned.bytes;
    this.leastBytes = planned.leastBytes;
    this.#places = planned.places;
    const isFresh = (range: BoundRange) => this.#fresh.has(range as Storage);
    const lasting = commands.flatMap(rangesOf).filter((range) => !isFresh(range));
    this.buffers = new Set(lasting.map(({ buffer }) => buffer));
    this.launches = commands.filter(({ kind }) => kind === 'launch').length;
    const fixed = commands.filter((command) => isFixed(command) && hasParams(command)) as RecordedLaunch[];
    const words = new ParamWords(Math.max(1, fixed.length) * slotBytes);
    const slotOf = new Map(fixed.map((launch, i) => [launch, i * slotBytes]));
    for (const [{ layout, params }, offset] of slotOf) layout.pack(words, offset / 4, params);
    this.#params = fixed.length > 0 ? paramBuffer(device.gpu, words) : null;
    const params = this.#params && adoptBuffer(this.#params);
    this.#commands = commands.map((launch): BoundCommand => {
      if (launch.kind === 'copy') return launch;
      const offset = slotOf.get(launch);
      const ring = isFixed(launch) ? (params ?? undefined) : undefined;
      const bind = (ranges: readonly BoundRange[]) => this.#bindGroup(launch, ranges, ring);
      return {
        kind: isFixed(launch) ? 'ready' : 'live',
        launch,
        groupFor: launch.ranges.some(isFresh) ? rebinding(launch, bind) : always(bind(launch.ranges)),
        offsets: offset === undefined ? [] : [offset],
      };
    });
  }

  /** The parameters lie in `params`, or in the ring of the stream. */
  #bindGroup(
    { pipeline, layout, fault }: RecordedLaunch,
    ranges: readonly BoundRange[],
    params?: DeviceBuffer,
  ): GPUBindGroup {
    const { stream, faults } = this.device;
    return stream.makeBindGroup(pipeline, ranges, fault ? faults.buffer : null, layout, params);
  }

  /**
   * Appends all commands to the stream, once the variables are home. Returns the storages that this run made for results;
   * they are the caller's.
   */
  run(): Results {
    const { device } = this;
    const { stream } = device;
    const { tracker } = device.faults;
    const checks = new Map<FaultReport, Check>();
    device.requireAlive();
    for (const effect of this.effects) effect();
    const results = new Map<Storage, Storage>();
    for (const [result, bytes] of this.#fresh) results.set(result, device.allocateOutside(bytes, 'result'));
    for (const command of this.#commands) {
      if (command.kind === 'copy') {
        const { source, target, bytes } = command;
        stream.copy(source.buffer, source.offset, target.buffer, target.offset, bytes);
        continue;
      }
      const { launch, groupFor } = command;
      let { offsets } = command;
      if (command.kind === 'live') {
        const { fault, layout } = launch;
        let { params } = launch;
        if (fault) {
          const validating = device.beginCheck(params, fault);
          checks.set(fault, validating.check);
          params = validating.params;
        }
        offsets = stream.pack(layout, params);
      }
      stream.dispatch(launch, groupFor(results), offsets);
    }
    for (const buffer of this.buffers) buffer.lastUse = stream.serial;
    for (const { buffer } of results.values()) buffer.lastUse = stream.serial;
    this.#faults = tracker.isActive ? this.#dependence.follow(tracker, checks) : null;
    return results;
  }

  /** Lets `own`, which holds the values of `outlet` after the last run, depend on what they depend on. */
  passFaults(outlet: Storage, own: Storage): void {
    if (!this.#faults || !this.recording.made.has(outlet)) return;
    this.device.faults.tracker.put(own.buffer, this.#faults(outlet));
  }

  /** Where the values of `outlet` lie after a run that made no storage for them. */
  placeOf(outlet: Storage): BoundRange {
    return this.#places.get(outlet) ?? outlet;
  }

  /**
   * Brings variables home that were assigned from outside since the last run, for which `copy` moves values. False where
   * the values of one are shared, so that the work may not overwrite them.
   */
  bringHome(copy: CopyBetween): boolean {
    const { homes } = this.recording;
    for (const [holder, home] of homes) {
      const { current } = holder;
      if (current === home ? !home.exclusive : !home.abandoned) return false;
    }
    for (const [holder, home] of homes) {
      const { current } = holder;
      if (current === home) continue;
      copy(current, home, wholeWords(holder.bytes));
      holder.adopt(home.retain());
    }
    return true;
  }

  /** Frees what the work holds. It can't run any more. */
  release(): void {
    this.recording.release();
    this.#params?.destroy();
  }
}

const always = (group: GPUBindGroup) => () => group;

/**
 * Binds a launch to what each run makes, in place of the recorded storages. The pool hands the same few buffers out again
 * and again, so that their groups are kept.
 */
function rebinding(
  { ranges }: RecordedLaunch,
  bind: (ranges: readonly BoundRange[]) => GPUBindGroup,
): BoundLaunch['groupFor'] {
  const groups = new Map<string, GPUBindGroup>();
  return (results) => {
    const bound = ranges.map((range) => results.get(range as Storage) ?? range);
    const key = bound.map(({ buffer }) => buffer.id).join();
    const known = groups.get(key);
    if (known) return known;
    const group = bind(bound);
    if (groups.size >= maxGroups) groups.clear();
    groups.set(key, group);
    return group;
  };
}

/**
 * The results that are worth a storage of their own in every run, with their bytes: large ones that launches alone name.
 * Others are copied out.
 */
function freshOf(recording: Recording, outlets: readonly Storage[]): ReadonlyMap<Storage, number> {
  const { made, commands } = recording;
  const copied = new Set(commands.flatMap((command) => (command.kind === 'copy' ? rangesOf(command) : [])));
  const isFresh = (outlet: Storage) => (made.get(outlet) ?? 0) >= leastFresh && !copied.has(outlet);
  return new Map(outlets.filter(isFresh).map((outlet) => [outlet, made.get(outlet) as number]));
}

type CopyBetween = (source: BoundRange, target: BoundRange, bytes: number) => void;

function isFixed(command: RecordedCommand): boolean {
  if (command.kind === 'copy') return true;
  const { fault, params } = command;
  return !fault && !Object.values(params).some((value) => value instanceof DynamicScalar);
}

function hasParams(command: RecordedCommand): boolean {
  return command.kind === 'launch' && command.layout.fields.length > 0;
}

function paramBuffer(gpu: GPUDevice, words: ParamWords): GPUBuffer {
  const buffer = gpu.createBuffer({
    label: 'retrograd captured parameters',
    size: words.bytes,
    usage: BufferUsage.UNIFORM,
    mappedAtCreation: true,
  });
  new Uint32Array(buffer.getMappedRange()).set(words.u32);
  buffer.unmap();
  return buffer;
}
