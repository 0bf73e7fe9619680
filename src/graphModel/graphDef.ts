/** @file The nodes of an untrusted GraphDef in JSON, and the order in which they run. */
import { FormatError } from '../core/errors.ts';
import { describe } from '../core/shape.ts';
import { Attributes } from './attributes.ts';

/** An output of a node. */
export interface Source {
  readonly node: GraphNode;
  readonly index: number;
}

export interface GraphNode {
  readonly name: string;
  /** The operation, such as 'Conv2D'. */
  readonly op: string;
  readonly attributes: Attributes;
  /** What it reads, without nodes that only run before it. */
  readonly inputs: readonly Source[];
}

/** Returns the nodes by name. Errors: FormatError for nodes that contradict one another. */
export function readNodes(topology: unknown, file: string): ReadonlyMap<string, GraphNode> {
  const invalid = (rule: string, received: unknown) =>
    new FormatError({
      op: file,
      rule,
      received: describe(received),
      hint: 'the file is damaged or not of TF.js: convert the model again.',
    });
  const { node: list } = topology as { node?: unknown };
  if (!Array.isArray(list)) throw invalid('a graph has a list of nodes.', list);
  const nodes = new Map<string, GraphNode & { inputs: Source[] }>();
  const read: (() => void)[] = [];
  for (const given of list as readonly unknown[]) {
    const { name, op, attr = {}, input = [] } = (given ?? {}) as Record<string, unknown>;
    if (
      typeof name !== 'string' ||
      typeof op !== 'string' ||
      typeof attr !== 'object' ||
      !Array.isArray(input)
    )
      throw invalid('a node has a name, an op, attributes and inputs.', given);
    if (nodes.has(name)) throw invalid('each node has a name of its own.', `'${name}', twice`);
    const inputs: Source[] = [];
    const attributes = new Attributes(
      (attr ?? {}) as Record<string, unknown>,
      `${file}, node '${name}' (${op})`,
    );
    nodes.set(name, { name, op, attributes, inputs });
    read.push(() => {
      for (const reference of input as readonly unknown[]) {
        if (typeof reference !== 'string') throw invalid('inputs are names of nodes.', reference);
        if (reference.startsWith('^')) continue;
        const source = sourceOf(reference, nodes);
        if (!source) throw invalid(`node '${name}' reads a node of the graph.`, reference);
        inputs.push(source);
      }
    });
  }
  for (const fill of read) fill();
  return nodes;
}

/** Outputs of operations by name, where there are several; those of a list of outputs have one name. */
const outputNames: Readonly<Record<string, string>> = {
  FusedBatchNorm: 'y batch_mean batch_variance reserve_space_1 reserve_space_2',
  FusedBatchNormV2: 'y batch_mean batch_variance reserve_space_1 reserve_space_2',
  FusedBatchNormV3: 'y batch_mean batch_variance reserve_space_1 reserve_space_2 reserve_space_3',
  Merge: 'output value_index',
  NonMaxSuppressionV4: 'selected_indices valid_outputs',
  NonMaxSuppressionV5: 'selected_indices selected_scores valid_outputs',
  Switch: 'output_false output_true',
  TensorArrayV3: 'handle flow',
  TensorListConcat: 'tensor lengths',
  TensorListConcatV2: 'tensor lengths',
  TensorListPopBack: 'output_handle tensor',
  TopKV2: 'values indices',
  Unique: 'y idx',
};

/**
 * Returns the output that `reference` names: 'name', or 'name:1'; inside functions also 'name:values:0'. Null if there is no such
 * node.
 */
export function sourceOf(reference: string, nodes: ReadonlyMap<string, GraphNode>): Source | null {
  const whole = nodes.get(reference);
  if (whole) return { node: whole, index: 0 };
  const [, name = '', output = '', index = ''] = /^(.*?)(?::([A-Za-z]\w*))?:(\d+)$/.exec(reference) ?? [];
  const node = nodes.get(name);
  if (!node) return null;
  const names = (Object.hasOwn(outputNames, node.op) ? (outputNames[node.op] as string) : '').split(' ');
  return { node, index: Math.max(0, names.indexOf(output)) + Number(index) };
}

/**
 * Returns the nodes that `outputs` need, each after those that it reads by `inputsOf`; those that are known need nothing. Errors:
 * FormatError for a cycle.
 */
export function orderOf(
  outputs: readonly GraphNode[],
  isKnown: (node: GraphNode) => boolean,
  inputsOf: (node: GraphNode) => readonly Source[],
): GraphNode[] {
  const order: GraphNode[] = [];
  const done = new Set<GraphNode>();
  const open = new Set<GraphNode>();
  // A chain may be deeper than the stack.
  const visit = (node: GraphNode) => ({ node, inputs: isKnown(node) ? [] : inputsOf(node), next: 0 });
  const pending = outputs.map(visit).reverse();
  while (pending.length > 0) {
    const top = pending.at(-1) as ReturnType<typeof visit>;
    const { node } = top;
    if (top.next === 0) {
      if (done.has(node)) {
        pending.pop();
        continue;
      }
      open.add(node);
    }
    const input = top.inputs[top.next++];
    if (input) {
      if (open.has(input.node)) throw cycle(input.node);
      if (!done.has(input.node)) pending.push(visit(input.node));
      continue;
    }
    open.delete(node);
    done.add(node);
    order.push(node);
    pending.pop();
  }
  return order;
}

function cycle({ name, attributes }: GraphNode): FormatError {
  return new FormatError({
    op: attributes.place,
    rule: 'a node doesn’t read its own result.',
    received: `a cycle through '${name}'`,
    hint: 'the file is damaged or not of TF.js: convert the model again.',
  });
}
