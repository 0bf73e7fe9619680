/**
 * @file The commands of a recording on buffers that were planned for them.
 */
import { type Lifetime, planMemory } from './memoryPlan.ts';
import type { BufferPool, DeviceBuffer } from './pool.ts';
import { type RecordedCommand, type Recording, rangesOf } from './recording.ts';
import { Storage } from './storage.ts';
import type { BoundRange } from './stream.ts';

export interface PlacedCommands {
  readonly commands: readonly RecordedCommand[];
  /** Where the storages lie that the work made. */
  readonly places: ReadonlyMap<Storage, BoundRange>;
}

/** Bindings are vectors at times: the last, ragged one must lie in the buffer. */
const alignment = 16;

/**
 * Rewrites the commands, and lays what they make into as little memory as it takes. `outlets` are needed to the end.
 * Between two runs nothing in the buffers is needed, so that all work of a device shares them.
 */
export function placeCommands(
  pool: BufferPool,
  recording: Recording,
  outlets: readonly Storage[],
  rewrite: (commands: readonly RecordedCommand[]) => readonly RecordedCommand[],
): PlacedCommands {
  const { made } = recording;
  const commands = rewrite(recording.commands);
  const lifetimes = lifetimesOf(commands, made, outlets);
  const { sizes, places: indices } = planMemory(lifetimes);
  const buffers = sizes.map((bytes) => pool.acquire(bytes, 'captured work'));
  for (const buffer of buffers) pool.release(buffer);
  const places = new Map(
    lifetimes.map(({ key, bytes }) => {
      const buffer = buffers[indices.get(key) as number] as DeviceBuffer;
      return [key, { buffer, offset: 0, bytes }] as const;
    }),
  );
  const placed = (range: BoundRange) => places.get(range as Storage) ?? range;
  return {
    commands: commands.map((command) =>
      command.kind === 'launch'
        ? { ...command, ranges: command.ranges.map(placed) }
        : { ...command, source: placed(command.source), target: placed(command.target) },
    ),
    places,
  };
}

/** When the commands first and last name what they make. */
export function lifetimesOf(
  commands: readonly RecordedCommand[],
  made: ReadonlyMap<Storage, number>,
  outlets: readonly Storage[],
): Lifetime<Storage>[] {
  const spans = new Map<Storage, { first: number; last: number }>();
  const note = (range: BoundRange, at: number) => {
    if (!(range instanceof Storage) || !made.has(range)) return;
    const span = spans.get(range);
    if (span) span.last = at;
    else spans.set(range, { first: at, last: at });
  };
  commands.forEach((command, at) => {
    for (const range of rangesOf(command)) note(range, at);
  });
  for (const outlet of outlets) note(outlet, commands.length);
  return [...spans].map(([key, span]) => {
    const bytes = Math.max(alignment, Math.ceil((made.get(key) as number) / alignment) * alignment);
    return { key, bytes, ...span };
  });
}
