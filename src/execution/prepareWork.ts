/**
 * @file Prepares a recording to run again, in pieces: fuses launches, plans the memory of what they make, packs parameters, and makes
 * bind groups.
 */
import type { Pieces } from '../core/pieces.ts';
import type { BufferAllocator } from '../webgpu/allocator.ts';
import { type Command, commandsPerPiece, type PreparedLaunch, rangesOf } from '../webgpu/command.ts';
import type { Device } from '../webgpu/device.ts';
import type { DeviceBuffer } from '../webgpu/deviceBuffer.ts';
import { BufferUsage } from '../webgpu/flags.ts';
import { DynamicScalar, ParamWords } from '../webgpu/params.ts';
import type { BoundRange } from '../webgpu/boundRange.ts';
import type { Storage } from '../webgpu/storage.ts';
import { assignBuffers } from './bufferAssignment.ts';
import type { Capture } from './capture.ts';
import { type BoundCommand, CapturedResources, CapturedWork } from './capturedWork.ts';
import { Dependence } from './faultDependence.ts';
import { LaunchBindings } from './launchBindings.ts';
import { SharedBuffers } from './sharedBuffers.ts';

/** Fuses commands, or replaces them otherwise. */
export type Rewrite = (commands: readonly Command[]) => Pieces<readonly Command[]>;

/** The buffers of intermediate values of a device's captured work. */
const sharedBuffers = new WeakMap<Device, SharedBuffers>();

function sharedBy(device: Device): SharedBuffers {
  const made = sharedBuffers.get(device) ?? new SharedBuffers(device.pool);
  sharedBuffers.set(device, made);
  return made;
}

/** Bytes between the parameters of two launches. */
const slotBytes = 256;
/** Results of at least this many bytes get a new buffer per run; copying a smaller one costs less than rebinding. */
const minOwnBufferBytes = 2 ** 16;

/** Prepares what `capture` recorded. `outputs` are the storages that are read afterwards. Work that is ended early holds nothing. */
export function* prepareWork(
  device: Device,
  capture: Capture,
  outputs: readonly Storage[],
  rewrite: Rewrite,
): Pieces<CapturedWork> {
  const dependence = yield* Dependence.of(capture);
  const ownBuffers = ownBufferResults(capture, outputs);
  const { allocator, pool } = device;
  const shared = sharedBy(device);
  const planned = yield* assignBuffers(shared, pool.limit, capture, outputs, rewrite, ownBuffers);
  const { commands, bytes, minBytes, assignments } = planned;
  let work: CapturedWork | null = null;
  let params: DeviceBuffer | null = null;
  try {
    const launches = commands.filter((command) => command.kind === 'launch');
    const packed = yield* packParams(launches);
    params = packed.slotOf.size > 0 ? paramBuffer(allocator, packed.words) : null;
    yield;
    const hasOwnBuffer = (range: BoundRange) => ownBuffers.has(range as Storage);
    const lasting = commands.flatMap(rangesOf).filter((range) => !hasOwnBuffer(range));
    work = new CapturedWork(device, {
      capture,
      commands: yield* bindAll(device, commands, { ...packed, params, hasOwnBuffer }),
      buffers: new Set([...lasting.map(({ buffer }) => buffer), ...(params ? [params] : [])]),
      launches: launches.length,
      bytes,
      minBytes,
      assignments,
      ownBuffers,
      dependence,
      resources: new CapturedResources(capture.pins, shared, planned.buffers, allocator, params),
    });
    return work;
  } finally {
    if (!work) new CapturedResources(capture.pins, shared, planned.buffers, allocator, params).release();
  }
}

/** Returns the results that are large enough to get a new storage in every run, with their bytes. Others are copied out. */
function ownBufferResults({ made }: Capture, outputs: readonly Storage[]): ReadonlyMap<Storage, number> {
  const large = outputs.filter((output) => (made.get(output) ?? 0) >= minOwnBufferBytes);
  return new Map(large.map((output) => [output, made.get(output) as number]));
}

interface PackedParams {
  readonly words: ParamWords;
  /** Where the parameters of a launch are, in bytes; nothing for launches without any, or whose parameters change. */
  readonly slotOf: ReadonlyMap<Command, number>;
}

function* packParams(launches: readonly PreparedLaunch[]): Pieces<PackedParams> {
  const fixed = launches.filter((launch) => isFixed(launch) && hasParams(launch));
  const words = new ParamWords(Math.max(1, fixed.length) * slotBytes);
  const slotOf = new Map(fixed.map((launch, i) => [launch, i * slotBytes]));
  for (const [{ layout, params }, offset] of slotOf) {
    layout.pack(words, offset / 4, params);
    if (offset % (commandsPerPiece * slotBytes) === 0) yield;
  }
  return { words, slotOf };
}

interface Binding extends PackedParams {
  /** The buffer of the packed parameters. */
  readonly params: DeviceBuffer | null;
  /** Whether each run replaces the range by another. */
  readonly hasOwnBuffer: (range: BoundRange) => boolean;
}

function* bindAll(
  device: Device,
  commands: readonly Command[],
  { slotOf, params, hasOwnBuffer }: Binding,
): Pieces<BoundCommand[]> {
  const bindings = { ready: new LaunchBindings(device, params), live: new LaunchBindings(device, null) };
  const bound = (command: Command): BoundCommand => {
    if (command.kind === 'copy') return command;
    const kind = isFixed(command) ? 'ready' : 'live';
    const offset = slotOf.get(command);
    const groupFor = bindings[kind].groupFor(command, hasOwnBuffer);
    return { kind, launch: command, groupFor, offsets: offset === undefined ? [] : [offset] };
  };
  const all: BoundCommand[] = [];
  for (let begin = 0; begin < commands.length; begin += commandsPerPiece) {
    if (begin > 0) yield;
    const piece = commands.slice(begin, begin + commandsPerPiece);
    // The error scope that bind groups share must not be open while other tasks run.
    all.push(...device.stream.bindGroups.together(() => piece.map(bound)));
  }
  return all;
}

function isFixed({ fault, params }: PreparedLaunch): boolean {
  return !fault && !Object.values(params).some((value) => value instanceof DynamicScalar);
}

function hasParams({ layout }: PreparedLaunch): boolean {
  return layout.fields.length > 0;
}

function paramBuffer(allocator: BufferAllocator, words: ParamWords): DeviceBuffer {
  return allocator.createFilled(words.u32, BufferUsage.UNIFORM, { label: 'captured parameters' });
}
