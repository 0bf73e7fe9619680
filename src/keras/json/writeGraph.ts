/** @file Writes graphs in Keras's format: layers with their calls, and the sources of each call's tensors. */
import { type GraphNode, type GraphOperation, nodeOf } from '../graph/graphNode.ts';
import { type AnyLayer, Layer } from '../layers/base/layer.ts';
import { modelClassOf, type WrittenModel } from './writtenModel.ts';
import { computeDTypeOf } from '../layers/base/dtypePolicy.ts';
import type { Pieces } from '../../core/pieces.ts';
import type { KerasTensor } from '../graph/kerasTensor.ts';
import { isSymbolic, type SymbolicTensor } from '../../ops/define/recorders.ts';
import { Tensor } from '../../tensor/tensor.ts';
import { hasOtherTensors } from '../layers/base/callMasks.ts';
import { maskOf } from '../masks.ts';
import { leavesOf, mapNest, type Nest } from '../tensorNest.ts';
import { dialectOf } from './dialect.ts';
import type { Json, JsonObject } from './document.ts';
import { invalid } from './jsonErrors.ts';
import { snakeKey } from './optionNames.ts';
import { storedPolicy } from './storedPolicies.ts';
import { writeOperation, writeOperationCall } from './operations.ts';
import { type Writer, writeValue } from './writeValue.ts';
import { writtenDtype } from './writtenDtype.ts';

/** `layers`, `input_layers` and `output_layers` of a model with a graph. */
export function* writeGraph(writer: Writer, model: WrittenModel, place: string): Pieces<JsonObject> {
  const placeOf = ({ name }: GraphOperation) => `${place}.layers '${name}'`;
  // Models inside come first: they call layers that they share with this one.
  const described: JsonObject[] = [];
  for (const operation of model.operations) {
    const at = placeOf(operation);
    described.push(
      operation instanceof Layer
        ? yield* writer.inPieces(operation as unknown as AnyLayer, at)
        : writeOperation(writer, operation, at),
    );
    yield;
  }
  const calls = new Calls(model, (operation) => writer.layers?.callsBefore(operation) ?? 0);
  const layers: JsonObject[] = [];
  for (const [i, operation] of model.operations.entries()) {
    const at = placeOf(operation);
    const write =
      operation instanceof Layer
        ? (node: GraphNode) => writeCall(writer, node, calls, at)
        : (node: GraphNode) => writeOperationCall(writer, node, (tensor) => calls.tensor(tensor), at);
    layers.push({ ...described[i], name: operation.name, inbound_nodes: calls.of(operation).map(write) });
    yield;
  }
  for (const operation of model.operations) writer.layers?.addCalls(operation, calls.of(operation).length);
  const { program } = model;
  return {
    layers,
    input_layers: mapNest(program?.inputNest as Nest<KerasTensor>, (tensor) => calls.edge(tensor)) as Json,
    output_layers: mapNest(program?.outputNest as Nest<KerasTensor>, (tensor) => calls.edge(tensor)) as Json,
  };
}

/** The calls that belong to one model, with their numbers within it. */
class Calls {
  readonly #byOperation = new Map<GraphOperation, GraphNode[]>();
  readonly #numbers = new Map<GraphNode, number>();

  /** `before` returns the number of an operation's first call. */
  constructor(model: WrittenModel, before: (operation: GraphOperation) => number) {
    const nodes = new Set([...(model.program?.nodesByDepth.values() ?? [])].flat());
    for (const operation of model.operations) {
      const own = operation.inboundNodes.filter((node) => nodes.has(node));
      const first = before(operation);
      this.#byOperation.set(operation, own);
      for (const [i, node] of own.entries()) this.#numbers.set(node, first + i);
    }
  }

