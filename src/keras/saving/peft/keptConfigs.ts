/** @file The configurations of adapters that were read, so that they are written with the fields that nothing here depends on. */
import type { AdapterConfig } from './config.ts';

const configs = new WeakMap<object, Map<string, AdapterConfig>>();

/** Keeps the configuration of an adapter of `model`. */
export function keepConfig(model: object, adapter: string, config: AdapterConfig): void {
  const kept = configs.get(model) ?? new Map<string, AdapterConfig>();
  configs.set(model, kept.set(adapter, config));
}

/** Returns the configuration that an adapter was read with; null for another one. */
export function keptConfig(model: object, adapter: string): AdapterConfig | null {
  return configs.get(model)?.get(adapter) ?? null;
}
