/** @file A TF.js layers model: model.json, and the shards of its weights next to it. */
import { FormatError } from '../../core/errors.ts';
import type { Pieces } from '../../core/pieces.ts';
import type { ByteSource } from '../../formats/byteSource.ts';
import type { FileContext } from '../../formats/formatErrors.ts';
import type { StoredTensor } from '../../formats/storedTensor.ts';
import { isObject, type JsonObject } from '../json/document.ts';
import { upgradeLayer } from '../json/olderConfig.ts';
import type { AnyLayer } from '../layers/base/layer.ts';
import type { FitOptions } from './fit.ts';
import { openSiblings, type Siblings } from './jsonFile.ts';
import { readLayersTraining } from './readLayersTraining.ts';
import { saveablesOf } from './saveables.ts';
import { Matching, type StoredModel, type StoredWeight } from './storedWeights.ts';
import type { WeightFile } from './weightFile.ts';

export interface LayersModel {
  /** The model in the form of Keras 3. Null for a manifest with weights only. */
  readonly config: JsonObject | null;
  /**
   * How TF.js compiled it, in the form of older Keras files. Null if it isn't compiled, or in a way that Keras doesn't support.
   */
  readonly compiled: JsonObject | null;
  readonly weights: WeightFile;
}

/** `json` is the content of `source`. Errors: FormatError for other JSON, and a manifest or shards that are damaged or missing. */
export async function openLayersModel(source: ByteSource, json: JsonObject): Promise<LayersModel> {
  const context: FileContext = { file: source.name, format: 'TF.js layers model' };
  const { format, modelTopology: topology, weightsManifest: manifest } = json;
  const invalid = (rule: string, received: string, hint: string) =>
    new FormatError({ op: source.name, rule, received, hint });
  if (format === 'graph-model' || (isObject(topology) && 'node' in topology)) {
    throw invalid(
      'a model of TF.js is a layers model.',
      'a graph model, whose operations have no layers',
      'call loadGraphModel; or convert the Keras model again, with --output_format=tfjs_layers_model.',
    );
  }
  if (manifest === undefined) {
    throw invalid(
      'a model in JSON is a model.json of TF.js, or a config.json of Keras next to its model.weights.h5.',
      'JSON without a weightsManifest',
      "pass Keras's JSON to modelFromJSON.",
    );
  }
  const { readManifest } = await import('../../formats/tfjs/index.ts');
  return openSiblings(source, async (shards) => {
    const tensors = await readManifest(manifest, (path) => shards.open(path), context);
    const training = readLayersTraining(json.trainingConfig, tensors.optimizer);
    const weights = weightFile(tensors.model, training?.state ?? null, shards);
    return { config: configOf(topology), compiled: training?.config ?? null, weights };
  });
}

function configOf(topology: unknown): JsonObject | null {
  if (!isObject(topology)) return null;
  const config = isObject(topology.model_config) ? topology.model_config : topology;
  return upgradeLayer(config) as JsonObject;
}

function weightFile(
  tensors: ReadonlyMap<string, StoredTensor>,
  optimizer: readonly StoredTensor[] | null,
  shards: Siblings,
): WeightFile {
  return {
    tensors: [...tensors.values()],
    optimizer,
    match: (model, options) => matchLayers(model, tensors, options),
    close: () => shards.close(),
  };
}

/**
 * Matches weights by their layer and their name in it. The path between the two differs in Keras 2 and TF.js from Keras 3,
 * for example for cells; layers inside of others come in order.
 */
function* matchLayers(
  model: StoredModel,
  tensors: ReadonlyMap<string, StoredTensor>,
  options: FitOptions,
): Pieces<StoredWeight[]> {
  const matching = new Matching(options);
  const left = new TensorsByRole(tensors.keys());
  for (const { layer, variables } of outermost(model)) {
    for (const variable of variables) {
      const roles = rolesOf(layer, variable.path.slice(variable.path.lastIndexOf('/') + 1));
      const name = left.take(layer.name, roles);
      matching.pair(variable, name === null ? null : (tensors.get(name) as StoredTensor));
    }
    yield;
  }
  for (const name of left.rest()) matching.leave(name);
  return matching.finish();
}

/** The names of tensors, by each folder in them and their last part. */
class TensorsByRole {
  readonly #names: readonly string[];
  readonly #taken = new Set<number>();
  /** Places in `#names`, in descending order: the first one is taken from the end. */
  readonly #places = new Map<string, number[]>();

  constructor(names: Iterable<string>) {
    this.#names = [...names];
    for (let i = this.#names.length - 1; i >= 0; i--) {
      const folders = (this.#names[i] as string).split('/');
      const role = folders.pop() as string;
      for (const folder of new Set(folders)) this.#placesOf(folder, role).push(i);
    }
  }

  /** Removes and returns the first name that has the folder `layer` and ends with one of `roles`; null if there is none. */
  take(layer: string, roles: readonly string[]): string | null {
    const first = roles.reduce((least, role) => Math.min(least, this.#first(layer, role)), Infinity);
    if (first === Infinity) return null;
    this.#taken.add(first);
    return this.#names[first] as string;
  }

  /** Returns the names that nobody took. */
  rest(): string[] {
    return this.#names.filter((_, i) => !this.#taken.has(i));
  }

  #first(layer: string, role: string): number {
    const places = this.#placesOf(layer, role);
    while (places.length > 0 && this.#taken.has(places.at(-1) as number)) places.pop();
    return places.at(-1) ?? Infinity;
  }

  #placesOf(folder: string, role: string): number[] {
    const key = `${folder}/${role}`;
    const places = this.#places.get(key) ?? [];
    this.#places.set(key, places);
    return places;
  }
}

/** Returns the names of a weight in its layer. */
function rolesOf({ className }: AnyLayer, role: string): string[] {
  return role === 'kernel' && className.startsWith('Depthwise') ? [role, 'depthwise_kernel'] : [role];
}

/** Returns the layers with all weights inside them, except for models, and layers around models. */
function outermost(model: StoredModel): { layer: AnyLayer; variables: AnyLayer['weights'] }[] {
  const seen = new Set<unknown>();
  return saveablesOf(model as unknown as AnyLayer).flatMap(({ layer, variables }) => {
    const isOpen = 'layers' in layer || layer.layersInside.some((inside) => 'layers' in inside);
    const own = (isOpen ? variables : layer.weights).filter((weight) => !seen.has(weight));
    for (const weight of own) seen.add(weight);
    return own.length > 0 ? [{ layer, variables: own }] : [];
  });
}
