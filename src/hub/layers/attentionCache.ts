/**
 * @file AttentionCache: what attention needs of a generation, in which the tokens of one call follow those of the calls before. Layers
 * know only this; who keeps the keys and values decides how.
 */
import type { Tensor } from '../../tensor/tensor.ts';

export interface CachedAttention {
  /** Identifies the layer whose keys and values are kept. */
  readonly layer: object;
  /** [batch, length, heads, size]. */
  readonly query: Tensor;
  /** [batch, length, key heads, size], of the tokens of this call. */
  readonly key: Tensor;
  readonly value: Tensor;
  readonly scale: number;
  /** A query sees only keys that are fewer steps back than this; null for all. */
  readonly slidingWindow: number | null;
}

/** [batch, length, key heads, size] each. */
export interface KeysAndValues {
  readonly key: Tensor;
  readonly value: Tensor;
}

export interface AttentionCache {
  /** Positions of the tokens of this call, int32 [batch, length]; negative for padding. */
  readonly positions: Tensor;
  /** Appends the keys and values, and attends to all so far: [batch, length, heads, size]. */
  attend(attention: CachedAttention): Tensor;
  /** The keys and values of another sequence, which `make` projects in the first call. */
  ofOther(layer: object, make: () => KeysAndValues): KeysAndValues;
}
