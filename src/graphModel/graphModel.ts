/** @file GraphModel: a model of TF.js that is a graph of TensorFlow's operations, and has no layers. */
import { checkSignal } from '../core/abortSignal.ts';
import type { DType } from '../core/dtype.ts';
import { DTypeError, ShapeError, ValueError } from '../core/errors.ts';
import { checkOptions, type OptionNames } from '../core/options.ts';
import { describe, formatShape } from '../core/shape.ts';
import { suggestionFor } from '../core/suggest.ts';
import { Tensor } from '../tensor/tensor.ts';
import type { OpenShape } from './attributes.ts';
import { type GraphNode, type Source, sourceOf } from './graphDef.ts';
import type { Flow } from './flow.ts';
import { type Known, run, runAsync, type Slot } from './run.ts';
import { Value } from './value.ts';

/** A tensor that a graph takes or gives. */
export interface GraphTensor {
  /** Its name in the model's signature, or else that of its node. */
  readonly name: string;
  /** The name of its node. */
  readonly node: string;
  /** Null for an open size, or in place of an unknown shape. */
  readonly shape: OpenShape | null;
  /** Null if it isn't known before a run. */
  readonly dtype: DType | null;
}

/** One tensor for a graph with one input, all in their order, or by name. */
export type GraphInputs = Tensor | readonly Tensor[] | Readonly<Record<string, Tensor>>;

/** Options of `executeAsync`. */
export interface ExecuteOptions {
  /** Ends the run. */
  readonly signal?: AbortSignal | undefined;
}

const executeOptions: OptionNames<ExecuteOptions> = { signal: false };

/** An input or an output, with where it is in the graph. */
export interface Port extends GraphTensor {
  readonly source: Source;
}

export interface GraphParts {
  readonly file: string;
  readonly nodes: ReadonlyMap<string, GraphNode>;
  readonly inputs: readonly Port[];
  readonly outputs: readonly Port[];
  readonly flow: Flow;
  /** The values of constants. */
  readonly weights: ReadonlyMap<GraphNode, Value>;
}

/**
 * A graph of TensorFlow's operations, as `loadGraphModel` reads it. Its operations are Retrograd's, so that a gradient flows through
 * it to its inputs and weights, and `compile` records it.
 */
export class GraphModel {
  #parts: GraphParts | null;

  /** @internal */
  constructor(parts: GraphParts) {
    this.#parts = parts;
    const publicOf = ({ name, node, shape, dtype }: Port): GraphTensor => ({ name, node, shape, dtype });
    this.inputs = parts.inputs.map(publicOf);
    this.outputs = parts.outputs.map(publicOf);
  }

  /** What it takes, in order. */
  readonly inputs: readonly GraphTensor[];

  /** What it gives, in order. */
  readonly outputs: readonly GraphTensor[];

