/**
 * @file One captured call: what a recording needs beside its launches. Inputs lie in slots of its own, into which each run
 * copies. Large outputs are written where they stay, others are copied out: the next run leaves them alone.
 */
import { leavesOf, mapNest, type Nest } from '../core/nest.ts';
import { bytesPerElement } from '../core/dtype.ts';
import { sizeOf } from '../core/shape.ts';
import type { TensorSpec } from '../core/spec.ts';
import { CapturedWork } from '../webgpu/capturedWork.ts';
import type { Device } from '../webgpu/device.ts';
import { collectEffects } from '../webgpu/onReplay.ts';
import { chargeCalls } from '../ops/charging.ts';
import { fuseElementwise } from '../kernels/fuse.ts';
import { withRecording } from '../webgpu/activeRecording.ts';
import { type RecordedCommand, Recording } from '../webgpu/recording.ts';
import { type Storage, wholeWords } from '../webgpu/storage.ts';
import type { BoundRange } from '../webgpu/stream.ts';
import type { Provenance } from '../history/provenance.ts';
import { tidy } from '../tensor/scope.ts';
import { makeTensor, Tensor } from '../tensor/tensor.ts';
import { Variable } from '../tensor/variable.ts';

export interface CaptureResult {
  value: Nest<unknown>;
  /** Null where the call can't be replayed; `obstacle` says why. */
  captured: Captured | null;
  obstacle: string | null;
}

/** Where a run puts an input. */
interface Slot {
  readonly storage: Storage;
  readonly bytes: number;
  /** The tensor whose values lie here: tensors don't change, so the same one isn't copied twice. */
  holds: number;
}

/** Where a run leaves an output, and as what it is given back. */
interface Outlet {
  readonly storage: Storage;
  readonly spec: TensorSpec;
}

/** Runs `body` on tensors with the values of `inputs`, and makes a replay of it. */
export function captureCall(
  device: Device,
  name: string,
  inputs: readonly Tensor[],
  body: (proxies: readonly Tensor[]) => Nest<unknown>,
): CaptureResult {
  const slots = inputs.map((input): Slot => {
    const storage = device.allocateOutside(input.bytes, `input of ${name}`);
    device.copy(input.storage, storage, wholeWords(input.bytes));
    return { storage, bytes: input.bytes, holds: input.id };
  });
  chargeCalls();
  const recording = new Recording(device);
  const effects: (() => void)[] = [];
  const proxies = inputs.map(
    (input, i) => new Tensor(device, (slots[i] as Slot).storage.retain(), input, input.provenance),
  );
  const outlets = new Map<Tensor, Outlet>();
  let value: Nest<unknown>;
  try {
    value = withRecording(recording, () =>
      collectEffects(
        (effect) => effects.push(effect),
        () =>
          tidy(() => {
            const result = body(proxies);
            for (const leaf of leavesOf(result)) {
              if (leaf instanceof Tensor && !(leaf instanceof Variable)) outlets.set(leaf, outletOf(leaf));
            }
            return result;
          }),
      ),
    );
    withRecording(recording, () => recording.settleHolders());
  } catch (error) {
    for (const { storage } of outlets.values()) storage.release();
    for (const proxy of proxies) proxy.dispose();
    for (const { storage } of slots) storage.release();
    recording.release();
    throw error;
  }
  const outputs = new Map(
    [...outlets].map(([leaf, { storage, spec }]) => [leaf, takeOut(device, name, storage, spec)]),
  );
  for (const proxy of proxies) proxy.dispose();
  for (const leaf of outlets.keys()) leaf.dispose();
  const given = mapNest(value, (leaf) => outputs.get(leaf as Tensor) ?? leaf);

  recording.checkRanges();
  const kept = recording.leftovers(new Set([...outlets.values()].map(({ storage }) => storage)));
  if (kept.length > 0) {
    recording.refuse(
      `it keeps ${kept.length} ${kept.length === 1 ? 'tensor' : 'tensors'} beyond the call, made by ${[...new Set(kept)].slice(0, 3).join(', ')}: return them instead`,
    );
  }
  const storages = [...outlets.values()].map(({ storage }) => storage);
  const rewrite = (commands: readonly RecordedCommand[]) =>
    fuseElementwise(device, commands, new Set(storages), recording.made);
  if (recording.obstacle || recording.dry) {
    // Fused launches have pipelines of their own, which a dry run prepares.
    if (!recording.obstacle) rewrite(recording.commands);
    for (const storage of [...storages, ...slots.map((slot) => slot.storage)]) storage.release();
    recording.release();
    for (const action of recording.afterRefusal) withRecording(null, action);
    return { value: given, captured: null, obstacle: recording.obstacle };
  }
  // What the plain run needed lies idle now. It goes before memory is planned, so that the two never lie side by side.
  device.pool.trim();
  device.flush();
  const work = new CapturedWork(device, recording, effects, storages, rewrite);
  // What the work makes lies elsewhere from now on.
  for (const storage of storages) if (recording.made.has(storage)) storage.release();
  const found = storages.filter((storage) => !recording.made.has(storage));
  const captured = new Captured(device, name, work, slots, found, outlets, value);
  return { value: given, captured, obstacle: null };
}

