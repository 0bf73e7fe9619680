/** @file Reads the file of a model in any format: how it describes the model, and where its weights are. */
import { FormatError } from '../../core/errors.ts';
import type { Pacer } from '../../core/pacer.ts';
import type { ByteSource } from '../../formats/byteSource.ts';
import { torchRoot } from '../../formats/detect.ts';
import { isObject, type Json, type JsonObject, readDocument } from '../json/document.ts';
import { isOlder, olderFunctions, upgradeLayer } from '../json/olderConfig.ts';
import { upgradeTraining } from '../json/olderTraining.ts';
import type { AnyModel } from '../models/model.ts';
import type { LoadWeightsOptions } from '../saving/fileOptions.ts';
import { takesTexts } from '../saving/layersOfTexts.ts';
import { readJson, Siblings, textOf } from '../saving/jsonFile.ts';
import { openHdf5Weights, openStore, openUnpacked } from '../saving/openWeightFile.ts';
import { requireContainer } from '../saving/requireContainer.ts';
import type { TextLayer } from '../saving/textLayers.ts';
import type { WeightFile } from '../saving/weightFile.ts';
import type { CustomObjects } from '../serialization/registered.ts';

/** A model that has been read, but not created yet. */
export interface StoredModelFile {
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
  /** Whether Keras 2 wrote the file: its losses and metrics may be gone, and the model is useful without them. */
  readonly isOlder?: boolean;
  /** Sets the state of training, once the model is compiled. */
  readonly resume?: (model: AnyModel) => void;
}

/** Options of reading. */
export interface ReadModelOptions extends LoadWeightsOptions {
  /** Takes the layers in front of a model that take strings. */
  readonly onTextLayer?: ((layer: TextLayer) => void) | undefined;
}

/**
 * Reads the description of a model. Errors: FormatError for a file that describes none, or is damaged; the reason of the pacer's
 * signal.
 */
export async function readModelFile(
  source: ByteSource,
  options: ReadModelOptions,
  pacer: Pacer,
): Promise<StoredModelFile> {
  const container = await requireContainer(source);
  if (container === 'safetensors') return readCheckpointOf(source, options);
  if (container === 'legacyTorch') throw weightsOnly(source.name);
  if (container === 'hdf5') return readLegacy(source, pacer, options);
  if (container === 'json') return readDescribed(source, options);
  const { ZipArchive } = await import('../../formats/zip/index.ts');
  const zip = await ZipArchive.open(source, options.limits);
  if (torchRoot(zip.names) !== null) throw weightsOnly(source.name);
  const { openKerasArchive, readText } = await import('../../formats/keras/index.ts');
  const archive = await openKerasArchive(zip);
  const config = readDocument(archive.config, `${source.name}/config.json`);
  await pacer.step();
  const readAsset = (name: string) => readText(zip, name);
  const stored = await readKeras(source, config, readAsset, options);
  return { ...stored, weights: await openStore(archive.weights, pacer) };
}

/** Reads a checkpoint, which describes its model. Errors: FormatError for weights alone. */
async function readCheckpointOf(source: ByteSource, options: ReadModelOptions): Promise<StoredModelFile> {
  const [{ openSafetensors }, { restoreCheckpoint }, { isCheckpoint, readMetadata }, { namedFile }] =
    await Promise.all([
      import('../../formats/safetensors/open.ts'),
      import('../saving/checkpoint.ts'),
      import('../saving/checkpointMetadata.ts'),
      import('../saving/weightFiles.ts'),
    ]);
  const { tensors, metadata } = await openSafetensors(source);
  if (!isCheckpoint(metadata)) throw weightsOnly(source.name);
  const { config } = readMetadata(source.name, metadata);
  if (config === null) throw undescribed(source.name);
  const described = readDocument(config, `${source.name}/model`);
  const bytes = await source.read(0, source.size);
  return {
    config: described,
    compiled: described.compile_config ?? null,
    weights: await namedFile(tensors, options),
    resume: (model) => void restoreCheckpoint(model, bytes, { file: source.name }),
  };
}

/** The version of Keras that wrote a model, in the metadata next to it; undefined if there is none. */
async function versionOf(
  readAsset: (name: string) => Promise<string | null>,
  file: string,
): Promise<Json | undefined> {
  const { metadataName } = await import('../../formats/keras/index.ts');
  const text = await readAsset(metadataName);
  return text === null ? undefined : readDocument(text, `${file}/${metadataName}`).keras_version;
}

