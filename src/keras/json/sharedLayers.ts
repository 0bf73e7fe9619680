/**
 * @file Layers that a file describes in several places: Keras marks each description of the same layer with the same
 * `shared_object_id`, and makes one layer of them.
 */
import type { GraphOperation } from '../graph/graphNode.ts';
import type { AnyLayer } from '../layers/base/layer.ts';
import { InputLayer } from '../layers/core/inputLayer.ts';
import { isObject, type Json, type JsonObject } from './document.ts';

const idKey = 'shared_object_id';

/** What was written of the layers of one file. */
export class WrittenLayers {
  /** Layers that were written more than once. */
  readonly repeated = new Set<AnyLayer>();
  readonly #written = new Map<AnyLayer, JsonObject>();
  readonly #calls = new Map<GraphOperation, number>();
  readonly #ids: ReadonlyMap<AnyLayer, number>;

  /** Layers in `shared` get an id. */
  constructor(shared: Iterable<AnyLayer>) {
    this.#ids = new Map([...shared].map((layer, i) => [layer, i + 1]));
  }

  /** The description of `layer`, which `describe` gives where it is the first. */
  write(layer: AnyLayer, describe: () => JsonObject): JsonObject {
    const known = this.#written.get(layer);
    if (known) {
      this.repeated.add(layer);
      return known;
    }
    const id = this.#ids.get(layer);
    const written = { ...describe(), ...(id === undefined ? {} : { [idKey]: id }) };
    this.#written.set(layer, written);
    return written;
  }

  /**
   * How many symbolic calls `operation` has in Keras where it reads what comes next. Keras numbers the calls of a layer in
   * all models together, and looks up the numbers of a file so.
   */
  callsBefore(operation: GraphOperation): number {
    return operation instanceof InputLayer ? 0 : (this.#calls.get(operation) ?? 0);
  }

  addCalls(operation: GraphOperation, count: number): void {
    this.#calls.set(operation, (this.#calls.get(operation) ?? 0) + count);
  }

  /** Keras builds a Sequential with each layer that it adds, and calls all layers above the input again. */
  addCallsOfStack(stack: readonly AnyLayer[]): void {
    stack.forEach((layer, i) => {
      if (i > 0) this.addCalls(layer, stack.length - i);
    });
  }
}

/**
 * The ids of descriptions that stand for one layer, by description.
 *
 * Keras loses the id of the first description where that is inside a model: it copies what an inner model says of itself, and
 * puts the id into the original once it meets the layer again. An id that appears out of nowhere belongs to an equal
 * description before it.
 */
export function sharedIds(document: JsonObject): ReadonlyMap<JsonObject, number> {
  const described = descriptionsIn(document);
  const ids = new Map<JsonObject, number>();
  if (described.every((object) => idOf(object) === null)) return ids;
  const equality = new Equality();
  const seen = new Set<number>();
  /** Descriptions without an id, by what they say. */
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

/** Descriptions of layers in the order in which Keras writes them: inner ones first. */
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

/** What two descriptions of a layer have in common, wherever they are. */
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
