/** @file Converts values of Keras's configurations to options of this library. */
import { describe } from '../../core/shape.ts';
import type { ClassConfig } from '../namedObjects.ts';
import type { AnyLayer } from '../layers/base/layer.ts';
import { activationOfLayer, rememberParts } from './activationLayers.ts';
import { dialectOf } from './dialect.ts';
import { isObject, type Json, type JsonObject } from './document.ts';
import { invalid, unsafe } from './jsonErrors.ts';
import { camel, camelKey, isNamed } from './optionNames.ts';
import type { Reader } from './reader.ts';
import { policyHere, withoutIds } from './storedPolicies.ts';

/** Reads layers in a configuration that are models. */
export type ModelReader = (object: JsonObject, place: string) => AnyLayer | null;

/** Returns a configuration with its keys in camel case. */
export function readConfig(
  reader: Reader,
  config: JsonObject,
  place: string,
  readModel: ModelReader,
): Record<string, unknown> {
  const entries = Object.entries(config).map(([key, value]) => {
    const name = camelKey(key);
    return [name, readValue(reader, name, value, `${place}.${key}`, readModel)] as const;
  });
  return Object.fromEntries(entries);
}

export function readValue(
  reader: Reader,
  key: string,
  value: Json,
  place: string,
  readModel: ModelReader,
): unknown {
  if (key === 'dtype') return policyHere(value, []);
  if (typeof value === 'string') return isNamed(key) ? camel(value) : value;
  if (Array.isArray(value))
    return value.map((item: Json, i) => readValue(reader, key, item, `${place}[${i}]`, readModel));
  if (!isObject(value)) return value;
  if (typeof value.class_name === 'string' && 'config' in value)
    return readObject(reader, key, value, place, readModel);
  if (value.class_name === '__tuple__' && Array.isArray(value.items))
    return readValue(reader, key, value.items, place, readModel);
  // The keys of a plain record are data.
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [
      name,
      readValue(reader, key, item, `${place}.${name}`, readModel),
    ]),
  );
}

function readObject(
  reader: Reader,
  key: string,
  object: JsonObject,
  place: string,
  readModel: ModelReader,
): unknown {
  const { class_name: className, config } = object as { class_name: string; config: Json };
  if (className === '__lambda__') throw pythonCode(reader, place, null);
  if (className === 'function') return functionName(reader, object, place);
  if (!isObject(config)) throw notAnObject(reader, place, config);
  if (className === '__tensor__' || className === '__numpy__') return config.value;
  const isActivation = key === 'activation' || key === 'recurrentActivation';
  const activation = isActivation ? activationOfLayer(className) : undefined;
  if (activation !== undefined) return readActivation(config, activation);
  return (
    readModel(object, place) ?? {
      className: registeredName(object) ?? className,
      config: readConfig(
        reader,
        withoutConstants(reader, className, config, place),
        `${place}.config`,
        readModel,
      ),
    }
  );
}

/** Leaves out Keras's options that can have only one value here. Errors: FormatError for another value. */
export function withoutConstants(
  reader: Reader,
  className: string,
  config: JsonObject,
  place: string,
): JsonObject {
  const { constants = {} } = dialectOf(className);
  const kept = Object.entries(config).filter(([key, value]) => {
    if (!Object.hasOwn(constants, key)) return true;
    if (value === constants[key]) return false;
    throw invalid(reader.source, {
      place: `${place}.config.${key}`,
      rule: `${className} is here with \`${key}\`: ${describe(constants[key])} alone.`,
      received: `${key}: ${describe(value)}`,
      hint: 'save the model without it, or write a custom layer and registerClass it.',
    });
  });
  return Object.fromEntries(kept);
}

/** Returns `Package>Name` of an object that the app registered; null for Keras's objects. */
export function registeredName({ registered_name: name }: JsonObject): string | null {
  return typeof name === 'string' && name.includes('>') ? name : null;
}

function functionName({ source }: Reader, object: JsonObject, place: string): string {
  const name = registeredName(object) ?? object.config;
  if (typeof name === 'string') return name;
  throw invalid(source, {
    place,
    rule: 'a function is given by its name.',
    received: name,
    hint: 'register the function in Keras and here, and save the model again.',
  });
}

function readActivation(config: JsonObject, className: string): ClassConfig {
  const { name, trainable, dtype, ...given } = config;
  const options = Object.fromEntries(Object.entries(given).map(([key, value]) => [camelKey(key), value]));
  rememberParts(options, { name, dtype: dtype && withoutIds(dtype) });
  return { className, config: options };
}

/** Returns the error for Python bytecode, which is neither run nor inspected. */
export function pythonCode({ source }: Reader, place: string, layer: string | null): Error {
  const name = layer ?? 'NAME';
  return unsafe(source, {
    place,
    rule: 'Python bytecode in a model is never run.',
    received: layer ? `the code of Lambda layer '${layer}'` : 'a Python lambda',
    hint: `say what it computes: lambdas: { ${JSON.stringify(name)}: (x) => … }, or write a layer and registerClass it.`,
  });
}

function notAnObject({ source }: Reader, place: string, config: Json): Error {
  return invalid(source, {
    place: `${place}.config`,
    rule: '`config` is an object of options by name.',
    received: config,
  });
}
