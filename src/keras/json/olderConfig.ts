/**
 * @file Descriptions of models by Keras 2 and TF.js, rewritten as Keras 3 writes them: names of classes that changed, inputs
 * that were options of the first layer, calls as lists of tensors.
 */
import { clip } from '../../ops/clip.ts';
import { mulAdd } from '../../ops/mulAdd.ts';
import type { Activation } from '../activations.ts';
import { isObject, type Json, type JsonObject } from './document.ts';

const renamedClasses: Readonly<Record<string, string>> = {
  Model: 'Functional',
  BatchNormalizationV1: 'BatchNormalization',
  BatchNormalizationV2: 'BatchNormalization',
};

/** Options that say how something is computed, not what; and those of the first layer. */
const obsoleteOptions: ReadonlySet<string> = new Set([
  'batch_input_shape',
  'batch_size',
  'fused',
  'implementation',
  'input_dtype',
  'input_length',
  'input_shape',
  'ragged',
  'sparse',
  'time_major',
  'zero_output_for_mask',
]);

/** The number of inputs is an option of embeddings, too. */
const firstLayerOptions: ReadonlySet<string> = new Set([...obsoleteOptions, 'input_dim']);

/** Keras 3 has another `hard_sigmoid`: x / 6 + 0.5 between 0 and 1. */
const hardSigmoid: Activation = (x) => clip(mulAdd(x, 0.2, 0.5), { min: 0, max: 1 });

/** Functions that Keras 2 had by the same names. */
export const olderFunctions = { hardSigmoid } as const;

/** Whether a description is by a version before Keras 3. */
export function isOlder(version: Json | undefined): boolean {
  return typeof version === 'string' && !/^([3-9]|\d\d)/.test(version);
}

/** A layer or a model as Keras 3 describes it. What isn't one stays as it is, for the reader to refuse. */
export function upgradeLayer(layer: Json): Json {
  if (!isObject(layer)) return layer;
  const { class_name: older, inbound_nodes: nodes } = layer;
  const name =
    typeof older === 'string' && Object.hasOwn(renamedClasses, older) ? renamedClasses[older] : older;
  const given: Json = Array.isArray(layer.config) ? { layers: layer.config } : (layer.config ?? null);
  return {
    ...layer,
    class_name: name ?? null,
    config: isObject(given) ? upgradeConfig(textOf(name), given) : given,
    ...(Array.isArray(nodes) ? { inbound_nodes: nodes.map(upgradeNode) } : {}),
  };
}

function upgradeConfig(className: string, config: JsonObject): JsonObject {
  if (Array.isArray(config.layers)) {
    const layers = config.layers.map(upgradeLayer);
    if (className === 'Sequential') return { ...config, layers: withInput(config.layers, layers) };
    const { input_layers: inputs = null, output_layers: outputs = null } = config;
    return { ...config, layers, input_layers: onlyOf(inputs), output_layers: onlyOf(outputs) };
  }
  if (className === 'InputLayer') return { ...withoutNulls(config, new Set(['ragged', 'sparse'])) };
  const isTable = className === 'Embedding';
  const kept = withoutNulls(config, isTable ? obsoleteOptions : firstLayerOptions);
  const entries = Object.entries(kept).map(
    ([key, value]) => [key, upgradeOption(className, key, value)] as const,
  );
  const upgraded = Object.fromEntries(entries) as JsonObject;
  if (className !== 'LeakyReLU' || !('alpha' in upgraded)) return upgraded;
  const { alpha, ...rest } = upgraded;
  return { ...rest, negative_slope: alpha as Json };
}

function upgradeOption(className: string, key: string, value: Json): Json {
  const isAxis = key === 'axis' && className === 'BatchNormalization';
  if (isAxis && Array.isArray(value) && value.length === 1) return value[0] as Json;
  const isLayer = key === 'layer' || key === 'backward_layer' || key === 'cell' || key === 'cells';
  if (isLayer && Array.isArray(value)) return value.map(upgradeLayer);
  return isLayer ? upgradeLayer(value) : value;
}

/** A name, where it is one: an object in its place may have no text. */
function textOf(name: Json | undefined): string {
  return typeof name === 'string' ? name : '';
}

/** One input or output was a list of one, too. */
function onlyOf(references: Json): Json {
  const isOne = Array.isArray(references) && references.length === 1 && isReference(references[0] as Json);
  return isOne ? (references[0] as Json) : references;
}

/** Null meant the default; some options here take no null. */
function withoutNulls(config: JsonObject, obsolete: ReadonlySet<string>): JsonObject {
  return Object.fromEntries(
    Object.entries(config).filter(([key, value]) => value !== null && !obsolete.has(key)),
  );
}

/** The first layer of a Sequential had the shape of the input among its options. */
function withInput(older: readonly Json[], layers: readonly Json[]): Json[] {
  const [first] = older;
  const config = isObject(first) && isObject(first.config) ? first.config : {};
  const isInput = isObject(first) && first.class_name === 'InputLayer';
  const { batch_input_shape: shape, name, dtype } = config;
  if (isInput || !Array.isArray(shape)) return [...layers];
  const input = {
    batch_shape: shape as Json,
    dtype: typeof dtype === 'string' ? dtype : 'float32',
    name: `${textOf(name)}_input`,
  };
  return [{ class_name: 'InputLayer', config: input }, ...layers];
}

/** A call: its tensors as [layer, call, output, options], one or a list of them. */
function upgradeNode(node: Json): Json {
  if (!Array.isArray(node)) return node;
  const tensors = (isReference(node) ? [node] : node) as readonly Json[];
  const [first] = tensors;
  if (!tensors.every(isReference) || !Array.isArray(first)) return node;
  const inputs = tensors.map(tensorOf);
  const options = isObject(first[3]) ? first[3] : {};
  return { args: [inputs.length === 1 ? (inputs[0] as Json) : inputs], kwargs: mapReferences(options) };
}

function mapReferences(options: JsonObject): JsonObject {
  const map = (value: Json): Json => {
    if (isReference(value)) return tensorOf(value);
    return Array.isArray(value) ? value.map(map) : value;
  };
  return Object.fromEntries(Object.entries(options).map(([key, value]) => [key, map(value)]));
}

function isReference(value: Json): boolean {
  return (
    Array.isArray(value) &&
    typeof value[0] === 'string' &&
    Number.isInteger(value[1]) &&
    Number.isInteger(value[2]) &&
    value.length <= 4
  );
}

function tensorOf(reference: Json): Json {
  const [layer, node, index] = reference as readonly Json[];
  return {
    class_name: '__keras_tensor__',
    config: { keras_history: [layer as Json, node as Json, index as Json] },
  };
}
