/**
 * @file Captured work: the commands of a recording, prepared to run again. Bind groups and parameters are made in advance;
 * only parameters that change between runs (dynamic scalars, fault slots) are packed for each run.
 */
import type { BufferAllocator } from '../webgpu/allocator.ts';
import type { Device } from '../webgpu/device.ts';
import type { DeviceBuffer } from '../webgpu/deviceBuffer.ts';
import type { Dependence, FaultsOfRun } from './faultDependence.ts';
import type { Run } from '../webgpu/journal.ts';
import type { FaultReport } from '../webgpu/faults.ts';
import type { Check } from '../webgpu/faultTracker.ts';
import type { CopyCommand, PreparedLaunch } from '../webgpu/command.ts';
import type { Pins, Capture } from './capture.ts';
import type { GroupFor, Results } from './launchBindings.ts';
import type { SharedBuffers } from './sharedBuffers.ts';
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

export type BoundCommand = BoundLaunch | CopyCommand;

/** Work that is prepared to run again. */
export interface PreparedWork {
  /** What was recorded. */
  readonly capture: Capture;
  readonly commands: readonly BoundCommand[];
  /** Buffers that the commands name in every run; each run updates their last use. */
  readonly buffers: ReadonlySet<DeviceBuffer>;
  readonly launches: number;
  /** Bytes of intermediate values, and the least that any plan would need. */
  readonly bytes: number;
  readonly minBytes: number;
  /** The ranges of the values that are needed after a run. */
  readonly assignments: ReadonlyMap<Storage, BoundRange>;
  /** Results that get a new buffer in every run, with their bytes. */
  readonly ownBuffers: ReadonlyMap<Storage, number>;
  readonly dependence: Dependence;
  readonly resources: CapturedResources;
}

export class CapturedWork {
  /** The faults that results of the last run depend on; null if none are pending. */
  #faults: FaultsOfRun | null = null;
  /** The last run, for the journal. */
  #run: Run | null = null;

  constructor(
    private readonly device: Device,
    readonly prepared: PreparedWork,
  ) {}

  /**
   * Appends all commands to the stream. The variables must be back in their slots. Returns the storages that this run made
   * for results, which the caller then owns.
   */
  run(): Results {
    const { device, prepared } = this;
    device.requireAlive();
    for (const effect of prepared.capture.effects) effect();
    const results = new Map<Storage, Storage>();
    try {
      for (const [result, bytes] of prepared.ownBuffers)
        results.set(result, device.eager.allocate(bytes, 'result'));
      this.#append(results);
    } catch (error) {
      for (const made of results.values()) made.release();
      throw error;
    }
    return results;
  }

  #append(results: Results): void {
    const { device, prepared } = this;
    const { stream } = device;
    const { tracker } = device.faults;
    const checks = new Map<FaultReport, Check>();
    let first = 0;
    let last = 0;
    const note = () => {
      last = stream.serial;
      first ||= last;
    };
    for (const command of prepared.commands) {
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
    this.#run = device.journal.ran(prepared.dependence, first, last);
    for (const buffer of prepared.buffers) buffer.lastUse = stream.serial;
    for (const { buffer } of results.values()) buffer.lastUse = stream.serial;
    this.#faults = tracker.isActive ? prepared.dependence.follow(tracker, checks) : null;
  }

  /** Gives `own`, which holds the values of `output` after the last run, the faults and losses that those values depend on. */
  passFaults(output: Storage, own: Storage): void {
    if (!this.prepared.capture.made.has(output)) return;
    const { faults, journal } = this.device;
    if (this.#run) journal.gave(this.#run, output, own.buffer);
    if (this.#faults) faults.tracker.put(own.buffer, this.#faults(output));
  }

  /** Returns the range of `output` after a run that made no storage for it. */
  rangeOf(output: Storage): BoundRange {
    return this.prepared.assignments.get(output) ?? output;
  }

  /**
   * Copies values that were assigned to variables since the last run into their slots. False if the values of one are
   * shared, so that the work must not overwrite them.
   */
  restoreVariables(copy: CopyBetween): boolean {
    const { variableSlots } = this.prepared.capture;
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

type CopyBetween = (source: BoundRange, target: BoundRange, bytes: number) => void;
