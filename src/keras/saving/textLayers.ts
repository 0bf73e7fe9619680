/**
 * @file Layers of Keras's files that take strings, or hash strings and integers, at the inputs of a model. Tensors hold no strings: the
 * model begins behind these layers here, and the app gets them, each with its vocabulary, to apply them in front of it.
 */
import { FormatError } from '../../core/errors.ts';
import { isObject, type Json, type JsonObject } from '../json/document.ts';
import { placed } from '../json/jsonErrors.ts';
import { camel, camelKey } from '../json/optionNames.ts';
import { HashedCrossing } from '../layers/preprocessing/hashedCrossing.ts';
import { Hashing } from '../layers/preprocessing/hashing.ts';
import { tokensIn, vocabularyFile } from '../layers/preprocessing/lookup/vocabularyFile.ts';
import { StringLookup } from '../layers/preprocessing/stringLookup.ts';
import { TextVectorization } from '../layers/preprocessing/textVectorization.ts';
import { snakeCase } from '../names.ts';
import { isStrings, nameOf, sourcesIn, takesTexts } from './layersOfTexts.ts';

export type TextLayer = StringLookup | TextVectorization | Hashing | HashedCrossing;

export interface CutModel {
  /** The configuration of the model behind the layers. */
  readonly config: JsonObject;
  readonly layers: readonly TextLayer[];
}

const classes: Readonly<Record<string, new (options: never) => TextLayer>> = {
  StringLookup,
  TextVectorization,
  Hashing,
  HashedCrossing,
};

/** Options whose values are names. */
const named: ReadonlySet<string> = new Set(['standardize', 'split', 'output_mode']);
/** Options that say what is the same for all of these layers here. */
const obsolete: ReadonlySet<string> = new Set(['dtype', 'trainable', 'vocabulary_dtype', 'vocabulary_size']);

/**
 * Removes these layers from the inputs of a model. `readAsset` gives a text of the file, null where it has none.
 * Errors: FormatError for such layers in other places, and for options and vocabularies that they don't have.
 */
export async function cutTextLayers(
  model: JsonObject,
  readAsset: (name: string) => Promise<string | null>,
  source: string,
): Promise<CutModel> {
  const config = model.config as JsonObject;
  const described = (config.layers ?? []) as readonly JsonObject[];
  const texts = described.filter((layer) => takesTexts(layer, described));
  const inputs = new Map(texts.map((layer) => [layer, inputsOf(layer, described)]));
  for (const [layer, found] of inputs) if (!found) throw notAtInput(layer, source);
  const cut = [...inputs] as [JsonObject, readonly JsonObject[]][];
  const layers = await Promise.all(
    texts.map((layer) => makeTextLayer(layer, pathOf(layer, described), readAsset, source)),
  );
  const read = new Set(cut.flatMap(([, found]) => found));
  // An input of numbers may feed other layers, too.
  const others = described.filter((layer) => !inputs.has(layer));
  const removed = new Set([...read].filter((input) => !others.some((other) => isFed(other, input, config))));
  const kept = described
    .filter((layer) => !removed.has(layer))
    .map((layer) => (inputs.has(layer) ? inputFor(layer, inputs.get(layer) as JsonObject[], config) : layer));
  const strings = kept.find(
    (layer) => isObject(layer.config ?? null) && isStrings(layer.config as JsonObject),
  );
  if (strings) throw notAtInput(strings, source);
  const { build_input_shape: _, ...rest } = config;
  const places = new Map<string, readonly string[]>();
  for (const input of read) {
    // A layer of several inputs is in the place of the first.
    const behind = cut.filter(([, found]) => found[0] === input).map(([layer]) => nameOf(layer));
    places.set(nameOf(input), [...(removed.has(input) ? [] : [nameOf(input)]), ...behind]);
  }
  const several = new Set(cut.filter(([, found]) => found.length > 1).map(([layer]) => nameOf(layer)));
  const edges: JsonObject = rest.input_layers
    ? { input_layers: placedInputs(rest.input_layers, places, several) }
    : {};
  const { build_config: __, ...document } = model;
  return { config: { ...document, config: { ...rest, ...edges, layers: kept } }, layers };
}

/** Returns the input layers that feed `layer`, in order; undefined where another layer does, and where it is called twice. */
function inputsOf(layer: JsonObject, layers: readonly JsonObject[]): JsonObject[] | undefined {
  const nodes = layer.inbound_nodes;
  const names = Array.isArray(nodes) ? sourcesIn(nodes) : [];
  const before = Array.isArray(nodes)
    ? names.map((name) => layers.find((other) => nameOf(other) === name))
    : [layers[layers.indexOf(layer) - 1]];
  const isFirst = before.length > 0 && before.every((other) => other?.class_name === 'InputLayer');
  return isFirst && !(Array.isArray(nodes) && nodes.length !== 1) ? (before as JsonObject[]) : undefined;
}

