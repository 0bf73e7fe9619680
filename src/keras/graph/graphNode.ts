/**
 * @file A node of a graph: one symbolic call of a layer or an op, with the symbolic tensors that went in and came out.
 */
import { type KerasHistory, Node, type Operation } from '../../history/node.ts';
import { isSymbolic } from '../../ops/recorders.ts';
import { leavesOf, mapNest, type Nest } from '../tensorNest.ts';
import type { GraphTensor } from './graphTensor.ts';
import { isTracing } from './tracing.ts';

/** Something whose calls are nodes of a graph, and can be run again on other values. */
export interface GraphOperation extends Operation {
  /** The calls, in order: `kerasHistory.nodeIndex` counts in them. */
  readonly inboundNodes: GraphNode[];
  /** Calls of other operations that take an output of this one. */
  readonly outboundNodes: GraphNode[];
  /** Runs the call of `node` anew; `argument` and `options` are those of the node with other tensors in them. */
  replay(node: GraphNode, argument: Nest<unknown>, options: object): Nest<unknown>;
}

export interface GraphNodeParts {
  operation: GraphOperation;
  /** What was passed: symbolic tensors, and constants beside them. */
  argument: Nest<unknown>;
  outputs: Nest<GraphTensor>;
  /** What was passed beside: settings, and tensors by name (`mask`, `initialState`). */
  options?: object;
}

export class GraphNode extends Node {
  declare readonly operation: GraphOperation;
  readonly argument: Nest<unknown>;
  readonly inputTensors: readonly GraphTensor[];
  /** What came out, in the nest in which it was given. */
  readonly outputNest: Nest<GraphTensor>;
  readonly outputTensors: readonly GraphTensor[];

  /** Joins the graph: the operation's nodes, the outbound nodes of the tensors' makers, the outputs' histories. */
  constructor({ operation, argument, outputs, options = {} }: GraphNodeParts) {
    const inputTensors = [argument, options as Nest<unknown>].flatMap((nest) =>
      leavesOf(nest).filter(isSymbolic),
    ) as GraphTensor[];
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
      output.kerasHistory = this.historyOf(i);
    });
    if (isTracing()) return;
    operation.inboundNodes.push(this);
    for (const maker of new Set(inputTensors.map(nodeOf))) maker?.operation.outboundNodes.push(this);
  }

  /** Whether this is the making of an input, which no operation computes. */
  get isInput(): boolean {
    return this.inputTensors.length === 0;
  }

  /** The nodes that made the inputs. */
  get parentNodes(): GraphNode[] {
    return [...new Set(this.inputTensors.map(nodeOf))].filter((node) => node !== null);
  }

  /** The argument with `substitute` each symbolic tensor in its place. */
  argumentWith(substitute: (tensor: GraphTensor) => unknown): Nest<unknown> {
    return filled(this.argument, substitute);
  }

  /** The options with `substitute` each symbolic tensor in its place. */
  optionsWith(substitute: (tensor: GraphTensor) => unknown): object {
    return filled(this.options as Nest<unknown>, substitute) as object;
  }
}

function filled(nest: Nest<unknown>, substitute: (tensor: GraphTensor) => unknown): Nest<unknown> {
  return mapNest(nest, (leaf) => (isSymbolic(leaf) ? substitute(leaf as GraphTensor) : leaf));
}

/** The node that made `tensor`; null where it has no history. */
export function nodeOf(tensor: GraphTensor): GraphNode | null {
  const history: KerasHistory | null = tensor.kerasHistory;
  return history ? (history.node as GraphNode) : null;
}
