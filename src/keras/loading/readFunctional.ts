/**
 * @file Reads a Functional: creates its layers, then makes the recorded calls, each as soon as its inputs are available.
 */
import type { Pieces } from '../../core/pieces.ts';
import type { KerasTensor } from '../graph/kerasTensor.ts';
import type { AnyLayer } from '../layers/base/layer.ts';
import { Functional } from '../models/functional.ts';
import type { Nest } from '../tensorNest.ts';
import type { Registrable } from '../serialization/registered.ts';
import { isObject, type Json, type JsonObject } from '../json/document.ts';
import { placed, invalid } from '../json/jsonErrors.ts';
import { camelKey } from '../json/optionNames.ts';
import { type Callable, type NodeCall, readNode, type TensorSource } from '../json/readNode.ts';
import { isOperation, readOperation } from '../json/operations.ts';
import { type LayerReader, notAList } from './readSequential.ts';
import { readValue } from '../json/readValue.ts';
import { type Reader, stringOf } from '../json/reader.ts';

interface FunctionalClass {
  new (options: object): AnyLayer;
}

/** A call that waits for its inputs. */
interface Pending {
  readonly call: NodeCall;
  readonly name: string;
  readonly index: number;
  readonly place: string;
}

export function* readFunctional(
  reader: Reader,
  found: Registrable,
  config: JsonObject,
  place: string,
  readLayer: LayerReader,
): Pieces<AnyLayer> {
  const { layers, input_layers: inputs, output_layers: outputs, ...options } = config;
  if (!Array.isArray(layers)) throw notAList(reader, layers ?? null, `${place}.layers`);
  const graph = new Graph(reader);
  for (const [i, layer] of layers.entries())
    yield* graph.add(layer as Json, `${place}.layers[${i}]`, readLayer);
  graph.numberShared(inputs ?? null, outputs ?? null);
  yield* graph.run();
  const { name, trainable, ...rest } = options;
  const more = Object.entries(rest).map(([key, value]) => [
    camelKey(key),
    readValue(reader, camelKey(key), value, `${place}.${key}`, () => null),
  ]);
  return new (found as unknown as FunctionalClass)({
    ...Object.fromEntries(more),
    ...(name === undefined || name === null ? {} : { name }),
    ...(trainable === undefined || trainable === null ? {} : { trainable }),
    inputs: graph.tensorsAt(inputs ?? null, `${place}.input_layers`),
    outputs: graph.tensorsAt(outputs ?? null, `${place}.output_layers`),
  });
}

class Graph implements TensorSource {
  readonly #callables = new Map<string, Callable>();
  /** Outputs of each layer by call. */
  readonly #outputs = new Map<string, (readonly KerasTensor[])[]>();
  /** Calls by the call that they wait for: a layer's name and the number of its call. */
  readonly #waiting = new Map<string, Pending[]>();
  readonly #ready: Pending[] = [];
  /** Layers that are shared with other models, with the numbers of their first calls in this one. */
  readonly #firstCalls = new Map<string, number>();

  constructor(readonly reader: Reader) {}

  *add(object: Json, place: string, readLayer: LayerReader): Pieces<void> {
    const { reader } = this;
    const isOp = isOperation(object);
    const callable = isOp ? readOperation(reader, object, place) : yield* readLayer(reader, object, place);
    const name = stringOf(reader, object as JsonObject, 'name', place);
    if (this.#callables.has(name)) {
      throw invalid(reader.source, {
        place,
        rule: 'names are unique within a model.',
        received: `a second layer named '${name}'`,
        hint: 'give one of them another name, and save the model again.',
      });
    }
    this.#callables.set(name, callable);
    this.#outputs.set(name, []);
    if (reader.ids.has(object as JsonObject)) this.#firstCalls.set(name, Number.POSITIVE_INFINITY);
    const { inbound_nodes: nodes = [] } = object as JsonObject;
    if (!Array.isArray(nodes)) throw notNodes(reader, nodes, `${place}.inbound_nodes`);
    if ('tensor' in callable) this.#outputs.get(name)?.push([(callable as { tensor: KerasTensor }).tensor]);
    nodes.forEach((node: Json, index) => {
      const at = `${place}.inbound_nodes[${index}]`;
      this.#ready.push({ call: readNode(reader, node, at), name, index, place: at });
    });
  }

