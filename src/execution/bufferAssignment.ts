/**
 * @file Assigns planned buffers to the commands of a recording.
 */
import type { Pieces } from '../core/pieces.ts';
import { type Lifetime, livenessBound, type Assignment, planMemory } from './memoryPlan.ts';
import type { DeviceBuffer } from '../webgpu/deviceBuffer.ts';
import { type Command, rangesOf, rangesWrittenBy } from '../webgpu/command.ts';
import type { Capture } from './capture.ts';
import type { SharedBuffers } from './sharedBuffers.ts';
import { Storage } from '../webgpu/storage.ts';
import type { BoundRange } from '../webgpu/boundRange.ts';

export interface AssignedCommands {
  readonly commands: readonly Command[];
  /** The planned buffers; the caller of `assignBuffers` releases them. */
  readonly buffers: readonly DeviceBuffer[];
  /** The range assigned to each storage allocated by the work. */
  readonly assignments: ReadonlyMap<Storage, BoundRange>;
  /** Bytes of the planned buffers, and the least that any plan would need. */
  readonly bytes: number;
  readonly minBytes: number;
}

/** Some bindings are arrays of vectors: a partial last vector must fit in the buffer. */
const alignment = 16;

/**
 * Rewrites the commands and assigns buffers to the storages they make, in as little memory as possible. `outputs` live to
 * the end; storages in `elsewhere` get no assignment.
 */
export function* assignBuffers(
  shared: SharedBuffers,
  limit: number,
  capture: Capture,
  outputs: readonly Storage[],
  rewrite: (commands: readonly Command[]) => Pieces<readonly Command[]>,
  elsewhere: ReadonlyMap<Storage, unknown>,
): Pieces<AssignedCommands> {
  const made = new Map([...capture.made].filter(([storage]) => !elsewhere.has(storage)));
  const commands = yield* rewrite(capture.commands);
  yield;
  const lifetimes = lifetimesOf(commands, made, outputs);
  yield;
  const { sizes, assignments: planned } = yield* planMemory(lifetimes, limit);
  const buffers = shared.acquire(sizes);
  const assignments = new Map(
    lifetimes.map(({ key, bytes }) => {
      const { buffer, offset } = planned.get(key) as Assignment;
      return [key, { buffer: buffers[buffer] as DeviceBuffer, offset, bytes }] as const;
    }),
  );
  const assigned = (range: BoundRange) => assignments.get(range as Storage) ?? range;
  return {
    commands: commands.map((command) =>
      command.kind === 'launch'
        ? { ...command, ranges: command.ranges.map(assigned) }
        : { ...command, source: assigned(command.source), target: assigned(command.target) },
    ),
    buffers,
    assignments,
    bytes: sizes.reduce((total, size) => total + size, 0),
    minBytes: livenessBound(lifetimes),
  };
}

/** For each storage that the commands make: the first and last command that names it, and which others it conflicts with. */
export function lifetimesOf(
  commands: readonly Command[],
  made: ReadonlyMap<Storage, number>,
  outputs: readonly Storage[],
): Lifetime<Storage>[] {
  const spans = new Map<Storage, { first: number; last: number; conflicts: Set<Storage> }>();
  const isMade = (range: BoundRange): range is Storage => range instanceof Storage && made.has(range);
  const note = (storage: Storage, at: number) => {
    const span = spans.get(storage) ?? { first: at, last: at, conflicts: new Set() };
    span.last = at;
    spans.set(storage, span);
    return span.conflicts;
  };
  commands.forEach((command, at) => {
    const named = rangesOf(command).filter(isMade);
    const written = new Set(rangesWrittenBy(command).filter(isMade));
    for (const storage of named) {
      const conflicts = note(storage, at);
      for (const other of written.has(storage) ? named : written) if (other !== storage) conflicts.add(other);
    }
  });
  for (const output of outputs) if (isMade(output)) note(output, commands.length);
  return [...spans].map(([key, span]) => {
    const bytes = Math.max(alignment, Math.ceil((made.get(key) as number) / alignment) * alignment);
    return { key, bytes, ...span };
  });
}
