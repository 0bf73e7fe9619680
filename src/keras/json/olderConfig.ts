/**
 * @file Rewrites descriptions of models by Keras 2 and TF.js in the form of Keras 3: class names that changed, inputs that
 * were options of the first layer, calls that were lists of tensors.
 */
import { clip } from '../../ops/elementwise/clip.ts';
import { mulAdd } from '../../ops/elementwise/mulAdd.ts';
import type { Activation } from '../activations.ts';
import { type CustomObjects, registerClass } from '../serialization/registered.ts';
import { allMasksKey } from './dialect.ts';
import { isObject, type Json, type JsonObject } from './document.ts';
import { upgradedClass, upgradeOptions } from './olderLayers.ts';
import { isTensorFlowCall, upgradeTensorFlowCall } from './olderOperations.ts';

/** Keras 3's `hard_sigmoid` is different: x / 6 + 0.5, clipped to [0, 1]. */
const hardSigmoid: Activation = (x) => clip(mulAdd(x, 0.2, 0.5), { min: 0, max: 1 });

/**
 * Functions that meant something different in Keras 2. They are registered, so that models that use them can be saved; Keras
 * 3 loads those if an app registers `hard_sigmoid` in package `Keras2`.
 */
export function olderFunctions(): CustomObjects {
  registerClass(hardSigmoid, { package: 'Keras2', name: 'hard_sigmoid' });
  return { hardSigmoid };
}

/** The registered name of the older `hard_sigmoid`. */
export const olderHardSigmoid = 'Keras2>hard_sigmoid';

/** Returns whether a description is by a version before Keras 3. */
export function isOlder(version: Json | undefined): boolean {
  return typeof version === 'string' && !/^([3-9]|\d\d)/.test(version);
}

/** The number of a layer's first call. */
type FirstCalls = ReadonlyMap<string, number>;

/** Returns a layer or a model as Keras 3 describes it. Anything else is returned unchanged, for the reader to reject. */
export function upgradeLayer(layer: Json, calls: FirstCalls = new Map()): Json {
  if (!isObject(layer)) return layer;
  const { class_name: older = null, inbound_nodes: nodes, module = null, ...parts } = layer;
  const name = upgradedClass(older);
  const given: Json = Array.isArray(layer.config) ? { layers: layer.config } : (layer.config ?? null);
  const upgraded = Array.isArray(nodes)
    ? nodes.map((node) => upgradeNode(node, calls, isRecurrent(name)))
    : null;
  return {
    ...parts,
    // Modules of Keras 2 were elsewhere.
    ...(module === null || isKerasModule(module) ? {} : { module }),
    class_name: name,
    config: isObject(given) ? upgradeConfig(textOf(older), given) : given,
    ...(upgraded ? { inbound_nodes: upgraded } : {}),
    ...(upgraded?.some(hasOtherTensors) ? { [allMasksKey]: true } : {}),
  };
}

function isKerasModule(module: Json): boolean {
  return typeof module === 'string' && /^(tf_keras|keras|tensorflow\.(python\.)?keras)(\.|$)/.test(module);
}

function upgradeConfig(className: string, config: JsonObject): JsonObject {
  if (Array.isArray(config.layers)) {
    const calls = firstCalls(config.layers, config);
    const layers = config.layers.flatMap((layer: Json) => {
      const operations = isTensorFlowCall(layer)
        ? upgradeTensorFlowCall(layer, (value) => mapTensors(value, calls))
        : null;
      return operations ?? [upgradeLayer(layer, calls)];
    });
    if (className === 'Sequential') return { ...config, layers: withInput(config.layers, layers) };
    const { input_layers: inputs = null, output_layers: outputs = null } = config;
    const stacks = new Map(
      [...calls].filter(([name]) => classIn(config.layers as Json[], name) === 'Sequential'),
    );
    const edges = (references: Json) => onlyOf(withoutFirst(references, stacks));
    return { ...config, layers, input_layers: edges(inputs), output_layers: edges(outputs) };
  }
  return upgradeOptions(className, config, (inside) => upgradeLayer(inside));
}

/** Returns the name if it is a string; an object in its place may not be convertible to one. */
function textOf(name: Json | undefined): string {
  return typeof name === 'string' ? name : '';
}

function isRecurrent(className: Json): boolean {
  return (
    typeof className === 'string' && /^(RNN|SimpleRNN|GRU|LSTM|ConvLSTM[123]D|Bidirectional)$/.test(className)
  );
}