  /** Its constants by the names of their nodes, as they are on the device. */
  get weights(): ReadonlyMap<string, Tensor> {
    return new Map([...this.#open('weights').weights].map(([{ name }, value]) => [name, value.tensor]));
  }

  /**
   * Computes the outputs: the tensor of the only one, or all in their order. The caller frees them.
   * Errors: ValueError, ShapeError or DTypeError for inputs that the graph doesn't take; ValueError if shapes depend on values of the
   * device, for which `executeAsync` waits.
   */
  predict(inputs: GraphInputs): Tensor | Tensor[] {
    return this.execute(inputs);
  }

  /** As `predict`, for the outputs of any nodes: `outputs` are names, such as 'MobilenetV2/Conv_1' or 'boxes:1'. */
  execute(inputs: GraphInputs, outputs: string): Tensor;
  execute(inputs: GraphInputs, outputs: readonly string[]): Tensor[];
  execute(inputs: GraphInputs, outputs?: string | readonly string[]): Tensor | Tensor[];
  execute(inputs: GraphInputs, outputs?: string | readonly string[]): Tensor | Tensor[] {
    const { sources, known, flow } = this.#prepare('execute', inputs, outputs);
    return this.#given(run(sources, known, flow), outputs);
  }

  /**
   * As `execute`. It waits where a shape depends on values: for boxes that are found, or places where something holds. Between the
   * turns of loops it lets the page work, and looks at the signal.
   * Errors: also the signal's reason.
   */
  executeAsync(inputs: GraphInputs, outputs: string, options?: ExecuteOptions): Promise<Tensor>;
  executeAsync(inputs: GraphInputs, outputs: readonly string[], options?: ExecuteOptions): Promise<Tensor[]>;
  executeAsync(
    inputs: GraphInputs,
    outputs?: string | readonly string[],
    options?: ExecuteOptions,
  ): Promise<Tensor | Tensor[]>;
  async executeAsync(
    inputs: GraphInputs,
    outputs?: string | readonly string[],
    options: ExecuteOptions = {},
  ): Promise<Tensor | Tensor[]> {
    checkOptions('executeAsync', options, executeOptions);
    checkSignal('executeAsync', options.signal);
    options.signal?.throwIfAborted();
    const { sources, known, flow } = this.#prepare('executeAsync', inputs, outputs);
    return this.#given(await runAsync(sources, known, flow, options.signal), outputs);
  }

  /** Frees the weights. */
  dispose(): void {
    for (const value of this.#parts?.weights.values() ?? []) value.tensor.dispose();
    this.#parts = null;
  }

  #open(op: string): GraphParts {
    if (this.#parts) return this.#parts;
    throw new ValueError({
      op,
      rule: 'a graph runs until it is disposed of.',
      received: 'one that was',
      hint: 'load it again.',
    });
  }

  #prepare(op: string, inputs: GraphInputs, outputs: string | readonly string[] | undefined) {
    const { nodes, weights, flow, ...parts } = this.#open(op);
    const known = new Map<GraphNode, readonly Slot[]>();
    for (const [node, value] of weights) known.set(node, [value]);
    for (const [node, value] of this.#fed(op, inputs)) known.set(node, [new Value(value, false)]);
    const names = typeof outputs === 'string' ? [outputs] : outputs;
    if (names !== undefined && !Array.isArray(names)) throw this.#wrongOutputs(op, names);
    const sources = names
      ? names.map((name) => this.#sourceOf(op, name, parts.outputs, nodes))
      : parts.outputs.map(({ source }) => source);
    return { sources, known: known as Known, flow };
  }

  /** The nodes that `inputs` stand for. */
  #fed(op: string, inputs: GraphInputs): Map<GraphNode, Tensor> {
    const { inputs: ports, nodes } = this.#open(op);
    const list = inputs instanceof Tensor ? [inputs] : inputs;
    if (Array.isArray(list)) {
      if (list.length !== ports.length) throw this.#wrongInputs(op, `${list.length} in a list`);
      return new Map(ports.map((port, i) => [port.source.node, this.#checked(op, port, list[i])]));
    }
    if (typeof list !== 'object' || list === null) throw this.#wrongInputs(op, describe(list));
    return new Map(
      Object.entries(list).map(([name, value]) => {
        const port = ports.find((one) => one.name === name || one.node === name);
        if (port) return [port.source.node, this.#checked(op, port, value)];
        const { node } = this.#sourceOf(op, name, ports, nodes);
        return [node, this.#checked(op, { name, shape: null, dtype: null }, value)];
      }),
    );
  }

  #checked(op: string, { name, shape, dtype }: Omit<GraphTensor, 'node'>, value: unknown): Tensor {
    if (!(value instanceof Tensor)) {
      throw new ValueError({
        op,
        rule: 'inputs of a graph are tensors.',
        received: `${name}: ${describe(value)}`,
        hint: 'make one of numbers: tensor(values, { shape }).',
      });
    }
    if (dtype && value.dtype !== dtype) {
      throw new DTypeError({
        op,
        rule: `input '${name}' is ${dtype}.`,
        received: value.dtype,
        hint: `cast it first: cast(x, '${dtype}').`,
      });
    }
    const fits =
      shape?.length === value.shape.length && shape.every((n, i) => n === null || n === value.shape[i]);
    if (shape === null || fits) return value;
    throw new ShapeError({
      op,
      rule: `input '${name}' has shape [${shape.map((n) => n ?? '?').join(', ')}].`,
      received: formatShape(value.shape),
      hint: 'reshape or resize it first; a single sample needs an axis for its batch: expandDims(x, { axis: 0 }).',
    });
  }

  #wrongInputs(op: string, received: string): ValueError {
    return new ValueError({
      op,
      rule: `the graph takes ${this.inputs.length}: ${this.inputs.map(({ name }) => name).join(', ') || 'nothing'}.`,
      received,
      hint: 'pass a tensor, a list in this order, or tensors by name.',
    });
  }

  #wrongOutputs(op: string, outputs: unknown): ValueError {
    return new ValueError({
      op,
      rule: 'outputs are names of nodes.',
      received: describe(outputs),
      hint: "pass one, a list, or nothing for all: 'boxes:1'.",
    });
  }

  #sourceOf(op: string, name: string, ports: readonly Port[], nodes: ReadonlyMap<string, GraphNode>): Source {
    const source = ports.find((port) => port.name === name)?.source ?? sourceOf(String(name), nodes);
    if (source) return source;
    throw new ValueError({
      op,
      rule: 'inputs and outputs are nodes of the graph.',
      received: describe(name),
      hint: suggestionFor(name, [...nodes.keys()], 'see `inputs` and `outputs`.'),
    });
  }

  /** A tensor for a name, a list for a list; by default a tensor if there is one output. */
  #given(made: Tensor[], outputs: string | readonly string[] | undefined): Tensor | Tensor[] {
    const isSingle = typeof outputs === 'string' || (outputs === undefined && made.length === 1);
    return isSingle ? (made[0] as Tensor) : made;
  }
}
