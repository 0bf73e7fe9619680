/**
 * @file Layers of Keras's files that take strings, or hash strings and integers, at the inputs of a model. Tensors hold no strings: the
 * model begins behind these layers here, and the app gets them, each with its vocabulary, to apply them in front of it.
 */
import { FormatError } from '../../core/errors.ts';
import { isObject, type Json, type JsonObject } from '../json/document.ts';
import { placed } from '../json/jsonErrors.ts';
import { camel, camelKey } from '../json/optionNames.ts';
import { Hashing } from '../layers/preprocessing/hashing.ts';
import { tokensIn, vocabularyFile } from '../layers/preprocessing/lookup/vocabularyFile.ts';
import { StringLookup } from '../layers/preprocessing/stringLookup.ts';
import { TextVectorization } from '../layers/preprocessing/textVectorization.ts';
import { snakeCase } from '../names.ts';

export type TextLayer = StringLookup | TextVectorization | Hashing;

export interface CutModel {
  /** The configuration of the model behind the layers. */
  readonly config: JsonObject;
  readonly layers: readonly TextLayer[];
}

const classes: Readonly<Record<string, new (options: never) => TextLayer>> = {
  StringLookup,
  TextVectorization,
  Hashing,
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
  const texts = described.filter(isTextLayer);
  const inputs = new Map(texts.map((layer) => [layer, inputOf(layer, described)]));
  for (const [layer, input] of inputs) if (!input) throw notAtInput(layer, source);
  const crossing = described.find(({ class_name: name }) => name === 'HashedCrossing');
  if (crossing) throw notAtInput(crossing, source);
  const layers = await Promise.all(texts.map((layer) => makeLayer(layer, described, readAsset, source)));
  const names = new Map([...inputs].map(([layer, input]) => [nameOf(input as JsonObject), nameOf(layer)]));
  const removed = new Set(inputs.values());
  const kept = described
    .filter((layer) => !removed.has(layer))
    .map((layer) => (inputs.has(layer) ? inputFor(layer, inputs.get(layer) as JsonObject, config) : layer));
  const { build_input_shape: _, ...rest } = config;
  const edges: JsonObject = rest.input_layers ? { input_layers: renamed(rest.input_layers, names) } : {};
  const { build_config: __, ...document } = model;
  return { config: { ...document, config: { ...rest, ...edges, layers: kept } }, layers };
}

function isTextLayer({ class_name: name }: JsonObject): boolean {
  return typeof name === 'string' && Object.hasOwn(classes, name);
}

function nameOf({ config, name }: JsonObject): string {
  return String(name ?? (isObject(config ?? null) ? (config as JsonObject).name : null));
}

/** Returns the input layer that feeds `layer`, and nothing else; undefined where another layer does. */
function inputOf(layer: JsonObject, layers: readonly JsonObject[]): JsonObject | undefined {
  const nodes = layer.inbound_nodes;
  const before = Array.isArray(nodes)
    ? layers.find((other) => feeds(other, layer))
    : layers[layers.indexOf(layer) - 1];
  const isFed = (other: JsonObject) => before !== undefined && feeds(before, other);
  const isAlone = !Array.isArray(nodes) || (nodes.length === 1 && layers.filter(isFed).length === 1);
  return before?.class_name === 'InputLayer' && isAlone ? before : undefined;
}

function feeds(from: JsonObject, to: JsonObject): boolean {
  const name = nameOf(from);
  const visit = (value: Json): boolean => {
    if (typeof value !== 'object' || value === null) return false;
    const history = isObject(value) ? value.keras_history : null;
    return (Array.isArray(history) && history[0] === name) || Object.values(value).some(visit);
  };
  return visit(to.inbound_nodes ?? null);
}

/** Returns an input that replaces `layer`, with the spec of its output. */
function inputFor(layer: JsonObject, input: JsonObject, model: JsonObject): JsonObject {
  const { output_mode: mode = 'int' } = layer.config as JsonObject;
  const name = nameOf(layer);
  const config = {
    batch_shape: outputShape(layer, input),
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

/** Returns the inputs of a graph, by the names of the layers in their place. */
function renamed(nest: Json, names: ReadonlyMap<string, string>): Json {
  if (typeof nest === 'string') return names.get(nest) ?? nest;
  if (Array.isArray(nest)) return nest.map((item: Json) => renamed(item, names));
  if (!isObject(nest)) return nest;
  return Object.fromEntries(Object.entries(nest).map(([key, item]) => [key, renamed(item, names)]));
}

async function makeLayer(
  layer: JsonObject,
  all: readonly JsonObject[],
  readAsset: (name: string) => Promise<string | null>,
  source: string,
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
  const text = await readAsset(`assets/${pathOf(layer, all)}/${vocabularyFile}`);
  return placed(source, place, () => {
    const made = new Class(options);
    if (made instanceof Hashing) return made;
    const hasVocabulary = made.getVocabulary(false).length > 0;
    const tokens = text === null || hasVocabulary ? [] : tokensIn(text);
    // A layer that has learned nothing has only the special tokens.
    if (tokens.join('\n') !== made.getVocabulary().join('\n')) made.setVocabulary(tokens);
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
    rule: 'a layer of strings or hashes is the first behind an input, which feeds nothing else: tensors hold no strings.',
    received: `${String(layer.class_name)} '${nameOf(layer)}' in another place`,
    hint: 'save the part of the model that takes numbers.',
  });
}
