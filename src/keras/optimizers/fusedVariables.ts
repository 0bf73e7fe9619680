/**
 * @file What an optimizer moves: its variables with their states. Small variables are packed in groups, which move by one
 * launch; a large one has storages of its own, and so has, for a step, one that left its place in the group.
 */
import type { DeviceBuffer } from '../../webgpu/pool.ts';
import { copyWords } from '../../kernels/copyWords.ts';
import { fillKernel } from '../../kernels/fill.ts';
import {
  type Clipping,
  largestPacked,
  membersOf,
  type StepMember,
  type StepPlace,
} from '../../kernels/optimizerStep.ts';
import { bindsAsVectors, output } from '../../kernels/output.ts';
import { squaresOf } from '../../ops/slices.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { Variable } from '../../tensor/variable.ts';
import { Group, type GroupState } from './packedGroup.ts';

/** A state beside each variable. */
export interface StateSpec {
  /** As Keras names it, such as `velocity_hat`. */
  readonly name: string;
  /** The value that it begins with. Default 0. */
  readonly initial?: number;
}

export interface Member {
  readonly variable: Variable;
  /** In the order of the optimizer's states. */
  readonly states: readonly Variable[];
  readonly decayed: boolean;
}

/** Members that one launch moves. */
export interface Unit {
  readonly place: StepPlace;
  readonly members: readonly UnitMember[];
  /** Number of the first member, in the order of all units. */
  readonly first: number;
}

export interface UnitMember extends StepMember {
  readonly variable: Variable;
}

/** The members of one optimizer, in the order in which it was given their variables. */
export class Members {
  readonly list: readonly Member[];
  readonly #groups: readonly { readonly group: Group; readonly members: readonly Member[] }[];
  readonly #apart: readonly Member[];

  constructor(
    variables: readonly Variable[],
    states: readonly GroupState[],
    clipping: Clipping,
    isDecayed: (variable: Variable) => boolean,
  ) {
    const made = new Map<Variable, Member>();
    const memberOf = (variable: Variable, own: readonly Variable[]) => {
      const member = { variable, states: own, decayed: isDecayed(variable) };
      made.set(variable, member);
      return member;
    };
    const [first] = variables;
    const capacity = first ? membersOf(first.device, clipping) : 1;
    this.#groups = batches(variables.filter(isSmall), capacity).map((batch) => {
      const { device } = batch[0] as Variable;
      const group = new Group(device, batch, states, capacity);
      return {
        group,
        members: batch.map((variable, k) => memberOf(variable, group.states[k] as Variable[])),
      };
    });
    this.#apart = variables
      .filter((variable) => !made.has(variable))
      .map((variable) =>
        memberOf(
          variable,
          states.map((state) => makeState(variable, state)),
        ),
      );
    this.list = variables.map((variable) => made.get(variable) as Member);
  }

  /** Whether all that belongs in a group is there. */
  get settled(): boolean {
    return this.#groups.every(({ group }) => group.settled);
  }

  /** Brings home what left its place in a group. */
  settle(): void {
    for (const { group } of this.#groups) group.settle();
  }

  /**
   * The launches of a step. What they write is no one else's from here on. A variable whose gradient is a sum of slices
   * has a launch of its own, within its group or apart, where `squares` are read.
   */
  units(gradients: ReadonlyMap<Variable, Tensor>, squares: boolean): Unit[] {
    const units: Unit[] = [];
    let first = 0;
    const squaresFor = (variable: Variable) => {
      const gradient = gradients.get(variable);
      return squares && gradient ? squaresOf(gradient) : null;
    };
    const unitMember = ({ variable, decayed }: Member, start: number, away: boolean): UnitMember => ({
      variable,
      start,
      size: variable.size,
      gradient: gradients.get(variable) ?? null,
      squares: squaresFor(variable),
      decayed,
      away,
    });
    const addApart = (member: Member, number: number) => {
      if (member.variable.disposed) return;
      const storages = [member.variable, ...member.states].map((variable) => ownStorage(variable));
      units.push({
        place: { kind: 'apart', storages },
        members: [unitMember(member, 0, false)],
        first: number,
      });
    };
    for (const { group, members } of this.#groups) {
      const away = members.map((_, k) => !group.isHome(k));
      const alone = members.map(({ variable }, k) => away[k] || squaresFor(variable) !== null);
      const start = (k: number) => group.starts[k] as number;
      if (!alone.every((isAlone) => isAlone)) {
        units.push({
          place: group.place,
          members: members.map((member, k) => unitMember(member, start(k), alone[k] as boolean)),
          first,
        });
      }
      for (const [k, member] of members.entries()) {
        if (away[k]) addApart(member, first + k);
        else if (alone[k]) {
          const place = { ...group.place, capacity: 1 };
          units.push({ place, members: [unitMember(member, start(k), false)], first: first + k });
        }
      }
      first += members.length;
    }
    for (const member of this.#apart) addApart(member, first++);
    return units;
  }

  /** Variables in the order of the units' numbers. */
  get numbered(): Variable[] {
    const grouped = this.#groups.flatMap(({ members }) => members);
    return [...grouped, ...this.#apart].map(({ variable }) => variable);
  }

  dispose(): void {
    for (const { group } of this.#groups) group.dispose();
    for (const state of this.#apart.flatMap(({ states }) => states)) state.dispose();
  }
}

function isSmall(variable: Variable): boolean {
  return variable.bytes <= largestPacked(variable.device);
}

/** Batches of at most `size`. A batch of one is none: a variable on its own needs no block. */
function batches(variables: readonly Variable[], size: number): Variable[][] {
  const count = Math.ceil(variables.length / size);
  const all = Array.from({ length: count }, (_, k) => variables.slice(k * size, (k + 1) * size));
  return all.filter((batch) => batch.length > 1);
}

function makeState(variable: Variable, { initial, nameFor }: GroupState): Variable {
  const values = fillKernel(variable.device, variable, initial, 'optimizer');
  const made = new Variable(values, { name: nameFor(variable), trainable: false });
  values.dispose();
  return made;
}

/** The storage of a variable that a step may overwrite, as whole vectors. */
function ownStorage(variable: Variable) {
  const storage = variable.writableStorage();
  if (bindsAsVectors(variable)) return storage;
  // Values in a buffer of an app's that ends within a vector.
  const own = output(variable.device, variable, 'optimizer');
  copyWords(variable, own.storage);
  variable.adopt(own.storage.retain());
  own.dispose();
  return variable.writableStorage();
}

/** Buffers that the launches of `units` write. */
function writtenBy(units: readonly Unit[]): Set<DeviceBuffer> {
  return new Set(
    units.flatMap(({ place }) =>
      place.kind === 'packed' ? [place.block.buffer] : place.storages.map(({ buffer }) => buffer),
    ),
  );
}

/**
 * The units with gradients that their launches can bind: apart from all that is written, in whole vectors. Copies are
 * freed with the scope around.
 */
export function withReadableGradients(units: readonly Unit[]): Unit[] {
  const written = writtenBy(units);
  const readable = (gradient: Tensor): Tensor => {
    if (!written.has(gradient.storage.buffer) && bindsAsVectors(gradient)) return gradient;
    const copy = output(gradient.device, gradient, 'optimizer');
    copyWords(gradient, copy.storage);
    return copy;
  };
  return units.map((unit) => ({
    ...unit,
    members: unit.members.map((member) => ({
      ...member,
      gradient: member.gradient && readable(member.gradient),
      squares: member.squares && readable(member.squares),
    })),
  }));
}
