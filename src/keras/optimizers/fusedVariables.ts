/**
 * @file The variables of a fused optimizer with their slot variables, and the launches that a step needs. Small variables
 * are packed into groups, one launch each. A large variable keeps its own buffers and its own launch; so does, for one step,
 * a variable whose values have left the packed buffer.
 */
import type { Pieces } from '../../core/pieces.ts';
import { copyWords } from '../../kernels/copies/copyWords.ts';
import { kernels } from '../../kernels/loading/loadKernels.ts';
import {
  type Clipping,
  largestPacked,
  type StepBuffers,
  type StepVariable,
  variablesPerLaunch,
} from '../../kernels/optimizers/optimizerStep.ts';
import { bindsAsVectors, output } from '../../kernels/launch/output.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { Variable } from '../../tensor/variable.ts';
import type { DeviceBuffer } from '../../webgpu/deviceBuffer.ts';
import type { Storage } from '../../webgpu/storage.ts';
import { PackedGroup, type SlotInit } from './packedGroup.ts';

/** A slot variable that the update rule keeps for each variable, such as a momentum. */
export interface SlotSpec {
  /** Keras's name, such as `velocity_hat`. */
  readonly name: string;
  /** Initial value. Default 0. */
  readonly initial?: number | undefined;
}

export interface FusedVariable {
  readonly variable: Variable;
  /** In the order of the optimizer's slots. */
  readonly slots: readonly Variable[];
  readonly decayed: boolean;
}

/** The variables that one launch updates. */
export interface FusedLaunch {
  readonly buffers: StepBuffers;
  readonly variables: readonly LaunchVariable[];
  /** Index of the first variable, in the order of all launches. */
  readonly first: number;
}

/** A gradient, and what a step reads of its slices if it is a sum of slices (ops/indexing/slices.ts). */
export interface StepGradient extends Pick<StepVariable, 'sliceSums'> {
  readonly gradient: Tensor;
  /** Values whose norm is that of the slices; null if it is that of the gradient. */
  readonly withNorm: Tensor | null;
  /** Whether each slice has been clipped. */
  readonly isClipped: boolean;
}

export interface LaunchVariable extends StepVariable, Pick<StepGradient, 'withNorm' | 'isClipped'> {
  readonly variable: Variable;
}

interface Group {
  readonly group: PackedGroup;
  readonly variables: readonly FusedVariable[];
}

export class FusedVariables {
  private constructor(
    /** In the order in which they were passed to the optimizer. */
    readonly all: readonly FusedVariable[],
    private readonly groups: readonly Group[],
    private readonly separate: readonly FusedVariable[],
  ) {}

  /** Creates the slot variables, in pieces. If it is ended early, it frees them. */
  static *create(
    variables: readonly Variable[],
    slots: readonly SlotInit[],
    clipping: Clipping,
    isDecayed: (variable: Variable) => boolean,
  ): Pieces<FusedVariables> {
    const made = new Map<Variable, FusedVariable>();
    const make = (variable: Variable, own: readonly Variable[]) => {
      const fused = { variable, slots: own, decayed: isDecayed(variable) };
      made.set(variable, fused);
      return fused;
    };
    const [first] = variables;
    const capacity = first ? variablesPerLaunch(first.device, clipping) : 1;
    const [groups, separate]: [Group[], FusedVariable[]] = [[], []];
    let fused: FusedVariables | null = null;
    try {
      for (const members of groupsOf(variables.filter(isSmall), capacity)) {
        const { device } = members[0] as Variable;
        const group = new PackedGroup(device, members, slots, capacity);
        const own = members.map((variable, k) => make(variable, group.slots[k] as Variable[]));
        groups.push({ group, variables: own });
        yield;
      }
      for (const variable of variables.filter((one) => !made.has(one))) {
        const own = slots.map((slot) => makeSlot(variable, slot));
        separate.push(make(variable, own));
        yield;
      }
      const all = variables.map((variable) => made.get(variable) as FusedVariable);
      fused = new FusedVariables(all, groups, separate);
      return fused;
    } finally {
      if (!fused) freeSlots(groups, separate);
    }
  }

  /** Whether all grouped variables are in their packed buffers. */
  get isPacked(): boolean {
    return this.groups.every(({ group }) => group.isPacked);
  }

  /** Moves values that left a packed buffer back in. */
  repack(): void {
    for (const { group } of this.groups) group.repack();
  }

