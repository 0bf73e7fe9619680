/** @file Loads whole models: `.keras`, and the older `.h5`. */
import { FormatError } from '../../core/errors.ts';
import { checkOptions, type OptionNames } from '../../core/options.ts';
import { Pacer } from '../../core/pacer.ts';
import type { ByteSource } from '../../formats/byteSource.ts';
import { torchRoot } from '../../formats/detect.ts';
import { type FileSource, openSource } from '../../storage/sources.ts';
import { isObject, type Json, type JsonObject, readDocument } from '../json/document.ts';
import { isOlder, olderFunctions, upgradeLayer } from '../json/olderConfig.ts';
import { type FromJSONOptions, readModel } from './modelFromJSON.ts';
import type { AnyModel } from '../models/model.ts';
import type { AnyLayer } from '../layers/base/layer.ts';
import type { CustomObjects } from '../serialization/registered.ts';
import { type LoadReport, type LoadWeightsOptions, loadOptionNames } from '../saving/fileOptions.ts';
import { loadAssets } from '../saving/assets.ts';
import { withinStored } from '../saving/allotment.ts';
import { compileStored } from './compileStored.ts';
import type { TextLayer } from '../saving/textLayers.ts';
import { fillStored } from '../saving/upload.ts';
import { restoreSeeds } from '../saving/restoreSeeds.ts';
import { readJson, Siblings, textOf } from '../saving/jsonFile.ts';
import { openHdf5Weights, openStore, openUnpacked } from '../saving/openWeightFile.ts';
import { requireContainer } from '../saving/requireContainer.ts';
import type { WeightFile } from '../saving/weightFile.ts';

/** Options of `loadModel`. */
export interface LoadModelOptions extends Omit<FromJSONOptions, 'file'>, LoadWeightsOptions {
  /** Whether to compile the model as it was saved, with the optimizer's state. Default true. */
  readonly compile?: boolean;
  /** Called with a report of what was loaded. Default: warns on the console of weights that aren't finite. */
  readonly onReport?: ((report: LoadReport) => void) | undefined;
  /**
   * Called with each TextVectorization and StringLookup at the inputs of a model of Keras, which takes their results then: apply
   * them in front of it. Default: such a model is rejected, since tensors hold no strings.
   */
  readonly onTextLayer?: ((layer: TextLayer) => void) | undefined;
}

const optionNames: OptionNames<LoadModelOptions> = {
  customObjects: false,
  lambdas: false,
  compile: false,
  onReport: false,
  onTextLayer: false,
  ...loadOptionNames,
};

/** A model that has been read, but not created yet. */
interface StoredModelFile {
  readonly config: JsonObject;
  /** How it was compiled; null if it wasn't. */
  readonly compiled: Json;
  readonly weights: WeightFile;
  /** Reads a text of a layer's; null where the file has none of that name. */
  readonly readAsset?: (name: string) => Promise<string | null>;
  /** Layers in front of the model, which aren't part of it. */
  readonly textLayers?: readonly TextLayer[];
  /** Functions whose names have a different meaning in this file than today. */
  readonly functions?: CustomObjects;
}

/**
 * Loads a model: `.keras` of Keras 3, also unpacked (config.json with its weights), a whole model in an older `.h5`, or a
 * layers model of TF.js (model.json with its shards); models of several files as a URL, a path, a folder or a list of files. It
 * has its weights and, if it was compiled, the optimizer with its state. The format is recognized by the file's bytes, not by
 * its name. Nothing in a file is executed.
 *
 *     const net = await loadModel('model.keras');
 *
 * A model is loaded completely or not at all: an error leaves nothing behind.
 * Errors: FormatError for a file that is damaged, or whose weights don't match its model; UnsafeModelError for Python code
 * in Lambda layers that `lambdas` doesn't replace; ValueError for anything but a file.
 */
export async function loadModel(given: FileSource, options: LoadModelOptions = {}): Promise<AnyModel> {
  checkOptions('loadModel', options, optionNames);
  const source = await openSource(given, options);
  try {
    return await load(source, options);
  } finally {
    await source.close?.();
  }
}

async function load(source: ByteSource, options: LoadModelOptions): Promise<AnyModel> {
  const stored = await read(source, options);
  try {
    return await make(source, stored, options);
  } finally {
    await stored.weights.close?.();
  }
}

async function make(
  source: ByteSource,
  { config, compiled, functions, weights: file, readAsset, textLayers = [] }: StoredModelFile,
  options: LoadModelOptions,
): Promise<AnyModel> {
  const { compile = true, onReport = warn, customObjects, lambdas } = options;
  const named = {
    file: source.name,
    customObjects: { ...functions, ...customObjects },
    ...(lambdas ? { lambdas } : {}),
  };
  const pacer = new Pacer(options.signal);
  for (const stored of file.tensors) {
    await stored.verify?.();
    const wait = pacer.step();
    if (wait) await wait;
  }
  const model = await readModel(config, named, { pacer, within: withinStored(source.name, file.tensors) });
  try {
    const weights = file.match(model, { op: `loadModel ${source.name}`, model: model.name });
    const notFinite = await fillStored(weights, { ...options, file: source.name });
    if (readAsset) await loadAssets(model as unknown as AnyLayer, readAsset, source.name);
    if (file.seeds) await restoreSeeds(model as unknown as AnyLayer, file.seeds, source.name);
    if (compile) await compileStored(model, compiled, file, { ...options, file: source.name });
    for (const layer of textLayers) options.onTextLayer?.(layer);
    onReport({ loaded: weights.map(({ path }) => path), notFinite, naming: 'keras' });
    return model;
  } catch (error) {
    model.dispose();
    throw error;
  }
}

