/**
 * @file Functional: a graph of calls from inputs to outputs, as a layer. Calling it runs the graph anew, on tensors or on
 * symbolic tensors.
 */
import { DTypeError, ShapeError, ValueError } from '../../core/errors.ts';
import { describe } from '../../core/shape.ts';
import { formatSpec, type OpenSpec } from '../../core/spec.ts';
import type { SymbolicTensor } from '../../ops/recording.ts';
import { Tensor } from '../../tensor/tensor.ts';
import { type AnyLayer, type CallOptions, Layer, type LayerOptions } from '../layers/layer.ts';
import { leavesOf, type Mapped, mapNest, type Nest } from '../nest.ts';
import { KerasTensor } from './kerasTensor.ts';
import type { GraphNode, GraphOperation } from './node.ts';
import { mapGraph } from './traverse.ts';

export interface FunctionalOptions<I, O> extends LayerOptions {
  /** Symbolic tensors: one, or arrays or records of them. */
  inputs: I;
  outputs: O;
}

export class Functional<
  In extends Nest<Tensor> = Nest<Tensor>,
  Out extends Nest<Tensor> = Nest<Tensor>,
> extends Layer<In, Out> {
  static override readonly className: string = 'Functional';
  readonly inputs: readonly KerasTensor[];
  readonly outputs: readonly KerasTensor[];
  /** Layers and ops, from the inputs on. */
  readonly operations: readonly GraphOperation[];
  readonly #inputNest: Nest<KerasTensor>;
  readonly #outputNest: Nest<KerasTensor>;
  readonly #nodes: readonly GraphNode[];
  /** How often each tensor is read; one read more for outputs, which outlive the run. */
  readonly #reads = new Map<KerasTensor, number>();

  constructor({
    inputs,
    outputs,
    ...options
  }: FunctionalOptions<Mapped<In, SymbolicTensor>, Mapped<Out, SymbolicTensor>>) {
    super(options);
    this.#inputNest = requireSymbolic('inputs', inputs as Nest<SymbolicTensor>);
    this.#outputNest = requireSymbolic('outputs', outputs as Nest<SymbolicTensor>);
    this.inputs = leavesOf(this.#inputNest);
    this.outputs = leavesOf(this.#outputNest);
    requireDistinct(this.inputs);
    const { nodes, operations } = mapGraph(this.inputs, this.outputs);
    this.#nodes = nodes;
    this.operations = operations;
    for (const tensor of [...nodes.flatMap((node) => node.inputTensors), ...this.outputs]) {
      this.#reads.set(tensor, (this.#reads.get(tensor) ?? 0) + 1);
    }
    this.built = true;
    if (options.trainable === false) this.trainable = false;
  }

  /** Layers, input layers included, from the inputs on. */
  get layers(): AnyLayer[] {
    return this.operations.filter((operation) => operation instanceof Layer);
  }

  override get sublayers(): AnyLayer[] {
    return this.layers;
  }

  override get input(): Mapped<In, KerasTensor> {
    return this.#inputNest as Mapped<In, KerasTensor>;
  }

  override get output(): Mapped<Out, KerasTensor> {
    return this.#outputNest as Mapped<Out, KerasTensor>;
  }

  /** The layer of that name, or at that position of `layers`. Errors: ValueError where there is none. */
  getLayer(which: string | number): AnyLayer {
    const { layers } = this;
    const found = typeof which === 'number' ? layers[which] : layers.find(({ name }) => name === which);
    if (found) return found;
    throw new ValueError({
      op: 'getLayer',
      rule: `a layer is named by its name, or by its position in [0, ${layers.length}).`,
      received: describe(which),
      mend: `'${this.name}' has ${layers.map(({ name }) => `'${name}'`).join(', ')}.`,
    });
  }

  override call(inputs: In, options: CallOptions): Out {
    const values = new Map<KerasTensor, unknown>();
    const reads = new Map(this.#reads);
    this.#bind(inputs as Nest<Tensor>, values);
    for (const node of this.#nodes) {
      const argument = node.argumentWith((tensor) => values.get(tensor));
      const outputs = leavesOf(node.operation.replay(node, argument, options));
      node.outputTensors.forEach((tensor, i) => {
        values.set(tensor, outputs[i]);
      });
      for (const tensor of node.inputTensors) this.#release(tensor, values, reads);
    }
    return mapNest(this.#outputNest, (tensor) => values.get(tensor)) as Out;
  }

  /** Frees a value at its last read. Values of inputs are the caller's. */
  #release(tensor: KerasTensor, values: Map<KerasTensor, unknown>, reads: Map<KerasTensor, number>): void {
    const left = (reads.get(tensor) as number) - 1;
    reads.set(tensor, left);
    if (left > 0 || this.inputs.includes(tensor)) return;
    const value = values.get(tensor);
    if (value instanceof Tensor) value.dispose();
    values.delete(tensor);
  }

  /** Gives each input its value: by position, or by name where a record is given for inputs that aren't one. */
  #bind(given: Nest<Tensor>, values: Map<KerasTensor, unknown>): void {
    const leaves = this.#valuesInOrder(given);
    if (leaves.length !== this.inputs.length) {
      throw new ValueError({
        op: this.name,
        rule: `it takes ${this.inputs.length} inputs: ${this.inputs.map(({ name }) => `'${name}'`).join(', ')}.`,
        received: `${leaves.length} values`,
        mend: 'pass them in that order, or as a record by name.',
      });
    }
    this.inputs.forEach((tensor, i) => {
      const value = leaves[i] as Tensor;
      requireFit(this.name, tensor, value);
      values.set(tensor, value);
    });
  }

  #valuesInOrder(given: Nest<Tensor>): unknown[] {
    const isRecord = (nest: unknown) => Object.getPrototypeOf(nest) === Object.prototype;
    if (!isRecord(given)) return leavesOf(given as Nest<unknown>);
    const byName = given as Readonly<Record<string, unknown>>;
    const keys = isRecord(this.#inputNest)
      ? Object.keys(this.#inputNest)
      : this.inputs.map(({ name }) => name);
    const missing = keys.find((key) => !(key in byName));
    if (missing === undefined) return keys.flatMap((key) => leavesOf(byName[key] as Nest<unknown>));
    throw new ValueError({
      op: this.name,
      rule: `a record of inputs has a value for each of ${keys.map((key) => `'${key}'`).join(', ')}.`,
      received: `${Object.keys(byName)
        .map((key) => `'${key}'`)
        .join(', ')}`,
      mend: `add '${missing}'.`,
    });
  }
}

function requireSymbolic(what: string, nest: Nest<SymbolicTensor>): Nest<KerasTensor> {
  return mapNest(
    nest,
    (leaf, path) => {
      if (leaf instanceof KerasTensor) return leaf;
      throw new ValueError({
        op: 'model',
        rule: 'the inputs and outputs of a model are symbolic tensors.',
        received: `${path}: ${(leaf as unknown) instanceof Tensor ? String(leaf) : describe(leaf)}`,
        mend: 'begin at input({ shape }); a tensor with values can be given to the model once it is made.',
      });
    },
    what,
  );
}

function requireDistinct(inputs: readonly KerasTensor[]): void {
  const twice = inputs.find((tensor, i) => inputs.indexOf(tensor) !== i);
  if (!twice) return;
  throw new ValueError({
    op: 'model',
    rule: 'every input of a model is named once.',
    received: `${twice}, twice`,
    mend: 'remove one of them from `inputs`.',
  });
}

function requireFit(model: string, wanted: OpenSpec & { name: string }, given: OpenSpec): void {
  const parts = {
    op: model,
    rule: `its input '${wanted.name}' takes ${formatSpec(wanted)}, where null stands for any size.`,
    received: formatSpec(given),
    mend: 'reshape or cast the value; the first axis is the batch.',
  };
  const fits =
    wanted.shape.length === given.shape.length &&
    wanted.shape.every(
      (size, axis) => size === null || given.shape[axis] === null || given.shape[axis] === size,
    );
  if (!fits) throw new ShapeError(parts);
  if (wanted.dtype !== given.dtype) throw new DTypeError(parts);
}
