/**
 * @file The commands of a recording on buffers that were planned for them.
 */
import { type BindingType, bindingsOf, isReadOnly } from '../webgpu/kernel.ts';
import { type Lifetime, livenessBound, type Place, planMemory } from './memoryPlan.ts';
import type { DeviceBuffer } from '../webgpu/deviceBuffer.ts';
import { type Command, rangesOf } from '../webgpu/command.ts';
import type { Capture } from './capture.ts';
import type { SharedBuffers } from './sharedBuffers.ts';
import { Storage } from '../webgpu/storage.ts';
import type { BoundRange } from '../webgpu/boundRange.ts';

export interface AssignedCommands {
  readonly commands: readonly Command[];
  /** The planned buffers; whoever places the commands releases them. */
  readonly buffers: readonly DeviceBuffer[];
  /** Where the storages lie that the work made. */
  readonly places: ReadonlyMap<Storage, BoundRange>;
  /** Bytes of the planned buffers, and the least that any plan would need. */
  readonly bytes: number;
  readonly leastBytes: number;
}

/** Bindings are vectors at times: the last, ragged one must lie in the buffer. */
const alignment = 16;

/**
 * Rewrites the commands, and lays what they make into as little memory as it takes. `outlets` are needed to the end;
 * those that are `elsewhere` get no place.
 */
export function assignBuffers(
  shared: SharedBuffers,
  limit: number,
  capture: Capture,
  outlets: readonly Storage[],
  rewrite: (commands: readonly Command[]) => readonly Command[],
  elsewhere: ReadonlyMap<Storage, unknown>,
): AssignedCommands {
  const made = new Map([...capture.made].filter(([storage]) => !elsewhere.has(storage)));
  const commands = rewrite(capture.commands);
  const lifetimes = lifetimesOf(commands, made, outlets);
  const { sizes, places: planned } = planMemory(lifetimes, limit);
  const buffers = shared.acquire(sizes);
  const places = new Map(
    lifetimes.map(({ key, bytes }) => {
      const { buffer, offset } = planned.get(key) as Place;
      return [key, { buffer: buffers[buffer] as DeviceBuffer, offset, bytes }] as const;
    }),
  );
  const placed = (range: BoundRange) => places.get(range as Storage) ?? range;
  return {
    commands: commands.map((command) =>
      command.kind === 'launch'
        ? { ...command, ranges: command.ranges.map(placed) }
        : { ...command, source: placed(command.source), target: placed(command.target) },
    ),
    buffers,
    places,
    bytes: sizes.reduce((total, size) => total + size, 0),
    leastBytes: livenessBound(lifetimes),
  };
}

/** When the commands first and last name what they make, and what a command names together. */
export function lifetimesOf(
  commands: readonly Command[],
  made: ReadonlyMap<Storage, number>,
  outlets: readonly Storage[],
): Lifetime<Storage>[] {
  const spans = new Map<Storage, { first: number; last: number; apart: Set<Storage> }>();
  const isMade = (range: BoundRange): range is Storage => range instanceof Storage && made.has(range);
  const note = (storage: Storage, at: number) => {
    const span = spans.get(storage) ?? { first: at, last: at, apart: new Set() };
    span.last = at;
    spans.set(storage, span);
    return span.apart;
  };
  commands.forEach((command, at) => {
    const named = rangesOf(command).filter(isMade);
    const written = new Set(writtenBy(command).filter(isMade));
    for (const storage of named) {
      const apart = note(storage, at);
      for (const other of written.has(storage) ? named : written) if (other !== storage) apart.add(other);
    }
  });
  for (const outlet of outlets) if (isMade(outlet)) note(outlet, commands.length);
  return [...spans].map(([key, span]) => {
    const bytes = Math.max(alignment, Math.ceil((made.get(key) as number) / alignment) * alignment);
    return { key, bytes, ...span };
  });
}

function writtenBy(command: Command): readonly BoundRange[] {
  if (command.kind === 'copy') return [command.target];
  const bindings = Object.values(bindingsOf(command.kernel, command.options));
  return command.ranges.filter((_, i) => !isReadOnly(bindings[i] as BindingType));
}
