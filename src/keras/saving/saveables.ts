/**
 * @file What is saved of a model: its optimizer, and the objects that own weights, by the paths under which Keras 3 saves them: `layers/`
 * and the layer's class in snake case, numbered; below that, the names of properties (`cell`, `forward_layer`).
 */
import { atOnce, type Pieces } from '../../core/pieces.ts';
import type { Variable } from '../../tensor/variable.ts';
import { type Adapter, variablesOf } from '../layers/base/adapterValues.ts';
import type { FileForm } from '../layers/quantized/fileForm.ts';
import type { AnyLayer } from '../layers/base/layer.ts';
import { kerasClassName, snakeCase } from '../names.ts';
import type { WrittenModel } from '../json/writtenModel.ts';
import type { Optimizer } from '../optimizers/optimizer.ts';

/** The part of a model that is saved: what files describe, its weights, and its optimizer. */
export type SavedModel = AnyLayer & WrittenModel & { readonly optimizer: Optimizer | null };

export interface Saveable {
  /** Path in the file; empty for the model itself. */
  readonly path: string;
  readonly layer: SavedLayer;
  /** Its own weights, without those of layers inside, unless the layer has `savedVariables`. */
  readonly variables: readonly Variable[];
}

/** A layer, with what it may have to say about files. */
export type SavedLayer = AnyLayer & {
  /** The variables in files. Default: all weights of its own. */
  readonly savedVariables?: readonly Variable[];
  /** Element types of variables in files, where they aren't their own. */
  readonly elementTypes?: ReadonlyMap<Variable, 'int8' | 'uint8'>;
  /** Weights in another layout than in files. */
  readonly fileForms?: ReadonlyMap<Variable, FileForm>;
  /** Files have the sum of a weight and its adapter, and no adapter. */
  readonly adapter?: Adapter | null;
  readonly adapters?: ReadonlyMap<string, Adapter>;
  /** Vectors in files that aren't variables here, by their names. */
  readonly storedArrays?: Readonly<Record<string, readonly number[]>>;
  /** Values in files of quantized weights with an adapter: their sum, quantized again. */
  mergedValues?(): Promise<ReadonlyMap<Variable, Int32Array | Float32Array>>;
};

/**
 * Returns the optimizer whose state belongs to the weights in a file; null for none. A file has the sums of weights and adapters, and
 * the adapters of a loaded model are new, so there is no state for them.
 */
export function optimizerWithState(model: SavedModel): Optimizer | null {
  const layers = model.layersInside as readonly SavedLayer[];
  return layers.some(({ adapters }) => adapters && adapters.size > 0) ? null : optimizerOf(model);
}

/** Returns the optimizer of a compiled model. */
export function optimizerOf(model: SavedModel): Optimizer | null {
  return model.compileOptions ? model.optimizer : null;
}

/** Returns the model and the layers inside it, each once, in Keras's order. */
export function saveablesOf(model: AnyLayer): Saveable[] {
  return atOnce(findSaveables(model));
}

/** As `saveablesOf`, a layer at a time. */
export function* findSaveables(model: AnyLayer): Pieces<Saveable[]> {
  const found: Saveable[] = [];
  const seen = new Set<unknown>();
  const ownWeights = yield* ownWeightsIn(model);
  function* visit(layer: AnyLayer, path: string): Pieces<void> {
    if (seen.has(layer)) return;
    seen.add(layer);
    found.push({ path, layer, variables: savedVariables(layer, ownWeights) });
    yield;
    // Layers are recognized as sublayers: importing the class would split the bundle of an app that only applies a model.
    const inside = new Set<unknown>(layer.sublayers);
    const isLayer = (value: unknown): value is AnyLayer => inside.has(value);
    for (const [name, child] of childrenOf(layer)) {
      const inner = path === '' ? name : `${path}/${name}`;
      if (isLayer(child)) yield* visit(child, inner);
      else yield* visitContainer(child, inner, isLayer);
    }
  }
  function* visitContainer(
    value: unknown,
    path: string,
    isLayer: (value: unknown) => value is AnyLayer,
  ): Pieces<void> {
    const container = containerOf(value);
    if (container === null || seen.has(container)) return;
    seen.add(container);
    const names = new Map<string, number>();
    for (const item of container) {
      if (isLayer(item)) yield* visit(item, `${path}/${unique(groupName(item), names)}`);
      else if (containerOf(item))
        yield* visitContainer(item, `${path}/${unique('container', names)}`, isLayer);
    }
  }
  yield* visit(model, '');
  return found;
}

