/**
 * @file CachedMultiHeadAttention: attention of transformers, to the same sequence or another, with grouped queries, rotary positions,
 * normalized queries and keys, and in a generation with the keys and values of earlier calls.
 */
import { ValueError } from '../../core/errors.ts';
import type { OpenShape } from '../../core/shape.ts';
import {
  type CallOptions,
  checked,
  factoryOf,
  flag,
  type InputSpec,
  integer,
  layer,
  type LayerOptions,
  number,
  oneOf,
  weights,
} from '../../keras/layers/base/declare.ts';
import { requireChannels } from '../../keras/layers/base/inputSpec.ts';
import { requireFraction } from '../../keras/layers/base/randomOptions.ts';
import type { KernelOptions } from '../../keras/layers/base/weightOptions.ts';
import { allOf, asMask, causalMask, windowMask } from '../../keras/layers/attention/attentionMasks.ts';
import { attend } from '../../keras/layers/attention/heads.ts';
import { Dense } from '../../keras/layers/core/dense.ts';
import { Dropout } from '../../keras/layers/regularization/dropout.ts';
import { mul } from '../../ops/elementwise/arithmetic.ts';
import { dotProductAttention } from '../../ops/attention/dotProductAttention.ts';
import { expandDims, squeeze } from '../../ops/arrangement/expandDims.ts';
import { joinedAttention } from '../../ops/attention/joinedAttention.ts';
import { repeat } from '../../ops/arrangement/repeat.ts';
import { reshape } from '../../ops/arrangement/reshape.ts';
import { split } from '../../ops/arrangement/split.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import type { AttentionCache, KeysAndValues } from './attentionCache.ts';
import { ensureBuilt } from './building.ts';
import {
  type Normalization,
  type NormalizationKind,
  normalizationKinds,
  normalizationOf,
} from './normalization.ts';
import { RotaryEmbedding, type RotaryOptions } from './rotaryEmbedding.ts';

/** Which projections of attention add a bias, by the initials of their names. */
const biased = { all: 'qkvo', queryKeyValue: 'qkv', queryValueOutput: 'qvo', output: 'o', none: '' };

export type AttentionBias = keyof typeof biased;

export const biasKinds = Object.keys(biased) as readonly AttentionBias[];

export interface CachedMultiHeadAttentionOptions extends LayerOptions, KernelOptions {
  /** Number of heads. */
  numHeads: number;
  /** Size of each head. */
  keyDim: number;
  /** Number of heads of keys and values, each of which serves as many heads of queries. Default: `numHeads`. */
  numKeyValueHeads?: number | null;
  /** Whether one projection makes queries, keys and values, as in GPT-2. Default false. */
  fused?: boolean;
  /** Which projections add a bias: in a fused one, all of queries, keys and values, or none. Default 'all'. */
  bias?: AttentionBias;
  /** Fraction of the scores that is cleared in training. Default 0. */
  dropout?: number;
  /** Rotary positions of queries and keys. Default null: none. */
  rotary?: RotaryOptions | null;
  /** The normalization of each head's queries and keys, before they are turned. Default null: none. */
  queryKeyNormalization?: NormalizationKind | null;
  /** Added to the variance there. Default 1e-6. */
  epsilon?: number;
  /** The factor of products of queries and keys. Default: 1 / √keyDim. */
  scale?: number | null;
  /** A query sees only keys that are fewer steps away than this. Default null: all. */
  slidingWindow?: number | null;
}

/** Options of a call besides `training`. */
export interface CachedAttentionCall extends CallOptions {
  /** bool or integers [batch, keys]: where it is 0, keys are hidden, as those of padding are. */
  paddingMask?: Tensor | null;
  /** Whether queries see no later keys. Default false. */
  useCausalMask?: boolean;
  /** The state of a generation: then keys of earlier calls are seen, too, and no later ones. */
  cache?: AttentionCache | null;
  /** [batch, keys, features]: the sequence that keys and values are of, if it isn't that of the queries. All of it is seen. */
  attended?: Tensor | null;
}

/** Queries, keys and values as [batch, length, heads, size]. */
interface Heads {
  query: Tensor;
  key: Tensor;
  value: Tensor;
}