  /**
   * Keras numbers the calls of a layer within each model that it writes, but when reading takes the numbers as counting all
   * calls of the layer. Files of this library follow the reader, so the first call in a model may have any number.
   */
  numberShared(...edges: Json[]): void {
    if (this.#firstCalls.size === 0) return;
    const note = (layer: string, call: number) => {
      const first = this.#firstCalls.get(layer);
      if (first !== undefined) this.#firstCalls.set(layer, Math.min(first, call));
    };
    for (const { call } of this.#ready) for (const { layer, node } of call.needs) note(layer, node);
    for (const [layer, call] of edges.flatMap(referencesIn)) {
      if (!this.#isModel(layer)) note(layer, call);
      else if (call > 0) note(layer, call - 1);
    }
    for (const [layer, first] of this.#firstCalls)
      if (first === Number.POSITIVE_INFINITY) this.#firstCalls.set(layer, 0);
  }

  /** Errors: FormatError if calls wait for each other, or for something that doesn't exist. */
  *run(): Pieces<void> {
    // Calls are added while they are visited.
    for (const next of this.#ready) {
      const missing = this.#missing(next);
      const waiting = missing === null ? null : this.#waiting.get(missing);
      if (missing === null) {
        this.#call(next);
        yield;
      } else if (waiting) waiting.push(next);
      else this.#waiting.set(missing, [next]);
    }
    const [left] = [...this.#waiting.values()].flat();
    if (left) throw this.#stuck(left);
  }

  #call({ call, name, index, place }: Pending): void {
    const callable = this.#callables.get(name) as Callable;
    const outputs = placed(this.reader.source, place, () => call.run(callable, this));
    this.#outputs.get(name)?.push(outputs);
    const key = keyOf(name, index);
    for (const waiting of this.#waiting.get(key) ?? []) this.#ready.push(waiting);
    this.#waiting.delete(key);
  }

  /** Returns the first input that a call waits for; null if it can be made. */
  #missing({ call, name, index }: Pending): string | null {
    if (index > this.#made(name)) return keyOf(name, index - 1);
    const found = call.needs.find(({ layer, node }) => this.#number(layer, node) >= this.#made(layer));
    return found ? keyOf(found.layer, this.#number(found.layer, found.node)) : null;
  }

  #made(name: string): number {
    return this.#outputs.get(name)?.length ?? 0;
  }

  /** Returns the number of a call within this model. */
  #number(layer: string, node: number): number {
    return node - (this.#firstCalls.get(layer) ?? 0);
  }

  #isModel(layer: string): boolean {
    return this.#callables.get(layer) instanceof Functional;
  }

  #stuck({ call, name, place }: Pending): Error {
    const unknown = call.needs.find(({ layer }) => !this.#callables.has(layer));
    const missing = call.needs.find(({ layer, node }) => this.#number(layer, node) >= this.#made(layer));
    return invalid(this.reader.source, {
      place,
      rule: 'every input of a layer is computed by another before it.',
      received: unknown
        ? `layer '${name}', fed by '${unknown.layer}', which isn't there`
        : `layer '${name}', which waits for call ${missing?.node ?? '?'} of '${missing?.layer ?? name}', which waits for it or is never made`,
      hint: 'the graph is damaged: save the model again.',
    });
  }

  tensor(layer: string, node: number, index: number, place: string): KerasTensor {
    const found = this.#outputs.get(layer)?.[this.#number(layer, node)]?.[index];
    if (found) return found;
    throw invalid(this.reader.source, {
      place,
      rule: 'a tensor is named by its layer, the number of the call, and its number among the outputs.',
      received: `[${JSON.stringify(layer)}, ${node}, ${index}], which isn't there`,
      hint: 'the graph is damaged: save the model again.',
    });
  }

  /** Returns the tensors of `input_layers` or `output_layers`, in their nest. Errors: FormatError. */
  tensorsAt(nest: Json, place: string): Nest<KerasTensor> {
    if (isReference(nest)) {
      const [layer, node, index] = nest;
      // For models, Keras counts one call more: the one that defines the model.
      if (!this.#isModel(layer)) return this.tensor(layer, node, index, place);
      const last = this.#made(layer) - 1 + (this.#firstCalls.get(layer) ?? 0);
      return this.tensor(layer, node === 0 ? last : node - 1, index, place);
    }
    if (Array.isArray(nest)) return nest.map((item: Json, i) => this.tensorsAt(item, `${place}[${i}]`));
    if (isObject(nest)) {
      const entries = Object.entries(nest).map(([key, item]) => [
        key,
        this.tensorsAt(item, `${place}.${key}`),
      ]);
      return Object.fromEntries(entries) as Nest<KerasTensor>;
    }
    throw invalid(this.reader.source, {
      place,
      rule: 'inputs and outputs are [layer, call, output], or lists or objects of them.',
      received: nest,
    });
  }
}

function isReference(nest: Json): nest is readonly [string, number, number] {
  return (
    Array.isArray(nest) &&
    nest.length === 3 &&
    typeof nest[0] === 'string' &&
    Number.isInteger(nest[1]) &&
    Number.isInteger(nest[2])
  );
}

function referencesIn(nest: Json): (readonly [string, number, number])[] {
  if (isReference(nest)) return [nest];
  return typeof nest === 'object' && nest !== null ? Object.values(nest).flatMap(referencesIn) : [];
}

function keyOf(layer: string, node: number): string {
  return JSON.stringify([layer, node]);
}

function notNodes({ source }: Reader, received: Json, place: string): Error {
  return invalid(source, {
    place,
    rule: '`inbound_nodes` is a list of calls.',
    received,
  });
}
