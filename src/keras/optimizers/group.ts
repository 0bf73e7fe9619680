/**
 * @file Groups of small variables that one launch moves together: their values and states lie in one block, role by role,
 * each variable at the same place of every role.
 */
import type { Device } from '../../webgpu/device.ts';
import { type Storage, wholeWords } from '../../webgpu/storage.ts';
import { bitsOf, fillRange } from '../../kernels/fill.ts';
import type { StepPlace } from '../../kernels/optimizerStep.ts';
import { makeTensor } from '../../tensor/tensor.ts';
import { Variable } from '../../tensor/variable.ts';
import { Place } from './place.ts';

/** Ranges of a buffer are bound at multiples of this many bytes. */
const alignment = 256;

/** Frees the blocks of groups that were dropped without `dispose`. */
const dropped = new FinalizationRegistry<Storage>((block) => block.release());

/** A state as a group makes it. */
export interface GroupState {
  readonly initial: number;
  nameFor(variable: Variable): string;
}

export class Group {
  readonly block: Storage;
  /** Where each variable begins in a role, in vectors of four. */
  readonly starts: readonly number[];
  readonly place: StepPlace & { kind: 'packed' };
  /** By variable, then by role: the values, then each state. */
  readonly places: readonly (readonly Place[])[];
  /** By variable, then by state. */
  readonly states: readonly (readonly Variable[])[];

  /** Takes the values of `variables` into a block of its own, with their states beside them. */
  constructor(
    private readonly device: Device,
    private readonly variables: readonly Variable[],
    states: readonly GroupState[],
    capacity: number,
  ) {
    const bytes = variables.map((variable) => Math.max(1, Math.ceil(variable.bytes / alignment)) * alignment);
    const offsets = bytes.map((_, k) => bytes.slice(0, k).reduce((sum, n) => sum + n, 0));
    const roleBytes = bytes.reduce((sum, n) => sum + n, 0);
    const roles = states.length + 1;
    this.block = device.allocate(roles * roleBytes, 'optimizer');
    dropped.register(this, this.block, this);
    this.starts = offsets.map((offset) => offset / 16);
    this.place = { kind: 'packed', block: this.block, stride: roleBytes / 16, capacity };
    this.places = variables.map((_, k) =>
      Array.from(
        { length: roles },
        (_, role) => new Place(this.block, role * roleBytes + (offsets[k] as number), bytes[k] as number),
      ),
    );
    for (const [role, initial] of [0, ...states.map((state) => state.initial)].entries()) {
      const { buffer, offset } = this.block;
      const range = { buffer, offset: offset + role * roleBytes, bytes: roleBytes };
      fillRange(device, range, roleBytes / 4, bitsOf(initial, 'float32'));
    }
    this.states = variables.map((variable, k) =>
      states.map((state, i) => this.#makeState(variable, state, this.places[k]?.[i + 1] as Place)),
    );
    variables.forEach((variable, k) => {
      this.places[k]?.[0]?.settle(variable);
    });
  }

  /** Whether all values and states lie in the block. */
  get settled(): boolean {
    return this.#pairs().every(({ variable, place }) => variable.disposed || place.holds(variable));
  }

  /** Brings home what left its place. */
  settle(): void {
    for (const { variable, place } of this.#pairs()) {
      if (!variable.disposed && !place.holds(variable) && place.empty) place.settle(variable);
    }
  }

  /** Whether the values and states of the variable at `index` lie in the block, for this launch to overwrite. */
  isHome(index: number): boolean {
    if (this.variables[index]?.disposed) return false;
    return this.#pairsOf(index).every(({ variable, place }) => variable.writableStorage() === place.storage);
  }

  /** Frees the states; the variables get storages of their own again. */
  dispose(): void {
    this.variables.forEach((variable, k) => {
      if (variable.disposed || !this.places[k]?.[0]?.holds(variable)) return;
      const own = this.device.allocate(variable.bytes, variable.label);
      this.device.copy(variable.current, own, wholeWords(variable.bytes));
      variable.adopt(own);
    });
    for (const state of this.states.flat()) state.dispose();
    dropped.unregister(this);
    this.block.release();
  }

  #makeState(variable: Variable, state: GroupState, place: Place): Variable {
    const origin = { kind: 'fresh', by: 'optimizer', callSite: undefined } as const;
    const { shape, dtype } = variable;
    const initial = makeTensor(this.device, place.take(), { shape, dtype }, origin);
    const made = new Variable(initial, { name: state.nameFor(variable), trainable: false });
    initial.dispose();
    return made;
  }

  #pairs(): Pair[] {
    return this.variables.flatMap((_, k) => this.#pairsOf(k));
  }

  #pairsOf(index: number): Pair[] {
    const variables = [this.variables[index] as Variable, ...(this.states[index] as Variable[])];
    return variables.map((variable, role) => ({ variable, place: this.places[index]?.[role] as Place }));
  }
}

interface Pair {
  readonly variable: Variable;
  readonly place: Place;
}
