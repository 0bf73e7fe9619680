/** @file The `config.json` that a model was loaded from, with what doesn't concern its weights: tokens, names and settings of others. */
import type { JsonObject } from '../../keras/json/document.ts';

const configs = new WeakMap<object, JsonObject>();

/** Remembers where a model comes from. */
export function rememberConfig(model: object, config: JsonObject): void {
  configs.set(model, config);
}

/** The configuration that a model was loaded from; null for others. */
export function rememberedConfig(model: object): JsonObject | null {
  return configs.get(model) ?? null;
}