/** Unwraps a list of one: a single input or output was a list, too. */
function onlyOf(references: Json): Json {
  const isOne = Array.isArray(references) && references.length === 1 && isReference(references[0] as Json);
  return isOne ? (references[0] as Json) : references;
}

/** Adds an input layer: in a Sequential, the shape of the input was an option of the first layer. */
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

/**
 * Returns the numbers of first calls. The definition of a model counted as call 0, so the first call of a model has number 1,
 * except for models that some versions described only by their layers.
 */
function firstCalls(layers: readonly Json[], config: JsonObject): FirstCalls {
  const models = layers.filter(
    (layer) => isObject(layer) && isObject(layer.config) && 'layers' in layer.config,
  );
  const names = new Set(models.map((model) => (model as JsonObject).name));
  const first = new Map<string, number>();
  const visit = (value: Json): void => {
    if (!Array.isArray(value)) return;
    if (!isReference(value)) {
      for (const item of value) visit(item as Json);
      return;
    }
    const [name, call] = value as unknown as [string, number];
    if (names.has(name)) first.set(name, Math.min(call, first.get(name) ?? 1));
    visit(Object.values((value[3] ?? {}) as JsonObject));
  };
  for (const layer of layers) if (isObject(layer)) visit(layer.inbound_nodes ?? null);
  visit(config.output_layers ?? null);
  return first;
}

/** Returns the references in `value` with calls counted from 0. */
function withoutFirst(value: Json, calls: FirstCalls): Json {
  if (!Array.isArray(value)) return value;
  if (!isReference(value)) return value.map((item: Json) => withoutFirst(item, calls));
  const [name, call, ...rest] = value as unknown as [string, number, ...Json[]];
  return [name, call - (calls.get(name) ?? 0), ...rest];
}

function classIn(layers: readonly Json[], name: string): Json {
  const found = layers.find((layer) => isObject(layer) && layer.name === name);
  return (found as JsonObject | undefined)?.class_name ?? null;
}

/** Whether an upgraded call has tensors besides those of its first argument. */
function hasOtherTensors(node: Json): boolean {
  const isTensor = (value: Json): boolean =>
    Array.isArray(value) ? value.some(isTensor) : isObject(value) && value.class_name === '__keras_tensor__';
  return isObject(node) && isObject(node.kwargs) && Object.values(node.kwargs).some(isTensor);
}

/** A call: its tensors as [layer, call, output, options], one or a nest of them. */
function upgradeNode(node: Json, calls: FirstCalls, takesStates: boolean): Json {
  const tensors = isReference(node) ? [node] : node;
  const [first] = referencesIn(tensors);
  if (!first) return node;
  const inputs = mapTensors(tensors, calls);
  const options = isObject(first[3] ?? null) ? (first[3] as JsonObject) : {};
  const kwargs = mapTensors(options, calls);
  if (!Array.isArray(inputs)) return { args: [inputs], kwargs };
  const [only, ...more] = inputs as [Json, ...Json[]];
  if (more.length === 0) return { args: [only], kwargs };
  // Initial states were additional inputs.
  return takesStates
    ? { args: [only], kwargs: { ...(kwargs as JsonObject), initial_state: more } }
    : { args: [inputs], kwargs };
}

type TensorReference = readonly [layer: string, call: number, output: number, options?: Json];

function referencesIn(nest: Json): TensorReference[] {
  if (isReference(nest)) return [nest as unknown as TensorReference];
  if (typeof nest !== 'object' || nest === null) return [];
  return Object.values(nest).flatMap((item) => referencesIn(item as Json));
}

/** References as tensors, in their nest. */
function mapTensors(nest: Json, calls: FirstCalls): Json {
  if (isReference(nest)) return tensorOf(nest, calls);
  if (Array.isArray(nest)) return nest.map((item: Json) => mapTensors(item, calls));
  if (!isObject(nest)) return nest;
  return Object.fromEntries(Object.entries(nest).map(([key, item]) => [key, mapTensors(item, calls)]));
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

function tensorOf(reference: Json, calls: FirstCalls): Json {
  const [layer, node, index] = withoutFirst(reference, calls) as readonly Json[];
  return {
    class_name: '__keras_tensor__',
    config: { keras_history: [layer as Json, node as Json, index as Json] },
  };
}
