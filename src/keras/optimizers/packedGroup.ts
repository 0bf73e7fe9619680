/**
 * @file A group of small variables that one launch updates. Their values and slot variables are packed into one buffer,
 * role by role (values, then each slot), with every variable at the same offset in each role.
 */
import { bitsOf } from '../../core/bits.ts';
import { kernels } from '../../kernels/loading/loadKernels.ts';
import type { StepBuffers } from '../../kernels/optimizers/optimizerStep.ts';
import { makeTensor } from '../../tensor/tensor.ts';
import { Variable } from '../../tensor/variable.ts';
import type { Device } from '../../webgpu/device.ts';
import { type Storage, wholeWords } from '../../webgpu/storage.ts';
import { PackedRange } from './packedRange.ts';

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