async function readKeras(
  source: ByteSource,
  given: JsonObject,
  readAsset: (name: string) => Promise<string | null>,
  options: ReadModelOptions,
): Promise<Omit<StoredModelFile, 'weights'>> {
  if (given.class_name === 'FeatureSpace') throw featureSpace(source.name);
  const older = isOlder(await versionOf(readAsset, source.name));
  const config = older ? (upgradeLayer(given) as JsonObject) : given;
  const cut = await cutModel(config, readAsset, `loadModel ${source.name}`, options);
  // The model may have been loaded from an older file and saved again.
  const functions = olderFunctions();
  const { compile_config: compiled = null } = given;
  if (!older) return { ...cut, compiled, readAsset };
  return { ...cut, ...ofOlder(compiled, functions), readAsset };
}

/** What a file of Keras 2 has in other forms. */
function ofOlder(
  compiled: Json,
  functions: CustomObjects,
): Pick<StoredModelFile, 'compiled' | 'functions' | 'isOlder'> {
  return { compiled: isObject(compiled) ? upgradeTraining(compiled) : null, functions, isOlder: true };
}

/** Returns the model behind the layers that take strings. Errors: FormatError where the app doesn't take those. */
async function cutModel(
  config: JsonObject,
  readAsset: (name: string) => Promise<string | null>,
  source: string,
  { onTextLayer }: ReadModelOptions,
): Promise<Pick<StoredModelFile, 'config' | 'textLayers'>> {
  const { layers } = (isObject(config.config ?? null) ? config.config : {}) as JsonObject;
  const found = Array.isArray(layers)
    ? layers.find((layer) => isObject(layer) && takesTexts(layer, layers))
    : null;
  if (!found) return { config };
  if (onTextLayer) {
    const { cutTextLayers } = await import('../saving/textLayers.ts');
    const { config: behind, layers: textLayers } = await cutTextLayers(config, readAsset, source);
    return { config: behind, textLayers };
  }
  throw new FormatError({
    op: source,
    rule: 'a model takes tensors, which hold no strings: layers of strings and hashes come in front of it.',
    received: `layer '${found.config?.name}' of class ${found.class_name}`,
    hint: 'take it in front of the model: loadModel(file, { onTextLayer: (layer) => { words = layer; } }).',
  });
}

/** Reads a model.json of TF.js, or the config.json of an unpacked `.keras` file. */
async function readDescribed(source: ByteSource, options: ReadModelOptions): Promise<StoredModelFile> {
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

async function readLegacy(
  source: ByteSource,
  pacer: Pacer,
  options: ReadModelOptions,
): Promise<StoredModelFile> {
  const { openHdf5 } = await import('../../formats/hdf5/index.ts');
  const root = await openHdf5(source);
  const text = await root.text('model_config');
  if (text === null) throw weightsOnly(source.name);
  const training = await root.text('training_config');
  const compiled = training === null ? null : readDocument(training, `${source.name}/training_config`);
  const given = readDocument(text, `${source.name}/model_config`);
  await pacer.step();
  const older = isOlder((await root.text('keras_version')) ?? undefined);
  const config = older ? (upgradeLayer(given) as JsonObject) : given;
  const cut = await cutModel(config, async () => null, `loadModel ${source.name}`, options);
  const weights = await openHdf5Weights(source, root, pacer);
  if (!older) return { ...cut, compiled: isObject(compiled) ? compiled : null, weights };
  return { ...cut, ...ofOlder(compiled, olderFunctions()), weights };
}

function featureSpace(file: string): FormatError {
  return new FormatError({
    op: `loadModel ${file}`,
    rule: 'it loads models.',
    received: 'a FeatureSpace',
    hint: 'await utils.FeatureSpace.load(file), of retrograd/keras.',
  });
}

function undescribed(file: string): FormatError {
  return new FormatError({
    op: `loadModel ${file}`,
    rule: 'a checkpoint describes its model if all of its layers and functions have names in files.',
    received: 'a checkpoint without a model',
    hint: 'create and compile the model, and call loadCheckpoint(model, bytes); registerClass its classes before you save.',
  });
}

function weightsOnly(file: string): FormatError {
  return new FormatError({
    op: `loadModel ${file}`,
    rule: 'a model is loaded from a file that describes it.',
    received: 'only weights',
    hint: 'create the model, and call model.loadWeights(file).',
  });
}