export class CachedMultiHeadAttention extends /* @__PURE__ */ layer<CachedMultiHeadAttentionOptions>(
  'CachedMultiHeadAttention',
  () => ({
    numHeads: integer(),
    keyDim: integer(),
    numKeyValueHeads: integer({ default: null }),
    fused: flag(false),
    bias: oneOf(biasKinds, 'all'),
    dropout: checked(requireFraction, 0),
    rotary: { read: (given = null) => given as never },
    queryKeyNormalization: oneOf(normalizationKinds, null),
    epsilon: number({ min: 0, default: 1e-6 }),
    scale: number({ default: null }),
    slidingWindow: integer({ default: null }),
    ...weights({ kernel: 'glorotUniform' }),
  }),
) {
  static override readonly callOptionNames: readonly string[] = [
    'training',
    'mask',
    'paddingMask',
    'useCausalMask',
    'cache',
    'attended',
  ];

  override readonly supportsMasking: boolean = true;
  protected override inputSpec: readonly InputSpec[] = [{ rank: 3 }];
  /** The projection of all three, if they are fused; otherwise one each. */
  queryKeyValueDense: Dense | null = null;
  queryDense: Dense | null = null;
  keyDense: Dense | null = null;
  valueDense: Dense | null = null;
  outputDense: Dense | null = null;
  queryNorm: Normalization | null = null;
  keyNorm: Normalization | null = null;
  readonly rotaryEmbedding: RotaryEmbedding | null;
  readonly dropoutLayer: Dropout = new Dropout({ name: 'dropout', rate: this.dropout });

  constructor(options: CachedMultiHeadAttentionOptions) {
    super(options);
    const { numHeads, rotary, fused, bias } = this;
    if (fused && bias === 'queryValueOutput') {
      throw new ValueError({
        op: this.name,
        rule: 'a projection that makes queries, keys and values adds a bias to all of them, or to none.',
        received: `fused: true, bias: '${bias}'`,
        hint: "leave out `fused`, or use bias: 'all'.",
      });
    }
    if (numHeads % this.#keyHeads !== 0) {
      throw new ValueError({
        op: this.name,
        rule: '`numHeads` must be divisible by `numKeyValueHeads`.',
        received: `numHeads: ${numHeads}, numKeyValueHeads: ${this.#keyHeads}`,
        hint: 'give each head of keys as many of queries.',
      });
    }
    this.rotaryEmbedding = rotary ? new RotaryEmbedding({ name: 'rotary_embedding', ...rotary }) : null;
  }

  get #keyHeads(): number {
    return this.numKeyValueHeads ?? this.numHeads;
  }

  override build(inputShape: OpenShape): void {
    const features = requireChannels(this.name, inputShape);
    const { numHeads, keyDim, fused, bias } = this;
    const [queries, keys] = [numHeads * keyDim, this.#keyHeads * keyDim];
    const project = (name: string, units: number, from = inputShape) =>
      this.#dense(name, units, biased[bias].includes(name[0] as string), from);
    if (fused) this.queryKeyValueDense = project('query_key_value', queries + 2 * keys);
    else {
      this.queryDense = project('query', queries);
      this.keyDense = project('key', keys);
      this.valueDense = project('value', keys);
    }
    const heads = [...inputShape.slice(0, -1), queries];
    this.outputDense = this.#dense('attention_output', features, biased[bias].includes('o'), heads);
    this.queryNorm = this.#norm('query_norm');
    this.keyNorm = this.#norm('key_norm');
  }

  #dense(name: string, units: number, useBias: boolean, inputShape: OpenShape): Dense {
    const { initializer, regularizer, constraint } = this.weightRules('kernel');
    const made = new Dense({
      name,
      units,
      useBias,
      kernelInitializer: initializer,
      kernelRegularizer: regularizer,
      kernelConstraint: constraint,
      dtype: this.dtypePolicy,
    });
    ensureBuilt(made, inputShape);
    return made;
  }

  #norm(name: string): Normalization | null {
    const { queryKeyNormalization: kind, epsilon, keyDim } = this;
    if (kind === null) return null;
    const norm = normalizationOf(kind, { name, epsilon });
    norm.ensureBuilt([null, null, null, keyDim]);
    return norm;
  }

  override call(x: Tensor, options: CachedAttentionCall): Tensor {
    const { attended: other = null } = options;
    const attended = other ? this.#attendedTo(other, x, options) : this.#attended(x, options);
    const [batch, length] = x.shape as [number, number];
    const joined = reshape(attended, { shape: [batch, length, this.numHeads * this.keyDim] });
    return (this.outputDense as Dense).apply(joined);
  }

  override computeOutputShape(inputShape: OpenShape): OpenShape {
    return inputShape;
  }

  /** Attention to another sequence. */
  #attendedTo(other: Tensor, x: Tensor, { training, cache = null }: CachedAttentionCall): Tensor {
    const { numHeads, queryDense, keyDense, valueDense } = this;
    const project = (y: Tensor, dense: Dense | null, heads: number) =>
      this.#inHeads((dense as Dense).apply(y), heads);
    const make = (): KeysAndValues => ({
      key: project(other, keyDense, this.#keyHeads),
      value: project(other, valueDense, this.#keyHeads),
    });
    const { key, value } = cache ? cache.ofOther(this, make) : make();
    const query = project(x, queryDense, numHeads);
    const scale = this.scale ?? 1 / Math.sqrt(this.keyDim);
    return this.#attend({ query, key, value }, { paddingMask: null, useCausalMask: false, scale, training });
  }

  #attended(
    x: Tensor,
    { training, paddingMask = null, useCausalMask = false, cache = null }: CachedAttentionCall,
  ) {
    if (cache && !useCausalMask) {
      throw new ValueError({
        op: this.name,
        rule: 'texts are continued by networks whose tokens see no later ones.',
        received: 'attention in both directions',
        hint: 'generate with a network that was trained to continue texts.',
      });
    }
    const scale = this.scale ?? 1 / Math.sqrt(this.keyDim);
    const { slidingWindow, queryKeyValueDense } = this;
    const call = { paddingMask, useCausalMask, scale, training };
    if (!cache && queryKeyValueDense && this.#attendsAsProjected(training)) {
      const keyHeads = this.#keyHeads;
      const all = this.#inHeads(queryKeyValueDense.apply(x), this.numHeads + 2 * keyHeads);
      const mask = this.#mask(x, paddingMask);
      return joinedAttention(all, mask, { keyHeads, scale, isCausal: useCausalMask });
    }
    const heads = this.#heads(x, cache?.positions ?? null);
    return cache ? cache.attend({ layer: this, ...heads, scale, slidingWindow }) : this.#attend(heads, call);
  }

  /** Whether nothing is done to the projections before scores, nor to these. */
  #attendsAsProjected(training: boolean | undefined): boolean {
    const { queryNorm, keyNorm, rotaryEmbedding, dropout } = this;
    return !queryNorm && !keyNorm && !rotaryEmbedding && !(training === true && dropout > 0);
  }

  #heads(x: Tensor, positions: Tensor | null): Heads {
    const [query, key, value] = this.#projected(x);
    const { queryNorm, keyNorm, rotaryEmbedding } = this;
    const placed = (y: Tensor, norm: Normalization | null) => {
      const scaled = norm ? norm.apply(y) : y;
      return rotaryEmbedding ? rotaryEmbedding.apply(scaled, { positions }) : scaled;
    };
    return { query: placed(query, queryNorm), key: placed(key, keyNorm), value };
  }

  #projected(x: Tensor): [query: Tensor, key: Tensor, value: Tensor] {
    const { numHeads, keyDim, queryKeyValueDense } = this;
    const keyHeads = this.#keyHeads;
    const parts = queryKeyValueDense
      ? split(queryKeyValueDense.apply(x), {
          numOrSizeSplits: [numHeads, keyHeads, keyHeads].map((heads) => heads * keyDim),
          axis: -1,
        })
      : [this.queryDense, this.keyDense, this.valueDense].map((dense) => (dense as Dense).apply(x));
    const [query, key, value] = parts as [Tensor, Tensor, Tensor];
    return [this.#inHeads(query, numHeads), this.#inHeads(key, keyHeads), this.#inHeads(value, keyHeads)];
  }

  #inHeads(x: Tensor, heads: number): Tensor {
    return reshape(x, { shape: [...x.shape.slice(0, -1), heads, this.keyDim] });
  }

  /** Which keys a query sees, bool [batch or 1, 1, queries or 1, keys], but for later ones; null for all. */
  #mask(query: Tensor, paddingMask: Tensor | null): Tensor | null {
    const { slidingWindow } = this;
    const length = query.shape[1] as number;
    const isWide = slidingWindow === null || slidingWindow >= length;
    const mask = allOf([
      paddingMask && expandDims(asMask(paddingMask), { axis: 1 }),
      isWide ? null : windowMask(length, length, slidingWindow),
    ]);
    return mask && expandDims(mask, { axis: 1 });
  }

  #attend(
    { query, key, value }: Heads,
    call: {
      paddingMask: Tensor | null;
      useCausalMask: boolean;
      scale: number;
      training: boolean | undefined;
    },
  ): Tensor {
    const { paddingMask, useCausalMask: isCausal, scale, training } = call;
    const length = query.shape[1] as number;
    const shown = this.#mask(query, paddingMask);
    if (training === true && this.dropout > 0) {
      const mask = shown && squeeze(shown, { axis: 1 });
      const seen = allOf([mask, isCausal ? causalMask(length, length) : null]);
      return this.#attendWithDropout({ query: mul(query, scale), key, value }, seen);
    }
    return dotProductAttention(query, key, value, null, shown, { scale, isCausal });
  }

  #attendWithDropout({ query, key, value }: Heads, mask: Tensor | null): Tensor {
    const repeats = this.numHeads / this.#keyHeads;
    const spread = (x: Tensor) => (repeats === 1 ? x : repeat(x, { repeats, axis: -2 }));
    const drop = (scores: Tensor) => this.dropoutLayer.apply(scores, { training: true });
    return attend({ query, key: spread(key), value: spread(value), axes: [1], mask, drop }).output;
  }
}

/**
 * Attention of several heads: softmax(scale · query · keyᵀ) · value of projections of the input, projected again. Heads of
 * queries may share one of keys and values; queries and keys may be normalized, and turned by their positions. With a `cache`, the tokens
 * of a call follow those of the calls before. With `attended`, keys and values are of that sequence instead. Shapes: [batch, length,
 * features] → the same.
 * Weights, kernel and bias each, under query, key and value [features, heads · keyDim], or query_key_value, and attention_output.
 * Sources: Vaswani et al., "Attention is all you need", 2017; Ainslie et al., "GQA", 2023.
 * Errors: ValueError for invalid options; ShapeError for inputs and masks that don't fit.
 */
export const cachedMultiHeadAttention = /* @__PURE__ */ factoryOf(CachedMultiHeadAttention, [
  'numHeads',
  'keyDim',
]);
