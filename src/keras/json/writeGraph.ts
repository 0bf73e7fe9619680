/** @file Writes graphs in Keras's format: layers with their calls, and the sources of each call's tensors. */
import type { KerasTensor } from '../graph/kerasTensor.ts';
import { type GraphNode, type GraphOperation, nodeOf } from '../graph/graphNode.ts';
import { isSymbolic } from '../../ops/recorders.ts';
import { Tensor } from '../../tensor/tensor.ts';
import { type AnyLayer, Layer } from '../layers/base/layer.ts';
import { Functional } from '../models/functional.ts';
import type { Model } from '../models/model.ts';
import { mapNest, type Nest } from '../tensorNest.ts';
import { dialectOf } from './dialect.ts';
import type { Json, JsonObject } from './document.ts';
import { refusal } from './jsonErrors.ts';
import { snakeKey } from './optionNames.ts';
import { writeOperation, writeOperationCall } from './operations.ts';
import { type Writer, writeValue } from './writeValue.ts';

/** `layers`, `input_layers` and `output_layers` of a model that was described by a graph. */
export function writeGraph(writer: Writer, model: AnyModel, place: string): JsonObject {
  const calls = new Calls(model);
  const layers = model.operations.map((operation) => {
    const at = `${place}.layers '${operation.name}'`;
    const nodes = calls.of(operation);
    const isLayer = operation instanceof Layer;
    return {
      ...(isLayer
        ? writer.writeLayer(operation as unknown as AnyLayer, at)
        : writeOperation(writer, operation, at)),
      name: operation.name,
      inbound_nodes: isLayer
        ? nodes.map((node) => writeCall(writer, node, calls, at))
        : nodes.map((node) => writeOperationCall(writer, node, (tensor) => calls.tensor(tensor), at)),
    };
  });
  const { program } = model;
  return {
    layers,
    input_layers: mapNest(program?.inputNest as Nest<KerasTensor>, (tensor) => calls.edge(tensor)) as Json,
    output_layers: mapNest(program?.outputNest as Nest<KerasTensor>, (tensor) => calls.edge(tensor)) as Json,
  };
}

type AnyModel = Model<Nest<Tensor>, Nest<Tensor>>;

/** The calls that belong to one model, numbered among themselves. */
class Calls {
  readonly #nodes: ReadonlySet<GraphNode>;

  constructor(model: AnyModel) {
    this.#nodes = new Set([...(model.program?.nodesByDepth.values() ?? [])].flat());
  }

  /** Calls of `operation` that compute something. */
  of(operation: GraphOperation): GraphNode[] {
    return this.#all(operation).filter((node) => !node.isInput);
  }

  #all(operation: GraphOperation): GraphNode[] {
    return operation.inboundNodes.filter((node) => this.#nodes.has(node));
  }

  /** [layer, call, output]. */
  history(tensor: KerasTensor): [string, number, number] {
    const node = nodeOf(tensor) as GraphNode;
    const { operation } = node;
    return [operation.name, this.#all(operation).indexOf(node), tensor.kerasHistory?.tensorIndex ?? 0];
  }

  /** An input or output of the model: Keras counts a call more for models, that by which they were described. */
  edge(tensor: KerasTensor): [string, number, number] {
    const [name, call, index] = this.history(tensor);
    return [name, nodeOf(tensor)?.operation instanceof Functional ? call + 1 : call, index];
  }

  tensor(tensor: KerasTensor): JsonObject {
    const { shape, dtype } = tensor;
    return {
      class_name: '__keras_tensor__',
      config: { shape: [...shape], dtype, keras_history: this.history(tensor) },
    };
  }
}

function writeCall(writer: Writer, node: GraphNode, calls: Calls, place: string): JsonObject {
  const { recordsTraining, masks = [], spreads } = dialectOf(node.operation.className);
  const write = (value: Nest<unknown>) => writeNest(writer, value, calls, place);
  const options = node.options as Record<string, Nest<unknown>>;
  const said = Object.entries(options).filter(([key, value]) => value !== undefined && key !== 'mask');
  const argument = node.argument as Nest<unknown>;
  return {
    args: spreads ? (argument as readonly Nest<unknown>[]).map(write) : [write(argument)],
    kwargs: {
      ...(recordsTraining && options.training === undefined ? { training: false } : {}),
      ...Object.fromEntries(
        masksOf(masks, argument, options).map(([key, mask]) => [snakeKey(key), write(mask)]),
      ),
      ...Object.fromEntries(said.map(([key, value]) => [snakeKey(key), write(value)])),
    },
  };
}

/** Masks as Keras records them: null where there is none, in lists where inputs are; by name where inputs are apart. */
function masksOf(
  names: readonly string[],
  argument: Nest<unknown>,
  { mask = null }: Record<string, Nest<unknown>>,
): [string, Nest<unknown>][] {
  if (names.length === 0) return [];
  if (names.length === 1) return [[names[0] as string, mask ?? mapNest(argument, () => null)]];
  const inputs = argument as readonly unknown[];
  const masks = (mask ?? []) as readonly Nest<unknown>[];
  return inputs.map((_, i) => [names[i] as string, masks[i] ?? null]);
}

function writeNest(writer: Writer, nest: Nest<unknown>, calls: Calls, place: string): Json {
  return mapNest(nest, (leaf) => {
    if (isSymbolic(leaf)) return calls.tensor(leaf as KerasTensor);
    if (leaf instanceof Tensor) throw heldTensor(writer, place);
    return writeValue(writer, '', leaf, place);
  }) as Json;
}

function heldTensor({ source }: Writer, place: string): Error {
  return refusal(source, {
    place,
    rule: 'a saved call may only have symbolic tensors and plain values as arguments.',
    received: 'a tensor with values',
    hint: 'add constants with a custom layer, as a weight.',
  });
}
