/** @file Loops of TensorFlow 1: what enters one, what changes from turn to turn, and where it is left. */
import { FormatError } from '../core/errors.ts';
import type { GraphNode, Source } from './graphDef.ts';

/** A value that changes from turn to turn. */
export interface LoopVariable {
  /** Its first value. */
  readonly enter: GraphNode;
  /** Its value in a turn, which the condition reads. */
  readonly merge: GraphNode;
  /** The same for the body, as output 1. */
  readonly body: GraphNode;
  /** Its value in the next turn. */
  readonly next: Source;
}

export interface Loop {
  /** All that it reads from outside. */
  readonly enters: readonly GraphNode[];
  readonly variables: readonly LoopVariable[];
  /** Whether there is a further turn. */
  readonly condition: Source;
}

/** A node after a loop: the last value of the variable with this index. */
export interface LoopExit {
  readonly loop: Loop;
  readonly variable: number;
}

/** The loops of a graph, by the nodes after them. */
export type Loops = ReadonlyMap<GraphNode, LoopExit>;

/** Finds the loops of a graph. Errors: FormatError for a loop with a part missing. */
export function loopsOf(nodes: Iterable<GraphNode>): Loops {
  const frames = new Map<string, GraphNode[]>();
  const readers = new Map<GraphNode, GraphNode[]>();
  for (const node of nodes) {
    for (const { node: read } of node.inputs) append(readers, read, node);
    if (node.op === 'Enter') append(frames, node.attributes.text('frame_name', ''), node);
  }
  const readersOf = (node: GraphNode, op: string) => (readers.get(node) ?? []).filter((one) => one.op === op);
  const loops = new Map<GraphNode, LoopExit>();
  for (const enters of frames.values()) {
    const variables = enters.flatMap((enter) =>
      readersOf(enter, 'Merge').map((merge) => variableOf(enter, merge, readersOf(merge, 'Switch')[0])),
    );
    const [first] = variables;
    const condition = first?.body.inputs[1]?.node.inputs[0];
    if (!condition) throw incomplete(enters[0] as GraphNode);
    const loop = { enters, variables, condition };
    for (const [variable, { body }] of variables.entries())
      for (const exit of readersOf(body, 'Exit')) loops.set(exit, { loop, variable });
  }
  return loops;
}

function append<K>(lists: Map<K, GraphNode[]>, key: K, node: GraphNode): void {
  const list = lists.get(key);
  if (list) list.push(node);
  else lists.set(key, [node]);
}

function variableOf(enter: GraphNode, merge: GraphNode, body: GraphNode | undefined): LoopVariable {
  const next = merge.inputs.find(({ node }) => node.op === 'NextIteration')?.node.inputs[0];
  if (body && next) return { enter, merge, body, next };
  throw incomplete(merge);
}

function incomplete({ attributes }: GraphNode): FormatError {
  return new FormatError({
    op: attributes.place,
    rule: 'a loop has a condition, a body, and a next value for each variable.',
    received: 'one without',
    hint: 'the file is damaged or not of TF.js: convert the model again.',
  });
}

/** What a node reads; after a loop, all that enters it. */
export function inputsOf(node: GraphNode, loops: Loops): readonly Source[] {
  const exit = loops.get(node);
  return exit ? exit.loop.enters.flatMap(({ inputs }) => inputs.slice(0, 1)) : node.inputs;
}