async function read(source: ByteSource, options: LoadModelOptions): Promise<StoredModelFile> {
  const container = await requireContainer(source);
  if (container === 'safetensors' || container === 'legacyTorch') throw weightsOnly(source.name);
  if (container === 'hdf5') return readLegacy(source);
  if (container === 'json') return readDescribed(source, options);
  const { ZipArchive } = await import('../../formats/zip/index.ts');
  const zip = await ZipArchive.open(source, options.limits);
  if (torchRoot(zip.names) !== null) throw weightsOnly(source.name);
  const { openKerasArchive, readText } = await import('../../formats/keras/index.ts');
  const archive = await openKerasArchive(zip);
  const config = readDocument(archive.config, `${source.name}/config.json`);
  const readAsset = (name: string) => readText(zip, name);
  const stored = await readKeras(source, config, readAsset, options);
  return { ...stored, weights: await openStore(archive.weights) };
}

async function readKeras(
  source: ByteSource,
  config: JsonObject,
  readAsset: (name: string) => Promise<string | null>,
  options: LoadModelOptions,
): Promise<Omit<StoredModelFile, 'weights'>> {
  const cut = await cutModel(config, readAsset, `loadModel ${source.name}`, options);
  // The model may have been loaded from an older file and saved again.
  olderFunctions();
  return { ...cut, compiled: config.compile_config ?? null, readAsset };
}

const textLayer = /^(TextVectorization|StringLookup)$/;

/** Returns the model behind the layers that take strings. Errors: FormatError where the app doesn't take those. */
async function cutModel(
  config: JsonObject,
  readAsset: (name: string) => Promise<string | null>,
  source: string,
  { onTextLayer }: LoadModelOptions,
): Promise<Pick<StoredModelFile, 'config' | 'textLayers'>> {
  const { layers } = (isObject(config.config ?? null) ? config.config : {}) as JsonObject;
  const found = Array.isArray(layers)
    ? layers.find((layer) => typeof layer?.class_name === 'string' && textLayer.test(layer.class_name))
    : null;
  if (!found) return { config };
  if (onTextLayer) {
    const { cutTextLayers } = await import('../saving/textLayers.ts');
    const { config: behind, layers: textLayers } = await cutTextLayers(config, readAsset, source);
    return { config: behind, textLayers };
  }
  throw new FormatError({
    op: source,
    rule: 'a model takes numbers: tensors hold no strings.',
    received: `layer '${found.config?.name}' of class ${found.class_name}`,
    hint: 'take it in front of the model: loadModel(file, { onTextLayer: (layer) => { words = layer; } }).',
  });
}

/** Reads a model.json of TF.js, or the config.json of an unpacked `.keras` file. */
async function readDescribed(source: ByteSource, options: LoadModelOptions): Promise<StoredModelFile> {
  const json = await readJson(source);
  if ('weight_map' in json) throw weightsOnly(source.name);
  if ('class_name' in json) {
    const readAsset = (name: string) => readSibling(source, name);
    const stored = await readKeras(source, json, readAsset, options);
    return { ...stored, weights: await openUnpacked(source, options) };
  }
  const { openLayersModel } = await import('../saving/layersModel.ts');
  const { config, compiled, weights } = await openLayersModel(source, json);
  if (config) return { config, compiled, functions: olderFunctions(), weights };
  await weights.close?.();
  throw weightsOnly(source.name);
}

/** Returns the text of a file next to `source`; null if there is none. */
async function readSibling(source: ByteSource, name: string): Promise<string | null> {
  const siblings = new Siblings(source);
  const file = await siblings.open(name).catch(() => null);
  try {
    return file && (await textOf(file));
  } finally {
    await siblings.close();
  }
}

async function readLegacy(source: ByteSource): Promise<StoredModelFile> {
  const { openHdf5 } = await import('../../formats/hdf5/index.ts');
  const root = await openHdf5(source);
  const text = await root.text('model_config');
  if (text === null) throw weightsOnly(source.name);
  const training = await root.text('training_config');
  const compiled = training === null ? null : readDocument(training, `${source.name}/training_config`);
  const config = readDocument(text, `${source.name}/model_config`);
  const older = isOlder((await root.text('keras_version')) ?? undefined);
  return {
    config: older ? (upgradeLayer(config) as JsonObject) : config,
    ...(older ? { functions: olderFunctions() } : {}),
    compiled: isObject(compiled) ? compiled : null,
    weights: await openHdf5Weights(source, root),
  };
}

function warn({ notFinite }: LoadReport): void {
  for (const { weight, notFinite: count } of notFinite)
    console.warn(`loadModel: weight '${weight}' has ${count} values that are NaN or infinite.`);
}

function weightsOnly(file: string): FormatError {
  return new FormatError({
    op: `loadModel ${file}`,
    rule: 'a model is loaded from a file that describes it.',
    received: 'only weights',
    hint: 'create the model, and call model.loadWeights(file).',
  });
}
