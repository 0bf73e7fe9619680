/**
 * @file A group of small variables that one launch updates. Their values and slot variables are packed into one buffer,
 * role by role (values, then each slot), with every variable at the same offset in each role.
 */
import { Variable } from '../../tensor/variable.ts';
import { Storage, wholeWords } from '../../webgpu/storage.ts';
import { bitsOf } from '../../core/bits.ts';
import { kernels } from '../../kernels/loading/loadKernels.ts';
import type { StepBuffers } from '../../kernels/optimizers/optimizerStep.ts';
import { makeTensor } from '../../tensor/tensor.ts';
import type { Device } from '../../webgpu/device.ts';

/**
 * A range of a packed buffer that is reserved for one variable. The variable's values may move out (it is assigned, or shared
 * with a tape when a step would overwrite it) and back in; in between the range is free.
 */
class PackedRange {
  readonly storage: Storage;
  /** Whether this range holds a reference to the packed buffer. */
  #retainsBuffer = true;
  #acquired = false;

  /** `offset` and `bytes` are multiples of 256. */
  constructor(
    private readonly packed: Storage,
    offset: number,
    bytes: number,
  ) {
    packed.retain();
    this.storage = new Storage(packed.buffer, packed.offset + offset, bytes, () => {
      this.#retainsBuffer = false;
      packed.release();
    });
  }

  /** Returns whether the values of `variable` are in this range. */
  holds(variable: Variable): boolean {
    return variable.current === this.storage;
  }

  /** Whether values may be written here, because nothing reads the old ones. */
  get free(): boolean {
    return !this.#acquired || this.storage.abandoned;
  }

  /** Returns a reference to the range, which must be free. */
  acquire(): Storage {
    if (!this.#acquired) {
      this.#acquired = true;
      return this.storage;
    }
    // If captured work pins the range, it was never released, and the packed buffer is still retained.
    if (!this.#retainsBuffer) this.packed.retain();
    this.#retainsBuffer = true;
    return this.storage.retain();
  }

  /** Moves the values of `variable` here. */
  moveIn(variable: Variable): void {
    variable.device.copy(variable.current, this.storage, wholeWords(variable.bytes));
    variable.adopt(this.acquire());
  }
}

/** WebGPU binds ranges of a buffer at multiples of this many bytes. */
const alignment = 256;

/** Frees the buffers of groups that are garbage-collected without `dispose`. */
const dropped = new FinalizationRegistry<Storage>((packed) => packed.release());

/** The initialization of a slot variable. */
export interface SlotInit {
  readonly initial: number;
  nameFor(variable: Variable): string;
}

export class PackedGroup {
  readonly packed: Storage;
  /** Where each variable starts within a role, in vectors of four. */
  readonly starts: readonly number[];
  readonly buffers: StepBuffers & { kind: 'packed' };
  /** By variable, then by role: the values, then each slot. */
  readonly ranges: readonly (readonly PackedRange[])[];
  /** Slot variables by variable. */
  readonly slots: readonly (readonly Variable[])[];

  /** Moves the values of `variables` into a packed buffer and creates their slot variables there. */
  constructor(
    private readonly device: Device,
    private readonly variables: readonly Variable[],
    slots: readonly SlotInit[],
    capacity: number,
  ) {
    const bytes = variables.map((variable) => Math.max(1, Math.ceil(variable.bytes / alignment)) * alignment);
    const offsets = bytes.map((_, k) => bytes.slice(0, k).reduce((sum, n) => sum + n, 0));
    const roleBytes = bytes.reduce((sum, n) => sum + n, 0);
    const roles = slots.length + 1;
    this.packed = device.allocate(roles * roleBytes, 'optimizer');
    dropped.register(this, this.packed, this);
    this.starts = offsets.map((offset) => offset / 16);
    this.buffers = { kind: 'packed', block: this.packed, stride: roleBytes / 16, capacity };
    this.ranges = variables.map((_, k) =>
      Array.from(
        { length: roles },
        (_, role) =>
          new PackedRange(this.packed, role * roleBytes + (offsets[k] as number), bytes[k] as number),
      ),
    );
    for (const [role, initial] of [0, ...slots.map((slot) => slot.initial)].entries()) {
      const { buffer, offset } = this.packed;
      const range = { buffer, offset: offset + role * roleBytes, bytes: roleBytes };
      kernels().fillRange(device, range, roleBytes / 4, bitsOf(initial, 'float32'));
    }
    this.slots = variables.map((variable, k) =>
      slots.map((slot, i) => this.#makeSlot(variable, slot, this.ranges[k]?.[i + 1] as PackedRange)),
    );
    variables.forEach((variable, k) => {
      this.ranges[k]?.[0]?.moveIn(variable);
    });
  }

  /** Whether all values and slot variables are in the packed buffer. */
  get isPacked(): boolean {
    return this.#pairs().every(({ variable, range }) => variable.disposed || range.holds(variable));
  }

  /** Moves values that left the packed buffer back in. */
  repack(): void {
    const pairs = this.#pairs().filter(({ variable }) => !variable.disposed);
    // If none of the old values is needed, what was wrong with them doesn't apply to the new ones.
    if (pairs.every(({ range }) => range.free)) this.device.forgetValues(this.packed.buffer);
    for (const { variable, range } of pairs) if (!range.holds(variable) && range.free) range.moveIn(variable);
  }

  /** Returns whether a launch may overwrite variable `index` and its slots in the packed buffer. */
  isWritable(index: number): boolean {
    if (this.variables[index]?.disposed) return false;
    return this.#pairsOf(index).every(({ variable, range }) => variable.writableStorage() === range.storage);
  }

  /** Frees the slot variables and gives each variable its own buffer again. */
  dispose(): void {
    this.variables.forEach((variable, k) => {
      if (variable.disposed || !this.ranges[k]?.[0]?.holds(variable)) return;
      const own = this.device.allocate(variable.bytes, variable.label);
      this.device.copy(variable.current, own, wholeWords(variable.bytes));
      variable.adopt(own);
    });
    for (const slot of this.slots.flat()) slot.dispose();
    dropped.unregister(this);
    this.packed.release();
  }

  #makeSlot(variable: Variable, slot: SlotInit, range: PackedRange): Variable {
    const origin = { kind: 'fresh', by: 'optimizer', callSite: undefined } as const;
    const { shape, dtype } = variable;
    const initial = makeTensor(this.device, range.acquire(), { shape, dtype }, origin);
    const made = new Variable(initial, { name: slot.nameFor(variable), trainable: false });
    initial.dispose();
    return made;
  }

  #pairs(): Pair[] {
    return this.variables.flatMap((_, k) => this.#pairsOf(k));
  }

  #pairsOf(index: number): Pair[] {
    const variables = [this.variables[index] as Variable, ...(this.slots[index] as Variable[])];
    return variables.map((variable, role) => ({
      variable,
      range: this.ranges[index]?.[role] as PackedRange,
    }));
  }
}

interface Pair {
  readonly variable: Variable;
  readonly range: PackedRange;
}
