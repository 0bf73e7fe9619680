/**
 * @file One captured call: its inputs and outputs. Each run copies its inputs into slots. Large outputs are written to
 * separate buffers and small ones are copied out, so that the next run leaves them alone.
 */
import { leavesOf, mapNest, type Nest } from '../core/nest.ts';
import { bytesPerElement } from '../core/dtype.ts';
import { atOnce, type Pieces } from '../core/pieces.ts';
import { sizeOf } from '../core/shape.ts';
import type { TensorSpec } from '../core/spec.ts';
import type { CapturedWork } from '../execution/capturedWork.ts';
import { copyWith } from '../webgpu/copyWith.ts';
import { withDevice } from '../webgpu/current.ts';
import type { Device } from '../webgpu/device.ts';
import { fuseElementwise } from '../kernels/elementwise/fusion.ts';
import { Capture } from '../execution/capture.ts';
import { prepareWork, type Rewrite } from '../execution/prepareWork.ts';
import { type Storage, wholeWords } from '../webgpu/storage.ts';
import type { BoundRange } from '../webgpu/boundRange.ts';
import type { Origin } from '../history/origin.ts';
import { tidy } from '../tensor/scope.ts';
import { alias, makeTensor, Tensor } from '../tensor/tensor.ts';
import { Variable } from '../tensor/variable.ts';
import { compareTrace, type FrozenValue } from './frozenValues.ts';

/** A call that ran and was recorded. */
export interface RecordedCall {
  readonly value: Nest<unknown>;
  /** Why it can't be replayed; null if it can. */
  readonly obstacle: string | null;
  /**
   * Prepares the replays; null where there are none. To be begun at once. If it is ended early, it frees what it holds, with the
   * results of the call.
   */
  readonly preparation: Pieces<Captured> | null;
}

/** Where a run puts an input. */
interface Slot {
  readonly storage: Storage;
  readonly bytes: number;
  readonly spec: TensorSpec;
  readonly name: string | undefined;
  /** Slot index of the tensor's mask; -1 if it has none. */
  readonly attachment: number;
  /** The id of the tensor whose values lie here: tensors don't change, so the same one isn't copied twice. */
  holds: number;
}

/** A result of the recorded call: each replay gives a tensor with the values that `storage` then has. */
interface Output {
  readonly storage: Storage;
  readonly spec: TensorSpec;
  /** The mask of a sequence; null if the tensor has none. */
  readonly attachment: Output | null;
}

type Outputs = ReadonlyMap<Tensor, Output>;

/** Runs `body` on tensors with the values of `inputs`, and records it for replays. */
export function recordCall(
  device: Device,
  name: string,
  inputs: readonly Tensor[],
  body: (proxies: readonly Tensor[]) => Nest<unknown>,
): RecordedCall {
  const outside = device.executor;
  const slots = inputs.map((input): Slot => {
    const { bytes, shape, dtype, attachment } = input;
    const storage = outside.allocate(bytes, `input of ${name}`);
    copyWith(outside, input.storage, storage, wholeWords(bytes));
    const index = attachment ? inputs.indexOf(attachment) : -1;
    return { storage, bytes, spec: { shape, dtype }, name: input.name, attachment: index, holds: input.id };
  });
  const capture = new Capture(device);
  const proxies = proxiesOf(device, slots, (i) => (inputs[i] as Tensor).origin);
  const outputs = new Map<Tensor, Output>();
  const release = () => {
    for (const storage of storagesOf(outputs)) storage.release();
    for (const { storage } of slots) storage.release();
    capture.release();
  };
  let value: Nest<unknown>;
  try {
    value = device.stream.bindGroups.together(() => recordBody(capture, () => body(proxies), outputs));
  } catch (error) {
    release();
    throw error;
  } finally {
    for (const proxy of proxies) proxy.dispose();
  }
  const given = giveOutputs(value, outputs, (output) => takeOut(device, name, output.storage, output.spec));

  capture.checkRanges();
  const kept = capture.leftovers(new Set(storagesOf(outputs)));
  if (kept.length > 0) {
    capture.preventReplay(
      `it keeps ${kept.length} ${kept.length === 1 ? 'tensor' : 'tensors'} beyond the call, made by ${[...new Set(kept)].slice(0, 3).join(', ')}: return them instead`,
    );
  }
  const rewrite = fusing(device, capture, outputs);
  if (!capture.obstacle && capture.isReal) {
    const recorded = { device, name, capture, slots, outputs, value, rewrite };
    return { value: given, obstacle: null, preparation: prepareReplays(recorded, given, release) };
  }
  // Fused launches have separate pipelines, which a dry run prepares.
  if (!capture.obstacle) atOnce(rewrite(capture.commands));
  release();
  capture.runPostponed();
  return { value: given, obstacle: capture.obstacle, preparation: null };
}

