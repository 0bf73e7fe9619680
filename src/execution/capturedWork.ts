/**
 * @file Captured work: the commands of a recording, prepared to run again. Bind groups and parameters are made in advance;
 * only parameters that change between runs (dynamic scalars, fault slots) are packed for each run.
 */
import type { BufferAllocator } from '../webgpu/allocator.ts';
import type { Device } from '../webgpu/device.ts';
import type { DeviceBuffer } from '../webgpu/deviceBuffer.ts';
import { Dependence, type FaultsOfRun } from './faultDependence.ts';
import type { Run } from '../webgpu/journalLog.ts';
import type { FaultReport } from '../webgpu/faults.ts';
import type { Check } from '../webgpu/faultSets.ts';
import { BufferUsage } from '../webgpu/flags.ts';
import { DynamicScalar, ParamWords } from '../webgpu/params.ts';
import { assignBuffers } from './bufferAssignment.ts';
import { type Command, type CopyCommand, type PreparedLaunch, rangesOf } from '../webgpu/command.ts';
import type { Pins, Capture } from './capture.ts';
import { type GroupFor, LaunchBindings, type Results } from './launchBindings.ts';
import { SharedBuffers } from './sharedBuffers.ts';
import { type Storage, wholeWords } from '../webgpu/storage.ts';
import type { BoundRange } from '../webgpu/boundRange.ts';

/** A dispatch with its bindings. */
interface BoundLaunch {
  /** `live` if parameters are packed into the stream's uniform ring at every run. */
  readonly kind: 'ready' | 'live';
  readonly launch: PreparedLaunch;
  readonly groupFor: GroupFor;
  /** Dynamic offsets of its parameters in the work's buffer; empty without parameters, and for live ones. */
  readonly offsets: readonly number[];
}

type BoundCommand = BoundLaunch | CopyCommand;

/** The buffers of intermediate values of a device's captured work. */
const sharedBuffers = new WeakMap<Device, SharedBuffers>();

function sharedBy(device: Device): SharedBuffers {
  const made = sharedBuffers.get(device) ?? new SharedBuffers(device.pool);
  sharedBuffers.set(device, made);
  return made;
}

const slotBytes = 256;
/** Results of at least this many bytes get a new buffer per run; copying a smaller one costs less than rebinding. */
const minOwnBufferBytes = 2 ** 16;
export class CapturedWork {
  /** Buffers that the commands name in every run; each run updates their last use. */
  readonly buffers: ReadonlySet<DeviceBuffer>;
  readonly launches: number;
  /** Bytes of intermediate values, and the least that any plan would need. */
  readonly bytes: number;
  readonly minBytes: number;
  readonly #commands: readonly BoundCommand[];
  /** Results that get a new buffer in every run, with their bytes. */
  readonly #ownBuffers: ReadonlyMap<Storage, number>;
  readonly resources: CapturedResources;

  /** The ranges of the values that are needed after a run. */
  readonly #assignments: ReadonlyMap<Storage, BoundRange>;

  readonly #dependence: Dependence;
  /** The faults that results of the last run depend on; null if none are pending. */
  #faults: FaultsOfRun | null = null;
  /** The last run, for the journal. */
  #run: Run | null = null;

