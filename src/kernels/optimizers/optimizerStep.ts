/**
 * @file Launches fused (multi-tensor) optimizer steps: the kernel of an update rule, for variables packed into one buffer
 * or for one variable with separate buffers.
 */
import {
  type Clipping,
  membersPerLaunch,
  optimizerStep,
  type StepOptions,
  type StepRule,
} from '../../../shaders/optimizer.ts';
import type { Device } from '../../webgpu/device.ts';
import { type Bindings, defineKernel, type Kernel } from '../../webgpu/kernel.ts';
import type { DynamicScalar, ParamFields, ParamValues } from '../../webgpu/params.ts';
import type { Storage } from '../../webgpu/storage.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { profileOf } from '../selection/deviceProfile.ts';

export { accumulatorState, averageState, type Clipping, type StepRule } from '../../../shaders/optimizer.ts';

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

/** The shared parameters that an optimizer sets. */
export type SharedValues = Readonly<
  Record<
    'update' | 'overwrite' | 'loss_scale' | 'accumulation_steps' | 'clip' | 'decay' | 'average_momentum',
    number | DynamicScalar
  >
>;

/** The kernel of a kind of optimizer. */
export type StepKernel = Kernel<StepOptions, Bindings, ParamFields>;

/**
 * The kernel of a kind of optimizer: its parameters (all f32), and its rule by variant name. Nothing is compiled
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
    bindings: ({ states, gradients, packed, clipping, summed }: StepOptions): Bindings => {
      const roles = packed ? ['block'] : ['value', ...states].map((role) => `${role}_of`);
      const scales = clipping === 'norm' || clipping === 'globalNorm';
      return {
        ...Object.fromEntries(roles.map((role) => [role, 'read_write vec4<f32>'] as const)),
        ...gradientBindings(gradients),
        ...(scales ? { scales: 'read f32' as const } : {}),
        ...(summed ? { slice_sums: 'read vec4<f32>' as const } : {}),
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

/** Returns how many variables one launch can update: each needs a binding for its gradient. */
export function variablesPerLaunch(device: Device, clipping: Clipping): number {
  // The packed buffer and, for clipping by norm, the sums or the factors.
  const others = clipping === 'norm' || clipping === 'globalNorm' ? 2 : 1;
  return Math.min(membersPerLaunch, device.limits.maxStorageBuffersPerShaderStage - others);
}

/** Bytes of the largest variable that is packed and updated together with others. */
export function largestPacked(device: Device): number {
  return profileOf(device).optimizer.largestPacked;
}

/** A variable as a launch sees it. */
export interface StepVariable {
  /** Its start within each role of the packed buffer, in vectors; 0 for a separate variable. */
  readonly start: number;
  /** Number of values. */
  readonly size: number;
  readonly gradient: Tensor | null;
  /** What the rule reads of the slices of the gradient: sums of their squares or sizes. Such a variable has a separate launch. */
  readonly sliceSums: Tensor | null;
  readonly decayed: boolean;
  /** Whether another launch updates it, because its values or states are not in the packed buffer. */
  readonly skipped: boolean;
}

/** The buffers of the values and slot variables of one launch. */
export type StepBuffers =
  | {
      readonly kind: 'packed';
      readonly block: Storage;
      /** Vectors of one role. */
      readonly stride: number;
      /** Number of gradients that its launches bind. */
      readonly capacity: number;
    }
  | {
      readonly kind: 'separate';
      /** The values, then the states. */
      readonly storages: readonly Storage[];
    };

export interface StepLaunch {
  readonly kernel: StepKernel;
  readonly options: Omit<StepOptions, 'gradients' | 'packed' | 'summed' | 'workgroup' | 'steps'>;
  readonly buffers: StepBuffers;
  readonly variables: readonly StepVariable[];
  /** Bound instead of missing gradients. */
  readonly filler: Tensor;
  /** Factors of the gradients, and the index of the first variable's factor. */
  readonly scales: { readonly storage: Storage; readonly first: number } | null;
  readonly shared: SharedValues;
  /** The rule's own parameters. */
  readonly own: Readonly<Record<string, number | DynamicScalar>>;
}

/** A start beyond every vector, for the slots after the last variable. */
const nowhere = 0xffffffff;

/** Updates the variables by one step. Gradients must be readable as whole vectors, from buffers that are not written. */
export function stepKernel(device: Device, launch: StepLaunch): void {
  const { kernel, options, buffers, variables, filler, scales, shared, own } = launch;
  const packed = buffers.kind === 'packed';
  const gradients = packed ? buffers.capacity : 1;
  const vectors = variables.map(({ size, skipped }) => (skipped ? 0 : Math.ceil(size / 4)));
  const shape = profileOf(device).optimizer.update;
  const chunks = vectors.map((count) => Math.ceil(count / (shape.workgroup * shape.steps)));
  const count = total(chunks);
  if (count === 0) return;
  const sums = variables.length === 1 ? (variables[0]?.sliceSums ?? null) : null;
  const roles = packed
    ? { block: buffers.block }
    : Object.fromEntries(
        ['value', ...options.states].map((role, i) => [`${role}_of`, buffers.storages[i] as Storage]),
      );
  device.launch(kernel, {
    options: { gradients, packed, summed: sums !== null, ...options, ...shape },
    bindings: {
      ...roles,
      ...boundGradients(variables, gradients, filler),
      ...(scales ? { scales: scales.storage } : {}),
      ...(sums ? { slice_sums: sums.storage } : {}),
    },
    params: {
      starts: filled(variables.map(({ start }) => start)),
      sizes: vectors,
      chunks: filled(firstOf(chunks)),
      count,
      stride: packed ? buffers.stride : 0,
      first_member: scales?.first ?? 0,
      present: maskOf(variables, isPresent),
      decayed: maskOf(variables, ({ decayed }) => decayed),
      ...shared,
      ...own,
    } as unknown as ParamValues<ParamFields>,
    workgroups: count,
  });
}

export function total(counts: readonly number[]): number {
  return counts.reduce((sum, n) => sum + n, 0);
}

/** Returns the start of each of consecutive ranges with lengths `counts`. */
export function firstOf(counts: readonly number[]): number[] {
  return counts.map((_, k) => total(counts.slice(0, k)));
}

/** Bindings of the gradients; `filler` replaces missing ones. */
export function boundGradients(
  variables: readonly StepVariable[],
  count: number,
  filler: Tensor,
): Record<string, Storage> {
  const names = Array.from({ length: count }, (_, k) => `gradient_${k}`);
  return Object.fromEntries(names.map((name, k) => [name, (variables[k]?.gradient ?? filler).storage]));
}

export function isPresent({ gradient, skipped }: StepVariable): boolean {
  return gradient !== null && !skipped;
}

/** Returns a mask with the bit of each variable for which `holds` is true. */
export function maskOf(
  variables: readonly StepVariable[],
  holds: (variable: StepVariable) => boolean,
): number {
  return variables.reduce((mask, variable, k) => (holds(variable) ? mask | (1 << k) : mask), 0) >>> 0;
}

/** `starts` filled up to eight with `nowhere`. */
export function filled(starts: readonly number[]): number[] {
  return Array.from({ length: membersPerLaunch }, (_, k) => starts[k] ?? nowhere);
}
