/**
 * @file Records calls of functions that bring their own gradient: customGradient, customJvp, checkpoint, scan. They are never
 * dispatched.
 */
import { specOf } from '../core/spec.ts';
import type { OpDefinition } from '../ops/define/define.ts';
import { recordCall } from '../ops/define/recordCall.ts';
import { type CallTarget, isAbstract, symbolicGraph } from '../ops/define/recorders.ts';
import type { Tensor } from '../tensor/tensor.ts';

/** A call of a function that made `outputs` from `inputs`, and how its gradient is computed. */
export interface FunctionCall {
  readonly name: string;
  readonly inputs: readonly Tensor[];
  readonly outputs: readonly Tensor[];
  /** Positions of the inputs (default: all) and outputs (default: none) that are saved for `backward`. */
  readonly save?: NonNullable<OpDefinition['save']>;
  /** Further tensors that are saved for `backward`, and get no gradient. Default: none. */
  readonly keep?: readonly Tensor[];
  /** Whether cotangents of outputs that nothing depends on are null. Default: zeros. */
  readonly takesNull?: boolean;
  /** The cotangents of the inputs, from those of the outputs and the saved values. */
  backward(cotangents: readonly Tensor[], saved: SavedValues): readonly (Tensor | null)[];
}

/** The definition of one call of a function. */
export interface FunctionDefinition extends OpDefinition {
  /** Tensors that tapes save besides inputs and outputs. */
  readonly keep?: readonly Tensor[];
}

/** What the gradient of a function reads. */
export interface SavedValues {
  /** By position; undefined where `save` doesn't name it. */
  readonly inputs: readonly Tensor[];
  readonly outputs: readonly Tensor[];
  readonly kept: readonly Tensor[];
  /** Which inputs need a gradient. */
  readonly needs: readonly boolean[];
}

/** Where functions of mapped tensors are recorded. */
export interface FunctionTarget extends CallTarget {
  recordFunction(call: FunctionCall): void;
}

/** Records `call`; with mapped tensors, at their vmap. */
export function recordFunction(call: FunctionCall): void {
  const tensors: readonly unknown[] = [...call.inputs, ...call.outputs, ...(call.keep ?? [])];
  const mapped = tensors.find(isAbstract);
  // Symbolic tensors can't be inputs of such functions.
  if (mapped) (mapped[symbolicGraph] as FunctionTarget).recordFunction(call);
  else recordHere(call);
}

/** Records `call` unchanged. */
export function recordHere({
  name,
  inputs,
  outputs,
  save = {},
  keep = [],
  takesNull = false,
  backward,
}: FunctionCall): void {
  const never = () => {
    throw new TypeError(`${name} is recorded, never dispatched`);
  };
  const definition: FunctionDefinition = {
    name,
    inputs: ['...inputs'],
    infer: never,
    forward: never,
    backward: (cotangents, saved) =>
      backward(cotangents as readonly Tensor[], saved as unknown as SavedValues),
    save,
    keep,
    takesNull,
  };
  recordCall(definition, inputs, outputs, {}, outputs.map(specOf));
}