function outletOf(leaf: Tensor): Outlet {
  return { storage: leaf.storage.retain(), spec: { shape: leaf.shape, dtype: leaf.dtype } };
}

/** A tensor of its own with the values that lie in `range`. */
function takeOut(device: Device, name: string, range: BoundRange, spec: TensorSpec): Tensor {
  const bytes = sizeOf(spec.shape) * bytesPerElement(spec.dtype);
  const own = device.allocateOutside(bytes, name);
  if (bytes > 0) device.copyOutside(range, own, wholeWords(bytes));
  return madeBy(device, name, own, spec);
}

function madeBy(device: Device, name: string, own: Storage, spec: TensorSpec): Tensor {
  const provenance: Provenance = { cause: 'unrecorded', op: name };
  return makeTensor(device, own, spec, provenance);
}

export class Captured {
  constructor(
    private readonly device: Device,
    private readonly name: string,
    private readonly work: CapturedWork,
    private readonly slots: readonly Slot[],
    /** Results that the work didn't make, held for the next run. */
    private readonly found: readonly Storage[],
    private readonly outlets: ReadonlyMap<Tensor, Outlet>,
    /** The result of the recorded call; its tensors stand for the outlets. */
    private readonly result: Nest<unknown>,
  ) {}

  /** Counts of the replayed work. */
  get size(): { launches: number; bytes: number; leastBytes: number } {
    const { launches, bytes, leastBytes } = this.work;
    return { launches, bytes, leastBytes };
  }

  /** Runs again on `inputs`. Null where a variable's values are shared, so that they may not be overwritten. */
  run(inputs: readonly Tensor[]): { value: Nest<unknown> } | null {
    const { device, work, slots } = this;
    const isHome = work.bringHome((source, target, bytes) => device.copy(source, target, bytes));
    if (!isHome) return null;
    inputs.forEach((input, i) => {
      const slot = slots[i] as Slot;
      const { storage } = input;
      if (slot.holds === input.id) return;
      device.copy(storage, slot.storage, wholeWords(slot.bytes));
      slot.holds = input.id;
    });
    const results = work.run();
    const outputs = new Map(
      [...this.outlets].map(([leaf, { storage, spec }]) => {
        const own = results.get(storage);
        const output = own
          ? madeBy(device, this.name, own.retain(), spec)
          : takeOut(device, this.name, work.placeOf(storage), spec);
        work.passFaults(storage, output.storage);
        return [leaf, output];
      }),
    );
    for (const own of results.values()) own.release();
    // Work starts at a submission; the next call's JavaScript runs beside it.
    device.flush();
    return { value: mapNest(this.result, (leaf) => outputs.get(leaf as Tensor) ?? leaf) };
  }

  dispose(): void {
    for (const { storage } of this.slots) storage.release();
    for (const storage of this.found) storage.release();
    this.work.release();
  }
}
