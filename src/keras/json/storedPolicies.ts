/**
 * @file Dtype policies of layers in files. A layer has the nearest policy that there is here, and keeps that of its file, which is
 * written again: bfloat16 and float64 are float32 in memory.
 */
import { warnOnce } from '../../core/warn.ts';
import type { DTypePolicy } from '../layers/base/dtypePolicy.ts';
import type { AnyLayer } from '../layers/base/layer.ts';
import { isObject, type Json, type JsonObject } from './document.ts';
import { camel } from './optionNames.ts';
import { isModel } from './writtenModel.ts';

/** Element types of weights in files. */
export type PolicyDType = 'float16' | 'bfloat16' | 'float32' | 'float64';

export interface StoredPolicy {
  /** Keras's name of the policy, or the policy as it is in the file if it has more than a name. */
  readonly policy: string | JsonObject;
  /** The dtype of weights in the file. */
  readonly weights: PolicyDType;
  /** The dtype of results in the file. */
  readonly results: PolicyDType;
}

/** What policies by name mean: the policy here, and the dtypes of weights and results. */
const floats: Readonly<
  Record<string, readonly [here: DTypePolicy, weights: PolicyDType, results: PolicyDType]>
> = {
  float32: ['float32', 'float32', 'float32'],
  float16: ['float32', 'float16', 'float16'],
  bfloat16: ['float32', 'bfloat16', 'bfloat16'],
  float64: ['float32', 'float64', 'float64'],
  mixed_float16: ['mixedFloat16', 'float32', 'float16'],
  mixed_bfloat16: ['float32', 'float32', 'bfloat16'],
};

/** Policies of layers whose results are integers or strings: their weights, if they have any, are float32. */
const others: ReadonlySet<string> = new Set(['int8', 'int16', 'int64', 'uint8', 'uint16', 'string']);

const stored = new WeakMap<object, StoredPolicy>();

/**
 * Returns the policy that a layer gets for `given`, the `dtype` of its configuration. `paths` are those that the layer may have
 * in a map of policies. Anything unknown is returned as it is, for the layer to reject.
 */
export function policyHere(given: Json, paths: readonly string[]): unknown {
  const name = nameOf(given, paths);
  if (name === null) return given;
  const known = floats[name];
  if (!known) return others.has(name) ? 'int32' : camel(name);
  if (known[0] === 'float32' && name !== 'float32') warnOnce(noteOn(name));
  return known[0];
}

/** Keeps the policy that `layer` had in its file, and those of layers that it has made from its configuration. */
export function rememberPolicies(layer: AnyLayer, config: JsonObject, paths: readonly string[]): void {
  remember(layer, config.dtype, paths);
  if (isModel(layer)) return;
  const inner = policyOfInner(config) ?? config.dtype;
  for (const inside of layer.layersInside) if (!stored.has(inside)) remember(inside, inner, paths);
}

function remember(layer: AnyLayer, given: Json | undefined, paths: readonly string[]): void {
  const name = given === undefined ? null : nameOf(given, paths);
  if (name === null) return;
  const [, weights, results] = floats[name] ?? (['float32', 'float32', 'float32'] as const);
  const isNamed = !isObject(given) || 'name' in (given.config as JsonObject);
  stored.set(layer, { policy: isNamed ? name : (withoutIds(given) as JsonObject), weights, results });
}

/** Returns the policy of the layer, or of the cell, in the configuration of a layer around it. */
function policyOfInner(config: JsonObject): Json | undefined {
  const inner = [config.layer, config.cell, config.cells].flat().find((part) => isObject(part ?? null));
  return isObject(inner ?? null)
    ? ((inner as JsonObject).config as JsonObject | undefined)?.dtype
    : undefined;
}

/** Returns the policy that a layer had in its file; undefined for one that was made here. */
export function storedPolicy(layer: object): StoredPolicy | undefined {
  return stored.get(layer);
}

/** Returns the policy's name in Keras, without how weights are quantized; null for anything but a policy. */
function nameOf(given: Json, paths: readonly string[]): string | null {
  if (typeof given === 'string') return given.replace(/^(int[48]|float8|gptq|awq)[/\d-]*_from_/, '');
  if (!isObject(given) || !isObject(given.config)) return null;
  const { class_name: type, config } = given as JsonObject & { config: JsonObject };
  if (type === 'DTypePolicyMap') return nameOf(policyIn(config, paths), paths);
  const isPolicy = typeof type === 'string' && /(^|>)\w*Policy(V1)?$/.test(type);
  const name = config.name ?? config.source_name ?? 'float32';
  return isPolicy && typeof name === 'string' ? nameOf(name, paths) : null;
}

/** Returns the policy that a map has for one of the paths, each of which may be a pattern in the map. */
function policyIn(
  { default_policy: otherwise = null, policy_map: map }: JsonObject,
  paths: readonly string[],
): Json {
  const entries = Object.entries(isObject(map) ? map : {});
  const exact = entries.find(([key]) => paths.includes(key));
  const found = exact ?? entries.find(([key]) => paths.some((path) => matches(key, path)));
  return found?.[1] ?? otherwise ?? 'float32';
}

/** Whether all of `path` matches a pattern, in which only `.*` has a meaning: others could take forever. */
function matches(pattern: string, path: string): boolean {
  const parts = pattern.split('.*').map((part) => part.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&'));
  return new RegExp(`^${parts.join('.*')}$`).test(path);
}

/** Removes the numbers by which Keras recognizes shared objects: they count within one file. */
export function withoutIds(value: Json): Json {
  if (Array.isArray(value)) return value.map((item: Json) => withoutIds(item));
  if (!isObject(value)) return value;
  const kept = Object.entries(value).filter(([key]) => key !== 'shared_object_id');
  return Object.fromEntries(kept.map(([key, item]) => [key, withoutIds(item)]));
}

function noteOn(name: string): string {
  return `layers with the dtype policy ${name} compute in float32. Files that are saved keep the policy.`;
}
