/** @file The graph of a report as a tree of layers with ops as leaves, and its edges at each level of the tree. */
import type { ReportedCall, ReportedLayer, ReportedTensor, StepReportData } from '../step/reportData.ts';
import type { Link } from './layout.ts';

export type GraphNode = GraphLayer | GraphCall | GraphInput;

export interface GraphLayer {
  readonly kind: 'layer';
  readonly id: string;
  readonly layer: ReportedLayer;
  readonly children: GraphNode[];
  readonly links: Link[];
}

export interface GraphCall {
  readonly kind: 'call';
  readonly id: string;
  readonly call: ReportedCall;
}

export interface GraphInput {
  readonly kind: 'input';
  readonly id: string;
  readonly tensor: ReportedTensor;
}

/** The outermost level. */
export interface GraphRoot {
  readonly children: GraphNode[];
  readonly links: Link[];
}

export interface GraphChoice {
  readonly direction: 'forward' | 'backward';
  /** Whether to include calls that the loss doesn't depend on: metrics, updates. */
  readonly all: boolean;
}

/** The largest number of inputs shown. */
const mostInputs = 12;

export function graphOf(data: StepReportData, { direction, all }: GraphChoice): GraphRoot {
  const calls = data.calls.filter(
    ({ backward, leadsToLoss }) => (backward !== null) === (direction === 'backward') && (all || leadsToLoss),
  );
  const root: GraphRoot = { children: [], links: [] };
  const layers = new Map<number, GraphLayer>();
  const levelOf = (layer: number | null): GraphRoot => (layer === null ? root : layerNode(layer));
  const layerNode = (id: number): GraphLayer => {
    const known = layers.get(id);
    if (known) return known;
    const layer = data.layers[id] as ReportedLayer;
    const made: GraphLayer = { kind: 'layer', id: `layer${id}`, layer, children: [], links: [] };
    layers.set(id, made);
    levelOf(layer.parent).children.push(made);
    return made;
  };
  const inputs = direction === 'forward' ? inputsOf(data, calls) : [];
  for (const tensor of inputs) root.children.push({ kind: 'input', id: `tensor${tensor.id}`, tensor });
  for (const call of calls) levelOf(call.layer).children.push({ kind: 'call', id: `call${call.id}`, call });
  const shown = new Set(calls.map(({ id }) => id));
  const shownInputs = new Set(inputs.map(({ id }) => id));
  const seen = new Set<string>();
  for (const call of calls) {
    for (const input of call.inputs) {
      if (input === null) continue;
      const maker = data.tensors[input]?.maker ?? null;
      if (maker !== null && shown.has(maker)) connect(data.calls[maker] as ReportedCall, call);
      else if (shownInputs.has(input)) link(root, `tensor${input}`, topOf(call));
    }
  }
  return root;

  /** An edge between two calls is drawn at the level where their layers differ. */
  function connect(from: ReportedCall, to: ReportedCall): void {
    const [a, b] = [chainOf(from), chainOf(to)];
    let depth = 0;
    while (depth < a.length - 1 && depth < b.length - 1 && a[depth] === b[depth]) depth++;
    const level = depth === 0 ? root : (layers.get(Number((a[depth - 1] as string).slice(5))) as GraphLayer);
    link(level, a[depth] as string, b[depth] as string);
  }

  function link(level: GraphRoot, from: string, to: string): void {
    const key = `${from} ${to}`;
    if (from === to || seen.has(key)) return;
    seen.add(key);
    level.links.push({ from, to });
  }

  /** Ids of the layers around a call, outermost first, followed by its own. */
  function chainOf(call: ReportedCall): string[] {
    const ids = [`call${call.id}`];
    for (let id = call.layer; id !== null; id = data.layers[id]?.parent ?? null) ids.unshift(`layer${id}`);
    return ids;
  }

  function topOf(call: ReportedCall): string {
    return chainOf(call)[0] as string;
  }
}

/** Data from outside, without constants of one element, which say little. */
function inputsOf(data: StepReportData, calls: readonly ReportedCall[]): ReportedTensor[] {
  const read = new Set(calls.flatMap(({ inputs }) => inputs));
  return data.tensors
    .filter(({ id, role, shape }) => role === 'input' && read.has(id) && shape.length > 0)
    .slice(0, mostInputs);
}
