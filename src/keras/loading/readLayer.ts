/** @file Reads one layer of a document: finds its class, then reads and checks its options. */
import { atOnce, type Pieces } from '../../core/pieces.ts';
import { describe } from '../../core/shape.ts';
import type { AnyLayer } from '../layers/base/layer.ts';
import { knownOptionsOf } from '../options/declaration.ts';
import { Model } from '../models/model.ts';
import { layerClass } from '../serialization/layerConfigs.ts';
import {
  customObjectOf,
  type Registrable,
  registeredAs,
  registeredNameOf,
} from '../serialization/registered.ts';
import { builtInClasses } from './builtInClasses.ts';
import { isTensorFlowCall } from '../json/olderOperations.ts';
import { rememberNames } from '../json/customNames.ts';
import { isObject, type Json, type JsonObject } from '../json/document.ts';
import { allMasksKey } from '../json/dialect.ts';
import { inputDtype, rememberInputDtype } from '../json/inputDtypes.ts';
import { invalid, placedError } from '../json/jsonErrors.ts';
import { camelKey } from '../json/optionNames.ts';
import { readFunctional } from './readFunctional.ts';
import { readSequential } from './readSequential.ts';
import { adviceOn } from './unknownOptions.ts';
import { pythonCode, readConfig, readValue, registeredName, withoutConstants } from '../json/readValue.ts';
import { type Reader, sharedLayer, stringOf } from '../json/reader.ts';
import { quantizationOf, rememberQuantization, withoutQuantization } from '../json/quantization.ts';
import { Embedding } from '../layers/core/embedding.ts';
import type { Quantization } from '../layers/quantized/quantization.ts';
import { quantizedClasses } from '../layers/quantized/quantizedLayers.ts';
import { policyHere, rememberPolicies } from '../json/storedPolicies.ts';

/** A class of layers, as far as needed to create one. */
interface LayerClass {
  new (config: object): AnyLayer;
  readonly className: string;
  fromConfig?(config: object): AnyLayer;
}

/** Reads the layer, or the model, that `object` describes. Errors: FormatError, UnsafeModelError. */
export function* readLayer(reader: Reader, object: Json | undefined, place: string): Pieces<AnyLayer> {
  if (!isObject(object) || !isObject(object.config)) {
    throw invalid(reader.source, {
      place,
      rule: 'a layer is an object with class_name and config.',
      received: object ?? null,
    });
  }
  const known = sharedLayer(reader, object);
  if (known) return known;
  let layer: AnyLayer;
  try {
    layer = yield* makeLayer(reader, object, place);
  } catch (cause) {
    throw placedError(reader.source, placeOf(object, place), cause);
  }
  reader.made.push(layer);
  if (registeredName(object)) rememberNames(layer, object);
  if (!registeredName(object)) rememberQuantization(layer, object.config);
  rememberPolicies(layer, object.config, pathsOf(reader, object.config));
  if (object[allMasksKey] === true) layer.masksEachInput = true;
  if (isObject(object.build_config)) reader.built.set(layer, object.build_config.input_shape ?? null);
  const id = reader.ids.get(object);
  if (id !== undefined) reader.shared.set(id, layer);
  yield;
  return layer;
}

/** Returns a place, with the name of its layer. */
function placeOf(object: JsonObject, place: string): string {
  const { class_name: className } = object;
  const { name } = object.config as JsonObject;
  const isNamed = typeof name === 'string' && typeof className === 'string';
  return isNamed ? `${place} (${className} '${name}')` : place;
}

/** Returns the paths that a layer may have: its name, and that within the stack around it. */
function pathsOf({ scopes }: Reader, { name }: JsonObject): string[] {
  const own = String(name);
  return scopes.length > 0 ? [own, `${scopes.at(-1)}/${own}`] : [own];
}

