/**
 * @file Models as TF.js describes them: configurations of Keras 3 rewritten in the form of Keras 2. For the reverse, see
 * `olderConfig.ts`. Anything that TF.js would compute differently, or not at all, is rejected.
 */
import { describe } from '../../core/shape.ts';
import { FormatError } from '../../core/errors.ts';
import { isObject, type Json, type JsonObject } from './document.ts';
import { layersCalls, layersEdges } from './layersModelGraph.ts';
import {
  layersActivation,
  type LayersClass,
  layersClassOf,
  layersConstraints,
  layersInitializer,
} from './layersModelClasses.ts';
import { isModel, isOp, makesMask, nameOf, optionsOf, type InvalidLayer } from './layersModelParts.ts';

/** Rewrites `config`, the result of `modelToConfig`, for TF.js. Errors: FormatError. */
export function layersModelConfig(config: JsonObject, source: string): JsonObject {
  const invalid: InvalidLayer = (layer, rule, received, hint) =>
    new FormatError({ op: `save ${source}`, rule, received: `${received}, at layer '${layer}'`, hint });
  requireLayers(config, invalid);
  requireMasks(config, invalid);
  return writeLayer(config, invalid);
}

/** Rejects layers that TF.js doesn't have, naming all of them. */
function requireLayers(config: JsonObject, invalid: InvalidLayer): void {
  const missing = layersIn(config).filter(
    (layer) => isBuiltIn(layer) && !isOp(layer) && !isModel(layer) && !isInput(layer) && !classOf(layer),
  );
  const [first] = missing;
  if (!first) return;
  throw invalid(
    nameOf(first),
    'TF.js has every layer of the model.',
    [...new Set(missing.map(({ class_name: name }) => String(name)))].join(', '),
    'save the model for Keras, or build it of other layers.',
  );
}

/** Rejects layers that Keras, unlike TF.js, computes differently if some steps are masked. */
function requireMasks(config: JsonObject, invalid: InvalidLayer): void {
  const layers = layersIn(config);
  if (!layers.some(makesMask)) return;
  const wrong = layers.find(
    (layer) =>
      layer.class_name === 'GlobalAveragePooling1D' || optionsOf(layer).zero_output_for_mask === true,
  );
  if (!wrong) return;
  throw invalid(
    nameOf(wrong),
    'TF.js neither averages without masked steps nor makes their outputs zero.',
    `${String(wrong.class_name)} in a model with masks`,
    'leave out maskZero and Masking, or save the model for Keras.',
  );
}

/** Returns the layers of a configuration, including nested ones. */
function layersIn(value: Json): JsonObject[] {
  if (Array.isArray(value)) return value.flatMap((item: Json) => layersIn(item));
  if (!isObject(value)) return [];
  const { class_name: className, config } = value;
  const isNamed = typeof className === 'string' && isObject(config) && 'name' in config;
  const isLayer = isNamed && className !== 'DTypePolicy';
  return [...(isLayer ? [value] : []), ...Object.values(value).flatMap(layersIn)];
}

function writeLayer(layer: JsonObject, invalid: InvalidLayer): JsonObject {
  const { class_name: className = null } = layer;
  if (!isBuiltIn(layer)) return { class_name: className, config: optionsOf(layer) };
  if (className === 'Functional') return { class_name: 'Model', config: graphConfig(layer, invalid) };
  if (className === 'Sequential') return { class_name: className, config: stackConfig(layer, invalid) };
  if (isInput(layer)) return { class_name: className, config: inputConfig(optionsOf(layer)) };
  return { class_name: className, config: layerConfig(layer, classOf(layer) as LayersClass, invalid) };
}

function graphConfig(model: JsonObject, invalid: InvalidLayer): JsonObject {
  const { name = null, input_layers: inputs = null, output_layers: outputs = null } = optionsOf(model);
  const layers = layersOf(model);
  const calls = layersCalls(layers, invalid);
  return {
    name,
    layers: layers
      .filter((layer) => !isOp(layer))
      .map((layer) => ({
        ...writeLayer(layer, invalid),
        name: nameOf(layer),
        inbound_nodes: calls.get(nameOf(layer)) ?? [],
      })),
    input_layers: layersEdges(inputs, layers, invalid),
    output_layers: layersEdges(outputs, layers, invalid),
  };
}

function stackConfig(model: JsonObject, invalid: InvalidLayer): JsonObject {
  const { name = null, build_input_shape: shape = null } = optionsOf(model);
  const layers = layersOf(model);
  const written = layers.map((layer) => writeLayer(layer, invalid));
  const [first] = layers;
  if (first && isInput(first)) return { name, layers: written };
  if (!Array.isArray(shape)) {
    throw invalid(
      String(name),
      'TF.js makes a model with weights, which needs the shape of its input.',
      'a Sequential that was never built',
      'give it an input({ shape }) first, or call it.',
    );
  }
  const input = {
    class_name: 'InputLayer',
    config: inputConfig({ batch_shape: shape, name: `${String(name)}_input` }),
  };
  return { name, layers: [input, ...written] };
}

function inputConfig({ batch_shape: shape = null, dtype = 'float32', name = null }: JsonObject): JsonObject {
  return { batch_input_shape: shape, dtype, sparse: false, name };
}

