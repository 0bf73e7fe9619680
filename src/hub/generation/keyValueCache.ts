/** @file KeyValueCache: the keys and values of a generation, composed of ops: each call appends to those of the calls before. */
import { concat } from '../../ops/concat.ts';
import { dotProductAttention } from '../../ops/dotProductAttention.ts';
import { tensor } from '../../tensor/create.ts';
import { keep } from '../../tensor/scope.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import type { AttentionCache, CachedAttention } from '../layers/attentionCache.ts';

interface Kept {
  readonly keys: Tensor;
  readonly values: Tensor;
}

/** Keys and values of texts that begin at different places, with padding in front of the shorter ones. */
export class KeyValueCache implements AttentionCache {
  readonly #kept = new Map<object, Kept>();
  /** The number of tokens that are padding, of each text. */
  readonly #padding: readonly number[];
  /** The number of tokens before those of this call, padding included. */
  #begin = 0;
  #length = 0;
  #positions: Tensor | null = null;
  /** By window, since all layers of a kind share one. */
  readonly #masks = new Map<number | null, Tensor | null>();

  constructor(padding: readonly number[]) {
    this.#padding = padding;
  }

  get positions(): Tensor {
    return this.#positions as Tensor;
  }

  /** Begins a call on the next `length` tokens of each text. */
  advance(length: number): void {
    this.#freeCall();
    this.#begin += this.#length;
    this.#length = length;
    const at = this.#padding.map((padding) =>
      Array.from({ length }, (_, i) => Math.max(0, this.#begin + i - padding)),
    );
    this.#positions = keep(tensor(at, { dtype: 'int32' }));
  }

  attend({ layer, query, key, value, scale, slidingWindow }: CachedAttention): Tensor {
    const before = this.#kept.get(layer);
    const all = (earlier: Tensor | undefined, later: Tensor) =>
      keep(concat(earlier ? [earlier, later] : [later], { axis: 1 }));
    const kept = { keys: all(before?.keys, key), values: all(before?.values, value) };
    before?.keys.dispose();
    before?.values.dispose();
    this.#kept.set(layer, kept);
    const mask = this.#maskFor(slidingWindow);
    const isCausal = mask === null && this.#length > 1;
    return dotProductAttention(query, kept.keys, kept.values, null, mask, { scale, isCausal });
  }

  /** Frees everything. */
  dispose(): void {
    this.#freeCall();
    for (const { keys, values } of this.#kept.values()) {
      keys.dispose();
      values.dispose();
    }
    this.#kept.clear();
  }

  #freeCall(): void {
    this.#positions?.dispose();
    this.#positions = null;
    for (const mask of this.#masks.values()) mask?.dispose();
    this.#masks.clear();
  }

  /** [batch, 1, queries, keys]: which keys a token sees; null for all that aren't later. */
  #maskFor(window: number | null): Tensor | null {
    const known = this.#masks.get(window);
    if (known !== undefined) return known;
    const end = this.#begin + this.#length;
    const isWide = window === null || window >= end;
    const seesAll =
      this.#padding.every((n) => n === 0) && isWide && (this.#begin === 0 || this.#length === 1);
    const mask = seesAll ? null : keep(this.#made(window ?? end));
    this.#masks.set(window, mask);
    return mask;
  }

  #made(window: number): Tensor {
    const end = this.#begin + this.#length;
    const shape = [this.#padding.length, 1, this.#length, end];
    const shown = this.#padding.flatMap((padding) =>
      Array.from({ length: this.#length * end }, (_, i) => {
        const [query, key] = [this.#begin + Math.floor(i / end), i % end];
        return Number(key >= padding && key <= query && query - key < window);
      }),
    );
    return tensor(Uint8Array.from(shown), { shape, dtype: 'bool' });
  }
}
