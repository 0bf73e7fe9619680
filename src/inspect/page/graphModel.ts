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
  readonly title: string;
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
const maxInputs = 12;

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
  const { inputs, constants } = direction === 'forward' ? inputsOf(data, calls) : noInputs;
  const node = (tensor: ReportedTensor, title: string): GraphInput => {
    return { kind: 'input', id: `tensor${tensor.id}`, title: tensor.name ?? title, tensor };
  };
  for (const tensor of inputs) root.children.push(node(tensor, 'input'));
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
  for (const [tensor, label] of constants) {
    const readers = calls.filter(({ inputs: read }) => read.includes(tensor.id)).map(chainOf);
    const [chain = []] = readers;
    // In the innermost layer that all of its readers are in.
    let depth = 0;
    while (depth < chain.length - 1 && readers.every((other) => other[depth] === chain[depth])) depth++;
    const level = depth === 0 ? root : layerOf(chain[depth - 1] as string);
    level.children.unshift(node(tensor, label));
    for (const reader of readers) link(level, `tensor${tensor.id}`, reader[depth] as string);
  }
  return root;

  /** Adds an edge between two calls at the level where their layers differ. */
  function connect(from: ReportedCall, to: ReportedCall): void {
    const [a, b] = [chainOf(from), chainOf(to)];
    let depth = 0;
    while (depth < a.length - 1 && depth < b.length - 1 && a[depth] === b[depth]) depth++;
    const level = depth === 0 ? root : layerOf(a[depth - 1] as string);
    link(level, a[depth] as string, b[depth] as string);
  }

  function layerOf(id: string): GraphLayer {
    return layers.get(Number(id.slice('layer'.length))) as GraphLayer;
  }

  function link(level: GraphRoot, from: string, to: string): void {
    const key = `${from} ${to}`;
    if (from === to || seen.has(key)) return;
    seen.add(key);
    level.links.push({ from, to });
  }

  /** Returns the ids of the layers around a call, outermost first, followed by its own. */
  function chainOf(call: ReportedCall): string[] {
    const ids = [`call${call.id}`];
    for (let id = call.layer; id !== null; id = data.layers[id]?.parent ?? null) ids.unshift(`layer${id}`);
    return ids;
  }

  function topOf(call: ReportedCall): string {
    return chainOf(call)[0] as string;
  }
}

interface Inputs {
  readonly inputs: readonly ReportedTensor[];
  /** Tensors that the step made between its calls, such as masks, with the names of their buffers. */
  readonly constants: readonly (readonly [ReportedTensor, string])[];
}

const noInputs: Inputs = { inputs: [], constants: [] };

/** Returns external data and constants, except those of one element, which are rarely of interest. */
function inputsOf(data: StepReportData, calls: readonly ReportedCall[]): Inputs {
  const read = new Set(calls.flatMap(({ inputs }) => inputs));
  const all = data.tensors.filter(
    ({ id, role, shape }) => role === 'input' && read.has(id) && shape.length > 0,
  );
  const made = new Map(
    data.memory.allocations.flatMap(({ tensor, from, label }) =>
      tensor !== null && from > 0 ? [[tensor, label] as const] : [],
    ),
  );
  return {
    inputs: all.filter(({ id }) => !made.has(id)).slice(0, maxInputs),
    constants: all.flatMap((tensor) => {
      const label = made.get(tensor.id);
      return label === undefined ? [] : [[tensor, label] as const];
    }),
  };
}