/** Whether a layer, or an output of the model, takes `input`. */
function isFed(layer: JsonObject, input: JsonObject, model: JsonObject): boolean {
  const name = nameOf(input);
  const isOutput = JSON.stringify(model.output_layers ?? null).includes(`[${JSON.stringify(name)},`);
  return isOutput || sourcesIn(layer.inbound_nodes ?? null).includes(name);
}

/** Returns an input that replaces `layer`, with the spec of its output. */
function inputFor(layer: JsonObject, inputs: readonly JsonObject[], model: JsonObject): JsonObject {
  const { output_mode: mode = 'int' } = layer.config as JsonObject;
  const name = nameOf(layer);
  const config = {
    batch_shape: outputShape(layer, inputs[0] as JsonObject),
    dtype: mode === 'int' ? 'int64' : 'float32',
    name,
  };
  const made = { module: 'keras.layers', class_name: 'InputLayer', config, registered_name: null };
  return 'input_layers' in model ? { ...made, name, inbound_nodes: [] } : made;
}

function outputShape(layer: JsonObject, input: JsonObject): Json {
  const { output_mode: mode = 'int', ...options } = layer.config as JsonObject;
  const [batch = null, ...sizes] = ((input.config as JsonObject).batch_shape ?? []) as readonly Json[];
  const isText = layer.class_name === 'TextVectorization';
  if (mode === 'int') return isText ? [batch, options.output_sequence_length ?? null] : [batch, ...sizes];
  const tokens = options.pad_to_max_tokens === true ? options.max_tokens : options.vocabulary_size;
  const depth = options.num_bins ?? tokens ?? null;
  if (isText) return [batch, depth];
  const isEach = mode === 'one_hot' && sizes.at(-1) !== 1;
  return [batch, ...(isEach ? sizes : sizes.slice(0, -1)), depth];
}

/** Returns the inputs of a graph, with the layers in their places; `several` are those that take several inputs. */
function placedInputs(
  nest: Json,
  places: ReadonlyMap<string, readonly string[]>,
  several: ReadonlySet<string>,
): Json {
  const isOne = Array.isArray(nest) && typeof nest[0] === 'string';
  if (isOne) return placedInputs([nest], places, several);
  const entry = (name: string): Json => [name, 0, 0];
  const of = (item: Json): readonly Json[] => {
    const names = places.get(String((item as readonly Json[])[0]));
    return names ? names.map(entry) : [item];
  };
  if (Array.isArray(nest)) {
    const found = nest.flatMap(of);
    return found.length === 1 ? (found[0] as Json) : found;
  }
  if (!isObject(nest)) return nest;
  // What isn't one for one has the names of its layers.
  const entries = Object.entries(nest).map(([key, item]) => {
    const found = of(item);
    const isSame = found.length === 1 && !several.has(String((found[0] as readonly Json[])[0]));
    return isSame ? [[key, found[0]]] : found.map((one) => [(one as readonly Json[])[0], one]);
  });
  return Object.fromEntries(entries.flat());
}

/**
 * Creates a layer of strings or hashes, with the vocabulary of its file under `path`.
 * Errors: FormatError for options and vocabularies that it doesn't have.
 */
export async function makeTextLayer(
  layer: JsonObject,
  path: string,
  readAsset: (name: string) => Promise<string | null>,
  source: string,
  idfWeights: readonly number[] | null = null,
): Promise<TextLayer> {
  const Class = classes[layer.class_name as string] as new (options: object) => TextLayer;
  const place = `layer '${nameOf(layer)}'`;
  const given = Object.entries(layer.config as JsonObject).filter(([key]) => !obsolete.has(key));
  const options = Object.fromEntries(
    given.map(([key, value]) => [
      camelKey(key),
      named.has(key) && typeof value === 'string' ? camel(value) : value,
    ]),
  );
  const text = await readAsset(`assets/${path}/${vocabularyFile}`);
  return placed(source, place, () => {
    const made = new Class(options);
    // A vocabulary that was given is in the configuration.
    if (text === null || !('setVocabulary' in made) || made.getVocabulary(false).length > 0) return made;
    const tokens = tokensIn(text);
    // A layer that has learned nothing has only the special tokens.
    if (tokens.join('\n') !== made.getVocabulary().join('\n')) made.setVocabulary(tokens, idfWeights);
    return made;
  });
}

/** Returns the path of a layer's files: its class, numbered among those of the same class. */
function pathOf(layer: JsonObject, all: readonly JsonObject[]): string {
  const alike = all.filter(({ class_name: name }) => name === layer.class_name);
  const number = alike.indexOf(layer);
  return `layers/${snakeCase(String(layer.class_name))}${number === 0 ? '' : `_${number}`}`;
}

function notAtInput(layer: JsonObject, source: string): FormatError {
  return new FormatError({
    op: source,
    rule: 'a layer of strings or hashes is the first behind inputs: tensors hold no strings.',
    received: `${String(layer.class_name)} '${nameOf(layer)}' in another place`,
    hint: 'save the part of the model that takes numbers.',
  });
}
