/**
 * @file The record of one call. A Node is one call of one operation: its inputs, outputs and arguments as specs.
 * An operation that is called twice has two nodes. Metadata only: nothing here may hold GPU memory.
 */
import type { OpenSpec } from '../core/spec.ts';

/** Something that can be called: an op, a layer, a model. Compared by identity; names are for display. */
export interface Operation {
  readonly name: string;
  /** 'op' for library and app ops, otherwise the layer's class name. */
  readonly className: string;
}

/** Where a tensor came from: output `tensorIndex` of call `nodeIndex` of `operation`. As in Keras. */
export interface KerasHistory {
  readonly operation: Operation;
  readonly nodeIndex: number;
  readonly tensorIndex: number;
  /** The call itself. */
  readonly node: Node;
}

/** An input of a call: its spec, and where it came from if that is known. */
export interface NodeInput extends OpenSpec {
  /** The identity that tapes know the tensor by. */
  readonly id: number;
  readonly name: string | undefined;
  /** Null for leaves: data, variables, and tensors made in another recording. */
  readonly history: KerasHistory | null;
}

export interface NodeParts {
  operation: Operation;
  inputs: readonly NodeInput[];
  outputs: readonly OpenSpec[];
  /** Which call of the operation this is. Default: counted. */
  index?: number;
  options?: Readonly<Record<string, unknown>>;
  /** The layer call inside which this call happened. */
  parent?: Node | null;
  /** File and line of the user's code; recorded in debug mode. */
  callSite?: string | undefined;
  /** Number of the outermost recording during the call; 0 if nothing recorded. */
  recording?: number;
}

const callCounts = new WeakMap<Operation, number>();

/** One call of one operation: its inputs, outputs and options, as specs. */
export class Node {
  readonly operation: Operation;
  /** Which call of the operation this is, from 0. */
  readonly index: number;
  readonly inputs: readonly NodeInput[];
  readonly outputs: readonly OpenSpec[];
  readonly options: Readonly<Record<string, unknown>>;
  readonly parent: Node | null;
  readonly callSite: string | undefined;
  readonly recording: number;
  /** For a layer call: the histories of its outputs inside the layer. A drawing of the node expands to these. */
  inside: readonly KerasHistory[] = [];

  constructor({
    operation,
    inputs,
    outputs,
    index,
    options = {},
    parent = null,
    callSite,
    recording = 0,
  }: NodeParts) {
    this.operation = operation;
    this.index = index ?? callCounts.get(operation) ?? 0;
    callCounts.set(operation, this.index + 1);
    this.inputs = inputs;
    this.outputs = outputs;
    this.options = options;
    this.parent = parent;
    this.callSite = callSite;
    this.recording = recording;
  }

  /** Returns the history of output `tensorIndex`. */
  historyOf(tensorIndex: number): KerasHistory {
    return { operation: this.operation, nodeIndex: this.index, tensorIndex, node: this };
  }
}
