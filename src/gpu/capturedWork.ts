/**
 * @file Captured work: the commands of a recording, made ready to run again. Bind groups and parameters are there
 * beforehand; only parameters that change between runs (live numbers, fault slots) are packed anew.
 */
import type { Device } from './device.ts';
import { BufferUsage } from './flags.ts';
import { LiveNumber, ParamWords } from './params.ts';
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
export interface ReadyLaunch {
  readonly kind: 'ready';
  readonly launch: RecordedLaunch;
  readonly group: GPUBindGroup;
  /** Of the parameters in the work's own buffer; empty for a kernel without parameters. */
  readonly offsets: readonly number[];
}

/** A dispatch whose parameters are packed at every run, into the ring of the stream. */
export interface LiveLaunch {
  readonly kind: 'live';
  readonly launch: RecordedLaunch;
  readonly group: GPUBindGroup;
  readonly offsets: readonly number[];
}

export type ReadyCommand = ReadyLaunch | LiveLaunch | RecordedCopy;

/** Intermediate values of a device's captured work. Between two runs no one needs what lies there. */
const pools = new WeakMap<Device, BufferPool>();

function poolOf(device: Device): BufferPool {
  const { gpu, watch, pool } = device;
  const made = pools.get(device) ?? new BufferPool(gpu, watch, Number.POSITIVE_INFINITY, pool.statistics);
  pools.set(device, made);
  return made;
}

const slotBytes = 256;

export class CapturedWork {
  readonly commands: readonly ReadyCommand[];
  /** Buffers that the commands name: a run of the work is a use of each. */
  readonly buffers: ReadonlySet<DeviceBuffer>;
  readonly launches: number;
  /** Bytes of what the launches hand to each other, and the least that any plan would need. */
  readonly bytes: number;
  readonly leastBytes: number;
  readonly #params: GPUBuffer | null;

  /** Where the values lie that are wanted after a run. */
  readonly #places: ReadonlyMap<Storage, BoundRange>;

  constructor(
    private readonly device: Device,
    private readonly recording: Recording,
    private readonly effects: readonly (() => void)[],
    outlets: readonly Storage[],
    rewrite: (commands: readonly RecordedCommand[]) => readonly RecordedCommand[],
  ) {
    const planned = placeCommands(poolOf(device), recording, outlets, rewrite);
    const { commands } = planned;
    this.bytes = planned.bytes;
    this.leastBytes = planned.leastBytes;
    this.#places = planned.places;
    this.buffers = new Set(commands.flatMap(rangesOf).map(({ buffer }) => buffer));
    this.launches = commands.filter(({ kind }) => kind === 'launch').length;
    const fixed = commands.filter((command) => isFixed(command) && hasParams(command)) as RecordedLaunch[];
    const words = new ParamWords(Math.max(1, fixed.length) * slotBytes);
    const slotOf = new Map(fixed.map((launch, i) => [launch, i * slotBytes]));
    for (const [{ layout, params }, offset] of slotOf) layout.pack(words, offset / 4, params);
    this.#params = fixed.length > 0 ? paramBuffer(device.gpu, words) : null;
    const params = this.#params && adoptBuffer(this.#params);
    this.commands = commands.map((command): ReadyCommand => {
      if (command.kind === 'copy') return command;
      if (!isFixed(command)) {
        return { kind: 'live', launch: command, group: this.#bindGroup(command), offsets: [] };
      }
      const offset = slotOf.get(command);
      const offsets = offset === undefined ? [] : [offset];
      return {
        kind: 'ready',
        launch: command,
        group: this.#bindGroup(command, params ?? undefined),
        offsets,
      };
    });
  }

  /** The parameters lie in `params`, or in the ring of the stream. */
  #bindGroup({ pipeline, ranges, layout, fault }: RecordedLaunch, params?: DeviceBuffer): GPUBindGroup {
    const { stream, faults } = this.device;
    return stream.makeBindGroup(pipeline, ranges, fault ? faults.buffer : null, layout, params);
  }

  /** Appends all commands to the stream, once the variables are home. */
  run(): void {
    const { device } = this;
    const { stream } = device;
    device.requireAlive();
    for (const effect of this.effects) effect();
    for (const command of this.commands) {
      if (command.kind === 'copy') {
        const { source, target, bytes } = command;
        stream.copy(source.buffer, source.offset, target.buffer, target.offset, bytes);
        continue;
      }
      const { launch, group } = command;
      let { offsets } = command;
      if (command.kind === 'live') {
        const { fault, params, layout } = launch;
        offsets = stream.pack(layout, fault ? device.withFaultSlot(params, fault) : params);
      }
      stream.dispatch(launch, group, offsets);
    }
    for (const buffer of this.buffers) buffer.lastUse = stream.serial;
  }

  /** Where the values of `outlet` lie after a run. */
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

type CopyBetween = (source: BoundRange, target: BoundRange, bytes: number) => void;

function isFixed(command: RecordedCommand): boolean {
  if (command.kind === 'copy') return true;
  const { fault, params } = command;
  return !fault && !Object.values(params).some((value) => value instanceof LiveNumber);
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
