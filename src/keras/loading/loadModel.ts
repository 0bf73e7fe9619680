/** @file Loads whole models: `.keras`, and the older `.h5`. */
import { checkOptions, type OptionNames } from '../../core/options.ts';
import { Pacer } from '../../core/pacer.ts';
import { inTurns } from '../../core/pieces.ts';
import type { ByteSource } from '../../formats/byteSource.ts';
import { type FileSource, openSource } from '../../storage/sources.ts';
import { type FromJSONOptions, readModel } from './modelFromJSON.ts';
import type { AnyModel } from '../models/model.ts';
import type { AnyLayer } from '../layers/base/layer.ts';
import { type LoadReport, type LoadWeightsOptions, loadOptionNames } from '../saving/fileOptions.ts';
import { loadAssets } from '../saving/assets.ts';
import { withinStored } from '../saving/allotment.ts';
import { compileStored } from './compileStored.ts';
import type { TextLayer } from '../saving/textLayers.ts';
import { fillStored } from '../saving/upload.ts';
import { restoreSeeds } from '../saving/storedSeeds.ts';
import { readModelFile, type StoredModelFile } from './readModelFile.ts';

export interface LoadModelOptions extends Omit<FromJSONOptions, 'file'>, LoadWeightsOptions {
  /** Whether to compile the model as it was saved, with the optimizer's state. Default true. */
  readonly compile?: boolean;
  /** Called with a report of what was loaded. Default: warns on the console of weights that aren't finite. */
  readonly onReport?: ((report: LoadReport) => void) | undefined;
  /**
   * Called with each layer of strings or hashes (TextVectorization, StringLookup, Hashing, HashedCrossing) at the inputs of a model of
   * Keras, which takes their results then, by the layer's name: apply them in front of it. Default: such a model is rejected, since
   * tensors hold no strings.
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

/**
 * Loads a model: `.keras` of Keras 3 or 2, also unpacked (config.json with its weights), a whole model in an older `.h5`, a
 * layers model of TF.js (model.json with its shards), or a checkpoint of this library; models of several files as a URL, a path, a folder or a list of files. It
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
  const pacer = new Pacer(options.signal);
  const stored = await readModelFile(source, options, pacer);
  try {
    return await make(source, stored, options, pacer);
  } finally {
    await stored.weights.close?.();
  }
}

async function make(
  source: ByteSource,
  { config, compiled, functions, weights: file, readAsset, textLayers = [], ...stored }: StoredModelFile,
  options: LoadModelOptions,
  pacer: Pacer,
): Promise<AnyModel> {
  const { compile = true, onReport = warn, customObjects, lambdas } = options;
  const named = {
    file: source.name,
    customObjects: { ...functions, ...customObjects },
    ...(lambdas ? { lambdas } : {}),
  };
  for (const tensor of file.tensors) {
    await tensor.verify?.();
    await pacer.step();
  }
  const model = await readModel(config, named, { pacer, within: withinStored(source.name, file.tensors) });
  try {
    await pacer.step();
    const fit = { op: `loadModel ${source.name}`, model: model.name };
    const weights = await inTurns(file.match(model, fit), pacer);
    await pacer.step();
    const notFinite = await fillStored(weights, { ...options, file: source.name });
    if (readAsset) await loadAssets(model as unknown as AnyLayer, readAsset, source.name, pacer);
    await pacer.step();
    if (file.seeds) await restoreSeeds(model as unknown as AnyLayer, file.seeds, source.name, pacer);
    await pacer.step();
    if (compile) {
      const { isOlder = false } = stored;
      await compileStored(model, compiled, file, { ...options, isOlder, file: source.name });
      stored.resume?.(model);
    }
    for (const layer of textLayers) options.onTextLayer?.(layer);
    onReport({ loaded: weights.map(({ path }) => path), notFinite, naming: 'keras' });
    return model;
  } catch (error) {
    model.dispose();
    throw error;
  }
}

function warn({ notFinite }: LoadReport): void {
  for (const { weight, notFinite: count } of notFinite)
    console.warn(`loadModel: weight '${weight}' has ${count} values that are NaN or infinite.`);
}