  constructor(
    private readonly device: Device,
    /** What was recorded. */
    readonly capture: Capture,
    outputs: readonly Storage[],
    rewrite: (commands: readonly Command[]) => readonly Command[],
  ) {
    this.#dependence = new Dependence(capture);
    this.#ownBuffers = ownBufferResults(capture, outputs);
    const { allocator, pool } = device;
    const shared = sharedBy(device);
    const planned = assignBuffers(shared, pool.limit, capture, outputs, rewrite, this.#ownBuffers);
    const { commands } = planned;
    this.bytes = planned.bytes;
    this.minBytes = planned.minBytes;
    this.#assignments = planned.assignments;
    const hasOwnBuffer = (range: BoundRange) => this.#ownBuffers.has(range as Storage);
    const lasting = commands.flatMap(rangesOf).filter((range) => !hasOwnBuffer(range));
    const launches = commands.filter((command) => command.kind === 'launch');
    this.launches = launches.length;
    const fixed = launches.filter((launch) => isFixed(launch) && hasParams(launch));
    const words = new ParamWords(Math.max(1, fixed.length) * slotBytes);
    const slotOf = new Map(fixed.map((launch, i) => [launch, i * slotBytes]));
    for (const [{ layout, params }, offset] of slotOf) layout.pack(words, offset / 4, params);
    const params = fixed.length > 0 ? paramBuffer(allocator, words) : null;
    this.resources = new CapturedResources(capture.pins, shared, planned.buffers, allocator, params);
    this.buffers = new Set([...lasting.map(({ buffer }) => buffer), ...(params ? [params] : [])]);
    const bindings = { ready: new LaunchBindings(device, params), live: new LaunchBindings(device, null) };
    const bound = (launch: Command): BoundCommand => {
      if (launch.kind === 'copy') return launch;
      const kind = isFixed(launch) ? 'ready' : 'live';
      const offset = slotOf.get(launch);
      return {
        kind,
        launch,
        groupFor: bindings[kind].groupFor(launch, hasOwnBuffer),
        offsets: offset === undefined ? [] : [offset],
      };
    };
    this.#commands = device.stream.bindGroups.together(() => commands.map(bound));
  }

  /**
   * Appends all commands to the stream. The variables must be back in their slots. Returns the storages that this run made
   * for results, which the caller then owns.
   */
  run(): Results {
    const { device } = this;
    device.requireAlive();
    for (const effect of this.capture.effects) effect();
    const results = new Map<Storage, Storage>();
    try {
      for (const [result, bytes] of this.#ownBuffers)
        results.set(result, device.eager.allocate(bytes, 'result'));
      this.#append(results);
    } catch (error) {
      for (const made of results.values()) made.release();
      throw error;
    }
    return results;
  }

  #append(results: Results): void {
    const { device } = this;
    const { stream } = device;
    const { tracker } = device.faults;
    const checks = new Map<FaultReport, Check>();
    let first = 0;
    let last = 0;
    const note = () => {
      last = stream.serial;
      first ||= last;
    };
    for (const command of this.#commands) {
      if (command.kind === 'copy') {
        const source = results.get(command.source as Storage) ?? command.source;
        const target = results.get(command.target as Storage) ?? command.target;
        const { bytes } = command;
        note();
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
      note();
      stream.dispatch(launch, groupFor(results), offsets);
    }
    this.#run = device.journal.ran(this.#dependence, first, last);
    for (const buffer of this.buffers) buffer.lastUse = stream.serial;
    for (const { buffer } of results.values()) buffer.lastUse = stream.serial;
    this.#faults = tracker.isActive ? this.#dependence.follow(tracker, checks) : null;
  }

  /** Gives `own`, which holds the values of `output` after the last run, the faults and losses that those values depend on. */
  passFaults(output: Storage, own: Storage): void {
    if (!this.capture.made.has(output)) return;
    const { faults, journal } = this.device;
    if (this.#run) journal.gave(this.#run, output, own.buffer);
    if (this.#faults) faults.tracker.put(own.buffer, this.#faults(output));
  }

  /** Returns the range of `output` after a run that made no storage for it. */
  rangeOf(output: Storage): BoundRange {
    return this.#assignments.get(output) ?? output;
  }

  /**
   * Copies values that were assigned to variables since the last run into their slots. False if the values of one are
   * shared, so that the work must not overwrite them.
   */
  restoreVariables(copy: CopyBetween): boolean {
    const { variableSlots } = this.capture;
    for (const [holder, slot] of variableSlots) {
      const { current } = holder;
      if (current === slot ? !slot.exclusive : !slot.abandoned) return false;
    }
    for (const [holder, slot] of variableSlots) {
      const { current } = holder;
      if (current === slot) continue;
      copy(current, slot, wholeWords(holder.bytes));
      holder.adopt(slot.retain());
    }
    return true;
  }
}

/**
 * The device resources that captured work needs to run. They refer to neither the work nor its variables, so that a
 * FinalizationRegistry can hold them.
 */
export class CapturedResources {
  constructor(
    private readonly pins: Pins,
    private readonly shared: SharedBuffers,
    private readonly planned: readonly DeviceBuffer[],
    private readonly allocator: BufferAllocator,
    private readonly params: DeviceBuffer | null,
  ) {}

  release(): void {
    this.pins.release();
    this.shared.release(this.planned);
    if (this.params) this.allocator.destroy(this.params);
  }
}

/** Returns the results that are large enough to get a new storage in every run, with their bytes. Others are copied out. */
function ownBufferResults({ made }: Capture, outputs: readonly Storage[]): ReadonlyMap<Storage, number> {
  const large = outputs.filter((output) => (made.get(output) ?? 0) >= minOwnBufferBytes);
  return new Map(large.map((output) => [output, made.get(output) as number]));
}

type CopyBetween = (source: BoundRange, target: BoundRange, bytes: number) => void;

function isFixed({ fault, params }: PreparedLaunch): boolean {
  return !fault && !Object.values(params).some((value) => value instanceof DynamicScalar);
}

function hasParams({ layout }: PreparedLaunch): boolean {
  return layout.fields.length > 0;
}

function paramBuffer(allocator: BufferAllocator, words: ParamWords): DeviceBuffer {
  return allocator.createFilled(words.u32, BufferUsage.UNIFORM, { label: 'captured parameters' });
}