/** What was recorded of a call. */
interface Recorded {
  readonly device: Device;
  readonly name: string;
  readonly capture: Capture;
  readonly slots: readonly Slot[];
  readonly outputs: Outputs;
  /** The result; its tensors are the keys of `outputs`. */
  readonly value: Nest<unknown>;
  readonly rewrite: Rewrite;
}

/** `given` are the results of the recorded call, `release` frees what was recorded. */
function* prepareReplays(
  { device, name, capture, slots, outputs, value, rewrite }: Recorded,
  given: Nest<unknown>,
  release: () => void,
): Pieces<Captured> {
  const storages = storagesOf(outputs);
  let work: CapturedWork | null = null;
  try {
    // The buffers of the recorded run are idle now. Free them before planning memory, so that they are never held at the same time.
    device.pool.trim();
    device.flush();
    yield;
    work = yield* prepareWork(device, capture, storages, rewrite);
  } finally {
    if (!work) {
      release();
      for (const leaf of leavesOf(given)) if (isResult(leaf)) leaf.dispose();
    }
  }
  // From now on, intermediate results are in the planned buffers.
  for (const storage of storages) storage.release();
  return new Captured(device, name, work, slots, outputs, value);
}

function fusing(device: Device, capture: Capture, outputs: Outputs): Rewrite {
  return (commands) => fuseElementwise(device, commands, new Set(storagesOf(outputs)), capture.made);
}

/** Returns whether each call makes a new tensor in the place of `leaf`. */
const isResult = (leaf: unknown): leaf is Tensor => leaf instanceof Tensor && !(leaf instanceof Variable);

/** Records `body` and returns its result, whose tensors are keys of `outputs`. */
function recordBody(
  capture: Capture,
  body: () => Nest<unknown>,
  outputs: Map<Tensor, Output>,
): Nest<unknown> {
  let value: Nest<unknown> = null;
  capture.record(() =>
    tidy(() => {
      value = body();
      for (const leaf of leavesOf(value, 'the result')) {
        if (isResult(leaf)) outputs.set(leaf, outputOf(capture, leaf));
      }
    }),
  );
  return value;
}

/** Returns the tensors passed to the recorded call; their values are in the slots. */
function proxiesOf(device: Device, slots: readonly Slot[], originOf: (index: number) => Origin): Tensor[] {
  const proxies = slots.map(
    ({ storage, spec }, i) => new Tensor(device, storage.retain(), spec, originOf(i)),
  );
  slots.forEach(({ name, attachment }, i) => {
    const proxy = proxies[i] as Tensor;
    proxy.name = name;
    if (attachment >= 0) proxy.attachment = alias(proxies[attachment] as Tensor);
  });
  return proxies;
}

/**
 * Returns the output for a result of the recorded call. Values that the call didn't make (a variable's, an input's) may be
 * overwritten before the call ends: they are copied here, as part of the recording.
 */
function outputOf(capture: Capture, leaf: Tensor): Output {
  const { storage, bytes, shape, dtype, attachment } = leaf;
  let own: Storage;
  if (capture.made.has(storage)) own = storage.retain();
  else {
    own = capture.allocate(bytes, 'result');
    if (bytes > 0) copyWith(capture, storage, own, wholeWords(bytes));
  }
  return { storage: own, spec: { shape, dtype }, attachment: attachment && outputOf(capture, attachment) };
}

function storagesOf(outputs: Outputs): Storage[] {
  const withAttachments = ({ storage, attachment }: Output): Storage[] =>
    attachment ? [storage, ...withAttachments(attachment)] : [storage];
  return [...outputs.values()].flatMap(withAttachments);
}

/** Returns `value` with each output replaced by a tensor from `make`. */
function giveOutputs(
  value: Nest<unknown>,
  outputs: Outputs,
  make: (output: Output) => Tensor,
): Nest<unknown> {
  const given = new Map<Tensor, Tensor>();
  try {
    for (const [leaf, output] of outputs) {
      const tensor = make(output);
      given.set(leaf, tensor);
      if (!output.attachment) continue;
      const attachment = make(output.attachment);
      tensor.attachment = alias(attachment);
      attachment.dispose();
    }
  } catch (error) {
    for (const tensor of given.values()) tensor.dispose();
    throw error;
  }
  return mapNest(value, (leaf) => given.get(leaf as Tensor) ?? leaf);
}

