/** @file Loads a feature space from a `.keras` file of Keras 3. */
import { FormatError, ValueError } from '../../core/errors.ts';
import { Pacer } from '../../core/pacer.ts';
import { inTurns } from '../../core/pieces.ts';
import { describe } from '../../core/shape.ts';
import type { ByteSource } from '../../formats/byteSource.ts';
import type { Hdf5Group } from '../../formats/hdf5/index.ts';
import { type FileSource, openSource } from '../../storage/sources.ts';
import { isObject, type Json, type JsonObject, readDocument } from '../json/document.ts';
import { camel } from '../json/optionNames.ts';
import { Layer } from '../layers/base/layer.ts';
import { layerFromDocument } from '../loading/modelFromJSON.ts';
import { loadAssets } from '../saving/assets.ts';
import { takesTexts } from '../saving/layersOfTexts.ts';
import { openStore } from '../saving/openWeightFile.ts';
import { requireContainer } from '../saving/requireContainer.ts';
import { makeTextLayer } from '../saving/textLayers.ts';
import { fillStored } from '../saving/upload.ts';
import { snakeCase } from '../names.ts';
import type { FeatureSpaceOptions } from './featureSpaceOptions.ts';
import { Cross, Feature, type FeatureDType, type FeatureOutput, type Preprocessor } from './features.ts';
import { partsOf, type SavedSpace } from './parts.ts';

/** A new feature space, whose layers have no weights yet. */
interface NewSpace extends SavedSpace {
  buildLoaded(): void;
  dispose(): void;
}

/** Loads what a file holds into what `make` returns for its options. Errors: FormatError. */
export async function loadFeatureSpace<S extends NewSpace>(
  given: FileSource,
  { signal }: { signal?: AbortSignal },
  make: (options: FeatureSpaceOptions) => S,
): Promise<S> {
  const source = await openSource(given, { signal });
  try {
    return await load(source, signal, make);
  } finally {
    await source.close?.();
  }
}

async function load<S extends NewSpace>(
  source: ByteSource,
  signal: AbortSignal | undefined,
  make: (options: FeatureSpaceOptions) => S,
): Promise<S> {
  const pacer = new Pacer(signal);
  const op = `FeatureSpace.load ${source.name}`;
  if ((await requireContainer(source)) !== 'zip') throw notASpace(op, 'another kind of file');
  const [{ ZipArchive }, { openKerasArchive, readText }, { openHdf5 }] = await Promise.all([
    import('../../formats/zip/index.ts'),
    import('../../formats/keras/index.ts'),
    import('../../formats/hdf5/index.ts'),
  ]);
  const zip = await ZipArchive.open(source);
  const archive = await openKerasArchive(zip);
  const document = readDocument(archive.config, `${source.name}/config.json`);
  const { config } = document;
  if (document.class_name !== 'FeatureSpace' || !isObject(config ?? null))
    throw notASpace(op, `class ${describe(document.class_name)}`);
  const readAsset = (name: string) => readText(zip, name);
  const root = await openHdf5(archive.weights);
  const reading: Reading = { op, source: source.name, readAsset, root };
  const options = await readOptions(reading, config as JsonObject);
  const space = made(op, () => make(options));
  try {
    await loadAssets(partsOf(space), readAsset, source.name, pacer);
    made(op, () => space.buildLoaded());
    const weights = await openStore(archive.weights, pacer);
    const found = weights.match(partsOf(space) as never, { op, model: space.name });
    await fillStored(await inTurns(found, pacer), { file: source.name, signal });
    return space;
  } catch (error) {
    space.dispose();
    throw error;
  }
}

interface Reading {
  readonly op: string;
  readonly source: string;
  readonly readAsset: (name: string) => Promise<string | null>;
  readonly root: Hdf5Group;
}

