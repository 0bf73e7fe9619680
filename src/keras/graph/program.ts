/** @file GraphProgram: the calls between symbolic inputs and outputs, which a model repeats on actual values. */
import { ValueError } from '../../core/errors.ts';
import { describe } from '../../core/shape.ts';
import { Tensor } from '../../tensor/tensor.ts';
import { leavesOf, mapNest, type Nest } from '../tensorNest.ts';
import { KerasTensor } from './kerasTensor.ts';
import type { GraphNode, GraphOperation } from './graphNode.ts';
import { trace } from './tracing.ts';
import { mapGraph } from './traverse.ts';

/** The maximum number of input specs for which a program keeps its outputs. */
const maxKnownOutputs = 64;

export class GraphProgram {
  readonly inputs: readonly KerasTensor[];
  readonly outputs: readonly KerasTensor[];
  /** Layers and ops, in order from the inputs. */
  readonly operations: readonly GraphOperation[];
  /** Calls in topological order, without those of input layers. */
  readonly nodes: readonly GraphNode[];
  /** All calls, including those of input layers, by depth: the number of calls to the farthest output. */
  readonly nodesByDepth: ReadonlyMap<number, readonly GraphNode[]>;
  /** Number of reads of each tensor. Outputs have one more, because they outlive the run. */
  readonly #reads = new Map<KerasTensor, number>();
  readonly #given: ReadonlySet<KerasTensor>;
  /** Outputs without history, by the specs of the inputs: those of the graph itself, and those inferred by calls. */
  readonly #outputs = new Map<string, Nest<KerasTensor>>();

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
    this.#given = requireDistinct(this.inputs);
    this.#outputs.set(keyOf(inputNest, false), withoutHistory(outputNest));
    const { nodes, operations, nodesByDepth } = mapGraph(this.inputs, this.outputs);
    this.nodes = nodes;
    this.operations = operations;
    this.nodesByDepth = nodesByDepth;
    for (const tensor of [...nodes.flatMap((node) => node.inputTensors), ...this.outputs]) {
      this.#reads.set(tensor, (this.#reads.get(tensor) ?? 0) + 1);
    }
  }

  /**
   * Returns symbolic outputs for inputs with the specs of `given`. They are inferred once: a model may be in many others, at many
   * depths, and each would infer those of all models inside again.
   */
  outputsFor(given: Nest<KerasTensor>, training: boolean, infer: () => Nest<KerasTensor>): Nest<KerasTensor> {
    const key = keyOf(given, training);
    const known = this.#outputs.get(key);
    if (known) return known;
    const outputs = withoutHistory(infer());
    if (this.#outputs.size >= maxKnownOutputs) this.#outputs.clear();
    this.#outputs.set(key, outputs);
    return outputs;
  }

  /** Returns the outputs for `given`, one value for each input, in order: tensors, or symbolic tensors. */
  run(given: readonly unknown[]): Nest<unknown> {
    const values = new Map<KerasTensor, unknown>(this.inputs.map((tensor, i) => [tensor, given[i]]));
    const reads = new Map(this.#reads);
    const valueFor = (tensor: KerasTensor) => values.get(tensor);
    for (const node of this.nodes) {
      const argument = node.argumentWith(valueFor);
      const outputs = leavesOf(node.operation.replay(node, argument, node.optionsWith(valueFor)));
      node.outputTensors.forEach((tensor, i) => {
        // A tensor that is an input of the model keeps the given value, even if a call also produces it.
        if (!this.#given.has(tensor)) values.set(tensor, outputs[i]);
      });
      for (const tensor of node.inputTensors) this.#release(tensor, values, reads);
    }
    return mapNest(this.outputNest, valueFor);
  }

  /** Frees a value after its last read. The caller owns the values of inputs. */
  #release(tensor: KerasTensor, values: Map<KerasTensor, unknown>, reads: Map<KerasTensor, number>): void {
    const left = (reads.get(tensor) as number) - 1;
    reads.set(tensor, left);
    if (left > 0 || this.#given.has(tensor)) return;
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
      hint: 'start with input({ shape }), and end with outputs of layers and ops.',
    });
  }
  mapNest(
    nest,
    (leaf, path) => {
      if (leaf instanceof KerasTensor) return;
      throw new ValueError({
        op: 'model',
        rule: 'the inputs and outputs of a model must be symbolic tensors.',
        received: `${path}: ${leaf instanceof Tensor ? String(leaf) : describe(leaf)}`,
        hint: 'start with input({ shape }). Call the model on tensors with values once it is created.',
      });
    },
    what,
  );
}

/** Returns the inputs. Errors: ValueError for an input that is listed twice. */
function requireDistinct(inputs: readonly KerasTensor[]): ReadonlySet<KerasTensor> {
  const given = new Set<KerasTensor>();
  for (const tensor of inputs) {
    if (given.has(tensor)) {
      throw new ValueError({
        op: 'model',
        rule: 'every input of a model must be listed once.',
        received: `${tensor}, twice`,
        hint: 'remove one of them from `inputs`.',
      });
    }
    given.add(tensor);
  }
  return given;
}

/** What outputs depend on, as text. */
function keyOf(given: Nest<KerasTensor>, training: boolean): string {
  return JSON.stringify([mapNest(given, ({ shape, dtype }) => `${dtype} ${shape.join()}`), training]);
}

function withoutHistory(outputs: Nest<KerasTensor>): Nest<KerasTensor> {
  return trace(() => mapNest(outputs, (spec) => new KerasTensor(spec)));
}
