/**
 * @file GraphProgram: the calls between symbolic inputs and outputs, run anew on other values. What a model computes.
 */
import { ValueError } from '../../core/errors.ts';
import { describe } from '../../core/shape.ts';
import { Tensor } from '../../tensor/tensor.ts';
import { leavesOf, mapNest, type Nest } from '../tensorNest.ts';
import { KerasTensor } from './kerasTensor.ts';
import type { GraphNode, GraphOperation } from './graphNode.ts';
import { mapGraph } from './traverse.ts';

export class GraphProgram {
  readonly inputs: readonly KerasTensor[];
  readonly outputs: readonly KerasTensor[];
  /** Layers and ops, from the inputs on. */
  readonly operations: readonly GraphOperation[];
  /** Calls, each after those that it depends on; input layers have none here. */
  readonly nodes: readonly GraphNode[];
  /** All calls, those of input layers included, by how many calls lie between them and the farthest output. */
  readonly nodesByDepth: ReadonlyMap<number, readonly GraphNode[]>;
  /** How often each tensor is read; one read more for outputs, which outlive the run. */
  readonly #reads = new Map<KerasTensor, number>();

  /**
   * Errors: ValueError for what isn't symbolic, for an input named twice, for cycles and for names given twice;
   * MissingHistoryError; GraphDisconnectedError.
   */
  constructor(
    readonly inputNest: Nest<KerasTensor>,
    readonly outputNest: Nest<KerasTensor>,
  ) {
    requireSymbolic('inputs', inputNest);
    requireSymbolic('outputs', outputNest);
    this.inputs = leavesOf(inputNest);
    this.outputs = leavesOf(outputNest);
    requireDistinct(this.inputs);
    const { nodes, operations, nodesByDepth } = mapGraph(this.inputs, this.outputs);
    this.nodes = nodes;
    this.operations = operations;
    this.nodesByDepth = nodesByDepth;
    for (const tensor of [...nodes.flatMap((node) => node.inputTensors), ...this.outputs]) {
      this.#reads.set(tensor, (this.#reads.get(tensor) ?? 0) + 1);
    }
  }

  /** The outputs for `given`, one value for each input, in order: tensors, or symbolic tensors. */
  run(given: readonly unknown[]): Nest<unknown> {
    const values = new Map<KerasTensor, unknown>(this.inputs.map((tensor, i) => [tensor, given[i]]));
    const reads = new Map(this.#reads);
    const valueFor = (tensor: KerasTensor) => values.get(tensor);
    for (const node of this.nodes) {
      const argument = node.argumentWith(valueFor);
      const outputs = leavesOf(node.operation.replay(node, argument, node.optionsWith(valueFor)));
      node.outputTensors.forEach((tensor, i) => {
        // An input of the model that another call makes, too, keeps the value that it was given.
        if (!this.inputs.includes(tensor)) values.set(tensor, outputs[i]);
      });
      for (const tensor of node.inputTensors) this.#release(tensor, values, reads);
    }
    return mapNest(this.outputNest, valueFor);
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
}

function requireSymbolic(what: string, nest: Nest<unknown>): void {
  if (leavesOf(nest).length === 0) {
    throw new ValueError({
      op: 'model',
      rule: `a model has ${what}: symbolic tensors, or arrays or records of them.`,
      received: `${what}: ${describe(nest)}`,
      hint: 'begin at input({ shape }), and end at what layers and ops make of it.',
    });
  }
  mapNest(
    nest,
    (leaf, path) => {
      if (leaf instanceof KerasTensor) return;
      throw new ValueError({
        op: 'model',
        rule: 'the inputs and outputs of a model are symbolic tensors.',
        received: `${path}: ${leaf instanceof Tensor ? String(leaf) : describe(leaf)}`,
        hint: 'begin at input({ shape }); a tensor with values can be given to the model once it is made.',
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
    hint: 'remove one of them from `inputs`.',
  });
}