async function readOptions(reading: Reading, config: JsonObject): Promise<FeatureSpaceOptions> {
  const { op } = reading;
  const { features, crosses = null, output_mode: outputMode, ...sizes } = config;
  if (!isObject(features ?? null)) throw invalid(op, 'features', features);
  const counts = new Map<string, number>();
  const found: [string, Feature][] = [];
  for (const [name, given] of Object.entries(features as JsonObject))
    found.push([name, await readFeature(reading, name, given, counts)]);
  if (crosses !== null && !Array.isArray(crosses)) throw invalid(op, 'crosses', crosses);
  const { crossing_dim: crossingDim, hashing_dim: hashingDim, num_discretization_bins: bins } = sizes;
  const options = {
    features: Object.fromEntries(found),
    outputMode,
    crosses: ((crosses ?? []) as readonly Json[]).map((given) => readCross(op, given)),
    crossingDim,
    hashingDim,
    numDiscretizationBins: bins,
  };
  const given = Object.entries(options).filter(([, value]) => value !== undefined);
  return Object.fromEntries(given) as unknown as FeatureSpaceOptions;
}

async function readFeature(
  { op, source, readAsset, root }: Reading,
  name: string,
  given: Json,
  counts: Map<string, number>,
): Promise<Feature> {
  const config = configOf(op, given, 'Feature', `feature '${name}'`);
  const { dtype, preprocessor: layer = null, output_mode: mode } = config;
  if (!isObject(layer) || !isObject(layer.config ?? null) || typeof layer.class_name !== 'string')
    throw invalid(op, `the layer of feature '${name}'`, layer);
  const kind = snakeCase(layer.class_name);
  const count = counts.get(kind) ?? 0;
  counts.set(kind, count + 1);
  const path = `preprocessors/${kind}${count === 0 ? '' : `_${count}`}`;
  const preprocessor = takesTexts(layer, [])
    ? await makeTextLayer(layer, path, readAsset, source, await tokenWeights(root, path))
    : layerFromDocument(layer, `${source}/feature '${name}'`);
  const options = {
    dtype: (dtype === 'int64' ? 'int32' : dtype) as FeatureDType,
    preprocessor: preprocessor as Preprocessor,
    outputMode: (typeof mode === 'string' ? camel(mode) : mode) as FeatureOutput,
  };
  try {
    return made(op, () => new Feature(options));
  } catch (error) {
    if (preprocessor instanceof Layer) preprocessor.dispose();
    throw error;
  }
}

/** The weights of tokens that were learned; null if there are none. */
async function tokenWeights(root: Hdf5Group, path: string): Promise<readonly number[] | null> {
  let group: Hdf5Group | null = root;
  for (const part of [...path.split('/'), 'vars']) group = group && (await group.group(part));
  const stored = await (await group?.dataset('idf_weights'))?.tensor();
  if (!stored) return null;
  return Array.from((await stored.read(0, stored.shape[0] ?? 0)) as Float32Array);
}

function readCross(op: string, given: Json): Cross {
  const config = configOf(op, given, 'Cross', 'a cross');
  const { feature_names: featureNames, crossing_dim: crossingDim, output_mode: mode } = config;
  const outputMode = typeof mode === 'string' ? camel(mode) : mode;
  return made(op, () => new Cross({ featureNames, crossingDim, outputMode } as never));
}

function configOf(op: string, given: Json, className: string, what: string): JsonObject {
  if (isObject(given) && given.class_name === className && isObject(given.config ?? null))
    return given.config as JsonObject;
  throw invalid(op, what, given);
}

/** Runs `body`, whose errors are about what the file says. */
function made<T>(op: string, body: () => T): T {
  try {
    return body();
  } catch (cause) {
    if (!(cause instanceof ValueError)) throw cause;
    const { rule, received } = cause;
    throw new FormatError({ op, rule, received, hint: 'the file is damaged: save it again.', cause });
  }
}

function notASpace(op: string, received: string): FormatError {
  return new FormatError({
    op,
    rule: 'it loads a feature space.',
    received,
    hint: 'load a model by loadModel(file).',
  });
}

function invalid(op: string, what: string, received: Json | undefined): FormatError {
  return new FormatError({
    op,
    rule: `${what} in a file is what Keras writes.`,
    received: describe(received),
    hint: 'save it again with Keras 3.',
  });
}
