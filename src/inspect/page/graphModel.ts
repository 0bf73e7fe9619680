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

/** Returns the graph of the calls of one direction. */
export function graphOf(data: StepReportData, { direction, all }: GraphChoice): GraphRoot {
  const calls = data.calls.filter(
    ({ backward, leadsToLoss }) => (backward !== null) === (direction === 'backward') && (all || leadsToLoss),
  );
  const { inputs, constants } = direction === 'forward' ? inputsOf(data, calls) : noInputs;
  const builder = new GraphBuilder(data);
  for (const tensor of inputs) builder.addInput(tensor);
  for (const call of calls) builder.addCall(call);
  builder.connect(calls, inputs);
  for (const [tensor, label] of constants) {
    const readers = calls.filter(({ inputs: read }) => read.includes(tensor.id));
    builder.addConstant(tensor, label, readers);
  }
  return builder.root;
}

class GraphBuilder {
  readonly root: GraphRoot = { children: [], links: [] };
  readonly #layers = new Map<number, GraphLayer>();
  /** The edges that were added. */
  readonly #seen = new Set<string>();

  constructor(private readonly data: StepReportData) {}

  addInput(tensor: ReportedTensor): void {
    this.root.children.push(inputNode(tensor, 'input'));
  }

  addCall(call: ReportedCall): void {
    this.#levelOf(call.layer).children.push({ kind: 'call', id: `call${call.id}`, call });
  }

  /** Adds the edges between `calls`, and from `inputs` to them. */
  connect(calls: readonly ReportedCall[], inputs: readonly ReportedTensor[]): void {
    const shown = new Set(calls.map(({ id }) => id));
    const shownInputs = new Set(inputs.map(({ id }) => id));
    for (const call of calls) {
      for (const input of call.inputs) {
        if (input === null) continue;
        const maker = this.data.tensors[input]?.maker ?? null;
        const path = this.#pathOf(call);
        if (maker !== null && shown.has(maker))
          this.#connect(this.#pathOf(this.data.calls[maker] as ReportedCall), path);
        else if (shownInputs.has(input)) this.#link(this.root, `tensor${input}`, path[0] as string);
      }
    }
  }

  /** Adds a constant, in the innermost layer that all of its readers are in. */
  addConstant(tensor: ReportedTensor, label: string, readers: readonly ReportedCall[]): void {
    const paths = readers.map((reader) => this.#pathOf(reader));
    const depth = commonDepth(paths);
    const level = this.#levelAt(paths[0] ?? [], depth);
    level.children.unshift(inputNode(tensor, label));
    for (const path of paths) this.#link(level, `tensor${tensor.id}`, path[depth] as string);
  }

  /** Adds an edge between two calls at the level where their layers differ. */
  #connect(from: readonly string[], to: readonly string[]): void {
    const depth = commonDepth([from, to]);
    this.#link(this.#levelAt(from, depth), from[depth] as string, to[depth] as string);
  }

  #link(level: GraphRoot, from: string, to: string): void {
    const key = `${from} ${to}`;
    if (from === to || this.#seen.has(key)) return;
    this.#seen.add(key);
    level.links.push({ from, to });
  }

  /** Returns the ids of the layers around a call, outermost first, followed by its own. */
  #pathOf(call: ReportedCall): string[] {
    const ids = [`call${call.id}`];
    for (let id = call.layer; id !== null; id = this.data.layers[id]?.parent ?? null)
      ids.unshift(`layer${id}`);
    return ids;
  }

  /** Returns what contains the node at `depth` of a path. */
  #levelAt(path: readonly string[], depth: number): GraphRoot {
    const outer = path[depth - 1];
    return outer === undefined ? this.root : this.#layerNode(Number(outer.slice('layer'.length)));
  }

  #levelOf(layer: number | null): GraphRoot {
    return layer === null ? this.root : this.#layerNode(layer);
  }

  #layerNode(id: number): GraphLayer {
    const known = this.#layers.get(id);
    if (known) return known;
    const layer = this.data.layers[id] as ReportedLayer;
    const made: GraphLayer = { kind: 'layer', id: `layer${id}`, layer, children: [], links: [] };
    this.#layers.set(id, made);
    this.#levelOf(layer.parent).children.push(made);
    return made;
  }
}

function inputNode(tensor: ReportedTensor, title: string): GraphInput {
  return { kind: 'input', id: `tensor${tensor.id}`, title: tensor.name ?? title, tensor };
}

/** Returns how many layers all `paths` begin with; the calls at their ends don't count. */
function commonDepth([first = [], ...others]: readonly (readonly string[])[]): number {
  let depth = 0;
  const isShared = () =>
    depth < first.length - 1 &&
    others.every((path) => depth < path.length - 1 && path[depth] === first[depth]);
  while (isShared()) depth++;
  return depth;
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
