/**
 * @file Generation: the keys and values of texts that grow, and how prompts and tokens are read into them.
 */
import type { Tensor } from '../../tensor/tensor.ts';
import { tensor } from '../../tensor/create.ts';
import { keep, tidy } from '../../tensor/scope.ts';
import { gather } from '../../ops/indexing/gather.ts';
import { reshape } from '../../ops/arrangement/reshape.ts';
import { cachedAttention, type CachedLayer } from '../../ops/attention/cachedAttention.ts';
import { type KeyValueCache, keyValueCache } from '../../ops/attention/keyValueCache.ts';
import type { TensorLike } from '../../ops/define/operands.ts';
import type { AttentionCache, CachedAttention, KeysAndValues } from '../layers/attentionCache.ts';
import type { CachedMultiHeadAttention } from '../layers/cachedMultiHeadAttention.ts';
import { featuresAt } from '../models/featuresAt.ts';
import type { Prompts } from './generateOptions.ts';

/** The part of a block that is used here. */
export interface Block {
  readonly attention: CachedMultiHeadAttention | null;
}

/** The keys and values of texts that grow, which the layers of a model share for the time of it. */
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

  /** Text i continues as what text `rows[i]` was. */
  reorder(rows: readonly number[]): void {
    if (rows.every((row, i) => row === i)) return;
    tidy(() => {
      const indices = tensor([...rows], { dtype: 'int32' });
      for (const { keys, values } of this.#cache.layers)
        for (const held of [keys, values]) held.assign(gather(held, indices, { axis: 0 }));
    });
  }

  dispose(): void {
    this.#cache.dispose();
    for (const { key, value } of this.#ofOther.values()) {
      key.dispose();
      value.dispose();
    }
  }
}

/** What the texts so far say of the tokens that follow; applied after all other changes of logits. */
export interface LogitsRules {
  /** What `apply` reads of texts without their prompts: tensors of the same shapes at each step. */
  tensors(made: readonly (readonly number[])[]): Tensor[];
  apply(logits: Tensor, tensors: readonly Tensor[], isFirst: boolean): Tensor;
}

/** The part of a CausalLM that is used here. */
export interface Generator {
  readonly stopTokens: readonly number[];
  readonly rules?: LogitsRules | null;
  readonly backbone: {
    apply(inputs: Tensor, options: { cache?: AttentionCache; training: boolean }): Tensor;
    readonly tokenEmbedding: { readonly inputDim: number };
    readonly transformerLayers: readonly Block[];
    /** Of networks with a vector for each position: texts have no more tokens. */
    readonly embeddings?: { readonly positionEmbedding: { readonly sequenceLength: number } };
  };
  /** The logits of the tokens that follow; `isFirst` for the first ones after the prompts. */
  logits(features: Tensor, isFirst: boolean): Tensor;
}

/** The features of the last token of each prompt: [batch, features]. */
export function readPrompts({ backbone }: Generator, generation: Generation, prompts: Prompts): Tensor {
  const length = longestOf(prompts);
  const padded = prompts.map((prompt) => [...prompt, ...new Array<number>(length - prompt.length).fill(0)]);
  const counts = prompts.map((prompt) => prompt.length);
  generation.advance(length, counts);
  const features = backbone.apply(tensor(padded, { dtype: 'int32' }), { cache: generation, training: false });
  const last = tensor(
    counts.map((count) => count - 1),
    { dtype: 'int32' },
  );
  return featuresAt(features, last);
}

/** The features of the next token of each text, int32 [batch]: [batch, features]. */
export function readTokens({ backbone }: Generator, generation: Generation, tokens: Tensor): Tensor {
  generation.advance(1, null);
  const column = reshape(tokens, { shape: [tokens.size, 1] });
  return featuresAt(backbone.apply(column, { cache: generation, training: false }), 0);
}

export const longestOf = (prompts: Prompts) =>
  prompts.reduce((longest, { length }) => Math.max(longest, length), 0);