function* makeLayer(reader: Reader, object: JsonObject, place: string): Pieces<AnyLayer> {
  const whole = object.config as JsonObject;
  const quantization = quantizationOf(whole);
  const given = registeredName(object) ? whole : withoutQuantization(whole);
  const found = quantization
    ? quantizedClass(reader, classOf(reader, object, place), quantization, place)
    : classOf(reader, object, place);
  const { dtype = null } = given;
  const isPolicy = dtype !== null && stringOf(reader, object, 'class_name', place) !== 'InputLayer';
  const config = isPolicy ? { ...given, dtype: policyHere(dtype, pathsOf(reader, given)) as Json } : given;
  if (isGraph(found, config)) return yield* readFunctional(reader, found, config, place, readLayer);
  if (isStack(found, config)) return yield* readSequential(reader, found, object, place, readLayer);
  const className = registeredNameOf(found) ? null : stringOf(reader, object, 'class_name', place);
  if (className === 'InputLayer') return makeInput(reader, found as LayerClass, config, place);
  if (className === 'Lambda') return makeLambda(reader, found as LayerClass, config, place);
  const readModel = (inner: JsonObject, at: string) =>
    isModel(reader, inner, at) || isShared(reader, inner) ? atOnce(readLayer(reader, inner, at)) : null;
  const { builtIn: declared = found } = found as { builtIn?: Registrable };
  const builtIn = builtInClasses().get(className ?? '') === declared;
  const kept = builtIn ? withoutConstants(reader, className as string, config, place) : config;
  const options = readConfig(reader, kept, `${place}.config`, readModel);
  if (builtIn) requireKnown(reader, declared as LayerClass, kept, place);
  const layer = construct(found as LayerClass, options);
  return quantization ? Object.assign(layer, { quantization }) : layer;
}

/** Returns the class of layers of class `found` with quantized weights. Errors: FormatError for classes that have none here. */
function quantizedClass(
  reader: Reader,
  found: Registrable,
  { mode }: Quantization,
  place: string,
): Registrable {
  const type = quantizedClasses.get(found) as Registrable | undefined;
  const isTable = found === Embedding;
  if (type && (mode.startsWith('int') || (mode === 'float8' && !isTable))) return type;
  throw invalid(reader.source, {
    place,
    rule: 'dense and einsum layers may have weights of int8, int4 and float8; embeddings of int8 and int4.',
    received: `${found.name} with ${mode}`,
    hint: 'save the model before it is quantized.',
  });
}

function construct(found: LayerClass, options: object): AnyLayer {
  return found.fromConfig ? found.fromConfig(options) : new found(options);
}

/** Returns the class that an object names: one of Keras's, or one that the app registered. */
function classOf(reader: Reader, object: JsonObject, place: string): Registrable {
  const className = stringOf(reader, object, 'class_name', place);
  const registered = registeredName(object);
  const { module } = object;
  const isKeras =
    module === undefined || module === null || (typeof module === 'string' && /^keras(\.|$)/.test(module));
  const found = registered
    ? customObjectOf(registered)
    : (customObjectOf(className) ?? (isKeras ? layerClass(className) : registeredAs(className)));
  if (found) return found;
  const { name, function: called = null } = object.config as JsonObject;
  if (isTensorFlowCall(object)) {
    throw invalid(reader.source, {
      place,
      rule: 'the functions of TensorFlow in a graph of Keras 2 are those that Keras 3 has as operations, with the same options.',
      received: `tf.${typeof called === 'string' ? called : describe(called)} in layer ${describe(name)}`,
      hint: 'compute it in a custom layer, and save the model again.',
    });
  }
  throw invalid(reader.source, {
    place,
    rule: 'the class of a layer must be one of Keras, or registered by the app.',
    received: `class ${describe(registered ?? className)}${isKeras ? '' : ` of module ${describe(module)}`}${typeof name === 'string' ? ` of layer '${name}'` : ''}`,
    hint: `register it first: registerClass(${safeName(className)}, { package: 'my_package' }), or pass it in \`customObjects\`.`,
  });
}

function safeName(name: string): string {
  return /^[A-Za-z_]\w{0,60}$/.test(name) ? name : 'MyLayer';
}

function isGraph(found: Registrable, config: JsonObject): boolean {
  return found.prototype instanceof Model && 'input_layers' in config && 'layers' in config;
}

function isStack(found: Registrable, config: JsonObject): boolean {
  return found.prototype instanceof Model && 'layers' in config;
}

