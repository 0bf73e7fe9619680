/**
 * @file A node of a graph: one symbolic call of a layer or an op, with its symbolic inputs and outputs.
 */
import { type KerasHistory, Node, type Operation } from '../../history/node.ts';
import { isSymbolic, type SymbolicTensor } from '../../ops/define/recorders.ts';
import { leavesOf, mapNest, type Nest } from '../tensorNest.ts';
import { isTracing } from './tracing.ts';

/** Something whose calls are nodes of a graph, and can be run again on other values. */
export interface GraphOperation extends Operation {
  /** The calls, in order; `kerasHistory.nodeIndex` is an index into them. */
  readonly inboundNodes: GraphNode[];
  /** Calls of other operations that take an output of this one. */
  readonly outboundNodes: readonly GraphNode[];
  /**
   * Adds a call to `outboundNodes`.
   * @internal
   */
  addOutbound(node: GraphNode): void;
  /**
   * Repeats the call of `node` with other tensors in `argument` and `options`.
   * @internal
   */
  replay(node: GraphNode, argument: Nest<unknown>, options: object): Nest<unknown>;
}

export interface GraphNodeParts {
  operation: GraphOperation;
  /** The argument of the call: symbolic tensors and constants. */
  argument: Nest<unknown>;
  outputs: Nest<SymbolicTensor>;
  /** The options of the call: settings, and tensors by name (`mask`, `initialState`). */
  options?: object;
}

/** One symbolic call of a layer or an op in a graph. */
export class GraphNode extends Node {
  declare readonly operation: GraphOperation;
  readonly argument: Nest<unknown>;
  /** The symbolic tensors among the inputs and options. */
  inputTensors: readonly SymbolicTensor[];
  /** Names in Keras of the last inputs, where those were passed by name. */
  keywords: readonly string[] = [];
  /** The outputs, in their nest. */
  readonly outputNest: Nest<SymbolicTensor>;
  readonly outputTensors: readonly SymbolicTensor[];

  /**
   * Adds itself to the operation's nodes, to the outbound nodes of the operations that made the inputs, and to the histories
   * of the outputs.
   */
  constructor({ operation, argument, outputs, options = {} }: GraphNodeParts) {
    const inputTensors = symbolicIn([argument, options as Nest<unknown>]);
    const outputTensors = leavesOf(outputs);
    super({
      operation,
      index: operation.inboundNodes.length,
      inputs: inputTensors.map(({ id, name, shape, dtype, kerasHistory }) => ({
        id,
        name,
        shape,
        dtype,
        history: kerasHistory,
      })),
      outputs: outputTensors.map(({ shape, dtype }) => ({ shape, dtype })),
      options: options as Record<string, unknown>,
    });
    this.argument = argument;
    this.inputTensors = inputTensors;
    this.outputNest = outputs;
    this.outputTensors = outputTensors;
    outputTensors.forEach((output, i) => {
      (output as { kerasHistory: KerasHistory | null }).kerasHistory = this.historyOf(i);
    });
    if (isTracing()) return;
    operation.inboundNodes.push(this);
    for (const maker of new Set(inputTensors.map(nodeOf))) maker?.operation.addOutbound(this);
  }

  /** Notes that the last inputs were passed by name. As in Keras, those follow the others by their sorted names. */
  passByName(keywords: readonly string[]): void {
    const all = (Array.isArray(this.argument) ? this.argument : [this.argument]) as readonly Nest<unknown>[];
    const first = all.length - keywords.length;
    const named = Object.fromEntries(keywords.map((name, i) => [name, all[first + i] as Nest<unknown>]));
    this.keywords = keywords;
    this.inputTensors = symbolicIn([
      all.slice(0, first),
      { ...named, ...(this.options as Record<string, Nest<unknown>>) },
    ]);
  }

  /** Whether this node created an input of a model. */
  get isInput(): boolean {
    return this.inputTensors.length === 0;
  }

  /** The nodes that produced the inputs. */
  get parentNodes(): GraphNode[] {
    return [...new Set(this.inputTensors.map(nodeOf))].filter((node) => node !== null);
  }

  /** Returns the argument with each symbolic tensor replaced by the result of `substitute`. */
  argumentWith(substitute: (tensor: SymbolicTensor) => unknown): Nest<unknown> {
    return filled(this.argument, substitute);
  }

  /** Returns the options with each symbolic tensor replaced by the result of `substitute`. */
  optionsWith(substitute: (tensor: SymbolicTensor) => unknown): object {
    return filled(this.options as Nest<unknown>, substitute) as object;
  }
}

function symbolicIn(nests: readonly Nest<unknown>[]): SymbolicTensor[] {
  return nests.flatMap((nest) => leavesOf(nest).filter(isSymbolic));
}

function filled(nest: Nest<unknown>, substitute: (tensor: SymbolicTensor) => unknown): Nest<unknown> {
  return mapNest(nest, (leaf) => (isSymbolic(leaf) ? substitute(leaf) : leaf));
}

/** Returns the node that produced `tensor`; null if it has no history. */
export function nodeOf(tensor: SymbolicTensor): GraphNode | null {
  const history: KerasHistory | null = tensor.kerasHistory;
  return history ? (history.node as GraphNode) : null;
}