function groupName({ className }: AnyLayer): string {
  return snakeCase(kerasClassName(className));
}

function savedVariables(
  layer: SavedLayer,
  ownWeights: (layer: AnyLayer) => readonly Variable[],
): readonly Variable[] {
  if (layer.savedVariables) return layer.savedVariables;
  if (!layer.adapters) return ownWeights(layer);
  const ofAdapters = new Set([...layer.adapters.values()].flatMap(variablesOf));
  return ownWeights(layer).filter((weight) => !ofAdapters.has(weight));
}

/**
 * Returns the values of properties, by their names in Keras. The layers of a graph come first. Those of a model with its own
 * `call` are one property among the others, so layers in properties that come after it in the alphabet are found there.
 */
function childrenOf(
  layer: AnyLayer & { program?: unknown; layers?: AnyLayer[] },
): [name: string, child: unknown][] {
  const listed: [string, unknown][] =
    layer.program !== undefined && layer.layers ? [['layers', layer.layers]] : [];
  const isGraph = Boolean(layer.program);
  const properties = Object.entries(layer)
    .map(([key, value]): [string, unknown] => [`${prefixOf(layer, key)}${propertyName(key)}`, value])
    .concat(isGraph ? [] : listed)
    .sort(([a], [b]) => compareNames(a, b));
  return [...(isGraph ? listed : []), ...properties];
}

/** Parts without a public name in Keras: all those of GroupQueryAttention, and the gate of MultiHeadAttention. */
function prefixOf({ className }: AnyLayer, key: string): string {
  const isPrivate =
    className === 'GroupQueryAttention' || (className === 'MultiHeadAttention' && key === 'gateDense');
  return isPrivate ? '_' : '';
}

/** Returns the items of an array, a set, a map or a plain object; null for anything else. */
function containerOf(value: unknown): Iterable<unknown> | null {
  if (typeof value !== 'object' || value === null) return null;
  if (Array.isArray(value) || value instanceof Set) return value;
  if (value instanceof Map) return [...value.values()];
  return Object.getPrototypeOf(value) === Object.prototype ? Object.values(value) : null;
}

/** `forwardLayer` → `forward_layer`. */
function propertyName(key: string): string {
  return key.replace(/(?<=[a-z0-9])([A-Z])/g, '_$1').toLowerCase();
}

/** In order of characters, with private names last. */
function compareNames(a: string, b: string): number {
  const [x, y] = [a, b].map((name) => (name.startsWith('_') ? `~${name}` : name)) as [string, string];
  return x < y ? -1 : Number(x > y);
}

/** Returns `dense` at its first use, then `dense_1`, `dense_2`, … */
function unique(name: string, counts: Map<string, number>): string {
  const count = counts.get(name) ?? 0;
  counts.set(name, count + 1);
  return count === 0 ? name : `${name}_${count}`;
}

/**
 * Returns a function to the weights of a layer of `model` that don't belong to a layer inside it. A property of a wrapper may hold
 * a weight of the layer inside.
 */
export function* ownWeightsIn(model: AnyLayer): Pieces<(layer: AnyLayer) => readonly Variable[]> {
  const owners = new Map<Variable, number>();
  for (const layer of [model, ...model.layersInside]) {
    for (const weight of listed(layer)) owners.set(weight, (owners.get(weight) ?? 0) + 1);
    yield;
  }
  return (layer) => {
    const own = listed(layer);
    if (own.every((weight) => owners.get(weight) === 1)) return own;
    const inside = new Set(layer.layersInside.flatMap(listed));
    return own.filter((weight) => !inside.has(weight));
  };
}

/** A class with a getter of its own for `weights` lists those inside it there, too. */
function listed(layer: AnyLayer): readonly Variable[] {
  return overridesWeights(layer) ? layer.weights : layer.ownWeights;
}

/** Whether a class between that of `layer` and the base, which has both getters, has one for `weights`. */
function overridesWeights(layer: AnyLayer): boolean {
  for (let at: object = layer; !Object.hasOwn(at, 'ownWeights'); at = Object.getPrototypeOf(at))
    if (Object.hasOwn(at, 'weights')) return true;
  return false;
}
