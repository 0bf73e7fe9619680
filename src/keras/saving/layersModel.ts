/** @file A TF.js layers model: model.json, and the shards of its weights next to it. */
import { FormatError } from '../../core/errors.ts';
import type { ByteSource } from '../../formats/byteSource.ts';
import type { FileContext } from '../../formats/formatErrors.ts';
import type { StoredTensor } from '../../formats/storedTensor.ts';
import { isObject, type JsonObject, readDocument } from '../json/document.ts';
import { upgradeLayer } from '../json/olderConfig.ts';
import type { AnyLayer } from '../layers/base/layer.ts';
import type { FitOptions } from './fit.ts';
import { readLayersTraining } from './readLayersTraining.ts';
import { saveablesOf } from './saveables.ts';
import { Matching, type StoredModel, type StoredWeight } from './storedWeights.ts';
import type { WeightFile } from './weightFile.ts';

/** Limit of model.json: far larger than the description of any model. */
const maxJsonBytes = 64 << 20;

export interface LayersModel {
  /** The model in the form of Keras 3. Null for a manifest with weights only. */
  readonly config: JsonObject | null;
  /**
   * How TF.js compiled it, in the form of older Keras files. Null if it isn't compiled, or in a way that Keras doesn't support.
   */
  readonly compiled: JsonObject | null;
  readonly weights: WeightFile;
  close(): Promise<void>;
}

/** Errors: FormatError for other JSON, a manifest or shards that are damaged, and missing shards. */
export async function openLayersModel(source: ByteSource): Promise<LayersModel> {
  const context: FileContext = { file: source.name, format: 'TF.js layers model' };
  const json = await readJson(source);
  const { format, modelTopology: topology, weightsManifest: manifest } = json;
  const invalid = (rule: string, received: string, hint: string) =>
    new FormatError({ op: source.name, rule, received, hint });
  if (format === 'graph-model' || (isObject(topology) && 'node' in topology)) {
    throw invalid(
      'a model of TF.js is a layers model.',
      'a graph model, whose operations have no layers',
      'convert the Keras model again, with --output_format=tfjs_layers_model.',
    );
  }
  if (manifest === undefined) {
    throw invalid(
      'a model in JSON is a model.json of TF.js.',
      'JSON without a weightsManifest',
      "pass Keras's JSON to modelFromJSON.",
    );
  }
  const { readManifest } = await import('../../formats/tfjs/index.ts');
  const shards: ByteSource[] = [];
  const open = async (path: string) => {
    if (!source.sibling) {
      throw invalid(
        'the shards of the weights come along with model.json.',
        `model.json alone, which names '${path}'`,
        'pass a URL, a path, a folder, or all files in a list.',
      );
    }
    const shard = await source.sibling(path);
    shards.push(shard);
    return shard;
  };
  const close = async () => {
    for (const shard of shards) await shard.close?.();
  };
  try {
    const tensors = await readManifest(manifest, open, context);
    const training = readLayersTraining(json.trainingConfig, tensors.optimizer);
    const weights = weightFile(tensors.model, training?.state ?? null);
    return { config: configOf(topology), compiled: training?.config ?? null, weights, close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function readJson(source: ByteSource): Promise<JsonObject> {
  if (source.size > maxJsonBytes) {
    throw new FormatError({
      op: source.name,
      rule: `model.json has at most ${maxJsonBytes} bytes.`,
      received: `${source.size} bytes`,
      hint: 'no model needs more: the file is of something else.',
    });
  }
  const text = new TextDecoder().decode(await source.read(0, source.size));
  return readDocument(text, source.name);
}

function configOf(topology: unknown): JsonObject | null {
  if (!isObject(topology)) return null;
  const config = isObject(topology.model_config) ? topology.model_config : topology;
  return upgradeLayer(config) as JsonObject;
}

function weightFile(
  tensors: ReadonlyMap<string, StoredTensor>,
  optimizer: readonly StoredTensor[] | null,
): WeightFile {
  return {
    tensors: [...tensors.values()],
    optimizer,
    match: (model, options) => matchLayers(model, tensors, options),
  };
}

/**
 * Matches weights by their layer and their name in it. The path between the two differs in Keras 2 and TF.js from Keras 3,
 * for example for cells; layers inside of others come in order.
 */
function matchLayers(
  model: StoredModel,
  tensors: ReadonlyMap<string, StoredTensor>,
  options: FitOptions,
): StoredWeight[] {
  const matching = new Matching(options);
  const left = new Map([...tensors].map(([name, tensor]) => [name, { parts: name.split('/'), tensor }]));
  for (const { layer, variables } of outermost(model)) {
    for (const variable of variables) {
      const roles = rolesOf(layer, variable.path.slice(variable.path.lastIndexOf('/') + 1));
      const found = [...left].find(
        ([, { parts }]) => roles.includes(parts.at(-1) ?? '') && parts.slice(0, -1).includes(layer.name),
      );
      matching.pair(variable, found?.[1].tensor ?? null);
      if (found) left.delete(found[0]);
    }
  }
  for (const name of left.keys()) matching.leave(name);
  return matching.finish();
}

/** Returns the names of a weight in its layer. */
function rolesOf({ className }: AnyLayer, role: string): string[] {
  return role === 'kernel' && className.startsWith('Depthwise') ? [role, 'depthwise_kernel'] : [role];
}

/** Returns the layers with all weights inside them, except for models. */
function outermost(model: StoredModel): { layer: AnyLayer; variables: AnyLayer['weights'] }[] {
  const seen = new Set<unknown>();
  return saveablesOf(model as unknown as AnyLayer).flatMap(({ layer, variables }) => {
    const isModel = 'layers' in layer;
    const own = (isModel ? variables : layer.weights).filter((weight) => !seen.has(weight));
    for (const weight of own) seen.add(weight);
    return own.length > 0 ? [{ layer, variables: own }] : [];
  });
}
