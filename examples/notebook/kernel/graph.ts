/**
 * @file The picture of a gradient: the lineage of a target, highlighted where the gradient of a source passes, with the gap
 * if there is one.
 */
import { type Lineage, type PathExplanation, type Tensor, lineage } from 'retrograd';
import type { Graph, GraphEdge, GraphNode } from '../protocol.ts';

export interface Pictured {
  target: Tensor;
  source: Tensor;
  /** The result of `tape.explain(target, source)`. */
  explanation: PathExplanation;
  /** Where values left the graph: the last tensor before the gap. */
  before?: Tensor;
}

export function graphOf({ target, source, explanation, before }: Pictured): Graph {
  const below = parts(lineage(target), 'a');
  const above = before ? parts(lineage(before), 'b') : null;
  const nodes = [...(above?.nodes ?? []), ...below.nodes];
  const edges = [...(above?.edges ?? []), ...below.edges];
  light(nodes, edges, source.name ?? '', explanation);
  const label = explanation.connected
    ? `The graph of the loss: the gradient reaches '${source.name}'.`
    : `The graph of the loss: the gradient does not reach '${source.name}'.`;
  const from = above?.nodes.at(-1);
  const to = below.nodes.find(({ kind, name }) => kind === 'leaf' && isFresh(name)) ?? below.nodes[0];
  const disconnectedAt =
    explanation.disconnectedAt && from && to
      ? { from: from.id, to: to.id, why: explanation.disconnectedAt.why }
      : null;
  return { label, nodes, edges, disconnectedAt };
}

const isFresh = (name: string) => ['tensor', 'fresh', 'uploaded'].includes(name);

type Mutable<T> = { -readonly [K in keyof T]: T[K] };
type Part = Mutable<GraphNode>;

function parts(line: Lineage, prefix: string): { nodes: Part[]; edges: GraphEdge[] } {
  return {
    nodes: line.nodes.map(({ id, kind, name, outputs, inside }) => ({
      id: prefix + id,
      kind,
      name,
      outputs,
      bytes: outputs.reduce((total, spec) => total + bytesOf(spec), 0),
      lit: false,
      stops: null,
      inside: inside ? parts(inside, prefix) : null,
    })),
    edges: line.edges.map(({ from, to, spec }) => ({ from: prefix + from, to: prefix + to, spec })),
  };
}

/** Forward from the source: highlights all nodes that depend on it, as far as the gradient passes. */
function light(
  nodes: Part[],
  edges: readonly GraphEdge[],
  source: string,
  explanation: PathExplanation,
): void {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const stop = explanation.disconnectedAt?.first.replaceAll("'", '') ?? '';
  for (const node of nodes) {
    if (node.kind === 'leaf') node.lit = node.name === source;
    else {
      const reached = edges.some(({ from, to }) => to === node.id && byId.get(from)?.lit);
      if (reached && node.name === stop) node.stops = explanation.disconnectedAt?.why ?? null;
      node.lit = reached && node.stops === null;
    }
    if (node.inside) lightInside(node, litSpecs(node.id, edges, byId));
  }
}

/** Specs of a node's inputs along the path of the gradient. */
const litSpecs = (id: string, edges: readonly GraphEdge[], byId: ReadonlyMap<string, Part>) =>
  new Set(edges.filter(({ from, to }) => to === id && byId.get(from)?.lit).map(({ spec }) => spec));

/** Ops of a layer that the gradient passes: those that depend on its inputs, and not only on its weights. */
function lightInside(layer: Part, inputs: ReadonlySet<string>): void {
  const { nodes, edges } = layer.inside as { nodes: Part[]; edges: readonly GraphEdge[] };
  const byId = new Map(nodes.map((node) => [node.id, node]));
  for (const node of nodes) {
    const isWeight = /\/|kernel|bias/.test(node.name);
    if (node.kind === 'leaf') node.lit = layer.lit && !isWeight && inputs.has(node.outputs[0] ?? '');
    else node.lit = edges.some(({ from, to }) => to === node.id && byId.get(from)?.lit);
    if (node.inside) lightInside(node, litSpecs(node.id, edges, byId));
  }
}

/** Bytes of a spec such as `float32[2, 3]`. */
function bytesOf(spec: string): number {
  const shape = /\[(.*)\]/.exec(spec)?.[1] ?? '';
  return shape.split(',').reduce((total, n) => total * (n.trim() === '' ? 1 : Number(n) || 1), 4);
}
