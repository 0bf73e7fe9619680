/**
 * @file Launches steps of optimizers: the kernel of a rule, on variables that are packed in one block or on one that has
 * storages of its own.
 */
import {
  type Clipping,
  membersPerLaunch,
  optimizerStep,
  type StepOptions,
  type StepRule,
} from '../../shaders/optimizer.ts';
import type { Device } from '../webgpu/device.ts';
import { type Bindings, defineKernel, type Kernel } from '../webgpu/kernel.ts';
import type { DynamicScalar, ParamFields, ParamValues } from '../webgpu/params.ts';
import type { Storage } from '../webgpu/storage.ts';
import type { Tensor } from '../tensor/tensor.ts';
import { profileOf } from './adapterProfiles.ts';

export { accumulatorState, averageState, type Clipping, type StepRule } from '../../shaders/optimizer.ts';

/** Parameters that every rule has in addition to its own. */
const sharedParams = {
  starts: 'u32x8',
  sizes: 'u32x8',
  chunks: 'u32x8',
  count: 'u32',
  stride: 'u32',
  first_member: 'u32',
  present: 'u32',
  decayed: 'u32',
  update: 'u32',
  overwrite: 'u32',
  loss_scale: 'f32',
  accumulation_steps: 'f32',
  clip: 'f32',
  decay: 'f32',
  average_momentum: 'f32',
} as const satisfies ParamFields;

/** Of those, what an optimizer sets. */
export type SharedValues = Readonly<
  Record<
    'update' | 'overwrite' | 'loss_scale' | 'accumulation_steps' | 'clip' | 'decay' | 'average_momentum',
    number | DynamicScalar
  >
>;

/** The kernel of a kind of optimizer. */
export type StepKernel = Kernel<StepOptions, Bindings, ParamFields>;

/**
 * The kernel of a kind of optimizer: its parameters, f32 all, and its rule by the variant's name. Nothing is compiled
 * until its first launch.
 */
/* @__NO_SIDE_EFFECTS__ */
export function defineStep(
  name: string,
  params: readonly string[],
  rule: (variant: string) => StepRule,
): StepKernel {
  return defineKernel({
    name,
    bindings: ({ states, gradients, packed, clipping, squared }: StepOptions): Bindings => {
      const roles = packed ? ['block'] : ['value', ...states].map((role) => `${role}_of`);
      const scales = clipping === 'norm' || clipping === 'globalNorm';
      return {
        ...Object.fromEntries(roles.map((role) => [role, 'read_write vec4<f32>'] as const)),
        ...gradientBindings(gradients),
        ...(scales ? { scales: 'read f32' as const } : {}),
        ...(squared ? { squares: 'read vec4<f32>' as const } : {}),
      };
    },
    params: { ...sharedParams, ...Object.fromEntries(params.map((param) => [param, 'f32'] as const)) },
    source: (options: StepOptions) => optimizerStep(rule(options.variant), options),
  });
}

export function gradientBindings(count: number): Bindings {
  return Object.fromEntries(
    Array.from({ length: count }, (_, k) => [`gradient_${k}`, 'read vec4<f32>'] as const),
  );
}

/** Variables that one launch can update together: each needs a binding for its gradient. */
export function membersOf(device: Device, clipping: Clipping): number {
  // The block, and for lengths of gradients their sums or the factors made of them.
  const others = clipping === 'norm' || clipping === 'globalNorm' ? 2 : 1;
  return Math.min(membersPerLaunch, device.limits.maxStorageBuffersPerShaderStage - others);
}

/** Bytes of the largest variable that is updated together with others. */
export function largestPacked(device: Device): number {
  return profileOf(device).optimizer.largestPacked;
}

/** A variable as a launch sees it. */
export interface StepMember {
  /** Where it begins in each role of its block, in vectors; 0 for a variable on its own. */
  readonly start: number;
  /** Its values. */
  readonly size: number;
  readonly gradient: Tensor | null;
  /** Sums of the squares of the slices that the gradient is the sum of; its launch moves no other variable. */
  readonly squares: Tensor | null;
  readonly decayed: boolean;
  /** Its values or states left the block: another launch moves it. */
  readonly away: boolean;
}

