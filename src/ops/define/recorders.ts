/**
 * @file The small interface between ops and their observers: recorders (tapes) and symbolic tensors (graphs).
 * Op files know neither; tapes and graphs know only this.
 */
import type { OpenSpec } from '../../core/spec.ts';
import type { Check } from '../../webgpu/faultTracker.ts';
import { enterCall } from '../../history/frames.ts';
import type { KerasHistory, Node } from '../../history/node.ts';
import { Tensor } from '../../tensor/tensor.ts';
import type { OpDefinition, Plan } from './definition.ts';

/** One executed call, as a recorder sees it. */
export interface RecordedCall {
  readonly op: OpDefinition;
  readonly inputs: readonly (Tensor | null)[];
  readonly outputs: readonly Tensor[];
  readonly options: object;
  readonly plan: Plan;
  readonly node: Node;
  /** Checks of the call's launches: its gradient depends on them, too. */
  readonly checks: readonly Check[];
}

/** An observer of executed calls while it is active. */
export interface Recorder {
  /** Unique; later recorders have larger numbers. */
  readonly recording: number;
  record(call: RecordedCall): void;
  /** `tensor` was used by something that isn't a call, such as a map over its examples. */
  uses?(tensor: Tensor): void;
  /** Whether what is computed from `tensor` may have a gradient. Without this method: always. */
  follows?(tensor: Tensor): boolean;
  /** Runs `check` on the sources of each gradient that it computes. Only tapes compute gradients. */
  beforeGradients?(check: (sources: readonly Tensor[]) => void): void;
}

let active: readonly Recorder[] = [];
let lastRecording = 0;

/** A number for a new recorder. */
export function nextRecording(): number {
  return ++lastRecording;
}

/** The recorders that currently see calls, outermost first. */
export function activeRecorders(): readonly Recorder[] {
  return active;
}

export function startRecorder(recorder: Recorder): void {
  active = [...active, recorder];
}

export function stopRecorder(recorder: Recorder): void {
  active = active.filter((other) => other !== recorder);
}

/** Runs `body` while exactly `recorders` see its calls. */
export function withRecorders<T>(recorders: readonly Recorder[], body: () => T): T {
  const before = active;
  active = recorders;
  try {
    return body();
  } finally {
    active = before;
  }
}

/** Runs `body` without recorders: no tape sees its calls. */
export function unrecorded<T>(body: () => T): T {
  return withRecorders([], body);
}

/** Runs `body` without recorders, and not as a part of the call around it. */
export function detached<T>(body: () => T): T {
  const recorders = active;
  const parent = enterCall(null);
  active = [];
  try {
    return body();
  } finally {
    active = recorders;
    enterCall(parent);
  }
}

/** Tells the active recorders that `tensor` is used by something that isn't a call. */
export function recordUse(tensor: Tensor): void {
  for (const recorder of active) recorder.uses?.(tensor);
}

/** The property that marks abstract tensors (symbolic ones, and those inside vmap). Its value receives calls on them. */
export const symbolicGraph: unique symbol = Symbol('retrograd symbolic');

/** A placeholder for a value: its shape (null for open sizes), its dtype, and where it comes from. */
export interface SymbolicTensor extends OpenSpec {
  readonly id: number;
  readonly name: string;
  /** Number of axes. */
  readonly rank: number;
  /** Number of elements; null if a size is open. */
  readonly size: number | null;
  /** Where it comes from; null for one made by hand. */
  readonly kerasHistory: KerasHistory | null;
  /** There are no values: these throw a SymbolicError. */
  readonly buffer: never;
  data(): never;
  array(): never;
  item(): never;
  readonly [symbolicGraph]: SymbolicGraph;
}

/** Receives the calls on abstract tensors. */
export interface CallTarget {
  call(op: OpDefinition, operands: readonly unknown[], options: object): unknown;
  /** Calls a composite op, which `expand` expands into calls of other ops. If there is none, all calls are expanded. */
  callComposite?(
    op: Pick<OpDefinition, 'name' | 'inputs'>,
    operands: readonly unknown[],
    options: object,
    expand: (operands: readonly unknown[]) => unknown,
  ): unknown;
}

export interface SymbolicGraph extends CallTarget {
  /** Adds a call of `op` to the graph. Inputs that are tensors or host values are constants. */
  call(op: OpDefinition, inputs: readonly unknown[], options: object): SymbolicTensor | SymbolicTensor[];
}

/** Whether `value` is an abstract tensor. */
export function isAbstract(value: unknown): value is { readonly [symbolicGraph]: CallTarget } {
  return typeof value === 'object' && value !== null && symbolicGraph in value;
}

/** Whether `value` is a mapped tensor: one example of many, inside vmap. */
export function isMapped(value: unknown): value is Tensor & { readonly [symbolicGraph]: CallTarget } {
  return isAbstract(value) && value instanceof Tensor;
}

export function isSymbolic(value: unknown): value is SymbolicTensor {
  return isAbstract(value) && !(value instanceof Tensor);
}
