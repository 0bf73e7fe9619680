/** @file What was read of adapters that nothing here depends on, so that it is written again. */
import type { AdapterConfig } from './config.ts';

/** An adapter that was read. */
export interface KeptAdapter {
  readonly config: AdapterConfig;
  /** The modules whose own vectors are in the file: PEFT writes those of embeddings with an adapter. */
  readonly bases: readonly string[];
}

const kept = new WeakMap<object, Map<string, KeptAdapter>>();

/** Keeps what was read of an adapter of `model`. */
export function keepAdapter(model: object, adapter: string, read: KeptAdapter): void {
  const known = kept.get(model) ?? new Map<string, KeptAdapter>();
  kept.set(model, known.set(adapter, read));
}

/** Returns what was read of an adapter; null for another one. */
export function keptAdapter(model: object, adapter: string): KeptAdapter | null {
  return kept.get(model)?.get(adapter) ?? null;
}
