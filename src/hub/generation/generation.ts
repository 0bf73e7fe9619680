/** @file Generation: the keys and values of texts that grow, which the layers of a model share for the time of it. */
import { cachedAttention, type CachedLayer } from '../../ops/attention/cachedAttention.ts';
import { type KeyValueCache, keyValueCache } from '../../ops/attention/keyValueCache.ts';
import type { TensorLike } from '../../ops/define/operands.ts';
import { keep } from '../../tensor/scope.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import type { AttentionCache, CachedAttention, KeysAndValues } from '../layers/attentionCache.ts';
import type { CachedMultiHeadAttention } from '../layers/cachedMultiHeadAttention.ts';

/** The part of a block that is used here. */
export interface Block {
  readonly attention: CachedMultiHeadAttention | null;
}

export class Generation implements AttentionCache {
  readonly #cache: KeyValueCache;
  readonly #layers: ReadonlyMap<object, CachedLayer>;
  #positions: Tensor | null = null;
  /** Keys and values of another sequence, which stay the same. */
  readonly #ofOther = new Map<object, KeysAndValues>();

  /** Room for `maxLength` tokens of each of `batch` texts. */
  constructor(blocks: readonly Block[], batch: number, maxLength: number) {
    const layers = blocks.map(({ attention }) => attention as CachedMultiHeadAttention);
    const [first] = layers as [CachedMultiHeadAttention];
    const heads = first.numKeyValueHeads ?? first.numHeads;
    this.#cache = keyValueCache({ layers: layers.length, batch, maxLength, heads, size: first.keyDim });
    this.#layers = new Map(layers.map((layer, i) => [layer, this.#cache.layers[i] as CachedLayer]));
  }

  /** Positions of the tokens of this call, int32 [batch, length]; -1 for padding. */
  get positions(): Tensor {
    return this.#positions as Tensor;
  }

  /** Begins a call on the next `length` tokens of each text, of which text b has the first `counts[b]`. */
  advance(length: number, counts: TensorLike | null): void {
    this.#positions = this.#cache.advance(length, counts);
  }

  attend({ layer, query, key, value, scale, slidingWindow }: CachedAttention): Tensor {
    const cached = this.#layers.get(layer) as CachedLayer;
    return cachedAttention(query, key, value, this.positions, cached, { scale, window: slidingWindow });
  }

  ofOther(layer: object, make: () => KeysAndValues): KeysAndValues {
    const known = this.#ofOther.get(layer);
    if (known) return known;
    const { key, value } = make();
    const made = { key: keep(key), value: keep(value) };
    this.#ofOther.set(layer, made);
    return made;
  }

  dispose(): void {
    this.#cache.dispose();
    for (const { key, value } of this.#ofOther.values()) {
      key.dispose();
      value.dispose();
    }
  }
}