/** Where the values and states of the members lie. */
export type StepPlace =
  | {
      readonly kind: 'packed';
      readonly block: Storage;
      /** Vectors of one role. */
      readonly stride: number;
      /** Gradients that its launches bind. */
      readonly capacity: number;
    }
  | {
      readonly kind: 'apart';
      /** The values, then the states. */
      readonly storages: readonly Storage[];
    };

export interface StepLaunch {
  readonly kernel: StepKernel;
  readonly options: Omit<StepOptions, 'gradients' | 'packed' | 'squared' | 'workgroup' | 'steps'>;
  readonly place: StepPlace;
  readonly members: readonly StepMember[];
  /** Stands in for gradients that aren't there: what is bound must be something. */
  readonly filler: Tensor;
  /** Factors of the gradients, and which is the first member's. */
  readonly scales: { readonly storage: Storage; readonly first: number } | null;
  readonly shared: SharedValues;
  /** The rule's own parameters. */
  readonly own: Readonly<Record<string, number | DynamicScalar>>;
}

/** Beyond every vector: what comes after the last member begins nowhere. */
export const nowhere = 0xffffffff;

/** Moves the members by one step. Gradients must be readable as whole vectors, and lie elsewhere than what is written. */
export function stepKernel(device: Device, launch: StepLaunch): void {
  const { kernel, options, place, members, filler, scales, shared, own } = launch;
  const packed = place.kind === 'packed';
  const gradients = packed ? place.capacity : 1;
  const vectors = members.map(({ size, away }) => (away ? 0 : Math.ceil(size / 4)));
  const shape = profileOf(device).optimizer.update;
  const chunks = vectors.map((count) => Math.ceil(count / (shape.workgroup * shape.steps)));
  const count = total(chunks);
  if (count === 0) return;
  const squares = members.length === 1 ? (members[0]?.squares ?? null) : null;
  const roles = packed
    ? { block: place.block }
    : Object.fromEntries(
        ['value', ...options.states].map((role, i) => [`${role}_of`, place.storages[i] as Storage]),
      );
  device.launch(kernel, {
    options: { ...options, gradients, packed, squared: squares !== null, ...shape },
    bindings: {
      ...roles,
      ...boundGradients(members, gradients, filler),
      ...(scales ? { scales: scales.storage } : {}),
      ...(squares ? { squares: squares.storage } : {}),
    },
    params: {
      starts: filled(members.map(({ start }) => start)),
      sizes: vectors,
      chunks: filled(firstOf(chunks)),
      count,
      stride: packed ? place.stride : 0,
      first_member: scales?.first ?? 0,
      present: maskOf(members, isPresent),
      decayed: maskOf(members, ({ decayed }) => decayed),
      ...shared,
      ...own,
    } as unknown as ParamValues<ParamFields>,
    workgroups: count,
  });
}

export function total(counts: readonly number[]): number {
  return counts.reduce((sum, n) => sum + n, 0);
}

/** Where each of neighbours begins that are `counts` long. */
export function firstOf(counts: readonly number[]): number[] {
  return counts.map((_, k) => total(counts.slice(0, k)));
}

/** Bindings of the gradients; `filler` in place of those that aren't there. */
export function boundGradients(
  members: readonly StepMember[],
  count: number,
  filler: Tensor,
): Record<string, Storage> {
  const names = Array.from({ length: count }, (_, k) => `gradient_${k}`);
  return Object.fromEntries(names.map((name, k) => [name, (members[k]?.gradient ?? filler).storage]));
}

export function isPresent({ gradient, away }: StepMember): boolean {
  return gradient !== null && !away;
}

/** One bit for each member of which `holds` is true. */
export function maskOf(members: readonly StepMember[], holds: (member: StepMember) => boolean): number {
  return members.reduce((mask, member, k) => (holds(member) ? mask | (1 << k) : mask), 0) >>> 0;
}

/** Eight indices, those of no member beyond all. */
export function filled(starts: readonly number[]): number[] {
  return Array.from({ length: membersPerLaunch }, (_, k) => starts[k] ?? nowhere);
}
