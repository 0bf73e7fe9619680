/**
 * @file The small interface between ops and their observers: recorders (tapes) and symbolic tensors (graphs).
 * Op files know neither; tapes and graphs know only this.
 */
import type { OpenSpec } from '../core/spec.ts';
import type { Check } from '../webgpu/faultSets.ts';
import type { KerasHistory, Node } from '../history/node.ts';
import { Tensor } from '../tensor/tensor.ts';
import type { OpDefinition, Plan } from './definition.ts';

/** One executed call, as a recorder sees it. */
export interface RecordedCall {
  readonly op: OpDefinition;
  readonly inputs: readonly (Tensor | null)[];
  readonly outputs: readonly Tensor[];
  readonly options: object;
  readonly plan: Plan;
  readonly node: Node;
  /** Checks of what the call launched: its gradient depends on them, too. */
  readonly checks: readonly Check[];
}

/** Something that watches executed calls while it is active. */
export interface Recorder {
  /** Unique and growing with time. */
  readonly recording: number;
  record(call: RecordedCall): void;
  /** Runs `check` on the sources of each gradient that it computes. Only tapes compute gradients. */
  beforeGradients?(check: (sources: readonly Tensor[]) => void): void;
}

let active: readonly Recorder[] = [];
let lastRecording = 0;

/** A number for a new recorder. */
export function nextRecording(): number {
  return ++lastRecording;
}

/** The recorders that see calls now, outermost first. */
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

/** Marks tensors that aren't concrete: symbolic ones, and those inside vmap. The mark leads to where calls on them go. */
export const symbolicGraph: unique symbol = Symbol('retrograd symbolic');

/** A value to come: a shape, with null where a size is open, a dtype, and where it comes from. */
export interface SymbolicTensor extends OpenSpec {
  readonly name: string;
  readonly kerasHistory: KerasHistory | null;
  readonly [symbolicGraph]: SymbolicGraph;
}

/** Where calls on tensors go that aren't concrete. */
export interface CallTarget {
  call(op: OpDefinition, operands: readonly unknown[], options: object): unknown;
}

export interface SymbolicGraph extends CallTarget {
  /** Adds a call of `op` to the graph. Inputs that are tensors or host values are constants. */
  call(op: OpDefinition, inputs: readonly unknown[], options: object): SymbolicTensor | SymbolicTensor[];
}

/** Whether calls on `value` go elsewhere. */
export function isAbstract(value: unknown): value is { readonly [symbolicGraph]: CallTarget } {
  return typeof value === 'object' && value !== null && symbolicGraph in value;
}

export function isSymbolic(value: unknown): value is SymbolicTensor {
  return isAbstract(value) && !(value instanceof Tensor);
}
