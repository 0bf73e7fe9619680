/** @file Writes values of configurations in Keras's format. */
import type { Pieces } from '../../core/pieces.ts';
import * as constraints from '../constraints/index.ts';
import { foldName } from '../../core/suggest.ts';
import type { ClassConfig, Configured } from '../namedObjects.ts';
import * as initializers from '../initializers/index.ts';
import type { AnyLayer } from '../layers/base/layer.ts';
import * as regularizers from '../regularizers/index.ts';
import { sourceOf } from '../serialization/layerConfigs.ts';
import { customObjectOf } from '../serialization/registered.ts';
import { snakeCase } from '../names.ts';
import { layerOfActivation, rememberedParts } from './activationLayers.ts';
import { isObject, type Json, type JsonObject } from './document.ts';
import { invalid } from './jsonErrors.ts';
import { isNamed, snake, snakeKey } from './optionNames.ts';
import type { WrittenLayers } from './sharedLayers.ts';

/** What a document has, besides layers. */
export interface WriteOptions {
  /** Whether learned state, such as vocabularies, is in files next to the configuration. Default false. */
  readonly learnedApart?: boolean;
  /**
   * The model's optimizer, also where `compile` was given none; null if the document doesn't say how the model was compiled. Default, as in
   * Keras's `to_json()`: the one that `compile` was given, if training is loaded.
   */
  readonly optimizer?: Configured | null | undefined;
}

export interface Writer extends WriteOptions {
  /** The name of the document in errors. */
  readonly source: string;
  /** Layers that were written before; null if layers are described again at each place, as in Keras's `to_json()`. */
  readonly layers: WrittenLayers | null;
  /** The policy of the layer that is written, which its activations have if they have none of their own. */
  readonly policy?: Json | undefined;
  writeLayer(layer: AnyLayer, place: string): JsonObject;
  inPieces(layer: AnyLayer, place: string): Pieces<JsonObject>;
}

/** Keras's modules of small objects, and the names in them. */
const families: readonly (readonly [module: string, names: ReadonlySet<string>])[] = [
  ['keras.initializers', namesOf(initializers)],
  ['keras.regularizers', namesOf(regularizers)],
  ['keras.constraints', namesOf(constraints)],
];

/** Returns a configuration with its keys in snake case. */
export function writeConfig(
  writer: Writer,
  config: Readonly<Record<string, unknown>>,
  place: string,
): JsonObject {
  const entries = Object.entries(config)
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => [snakeKey(key), writeValue(writer, key, value, `${place}.${key}`)]);
  return Object.fromEntries(entries);
}

export function writeValue(writer: Writer, key: string, value: unknown, place: string): Json {
  if (value === null || typeof value === 'boolean') return value;
  if (typeof value === 'string') return writeString(key, value);
  if (typeof value === 'number' && Number.isFinite(value)) return value;
  if (key === 'dtype') return value as Json;
  if (Array.isArray(value)) return value.map((item, i) => writeValue(writer, key, item, `${place}[${i}]`));
  if (ArrayBuffer.isView(value)) return Array.from(value as unknown as Iterable<number>);
  if (isObject(value)) return writeObject(writer, key, value, place);
  throw invalid(writer.source, {
    place,
    rule: 'a configuration may contain numbers, strings, booleans, null, and lists and objects of these.',
    received: typeof value === 'function' ? `a function${value.name ? ` called ${value.name}` : ''}` : value,
    hint:
      typeof value === 'function'
        ? "give the function a name that files can keep: registerClass(fn, { package: 'my_package' })."
        : 'let getConfig give plain values.',
  });
}

function writeString(key: string, value: string): Json {
  const isFunction = key === 'function' || key === 'activation' || key === 'recurrentActivation';
  if (isFunction && customObjectOf(value)) {
    const name = value.slice(value.indexOf('>') + 1);
    return { module: null, class_name: 'function', config: name, registered_name: value };
  }
  return isNamed(key) ? snake(value) : value;
}

function writeObject(writer: Writer, key: string, object: object, place: string): Json {
  const layer = sourceOf(object);
  if (layer) return writer.writeLayer(layer, place);
  const { className, config } = object as Partial<ClassConfig>;
  const isClass = typeof className === 'string' && isObject(config);
  // The keys of a plain record are data.
  if (!isClass) {
    const entries = Object.entries(object);
    return Object.fromEntries(
      entries.map(([name, item]) => [name, writeValue(writer, key, item, `${place}.${name}`)]),
    );
  }
  if (key === 'activation' || key === 'recurrentActivation')
    return writeActivation(writer, className, config as JsonObject, place);
  return classObject(className, writeConfig(writer, config as JsonObject, `${place}.config`));
}

export function dtypePolicy(name: string): JsonObject {
  return { module: 'keras', class_name: 'DTypePolicy', config: { name: snake(name) }, registered_name: null };
}

/** Returns an object by its class: one of Keras's, or a registered one. */
function classObject(className: string, config: JsonObject): JsonObject {
  const module = families.find(([, names]) => names.has(foldName(className)))?.[0] ?? null;
  const isRegistered = className.includes('>');
  return {
    module: isRegistered ? null : module,
    class_name: className.slice(className.indexOf('>') + 1),
    config,
    registered_name: isRegistered || module === null ? className : null,
  };
}

function writeActivation(writer: Writer, name: string, config: JsonObject, place: string): Json {
  const layer = layerOfActivation(name);
  if (layer) {
    const options = writeConfig(writer, config, place);
    const given = rememberedParts(config);
    const policy = given.dtype ?? writer.policy ?? 'float32';
    const named = {
      name: given.name ?? snakeCase(layer),
      trainable: true,
      dtype: typeof policy === 'string' ? dtypePolicy(policy) : policy,
    };
    return {
      module: 'keras.layers',
      class_name: layer,
      config: { ...named, ...options },
      registered_name: null,
    };
  }
  throw invalid(writer.source, {
    place,
    rule: 'in Keras, only leakyRelu, elu, relu and softmax have options.',
    received: `activation '${name}' with options`,
    hint: 'write a custom function, and registerClass it.',
  });
}

function namesOf(family: object): Set<string> {
  return new Set(Object.keys(family).map(foldName));
}
