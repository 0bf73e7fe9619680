/** @file Saves a feature space as a `.keras` file of Keras 3. */
import { FormatError } from '../../core/errors.ts';
import { inTurns, type Pieces } from '../../core/pieces.ts';
import { describe } from '../../core/shape.ts';
import type { NewGroup } from '../../formats/hdf5/index.ts';
import type { NewEntry } from '../../formats/zip/index.ts';
import type { SaveTarget } from '../../storage/targets.ts';
import type { Json, JsonObject } from '../json/document.ts';
import { snake, snakeKey } from '../json/optionNames.ts';
import { textWithFloats } from '../json/pythonFloats.ts';
import { layerDocument } from '../json/write.ts';
import { dtypePolicy } from '../json/writeValue.ts';
import type { AnyLayer } from '../layers/base/layer.ts';
import { Identity } from '../layers/core/identity.ts';
import { vocabularyFile } from '../layers/preprocessing/lookup/vocabularyFile.ts';
import { VocabularyLayer } from '../layers/preprocessing/lookup/vocabularyLayer.ts';
import { TextVectorization } from '../layers/preprocessing/textVectorization.ts';
import { archiveEntries } from '../saving/archiveEntries.ts';
import { assetEntries } from '../saving/assets.ts';
import { namedTarget } from '../saving/namedTarget.ts';
import { findSaveables, type Saveable, type SavedLayer } from '../saving/saveables.ts';
import { SavedBytes } from '../saving/savedBytes.ts';
import { weightTree } from '../saving/weightTree.ts';
import { isOnHost, type Preprocessor, type TextPreprocessor } from './features.ts';
import { module, partsOf, type SavedSpace, textLayersOf } from './parts.ts';

export async function saveFeatureSpace(
  space: SavedSpace,
  target: SaveTarget,
  { signal }: { signal?: AbortSignal },
): Promise<void> {
  const file = namedTarget('save', target, '.keras');
  const saved = new SavedBytes({ signal }, null);
  const config = textWithFloats(describeSpace(space), 0);
  const { assets, tree } = await inTurns(contentsOf(space), saved.pacer);
  const entries = await archiveEntries({ config, assets, tree: await tree }, saved);
  await file.write(saved.interruptible(entries));
}

function* contentsOf(space: SavedSpace): Pieces<{ assets: NewEntry[]; tree: Promise<NewGroup> }> {
  const found = yield* findSaveables(partsOf(space));
  const texts = [...textLayersOf(space)].flatMap(([path, layer]) =>
    pathsOf(path, layer).map((at) => [at, layer] as const),
  );
  const weighted = texts.flatMap(([path, layer]): Saveable[] => {
    const weights = layer.getConfig().idfWeights as readonly number[] | null | undefined;
    if (!weights) return [];
    const stored = { name: layer.name, storedArrays: { idf_weights: weights } } as unknown as SavedLayer;
    return [{ path, layer: stored, variables: [] }];
  });
  const assets = [...assetEntries(found), ...texts.flatMap(([path, layer]) => vocabularyOf(path, layer))];
  return { assets, tree: yield* weightTree([...found, ...weighted], { optimizer: null }) };
}

/** The paths of a layer's state. In Keras, a TextVectorization has a lookup inside, which is saved a second time. */
function pathsOf(path: string, layer: TextPreprocessor): readonly string[] {
  return layer instanceof TextVectorization ? [path, `${path}/_lookup_layer`] : [path];
}

/** The file of a vocabulary that was learned. */
function vocabularyOf(path: string, layer: TextPreprocessor): NewEntry[] {
  if (!isLearnedApart(layer)) return [];
  const text = layer.getVocabulary().join('\n');
  return [{ name: `assets/${path}/${vocabularyFile}`, pieces: [new TextEncoder().encode(text)] }];
}

/** Whether a vocabulary is in a file: one with weights is in the options, as they are. */
function isLearnedApart(layer: TextPreprocessor): layer is TextPreprocessor & VocabularyLayer {
  return layer instanceof VocabularyLayer && layer.learnsVocabulary && !layer.getConfig().idfWeights;
}

function describeSpace(space: SavedSpace): JsonObject {
  const { outputMode, crossingDim, hashingDim, numDiscretizationBins } = space;
  const features = Object.entries(space.features).map(([name, { dtype, preprocessor, outputMode: mode }]) => [
    name,
    described('Feature', { dtype, preprocessor: layerConfig(preprocessor), output_mode: snake(mode) }),
  ]);
  const crosses = space.crosses.map(({ featureNames, crossingDim: buckets, outputMode: mode }) =>
    described('Cross', { feature_names: featureNames, crossing_dim: buckets, output_mode: snake(mode) }),
  );
  const built = Object.entries(space.preprocessors).map(([name, layer]) => [name, builtFor(layer)]);
  return {
    module: 'keras.utils',
    class_name: 'FeatureSpace',
    config: {
      features: Object.fromEntries(features),
      output_mode: outputMode,
      crosses,
      crossing_dim: crossingDim,
      hashing_dim: hashingDim,
      num_discretization_bins: numDiscretizationBins,
    },
    registered_name: null,
    build_config: Object.fromEntries(built),
  };
}

function described(name: string, config: JsonObject): JsonObject {
  return { module, class_name: name, config, registered_name: name };
}

function builtFor(layer: Preprocessor): JsonObject {
  if (isOnHost(layer) || layer.buildShape === null) return {};
  return { input_shape: [...layer.buildShape] };
}

function layerConfig(layer: Preprocessor): JsonObject {
  if (isOnHost(layer)) return textConfig(layer);
  const document = layerDocument(layer as unknown as AnyLayer, { learnedApart: true });
  // Keras's layer of plain numbers also takes tensors of TensorFlow, with any back end.
  return layer instanceof Identity ? { ...document, ...tfdIdentity } : document;
}

const tfdIdentity = { module, class_name: 'TFDIdentity', registered_name: 'TFDIdentity' };

const named: ReadonlySet<string> = new Set(['outputMode', 'standardize', 'split']);

function textConfig(layer: TextPreprocessor): JsonObject {
  const { name, ...options } = layer.getConfig();
  const entries = Object.entries(options).map(([key, value]): [string, Json] => {
    if (typeof value === 'function') throw noName(layer, key, value);
    if (named.has(key) && typeof value === 'string') return [snakeKey(key), snake(value)];
    return [snakeKey(key), value as Json];
  });
  const isLookup = layer instanceof VocabularyLayer;
  const isInt = options.outputMode === 'int' && !isLookup;
  const learned: JsonObject = isLearnedApart(layer) ? { vocabulary: null } : {};
  const size: JsonObject = isLookup ? { vocabulary_size: layer.vocabularySize() } : {};
  return {
    module: 'keras.layers',
    class_name: layer.className,
    config: {
      name: name as string,
      trainable: true,
      dtype: dtypePolicy(isInt ? 'int64' : 'float32'),
      ...Object.fromEntries(entries),
      ...learned,
      ...size,
    },
    registered_name: null,
    build_config: {},
  };
}

function noName(layer: TextPreprocessor, key: string, value: unknown): FormatError {
  return new FormatError({
    op: 'save',
    rule: 'a file holds no functions.',
    received: `${key}: ${describe(value)} of layer '${layer.name}'`,
    hint: 'use a rule that has a name, such as lowerAndStripPunctuation.',
  });
}