function layerConfig(
  layer: JsonObject,
  { options, fixed, renamed }: LayersClass,
  invalid: InvalidLayer,
): JsonObject {
  const { name = null, trainable = true, dtype: _, seed: __, ...given } = optionsOf(layer);
  requireLastAxis(layer, invalid);
  const written = Object.entries(given).flatMap(([key, value]): [string, Json][] => {
    const isFixed = Object.hasOwn(fixed, key);
    if (isFixed ? !isSame(fixed[key] as Json, value) : !options.has(key))
      throw otherOption(layer, key, value, isFixed ? (fixed[key] as Json) : undefined, invalid);
    return options.has(key) ? [[renamed[key] ?? key, writeOption(layer, key, value, invalid)]] : [];
  });
  const { backward_layer: backward, zero_output_for_mask: ___, ...config } = Object.fromEntries(written);
  if (backward !== undefined) requireMirrored(layer, config.layer as Json, backward, invalid);
  // TF.js computes only in float32.
  return { name, trainable, dtype: 'float32', ...withoutDirection(config) };
}

function otherOption(
  layer: JsonObject,
  key: string,
  value: Json,
  only: Json | undefined,
  invalid: InvalidLayer,
): Error {
  const className = String(layer.class_name);
  return invalid(
    nameOf(layer),
    only === undefined
      ? `TF.js has no \`${key}\` of ${className}.`
      : `TF.js has ${className} with \`${key}\`: ${describe(only)} alone.`,
    `${key}: ${describe(value)}`,
    'build the layer without it, or save the model for Keras.',
  );
}

/** For axes other than the last, TF.js throws in Softmax, and some of its backends normalize wrongly. */
function requireLastAxis(layer: JsonObject, invalid: InvalidLayer): void {
  const { class_name: name, build_config: built } = layer;
  const { axis = -1 } = optionsOf(layer);
  const shape = isObject(built) ? built.input_shape : null;
  const last = Array.isArray(shape) ? shape.length - 1 : -1;
  const isOther =
    (name === 'Softmax' || name === 'BatchNormalization') && ![-1, last].includes([axis].flat()[0] as number);
  if (!isOther) return;
  throw invalid(
    nameOf(layer),
    `TF.js computes ${name} along the last axis alone.`,
    `axis: ${describe(axis)}`,
    'permute its input, or save the model for Keras.',
  );
}

function writeOption(layer: JsonObject, key: string, value: Json, invalid: InvalidLayer): Json {
  if (value === null) return null;
  if (key === 'activation' || key === 'recurrent_activation') return writeActivation(layer, value, invalid);
  if (Array.isArray(value) && key === 'cells')
    return value.map((cell: Json) => writeLayer(cell as JsonObject, invalid));
  if (!isObject(value)) return value;
  const className = String(value.class_name);
  const options = optionsOf(value);
  if (key.endsWith('_initializer')) return writeInitializer(className, options);
  if (key.endsWith('_regularizer') && /^L1$|^L2$|^L1L2$/.test(className))
    return { class_name: 'L1L2', config: { l1: 0, l2: 0, ...options } };
  if (key.endsWith('_constraint') && layersConstraints.has(className))
    return { class_name: className, config: options };
  if ('name' in options) return writeLayer(value, invalid);
  throw invalid(
    nameOf(layer),
    'regularizers are L1, L2 and L1L2 in TF.js, constraints its four.',
    `${key}: ${className}`,
    'save the model for Keras.',
  );
}

/** Since values come from the file, an initializer that TF.js doesn't have becomes its default. */
function writeInitializer(className: string, options: JsonObject): Json {
  const name = layersInitializer(className);
  if (name === null) return null;
  const { input_axes: _, output_axes: __, ...config } = options;
  return { class_name: name, config };
}

function writeActivation(layer: JsonObject, value: Json, invalid: InvalidLayer): string {
  const isFunction = isObject(value) && value.class_name === 'function';
  const name = isFunction ? value.config : value;
  const registered = isFunction ? String(value.registered_name) : null;
  const written = typeof name === 'string' ? layersActivation(name, registered) : null;
  if (written !== null) return written;
  throw invalid(
    nameOf(layer),
    'TF.js has the activation.',
    isObject(value) ? `${String(value.class_name)} with options` : `activation ${describe(value)}`,
    name === 'hard_sigmoid'
      ? "TF.js's hard_sigmoid is another function, 0.2 x + 0.5: save the model for Keras."
      : 'use another, such as relu or swish, or a layer of its own.',
  );
}

/** TF.js creates the backward layer from the forward one. */
function requireMirrored(layer: JsonObject, forward: Json, backward: Json, invalid: InvalidLayer): void {
  const compared = (made: Json) => {
    const { name: _, go_backwards: __, ...options } = optionsOf(made as JsonObject);
    return options;
  };
  if (isSame(compared(forward), compared(backward))) return;
  throw invalid(
    nameOf(layer),
    'both directions of a Bidirectional of TF.js have the same options.',
    'a backward layer of its own',
    'leave out `backwardLayer`, or save the model for Keras.',
  );
}

/** Keras names the layer of a Bidirectional `forward_lstm`; TF.js adds the direction to the name itself. */
function withoutDirection(config: JsonObject): JsonObject {
  const { layer } = config;
  if (!isObject(layer) || !('merge_mode' in config)) return config;
  const options = optionsOf(layer);
  const name = String(options.name).replace(/^forward_/, '');
  return { ...config, layer: { ...layer, config: { ...options, name } } };
}

function isInput({ class_name: name }: JsonObject): boolean {
  return name === 'InputLayer';
}

/** Classes of the app, which are in no module of Keras, go by their names. */
function isBuiltIn({ module }: JsonObject): boolean {
  return typeof module === 'string' && /^keras(\.|$)/.test(module);
}

function classOf({ class_name: name }: JsonObject): LayersClass | null {
  return layersClassOf(String(name));
}

function layersOf(model: JsonObject): readonly JsonObject[] {
  return (optionsOf(model).layers ?? []) as readonly JsonObject[];
}

function isSame(a: Json, b: Json): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}