  /** Returns the calls of `operation` that compute something. */
  of(operation: GraphOperation): GraphNode[] {
    return (this.#byOperation.get(operation) ?? []).filter((node) => !node.isInput);
  }

  /** [layer, call, output]. */
  history(tensor: KerasTensor): [string, number, number] {
    const node = nodeOf(tensor) as GraphNode;
    const number = this.#numbers.get(node) as number;
    return [node.operation.name, number, tensor.kerasHistory?.tensorIndex ?? 0];
  }

  /** Returns an input or output of the model. For models, Keras counts one call more: the one that defines the model. */
  edge(tensor: KerasTensor): [string, number, number] {
    const [name, call, index] = this.history(tensor);
    return [name, modelClassOf(nodeOf(tensor)?.operation) === 'Functional' ? call + 1 : call, index];
  }

  tensor(tensor: KerasTensor): JsonObject {
    const config = {
      shape: [...tensor.shape],
      dtype: writtenDtype(tensor),
      keras_history: this.history(tensor),
    };
    return { class_name: '__keras_tensor__', config };
  }
}

function writeCall(writer: Writer, node: GraphNode, calls: Calls, place: string): JsonObject {
  const { spreads } = dialectOf(node.operation.className);
  const write = (value: Nest<unknown>) => writeNest(writer, value, calls, place);
  const options = node.options as Record<string, Nest<unknown>>;
  const argument = node.argument as Nest<unknown>;
  const { mask = null, ...rest } = options;
  const said = Object.entries(rest).filter(([, value]) => value !== undefined);
  const isAlone = said.length === 0 && node.keywords.length === 0;
  // Keras doesn't pass the masks of inputs to a call that has other tensors, too.
  const isLost = !spreads && mask !== null && hasOtherTensors(rest);
  const inputs = (spreads ? (argument as readonly Nest<unknown>[]) : [argument]).map(write);
  const named = inputs.splice(inputs.length - node.keywords.length);
  return {
    args: inputs,
    kwargs: {
      ...Object.fromEntries(node.keywords.map((name, i) => [name, named[i] as Json])),
      ...populated(node, isAlone, write),
      ...(isImplicit(mask, argument) && !isLost ? {} : { mask: write(mask) }),
      ...Object.fromEntries(said.map(([key, value]) => [snakeKey(key), write(value)])),
    },
  };
}

/**
 * Returns the arguments that Keras fills in before it records a call. They end up in the record if the call had a single tensor
 * of the layer's dtype and nothing else; otherwise Keras fills in a copy. A Functional converts no arguments, and never copies.
 */
function populated(
  { operation, argument, options }: GraphNode,
  isAlone: boolean,
  write: (value: Nest<unknown>) => Json,
): JsonObject {
  const { recordsTraining, recordsMask } = dialectOf(operation.className);
  const isRecorded =
    modelClassOf(operation) === 'Functional' ||
    (isAlone &&
      isSymbolic(argument) &&
      isOfPolicy(operation as unknown as AnyLayer, argument as SymbolicTensor));
  if (!isRecorded) return {};
  const { mask, training } = options as Record<string, Nest<unknown>>;
  return {
    ...(recordsTraining !== undefined && training === undefined ? { training: recordsTraining } : {}),
    ...(recordsMask ? { mask: write(mask ?? mapNest(argument, () => null)) } : {}),
  };
}

/** Whether a tensor has the dtype that `layer` computes in, in the file. */
function isOfPolicy(layer: AnyLayer, tensor: SymbolicTensor): boolean {
  return writtenDtype(tensor) === (storedPolicy(layer)?.results ?? computeDTypeOf(layer));
}

/** Returns whether `mask` consists of the masks that the tensors of `argument` carry. */
function isImplicit(mask: Nest<unknown>, argument: Nest<unknown>): boolean {
  const masks = mask === null ? [] : leavesOf(mask);
  const attached = leavesOf(argument).map((tensor) => maskOf(tensor));
  return masks.every((found, i) => found === null || found === attached[i]);
}

function writeNest(writer: Writer, nest: Nest<unknown>, calls: Calls, place: string): Json {
  return mapNest(nest, (leaf) => {
    if (isSymbolic(leaf)) return calls.tensor(leaf as KerasTensor);
    if (leaf instanceof Tensor) throw heldTensor(writer, place);
    return writeValue(writer, '', leaf, place);
  }) as Json;
}

function heldTensor({ source }: Writer, place: string): Error {
  return invalid(source, {
    place,
    rule: 'a saved call may only have symbolic tensors and plain values as arguments.',
    received: 'a tensor with values',
    hint: 'add constants with a custom layer, as a weight.',
  });
}
