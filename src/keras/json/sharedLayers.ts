/**
 * @file Layers that a file describes in several places: Keras marks each description of the same layer with the same
 * `shared_object_id`, and creates one layer from them.
 */
import type { Pieces } from '../../core/pieces.ts';
import type { GraphOperation } from '../graph/graphNode.ts';
import type { AnyLayer } from '../layers/base/layer.ts';
import { InputLayer } from '../layers/core/inputLayer.ts';
import { isObject, type Json, type JsonObject } from './document.ts';

const idKey = 'shared_object_id';

/** The descriptions of layers written to one file. */
export class WrittenLayers {
  /** Layers that were written more than once. */
  readonly repeated = new Set<AnyLayer>();
  readonly #written = new Map<AnyLayer, JsonObject>();
  readonly #calls = new Map<GraphOperation, number>();
  readonly #ids: ReadonlyMap<AnyLayer, number>;

  /** Layers in `shared` get ids. */
  constructor(shared: Iterable<AnyLayer>) {
    this.#ids = new Map([...shared].map((layer, i) => [layer, i + 1]));
  }

  /** Returns the description of `layer`; the first time, it comes from `describe`. */
  *write(layer: AnyLayer, describe: () => Pieces<JsonObject>): Pieces<JsonObject> {
    const known = this.#written.get(layer);
    if (known) {
      this.repeated.add(layer);
      return known;
    }
    const id = this.#ids.get(layer);
    const written = { ...(yield* describe()), ...(id === undefined ? {} : { [idKey]: id }) };
    this.#written.set(layer, written);
    return written;
  }

  /**
   * Returns the number of symbolic calls that Keras has made of `operation` when it reads the next part of the file. Keras
   * numbers the calls of a layer across all models, and looks up the numbers in a file accordingly.
   */
  callsBefore(operation: GraphOperation): number {
    return operation instanceof InputLayer ? 0 : (this.#calls.get(operation) ?? 0);
  }

  addCalls(operation: GraphOperation, count: number): void {
    this.#calls.set(operation, (this.#calls.get(operation) ?? 0) + count);
  }

  /** Keras builds a Sequential again for each layer that it adds, and calls all layers above the input each time. */
  addCallsOfStack(stack: readonly AnyLayer[]): void {
    stack.forEach((layer, i) => {
      if (i > 0) this.addCalls(layer, stack.length - i);
    });
  }
}

/**
 * Returns the ids of descriptions that mean the same layer, by description.
 *
 * Keras loses the id of the first description if that is inside a model: it copies the description of an inner model, and
 * puts the id into the original when it sees the layer again. An id that first appears later therefore belongs to an equal
 * description before it.
 */
export function sharedIds(document: JsonObject): ReadonlyMap<JsonObject, number> {
  const described = descriptionsIn(document);
  const ids = new Map<JsonObject, number>();
  if (described.every((object) => idOf(object) === null)) return ids;
  const equality = new Equality();
  const seen = new Set<number>();
  /** Descriptions without an id, by their content. */
  const open = new Map<number, JsonObject>();
  for (const object of described) {
    const id = idOf(object);
    const said = equality.classOf(sayings(object));
    if (id === null) {
      open.set(said, object);
      continue;
    }
    ids.set(object, id);
    const first = seen.has(id) ? undefined : open.get(said);
    seen.add(id);
    if (!first) continue;
    ids.set(first, id);
    open.delete(said);
  }
  return ids;
}

function idOf(object: JsonObject): number | null {
  const id = object[idKey];
  return typeof id === 'number' ? id : null;
}

/** Returns the descriptions of layers in the order in which Keras writes them: inner ones first. */
function descriptionsIn(document: JsonObject): JsonObject[] {
  const found: JsonObject[] = [];
  const visit = (value: Json): void => {
    if (typeof value !== 'object' || value === null) return;
    for (const inner of Object.values(value)) visit(inner as Json);
    if (isObject(value) && isLayerLike(value)) found.push(value);
  };
  visit(document);
  return found;
}

/** Dtype policies have names, too. */
function isLayerLike({ class_name: className, config }: JsonObject): boolean {
  return (
    typeof className === 'string' &&
    !className.endsWith('DTypePolicy') &&
    isObject(config) &&
    'name' in config
  );
}

/** Returns the parts of a description that are the same wherever the layer is. */
function sayings({ class_name, config, registered_name, build_config }: JsonObject): Json {
  return [class_name ?? null, config ?? null, registered_name ?? null, build_config ?? null];
}

/** Numbers values so that equal ones have the same number; ids of shared objects don't count. Linear in their size. */
class Equality {
  readonly #known = new Map<string, number>();
  readonly #classes = new WeakMap<object, number>();

  classOf(value: Json): number {
    if (typeof value !== 'object' || value === null) return this.#numberOf(JSON.stringify(value));
    const known = this.#classes.get(value);
    if (known !== undefined) return known;
    const parts = Object.entries(value)
      .filter(([key]) => key !== idKey)
      .map(([key, item]) => `${JSON.stringify(key)}:${this.classOf(item as Json)}`);
    const found = this.#numberOf(`${Array.isArray(value) ? '[' : '{'}${parts.join()}`);
    this.#classes.set(value, found);
    return found;
  }

  #numberOf(key: string): number {
    const number = this.#known.get(key) ?? this.#known.size;
    this.#known.set(key, number);
    return number;
  }
}
