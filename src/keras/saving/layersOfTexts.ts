/** @file Which layers of a model in a file take strings, or hashes that only the host computes. */
import { isObject, type Json, type JsonObject } from '../json/document.ts';

/** Layers of these classes run on the host. */
const onHost = /^(TextVectorization|StringLookup|Hashing)$/;

/**
 * Whether a layer isn't part of a model here. Combinations of features are, unless one of these is an input of strings: integers are
 * combined on the device.
 */
export function takesTexts(layer: JsonObject, layers: readonly JsonObject[]): boolean {
  const { class_name: name } = layer;
  if (typeof name !== 'string') return false;
  if (name !== 'HashedCrossing') return onHost.test(name);
  const sources = new Set(sourcesIn(layer.inbound_nodes ?? null));
  return layers.some((other) => sources.has(nameOf(other)) && isStrings((other.config ?? {}) as JsonObject));
}

/** Whether a configuration is that of an input of strings. */
export function isStrings({ batch_shape: shape, dtype }: JsonObject): boolean {
  return shape !== undefined && dtype === 'string';
}

export function nameOf({ config, name }: JsonObject): string {
  return String(name ?? (isObject(config ?? null) ? (config as JsonObject).name : null));
}

/** Names of the layers whose results a call takes. */
export function sourcesIn(value: Json): string[] {
  if (typeof value !== 'object' || value === null) return [];
  const history = isObject(value) ? value.keras_history : null;
  if (Array.isArray(history)) return [String(history[0])];
  return Object.values(value).flatMap(sourcesIn);
}
