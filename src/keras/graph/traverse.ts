/**
 * @file Finds the calls between inputs and outputs, in topological order. It uses no recursion, because a graph may be
 * thousands of calls deep.
 */
import { GraphDisconnectedError, MissingHistoryError, ValueError } from '../../core/errors.ts';
import type { KerasTensor } from './kerasTensor.ts';
import { type GraphNode, type GraphOperation, nodeOf } from './graphNode.ts';

export interface GraphMap {
  /** Calls in topological order. */
  readonly nodes: readonly GraphNode[];
  /** Operations in order from the inputs; at the same depth, in the order of a search from the outputs. */
  readonly operations: readonly GraphOperation[];
  /** All calls, including those of input layers, by depth: the number of calls to the farthest output. */
  readonly nodesByDepth: ReadonlyMap<number, readonly GraphNode[]>;
}

/**
 * Returns the calls that lead from `inputs` to `outputs`.
 * Errors: MissingHistoryError for an output without history; GraphDisconnectedError if an output depends on something other
 * than the inputs; ValueError for a cycle, or for two operations with the same name.
 */
export function mapGraph(inputs: readonly KerasTensor[], outputs: readonly KerasTensor[]): GraphMap {
  const given = new Set(inputs);
  const { nodes, met } = walkBack(given, outputs);
  for (const tensor of inputs) {
    const node = nodeOf(tensor);
    if (!node?.isInput || met.has(node.operation)) continue;
    nodes.push(node);
    met.set(node.operation, -1);
  }
  const { nodeDepths, operationDepths } = depthsOf(nodes);
  const ordered = sortedBy(nodes, (node) => -(nodeDepths.get(node) as number));
  requireConnected(inputs, outputs, ordered);
  const operations = sortedBy(
    [...met.keys()],
    (operation) => -(operationDepths.get(operation) ?? 0),
    (operation) => met.get(operation) as number,
  );
  requireUniqueNames(operations);
  const nodesByDepth = new Map<number, GraphNode[]>();
  for (const node of ordered) {
    const depth = nodeDepths.get(node) as number;
    const others = nodesByDepth.get(depth);
    if (others) others.push(node);
    else nodesByDepth.set(depth, [node]);
  }
  return { nodes: ordered.filter((node) => !node.isInput), operations, nodesByDepth };
}

/** Returns the calls that `outputs` depend on, in topological order, and their operations, numbered in search order. */
function walkBack(given: ReadonlySet<KerasTensor>, outputs: readonly KerasTensor[]) {
  const nodes: GraphNode[] = [];
  const met = new Map<GraphOperation, number>();
  const finished = new Set<GraphNode>();
  const open = new Set<GraphNode>();
  for (const output of outputs) {
    const stack: { node: GraphNode; parents: GraphNode[] | null }[] = [];
    const last = nodeOf(output);
    if (!last) throw missingHistory(output);
    stack.push({ node: last, parents: null });
    for (let top = stack.at(-1); top; top = stack.at(-1)) {
      const { node } = top;
      if (!top.parents) {
        if (finished.has(node)) {
          stack.pop();
          continue;
        }
        if (open.has(node)) throw cycle(node);
        open.add(node);
        if (!met.has(node.operation)) met.set(node.operation, met.size);
        top.parents = parentsWithin(node, given);
      }
      const next = top.parents.shift();
      if (next) {
        stack.push({ node: next, parents: null });
        continue;
      }
      finished.add(node);
      open.delete(node);
      nodes.push(node);
      stack.pop();
    }
  }
  return { nodes, met };
}

/**
 * Returns the nodes that produced the inputs of `node`. Nodes before an input of the model are outside of it, except input
 * layers.
 */
function parentsWithin(node: GraphNode, given: ReadonlySet<KerasTensor>): GraphNode[] {
  const makers = node.inputTensors
    .filter((tensor) => !given.has(tensor) || nodeOf(tensor)?.isInput)
    .map((tensor) => {
      const maker = nodeOf(tensor);
      if (!maker) throw missingHistory(tensor);
      return maker;
    });
  return [...new Set(makers)];
}

/** Depths: the number of calls to the farthest output. The depth of an operation is that of its deepest call. */
function depthsOf(nodes: readonly GraphNode[]) {
  const nodeDepths = new Map<GraphNode, number>();
  const operationDepths = new Map<GraphOperation, number>();
  for (const node of [...nodes].reverse()) {
    const depth = Math.max(nodeDepths.get(node) ?? 0, operationDepths.get(node.operation) ?? 0);
    nodeDepths.set(node, depth);
    operationDepths.set(node.operation, depth);
    for (const parent of node.parentNodes) {
      nodeDepths.set(parent, Math.max(nodeDepths.get(parent) ?? 0, depth + 1));
    }
  }
  return { nodeDepths, operationDepths };
}

function sortedBy<T>(items: readonly T[], ...keys: ((item: T) => number)[]): T[] {
  return [...items].sort((a, b) => {
    for (const key of keys) if (key(a) !== key(b)) return key(a) - key(b);
    return 0;
  });
}

function requireConnected(
  inputs: readonly KerasTensor[],
  outputs: readonly KerasTensor[],
  nodes: readonly GraphNode[],
): void {
  const computable = new Set(inputs);
  const reached: string[] = [];
  for (const node of nodes) {
    if (node.isInput) continue;
    const missing = node.inputTensors.find((tensor) => !computable.has(tensor));
    if (missing) throw disconnected(missing, `operation '${node.operation.name}' needs`, inputs, reached);
    for (const tensor of node.outputTensors) computable.add(tensor);
    reached.push(node.operation.name);
  }
  const missing = outputs.find((tensor) => !computable.has(tensor));
  if (missing) throw disconnected(missing, 'is an output', inputs, reached);
}

/** @param role what the tensor is for, as the end of a relative clause */
function disconnected(
  tensor: KerasTensor,
  role: string,
  inputs: readonly KerasTensor[],
  reached: readonly string[],
): GraphDisconnectedError {
  return new GraphDisconnectedError({
    op: 'model',
    rule: 'the outputs of a model must depend on its inputs only.',
    received:
      `${tensor}, which ${role}, and which isn't computed from ` +
      `${inputs.map(({ name }) => `'${name}'`).join(', ') || 'no input'}; ` +
      `reached from there: ${reached.map((name) => `'${name}'`).join(', ') || 'nothing'}`,
    hint: `add '${tensor.name}' to \`inputs\`, or take outputs that do without it.`,
  });
}

function missingHistory(tensor: KerasTensor): MissingHistoryError {
  return new MissingHistoryError({
    op: 'model',
    rule: 'every symbolic tensor of a model comes from input() or from a call.',
    received: `${tensor}, which has no history`,
    hint: 'start with input({ shape }), and call layers and ops on it.',
  });
}

function cycle(node: GraphNode): ValueError {
  return new ValueError({
    op: 'model',
    rule: 'the calls of a model form no cycle.',
    received: `operation '${node.operation.name}', which depends on itself`,
    hint: 'use the outputs of a new call.',
  });
}

function requireUniqueNames(operations: readonly GraphOperation[]): void {
  const seen = new Set<string>();
  for (const { name } of operations) {
    if (seen.has(name)) {
      throw new ValueError({
        op: 'model',
        rule: 'names are unique within a model.',
        received: `two operations named '${name}'`,
        hint: 'rename one of them.',
      });
    }
    seen.add(name);
  }
}