  /**
   * Returns the launches of a step. The buffers that they overwrite are no longer shared. A variable has its own launch if the step
   * reads its slices, or they have been clipped.
   */
  launches(gradients: ReadonlyMap<Variable, StepGradient>): FusedLaunch[] {
    const launches: FusedLaunch[] = [];
    const describe = (fused: FusedVariable, start: number, skipped: boolean) =>
      launchVariable(fused, gradients.get(fused.variable) ?? null, { start, skipped });
    const addSeparate = (fused: FusedVariable, first: number) => {
      if (fused.variable.disposed) return;
      const storages = [fused.variable, ...fused.slots].map((variable) => ownStorage(variable));
      launches.push({
        buffers: { kind: 'separate', storages },
        variables: [describe(fused, 0, false)],
        first,
      });
    };
    let first = 0;
    for (const { group, variables } of this.groups) {
      const isOut = variables.map((_, k) => !group.isWritable(k));
      const isAlone = variables.map(({ variable }, k) => isOut[k] || isSpecial(gradients.get(variable)));
      const start = (k: number) => group.starts[k] as number;
      if (!isAlone.every((alone) => alone)) {
        const described = variables.map((fused, k) => describe(fused, start(k), isAlone[k] as boolean));
        launches.push({ buffers: group.buffers, variables: described, first });
      }
      for (const [k, fused] of variables.entries()) {
        if (isOut[k]) addSeparate(fused, first + k);
        else if (isAlone[k]) {
          const buffers = { ...group.buffers, capacity: 1 };
          launches.push({ buffers, variables: [describe(fused, start(k), false)], first: first + k });
        }
      }
      first += variables.length;
    }
    for (const fused of this.separate) addSeparate(fused, first++);
    return launches;
  }

  /** Variables in the order that `FusedLaunch.first` counts. */
  get inLaunchOrder(): Variable[] {
    const grouped = this.groups.flatMap(({ variables }) => variables);
    return [...grouped, ...this.separate].map(({ variable }) => variable);
  }

  dispose(): void {
    freeSlots(this.groups, this.separate);
  }
}

function freeSlots(groups: readonly Group[], separate: readonly FusedVariable[]): void {
  for (const { group } of groups) group.dispose();
  for (const slot of separate.flatMap(({ slots }) => slots)) slot.dispose();
}

function launchVariable(
  { variable, decayed }: FusedVariable,
  given: StepGradient | null,
  { start, skipped }: { start: number; skipped: boolean },
): LaunchVariable {
  return {
    variable,
    start,
    size: variable.size,
    ...(given ?? { gradient: null, sliceSums: null, withNorm: null, isClipped: false }),
    decayed,
    skipped,
  };
}

function isSpecial(gradient: StepGradient | undefined): boolean {
  return gradient !== undefined && (gradient.sliceSums !== null || gradient.isClipped);
}

function isSmall(variable: Variable): boolean {
  return variable.bytes <= largestPacked(variable.device);
}

/** Returns groups of two to `size` variables. A single variable needs no packed buffer. */
function groupsOf(variables: readonly Variable[], size: number): Variable[][] {
  const count = Math.ceil(variables.length / size);
  const all = Array.from({ length: count }, (_, k) => variables.slice(k * size, (k + 1) * size));
  return all.filter((group) => group.length > 1);
}

function makeSlot(variable: Variable, { initial, nameFor }: SlotInit): Variable {
  const values = kernels().fillKernel(variable.device, variable, initial, 'optimizer');
  const made = new Variable(values, { name: nameFor(variable), trainable: false });
  values.dispose();
  return made;
}

/** Returns the storage of a variable that a step may overwrite in whole vectors. */
export function ownStorage(variable: Variable): Storage {
  const storage = variable.writableStorage();
  if (bindsAsVectors(variable)) return storage;
  // The values are in an app's buffer whose size isn't a multiple of a vector.
  const own = output(variable.device, variable, 'optimizer');
  copyWords(variable, own.storage);
  variable.adopt(own.storage.retain());
  own.dispose();
  return variable.writableStorage();
}

/** Returns the buffers that the launches write. */
function writtenBy(launches: readonly FusedLaunch[]): Set<DeviceBuffer> {
  return new Set(
    launches.flatMap(({ buffers }) =>
      buffers.kind === 'packed' ? [buffers.block.buffer] : buffers.storages.map(({ buffer }) => buffer),
    ),
  );
}

function copied(gradient: Tensor): Tensor {
  const copy = output(gradient.device, gradient, 'optimizer');
  copyWords(gradient, copy.storage);
  return copy;
}

/** Returns the gradient, or a copy, so that it can be bound as whole vectors. */
export function readableAsVectors(gradient: Tensor): Tensor {
  return bindsAsVectors(gradient) ? gradient : copied(gradient);
}

/**
 * The launches with gradients that can be bound next to the written buffers, as whole vectors. Copies are freed with the
 * surrounding scope.
 */
export function withReadableGradients(launches: readonly FusedLaunch[]): FusedLaunch[] {
  const written = writtenBy(launches);
  const readable = (gradient: Tensor): Tensor =>
    written.has(gradient.storage.buffer) ? copied(gradient) : readableAsVectors(gradient);
  return launches.map((launch) => ({
    ...launch,
    variables: launch.variables.map((variable) => ({
      ...variable,
      gradient: variable.gradient && readable(variable.gradient),
      sliceSums: variable.sliceSums && readable(variable.sliceSums),
    })),
  }));
}