/** Returns whether `object` describes a model, which can't be created from options alone. */
function isModel(reader: Reader, object: JsonObject, place: string): boolean {
  return (
    isObject(object.config) &&
    'layers' in object.config &&
    classOf(reader, object, place).prototype instanceof Model
  );
}

/** Returns whether `object` describes a layer that is in several places of the document. */
function isShared({ ids }: Reader, object: JsonObject): boolean {
  const { class_name: className } = object;
  return (
    ids.has(object) &&
    typeof className === 'string' &&
    layerClass(registeredName(object) ?? className) !== null
  );
}

function makeInput(reader: Reader, found: LayerClass, config: JsonObject, place: string): AnyLayer {
  const {
    batch_shape: batchShape,
    batch_input_shape: olderShape,
    dtype,
    name,
    ...rest
  } = withoutConstants(reader, 'InputLayer', config, place);
  const shape = batchShape ?? olderShape;
  if (!Array.isArray(shape) || shape.length === 0) {
    throw invalid(reader.source, {
      place: `${place}.config.batch_shape`,
      rule: 'an input has a shape, the batch included.',
      received: shape ?? null,
    });
  }
  const { trainable: _, ...unknown } = rest;
  requireNone(reader, 'InputLayer', Object.keys(unknown), place);
  const [batchSize, ...sizes] = shape as readonly (number | null)[];
  const options = {
    batchSize,
    shape: sizes,
    name,
    dtype: inputDtype(readValue(reader, 'dtype', dtype ?? 'float32', place, () => null)),
  };
  const layer = new found(options);
  rememberInputDtype(layer, dtype);
  return layer;
}

/** Returns a Lambda's function: the one given for the layer, or one that is registered. Code in the file is rejected. */
function makeLambda(reader: Reader, found: LayerClass, config: JsonObject, place: string): AnyLayer {
  const name = stringOf(reader, config, 'name', `${place}.config`);
  const { function: stored, output_shape: shape, arguments: given = {}, mask, ...rest } = config;
  const own = Object.hasOwn(reader.lambdas, name) ? reader.lambdas[name] : undefined;
  const rejected = () => pythonCode(reader, `${place}.config.function`, name);
  const isCode = (value: Json | undefined) => isObject(value) && value.class_name === '__lambda__';
  if (!own && (isCode(stored) || Array.isArray(stored))) throw rejected();
  if (isCode(shape) || isCode(mask)) throw rejected();
  const read = (value: Json, key: string) =>
    readValue(reader, key, value, `${place}.config.${key}`, () => null);
  const functionName = own ? null : read(stored ?? null, 'function');
  const fn =
    own ??
    (typeof functionName === 'string' ? (customObjectOf(functionName) ?? registeredAs(functionName)) : null);
  if (!fn) {
    throw invalid(reader.source, {
      place: `${place}.config.function`,
      rule: 'the function of a Lambda layer is known to the app.',
      received: `${describe(functionName)}, of layer '${name}'`,
      hint: `register it first: registerClass(fn), or pass lambdas: { ${JSON.stringify(name)}: (x) => … }.`,
    });
  }
  return construct(found, {
    ...readConfig(reader, rest, `${place}.config`, () => null),
    function: fn,
    ...(shape === undefined || shape === null ? {} : { outputShape: read(shape, 'output_shape') }),
    ...(isObject(given) && Object.keys(given).length > 0 ? { arguments: read(given, 'arguments') } : {}),
  });
}

/** Errors: FormatError for options that the class doesn't have. */
function requireKnown(reader: Reader, found: LayerClass, config: JsonObject, place: string): void {
  const known = knownOptionsOf(found) ?? [];
  const unknown = Object.keys(config).filter((key) => !known.includes(camelKey(key)));
  requireNone(reader, found.className, unknown, place);
}

function requireNone(reader: Reader, className: string, unknown: readonly string[], place: string): void {
  if (unknown.length === 0) return;
  throw invalid(reader.source, {
    place: `${place}.config`,
    rule: `${className} has no such option.`,
    received: unknown.map((key) => `'${key}'`).join(', '),
    hint: adviceOn(unknown),
  });
}
