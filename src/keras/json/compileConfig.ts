/** @file How a model was compiled, as Keras's JSON keeps it: names of losses and metrics. */
import { isObject, type Json, type JsonObject } from './document.ts';
import { snake } from './optionNames.ts';
import type { AnyModel } from './read.ts';

/**
 * Losses, their weights and metrics by name, without the optimizer, as Keras's `to_json()`. Empty for a model that isn't
 * compiled, or whose losses or metrics are objects or functions: they are given again where the model is read.
 */
export function compileConfig(model: AnyModel): JsonObject {
  const options = model.compileOptions;
  if (!options) return {};
  const { loss, lossWeights, metrics, weightedMetrics, runEagerly = false } = options;
  const named = [loss, metrics, weightedMetrics].map((nest) => namesIn(nest ?? null));
  if (named.includes(undefined)) return {};
  const [losses = null, measured = null, weighted = null] = named;
  return {
    loss: losses,
    loss_weights: (lossWeights ?? null) as Json,
    metrics: measured,
    weighted_metrics: weighted,
    run_eagerly: runEagerly,
    steps_per_execution: 1,
    jit_compile: false,
  };
}

/** The names of a nest as Keras spells them; undefined where something in it has no name. */
function namesIn(nest: unknown): Json | undefined {
  if (nest === null) return null;
  // A class goes by its own name, such as AUC.
  if (typeof nest === 'string') return /^[A-Z]/.test(nest) ? nest : snake(nest);
  if (Array.isArray(nest)) {
    const names = nest.map(namesIn);
    return names.includes(undefined) ? undefined : (names as Json[]);
  }
  if (!isObject(nest) || Object.getPrototypeOf(nest) !== Object.prototype) return undefined;
  const entries = Object.entries(nest).map(([key, value]) => [key, namesIn(value)] as const);
  if (entries.some(([key, value]) => key === 'className' || value === undefined)) return undefined;
  return Object.fromEntries(entries) as JsonObject;
}
