/** @file The log of a device's journal: what was appended to its stream, in order. */
import type { DeviceBuffer } from './deviceBuffer.ts';
import type { FaultCarrier } from './faultSets.ts';
import type { Loss } from './losses.ts';
import type { Storage } from './storage.ts';

type LossOf = (values: FaultCarrier) => Loss | null;

/** What a replay of captured work writes. */
export interface ReplayedWork {
  /** Buffers from outside that a run writes. */
  readonly written: Iterable<DeviceBuffer>;
  /** Returns a function of values that a run writes: the worst loss of what they depend on, which are values before the run. */
  losses(lossOf: LossOf): (values: Storage | DeviceBuffer) => Loss | null;
}

export interface Launch {
  readonly kind: 'launch';
  readonly buffers: readonly DeviceBuffer[];
  /** Which of them it writes. */
  readonly writes: readonly boolean[];
}

export interface Copy {
  readonly kind: 'copy';
  readonly source: DeviceBuffer;
  /** A buffer, or the reader of a readback. */
  readonly target: DeviceBuffer | FaultCarrier;
  /** Whether it replaces all values of the target. */
  readonly isWhole: boolean;
}

/** A run of captured work, whose commands are in submissions `first` to `last`. */
export interface Run {
  readonly kind: 'run';
  readonly work: ReplayedWork;
  readonly first: number;
  readonly last: number;
}

/** `target` holds the values of `result` after a run. */
export interface Result {
  readonly kind: 'result';
  readonly run: Run;
  readonly result: Storage;
  readonly target: DeviceBuffer;
}

/** The host has written the whole buffer. */
export interface Upload {
  readonly kind: 'upload';
  readonly target: DeviceBuffer;
}

/** A variable holds the buffer from now on. */
export interface Hold {
  readonly kind: 'hold';
  readonly target: DeviceBuffer;
}

/** Values of the buffer are not needed any more. */
export interface Release {
  readonly kind: 'release';
  readonly target: DeviceBuffer;
}

export type Entry = Launch | Copy | Run | Result | Upload | Hold | Release;

/** Entries, except that the two most frequent are written flat: a launch as `writes` and the buffers, a release as the buffer. */
export type Log = (Exclude<Entry, Launch | Release> | DeviceBuffer | readonly boolean[])[];

/** Reads `log`. */
export function* entriesOf(log: Readonly<Log>): Generator<Entry> {
  for (let at = 0; at < log.length; at++) {
    const entry = log[at] as Log[number];
    if (isFlags(entry)) {
      const first = at + 1;
      yield { kind: 'launch', writes: entry, buffers: entry.map((_, i) => bufferAt(log, first + i)) };
      at += entry.length;
    } else if (isBuffer(entry)) yield { kind: 'release', target: entry };
    else yield entry;
  }
}

function bufferAt(log: Readonly<Log>, at: number): DeviceBuffer {
  return log[at] as DeviceBuffer;
}

export function isFlags(entry: Log[number]): entry is readonly boolean[] {
  return Array.isArray(entry);
}

export function isBuffer(entry: object): entry is DeviceBuffer {
  return 'gpu' in entry;
}

export function writtenBy(entry: Launch | Copy): readonly (DeviceBuffer | FaultCarrier)[] {
  return entry.kind === 'launch' ? entry.buffers.filter((_, i) => entry.writes[i]) : [entry.target];
}
