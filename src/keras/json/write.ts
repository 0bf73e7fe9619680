/** @file Writes models as Keras's JSON, in the form of Keras 3. */
import { ValueError } from '../../core/errors.ts';
import { atOnce, type Pieces } from '../../core/pieces.ts';
import { describe, type OpenShape } from '../../core/shape.ts';
import type { OpenSpec } from '../../core/spec.ts';
import { type AnyLayer, Layer } from '../layers/base/layer.ts';
import { InputLayer } from '../layers/core/inputLayer.ts';
import { RNNCell } from '../layers/recurrent/cell.ts';
import { RNN } from '../layers/recurrent/rnn.ts';
import { declarationOf } from '../options/declaration.ts';
import { mapNest, mapShapes, type Nest } from '../tensorNest.ts';
import { hasAssets } from '../serialization/assets.ts';
import { classOf, registeredNameOf } from '../serialization/registered.ts';
import { compileConfig } from './compileConfig.ts';
import { storedNames } from './customNames.ts';
import { allMasksKey, dialectOf } from './dialect.ts';
import type { Json, JsonObject } from './document.ts';
import { storedInputDtype } from './inputDtypes.ts';
import { invalid } from './jsonErrors.ts';
import { snake } from './optionNames.ts';
import { textWithFloats } from './pythonFloats.ts';
import { storedQuantization } from './quantization.ts';
import { layerClasses } from './layerClasses.ts';
import { WrittenLayers } from './sharedLayers.ts';
import { storedPolicy } from './storedPolicies.ts';
import { dtypePolicy, type WriteOptions, type Writer, writeConfig } from './writeValue.ts';
import { writeGraph } from './writeGraph.ts';
import { isLibraryModel, isModel, modelClassOf, type WrittenModel } from './writtenModel.ts';

/**
 * Returns the model as an object of Keras's JSON, with the content of Keras's `to_json()`. It includes how the model was
 * compiled, if losses and metrics have names.
 * Errors: FormatError for functions and classes that have no name in files; ValueError for anything but a model.
 */
export function modelToConfig(model: WrittenModel): JsonObject {
  return modelDocument(model, {});
}

/** As `modelToConfig`, with what `options` say. */
export function modelDocument(model: WrittenModel, options: WriteOptions): JsonObject {
  return atOnce(writeModel(model, null, options));
}

/**
 * As `modelDocument` in pieces, with an id for each layer that is in several places, so that it is one layer again where the document is
 * read: what Keras writes into files.
 */
export function* writeSharingConfig(model: WrittenModel, options: WriteOptions = {}): Pieces<JsonObject> {
  const first = new WrittenLayers([]);
  const config = yield* writeModel(model, first, options);
  if (first.repeated.size === 0) return config;
  return yield* writeModel(model, new WrittenLayers(first.repeated), options);
}

function* writeModel(
  model: WrittenModel,
  layers: WrittenLayers | null,
  options: WriteOptions,
): Pieces<JsonObject> {
  if (isModel(model))
    return yield* writerFor(model, layers, options).inPieces(model as unknown as AnyLayer, 'top');
  throw new ValueError({
    op: 'modelToConfig',
    rule: 'a model is written.',
    received: describe(model),
    hint: 'pass a model: model({ inputs, outputs }), or sequential([...]).',
  });
}

/** Returns a layer as an object of Keras's JSON. Errors: FormatError for functions and classes that have no name in files. */
export function layerDocument(layer: AnyLayer, options: WriteOptions): JsonObject {
  return writerFor(layer as unknown as WrittenModel, null, options).writeLayer(layer, 'top');
}

/** Returns the model as the text of Keras's JSON. Errors: those of `modelToConfig`. */
export function modelToJSON(model: WrittenModel, { indent = 0 }: { indent?: number } = {}): string {
  return textWithFloats(modelToConfig(model), indent);
}

/** Writes parts of `model`, which errors name. */
function writerFor({ name }: WrittenModel, layers: WrittenLayers | null, options: WriteOptions): Writer {
  const made: Writer = {
    ...options,
    source: `'${name}'`,
    layers,
    writeLayer: (layer, place) => atOnce(made.inPieces(layer, place)),
    inPieces: (layer, place) => {
      const write = () => writeLayer(made, layer, place);
      return layers ? layers.write(layer, write) : write();
    },
  };
  return made;
}

