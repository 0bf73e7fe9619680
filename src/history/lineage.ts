/**
 * @file The ancestry of a tensor as a graph of calls and leaves, and its output formats: Mermaid, Graphviz, JSON. A layer
 * is one node that expands to the ops inside.
 */
import { formatSpec, type TensorSpec } from '../core/spec.ts';
import { asExplainable, type Explainable, explainHistory } from './explain.ts';
import type { KerasHistory, Node, NodeInput } from './node.ts';

export interface LineageNode {
  /** Unique in this lineage. */
  readonly id: string;
  readonly kind: 'op' | 'layer' | 'leaf';
  readonly name: string;
  /** Specs of the outputs, such as `float32[2, 3]`. */
  readonly outputs: readonly string[];
  readonly callSite: string | undefined;
  /** The ops inside a layer. */
  readonly inside: Lineage | null;
}

export interface LineageEdge {
  readonly from: string;
  readonly to: string;
  /** Which output of `from`, and its spec. */
  readonly tensorIndex: number;
  readonly spec: string;
}

/** A graph of calls; nodes are in topological order. */
export class Lineage {
  constructor(
    readonly nodes: readonly LineageNode[],
    readonly edges: readonly LineageEdge[],
  ) {}

  toJSON(): { nodes: readonly LineageNode[]; edges: readonly LineageEdge[] } {
    return { nodes: this.nodes, edges: this.edges };
  }

  /** Returns a Mermaid flowchart; layers are subgraphs where `open` is true. */
  toMermaid({ open = false }: DrawOptions = {}): string {
    return ['flowchart TD', ...mermaid(this, open, '')].join('\n');
  }

  /** Returns a Graphviz digraph; layers are clusters where `open` is true. */
  toDot({ open = false }: DrawOptions = {}): string {
    return [
      'digraph lineage {',
      '  node [shape=box, fontname="sans-serif"];',
      ...dot(this, open, '', '  '),
      '}',
    ].join('\n');
  }
}

export interface DrawOptions {
  /** Shows the ops inside layers. Default false. */
  open?: boolean;
}

/** Returns the ancestry of a tensor, as far as it was recorded. Errors: none; a tensor without history is a single leaf. */
export function lineage(given: Explainable): Lineage {
  const tensor = asExplainable(given);
  const { kerasHistory } = tensor;
  if (kerasHistory) return trace([kerasHistory]);
  const spec = formatSpec(tensor as TensorSpec);
  const { cause } = explainHistory(tensor);
  const leaf: LineageNode = {
    id: 'n0',
    kind: 'leaf',
    name: tensor.name ?? cause,
    outputs: [spec],
    callSite: undefined,
    inside: null,
  };
  return new Lineage([leaf], []);
}

/** Walks back from `ends` without recursion: lineages can be thousands of calls deep. */
function trace(ends: readonly KerasHistory[], within: Node | null = null, prefix = 'n'): Lineage {
  const nodes: LineageNode[] = [];
  const edges: LineageEdge[] = [];
  const callIds = new Map<Node, string>();
  const leafIds = new Map<number, string>();
  const stack: { node: Node; entered: boolean }[] = ends.map(({ node }) => ({ node, entered: false }));
  const belongs = (history: KerasHistory | null): history is KerasHistory =>
    history !== null && (within === null || history.node.parent === within);
  while (stack.length > 0) {
    const top = stack.pop() as { node: Node; entered: boolean };
    if (callIds.has(top.node)) continue;
    if (!top.entered) {
      stack.push({ node: top.node, entered: true });
      for (const { history } of top.node.inputs)
        if (belongs(history) && !callIds.has(history.node))
          stack.push({ node: history.node, entered: false });
      continue;
    }
    const sources = top.node.inputs.map((input) => {
      if (belongs(input.history))
        return { from: callIds.get(input.history.node) as string, tensorIndex: input.history.tensorIndex };
      return { from: leafOf(input), tensorIndex: 0 };
    });
    const id = `${prefix}${nodes.length}`;
    callIds.set(top.node, id);
    nodes.push(callNode(id, top.node));
    sources.forEach(({ from, tensorIndex }, i) => {
      edges.push({ from, to: id, tensorIndex, spec: formatSpec(top.node.inputs[i] as NodeInput) });
    });
  }
  return new Lineage(nodes, edges);

  function leafOf(input: NodeInput): string {
    const known = leafIds.get(input.id);
    if (known) return known;
    const id = `${prefix}${nodes.length}`;
    leafIds.set(input.id, id);
    nodes.push({
      id,
      kind: 'leaf',
      name: input.name ?? 'tensor',
      outputs: [formatSpec(input)],
      callSite: undefined,
      inside: null,
    });
    return id;
  }
}

function callNode(id: string, node: Node): LineageNode {
  const isLayer = node.operation.className !== 'op';
  return {
    id,
    kind: isLayer ? 'layer' : 'op',
    name: node.operation.name,
    outputs: node.outputs.map(formatSpec),
    callSite: node.callSite,
    inside: node.inside.length > 0 ? trace(node.inside, node, `${id}_`) : null,
  };
}

const label = ({ name, outputs }: LineageNode) => `${name}\\n${outputs.join(', ')}`;

function mermaid({ nodes, edges }: Lineage, open: boolean, indent: string): string[] {
  const lines: string[] = [];
  for (const node of nodes) {
    const text = label(node).replaceAll('"', "'").replaceAll('\\n', '<br/>');
    if (open && node.inside) {
      lines.push(
        `${indent}  subgraph ${node.id}["${text}"]`,
        ...mermaid(node.inside, open, `${indent}  `),
        `${indent}  end`,
      );
    } else {
      lines.push(`${indent}  ${node.id}${node.kind === 'leaf' ? `(["${text}"])` : `["${text}"]`}`);
    }
  }
  for (const { from, to, spec } of edges) lines.push(`${indent}  ${from} -->|"${spec}"| ${to}`);
  return lines;
}

function dot({ nodes, edges }: Lineage, open: boolean, cluster: string, indent: string): string[] {
  const lines: string[] = [];
  for (const node of nodes) {
    const text = label(node).replaceAll('"', '\\"');
    if (open && node.inside) {
      const name = `${cluster}${node.id}`;
      lines.push(`${indent}subgraph cluster_${name} {`, `${indent}  label="${text}";`);
      // An edge can't end at a cluster, so it ends at an invisible anchor inside.
      lines.push(
        `${indent}  ${node.id} [shape=point, style=invis];`,
        ...dot(node.inside, open, name, `${indent}  `),
        `${indent}}`,
      );
    } else {
      lines.push(`${indent}${node.id} [label="${text}"${node.kind === 'leaf' ? ', style=rounded' : ''}];`);
    }
  }
  for (const { from, to, spec } of edges) lines.push(`${indent}${from} -> ${to} [label="${spec}"];`);
  return lines;
}
