/** @file How the weights of a layer in a file of Keras are quantized: its policy and its `quantization_config`. */
import type { Quantization } from '../layers/quantized/quantization.ts';
import { withoutIds } from './storedPolicies.ts';
import { isObject, type Json, type JsonObject } from './document.ts';

const modes = /^(int8|int4|float8|gptq|awq)(?:\/(-?\d+))?(?:\/(-?\d+))?/;

/** Returns how a layer with this configuration is quantized; null if it isn't. */
export function quantizationOf({
  dtype = null,
  quantization_config: given = null,
}: JsonObject): Quantization | null {
  const policy = isObject(dtype) && isObject(dtype.config) ? dtype.config : null;
  const text = typeof dtype === 'string' ? dtype : policy?.mode;
  const [, mode, first, second] = (typeof text === 'string' && modes.exec(text)) || [];
  if (!mode) return null;
  const config = isObject(given) && isObject(given.config) ? given.config : null;
  const isGrouped = mode === 'gptq' || mode === 'awq';
  const block = Number(isGrouped ? second : (first ?? config?.block_size ?? -1));
  return {
    mode: mode as Quantization['mode'],
    bits: isGrouped ? Number(first) : mode === 'int4' ? 4 : 8,
    block: block > 0 ? block : null,
    history: Number(policy?.amax_history_length ?? 1024),
    inputs: inputsOf(mode, config),
  };
}

/** Without a configuration, inputs of int8 are rounded, as in Keras. */
function inputsOf(mode: string, config: JsonObject | null): Quantization['inputs'] {
  if (!config) return mode === 'int8' ? { range: [-127, 127], epsilon: 1e-7 } : null;
  const { activation_quantizer: quantizer = null } = config;
  if (!isObject(quantizer) || !isObject(quantizer.config)) return null;
  const { value_range: range = null, epsilon = 1e-7 } = quantizer.config;
  const items: Json = isObject(range) ? (range.items ?? null) : range;
  const [low, high] = Array.isArray(items) ? (items as number[]) : [-127, 127];
  return { range: [Number(low), Number(high)], epsilon: Number(epsilon) };
}

/** Options of layers that say how they are quantized. The number of columns follows from the options of the layer. */
const own: ReadonlySet<string> = new Set([
  'quantization_config',
  'gptq_unpacked_column_size',
  'awq_unpacked_column_size',
]);

const stored = new WeakMap<object, JsonObject>();

/** Returns a configuration without the options that say how the layer is quantized. */
export function withoutQuantization(config: JsonObject): JsonObject {
  const isOther = (value: Json) => isObject(value) && !('class_name' in value);
  return Object.fromEntries(Object.entries(config).filter(([key, value]) => !own.has(key) || isOther(value)));
}

/** Keeps what `config` says about how `layer` is quantized. */
export function rememberQuantization(layer: object, config: JsonObject): void {
  const said = Object.entries(config).filter(([key]) => own.has(key));
  stored.set(layer, withoutIds(Object.fromEntries(said)) as JsonObject);
}

/** Returns what the configuration of a layer in its file said about how it is quantized. */
export function storedQuantization(layer: object): JsonObject {
  return stored.get(layer) ?? {};
}