function* writeLayer(writer: Writer, layer: AnyLayer, place: string): Pieces<JsonObject> {
  const config = isModel(layer)
    ? yield* modelConfig(writer, layer, place)
    : layerConfig(writer, layer, place);
  const compiled: JsonObject = isModel(layer) ? { compile_config: compiledAt(writer, layer, place) } : {};
  return {
    ...namesOf(layer),
    config,
    registered_name: registeredName(layer),
    ...buildConfig(layer),
    ...compiled,
    ...(layer.masksEachInput && !dialectOf(layer.className).spreads ? { [allMasksKey]: true } : {}),
  };
}

/** Only the model of the document itself has an optimizer that was given for it. */
function compiledAt(writer: Writer, model: WrittenModel, place: string): JsonObject {
  const given = place === 'top' ? writer.optimizer : undefined;
  if (given === null) return {};
  const isNamed = model.compileOptions?.optimizer !== undefined;
  return compileConfig(writer, model, given ?? (isNamed ? model.createdOptimizer : null));
}

function isBuiltIn(layer: AnyLayer): boolean {
  if (isModel(layer)) return isLibraryModel(layer) && modelClassOf(layer) !== 'Model';
  const { builtIn = layer.constructor } = layer.constructor as { builtIn?: unknown };
  return layerClasses().get(layer.className) === builtIn;
}

function namesOf(layer: AnyLayer): { module: string | null; class_name: string } {
  const { className } = layer;
  if (!isBuiltIn(layer)) {
    const registered = registeredNameOf(classOf(layer))?.split('>')[1];
    return storedNames(layer) ?? { module: null, class_name: registered ?? className };
  }
  return { module: dialectOf(className).module ?? 'keras.layers', class_name: className };
}

/** Keras identifies its own classes by their modules, except for Functional, which has no public name. */
function registeredName(layer: AnyLayer): string | null {
  if (!isBuiltIn(layer)) return registeredNameOf(classOf(layer)) ?? layer.className;
  return layer.className === 'Functional' ? 'Functional' : null;
}

function layerConfig(writer: Writer, layer: AnyLayer, place: string): JsonObject {
  const { className } = layer;
  if (layer instanceof InputLayer) return inputConfig(layer as InputLayer);
  const {
    constants = {},
    writesActivityRegularizer,
    plain,
    writesIntegers,
  } = isBuiltIn(layer) ? dialectOf(className) : {};
  const { dtype, ...given } = writer.learnedApart ? withoutAssets(layer) : layer.getConfig();
  // Keras's layers of this kind take a seed, but leave it out of their configurations.
  const { seed, ...withoutSeed } = given;
  const options = isSeedless(className) && seed === null ? withoutSeed : given;
  if (plain) {
    const { trainable: _, ...rest } = options;
    const made = writesIntegers && options.outputMode === 'int' ? 'int64' : snake(dtype as string);
    return {
      ...writeConfig(writer, rest, `${place}.config`),
      dtype: storedPolicy(layer)?.policy ?? made,
      ...constants,
    };
  }
  const policy: JsonObject = dtype === undefined ? {} : { dtype: policyOf(layer, dtype as string) };
  return {
    ...(writesActivityRegularizer ? { activity_regularizer: null } : {}),
    ...writeConfig({ ...writer, policy: policy.dtype }, options, `${place}.config`),
    ...policy,
    ...constants,
    ...storedQuantization(layer),
  };
}

/** Returns the policy of a layer as it was in its file, otherwise the policy `dtype` that it has here. */
function policyOf(layer: object, dtype: string): Json {
  const policy = storedPolicy(layer)?.policy ?? dtype;
  return typeof policy === 'string' ? dtypePolicy(policy) : policy;
}

/** Returns the options of a layer, except those that files stand for. */
function withoutAssets(layer: AnyLayer): Record<string, unknown> {
  const assets = hasAssets(layer) ? layer.assets : null;
  const nulls = assets?.options.map((option) => [option, null]) ?? [];
  return { ...layer.getConfig(), ...Object.fromEntries(nulls) };
}