/** Returns a new tensor with a copy of the values in `range`. */
function takeOut(device: Device, name: string, range: BoundRange, spec: TensorSpec): Tensor {
  const bytes = sizeOf(spec.shape) * bytesPerElement(spec.dtype);
  const own = device.allocate(bytes, name);
  if (bytes > 0) device.copy(range, own, wholeWords(bytes));
  return madeBy(device, name, own, spec);
}

function madeBy(device: Device, name: string, own: Storage, spec: TensorSpec): Tensor {
  const origin: Origin = { kind: 'unrecorded', op: name };
  return makeTensor(device, own, spec, origin);
}

/** Releases what a capture held that was dropped without `dispose`. The held values must not refer to the capture. */
const dropped = new FinalizationRegistry<readonly Releasable[]>(releaseAll);

interface Releasable {
  release(): void;
}

function releaseAll(held: readonly Releasable[]): void {
  for (const one of held) one.release();
}

export class Captured {
  readonly #retained: readonly Releasable[];
  /** The device's count of failures at the time of recording. */
  readonly #failures: number;

  constructor(
    private readonly device: Device,
    private readonly name: string,
    private readonly work: CapturedWork,
    private readonly slots: readonly Slot[],
    private readonly outputs: Outputs,
    /** The result of the recorded call; its tensors are the keys of `outputs`. */
    private readonly result: Nest<unknown>,
  ) {
    this.#retained = [...slots.map(({ storage }) => storage), work.prepared.resources];
    dropped.register(this, this.#retained, this);
    this.#failures = device.failures;
  }

  /** Counts of the replayed work. */
  get size(): { launches: number; bytes: number; minBytes: number } {
    const { launches, bytes, minBytes } = this.work.prepared;
    return { launches, bytes, minBytes };
  }

  get isLost(): boolean {
    return this.device.isLost;
  }

  /**
   * Runs again on `inputs`. Null if the call must be recorded again: a variable's values are shared, so they must not be
   * overwritten, or an allocation or submission failed, so buffers may have no memory or lack their values.
   */
  run(inputs: readonly Tensor[]): { value: Nest<unknown> } | null {
    const { device, name, work, slots } = this;
    if (device.failures !== this.#failures) return null;
    const isRestored = work.restoreVariables((source, target, bytes) => device.copy(source, target, bytes));
    if (!isRestored) return null;
    inputs.forEach((input, i) => {
      const slot = slots[i] as Slot;
      const { storage } = input;
      // The app may write to a shared buffer without the library's knowledge.
      if (slot.holds === input.id && !storage.exposed) return;
      device.copy(storage, slot.storage, wholeWords(slot.bytes));
      slot.holds = input.id;
    });
    const results = work.run();
    let value: Nest<unknown>;
    try {
      value = giveOutputs(this.result, this.outputs, ({ storage, spec }) => {
        const own = results.get(storage);
        const output = own
          ? madeBy(device, name, own.retain(), spec)
          : takeOut(device, name, work.rangeOf(storage), spec);
        work.passFaults(storage, output.storage);
        return output;
      });
    } finally {
      for (const own of results.values()) own.release();
    }
    // Work starts at a submission; the next call's JavaScript overlaps with it.
    device.flush();
    return { value };
  }

  /** Values frozen by the recording that `body` would now compute differently on the last inputs. Nothing is launched. */
  findFrozen(body: (proxies: readonly Tensor[]) => Nest<unknown>): FrozenValue[] {
    const { device, slots, work, name } = this;
    const proxies = proxiesOf(device, slots, () => ({ kind: 'fresh', by: name }));
    const outputs = new Map<Tensor, Output>();
    try {
      return withDevice(device, () =>
        compareTrace(device, work.prepared.capture, (capture) => {
          recordBody(capture, () => body(proxies), outputs);
        }),
      );
    } finally {
      for (const storage of storagesOf(outputs)) storage.release();
      for (const proxy of proxies) proxy.dispose();
    }
  }

  dispose(): void {
    dropped.unregister(this);
    releaseAll(this.#retained);
  }
}