const isSeedless = (className: string) => className === 'SimpleRNN' || className === 'RandomGrayscale';

function inputConfig(layer: InputLayer): JsonObject {
  const { batchShape, name } = layer;
  const dtype = storedInputDtype(layer) ?? layer.dtype;
  return { batch_shape: [...batchShape], dtype, ...(dialectOf('InputLayer').constants as JsonObject), name };
}

function* modelConfig(writer: Writer, model: WrittenModel, place: string): Pieces<JsonObject> {
  const at = `${place}.config`;
  const { name, trainable, dtypePolicy: dtype } = model;
  if (modelClassOf(model) === 'Sequential') {
    // A layer may be in the stack twice.
    const stack = [...model.sublayers.filter((layer) => layer instanceof InputLayer), ...model.layers];
    const layers: JsonObject[] = [];
    for (const [i, layer] of stack.entries()) {
      layers.push(yield* writer.inPieces(layer, `${at}.layers[${i}]`));
      yield;
    }
    writer.layers?.addCallsOfStack(stack);
    const shape = sequentialShape(model);
    return {
      name,
      trainable,
      dtype: policyOf(model, dtype),
      layers,
      ...(shape ? { build_input_shape: shape } : {}),
    };
  }
  if (model.program)
    return { ...ownOptions(writer, model, at), name, trainable, ...(yield* writeGraph(writer, model, at)) };
  if (model.getConfig === Layer.prototype.getConfig && !declarationOf(model.constructor)) {
    throw invalid(writer.source, {
      place,
      rule: 'a saved model is defined by inputs and outputs, or has a class that can be created from its configuration.',
      received: `${model}, which has a call of its own`,
      hint: 'give the class a getConfig and registerClass it, or describe the model by inputs and outputs.',
    });
  }
  return writeConfig(writer, model.getConfig(), at);
}

/** Returns the options that a subclass of Model with a graph adds. */
function ownOptions(writer: Writer, model: WrittenModel, place: string): JsonObject {
  if (isBuiltIn(model as unknown as AnyLayer)) return {};
  const { name, trainable, dtype, ...options } = model.getConfig();
  return writeConfig(writer, options, place);
}

function sequentialShape(model: WrittenModel): Json {
  return model.built && model.program ? [...(model.program.inputs[0]?.shape ?? [])] : null;
}

/** Returns the shapes of the initial states of a layer's first call; null if it had none. */
function initialStates({ inboundNodes }: AnyLayer): Json {
  const { initialState = null } = (inboundNodes[0]?.options ?? {}) as {
    initialState?: Nest<OpenSpec> | null;
  };
  return initialState && (mapNest(initialState, ({ shape }) => [...shape]) as Json);
}

/** Returns the shapes for which a layer was built, if Keras saves them. */
function buildConfig(layer: AnyLayer): JsonObject {
  const { className, buildShape } = layer;
  if (isModel(layer) && modelClassOf(layer) === 'Sequential')
    return { build_config: { input_shape: sequentialShape(layer) } };
  if (isModel(layer) && layer.program) return { build_config: { input_shape: null } };
  const { builtWhenMade = false, spreads = false } = dialectOf(className);
  if (layer instanceof InputLayer || builtWhenMade || buildShape === null) return {};
  const shapes = mapShapes(buildShape as Nest<OpenShape>, (sizes) => [...sizes]) as Json;
  // Here, cells are built for inputs and states; Keras saves only the shape of the inputs.
  const shape = layer instanceof RNNCell && Array.isArray(shapes) ? (shapes[0] as Json) : shapes;
  const states = layer instanceof RNN || className === 'Bidirectional' ? initialStates(layer) : null;
  if (states)
    return { build_config: { shapes_dict: { sequences_shape: shape, initial_state_shape: states } } };
  if (!spreads) return { build_config: { input_shape: shape } };
  const names = ['query_shape', 'value_shape', 'key_shape'];
  const entries = (shape as readonly Json[]).map((sizes, i) => [names[i] as string, sizes]);
  return { build_config: { shapes_dict: Object.fromEntries(entries) } };
}
