/**
 * @file Continues prompts token by token. The prompts are read in one call; then each step reads one token of every text, and is replayed
 * from a recording.
 */
import { cachedAttention, type CachedLayer } from '../../ops/attention/cachedAttention.ts';
import { type KeyValueCache, keyValueCache } from '../../ops/attention/keyValueCache.ts';
import type { TensorLike } from '../../ops/define/operands.ts';
import { keep, tidy } from '../../tensor/scope.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import type { AttentionCache, CachedAttention, KeysAndValues } from '../layers/attentionCache.ts';
import type { CachedMultiHeadAttention } from '../layers/cachedMultiHeadAttention.ts';
import { compile } from '../../autodiff/compile.ts';
import { checkSignal } from '../../core/abortSignal.ts';
import { describe } from '../../core/describe.ts';
import { ValueError } from '../../core/errors.ts';
import { isListOf } from '../../core/lists.ts';
import { checkOptions } from '../../core/options.ts';
import { requireFinite, requireInteger } from '../../core/shape.ts';
import { unrecorded } from '../../ops/define/recorders.ts';
import { reshape } from '../../ops/arrangement/reshape.ts';
import { sampleTokens } from '../../ops/vocabulary/sampleTokens.ts';
import { checkSeed, SeedSequence } from '../../ops/define/seeds.ts';
import { tensor } from '../../tensor/create.ts';
import { featuresAt } from '../models/featuresAt.ts';
import { adjusted, adjustmentsOf } from './adjustments.ts';
import {
  type GeneratedToken,
  generateOptionNames,
  type GenerateOptions,
  type Prompts,
} from './generateOptions.ts';

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

  dispose(): void {
    this.#cache.dispose();
    for (const { key, value } of this.#ofOther.values()) {
      key.dispose();
      value.dispose();
    }
  }
}

/** The part of a CausalLM that is used here. */
export interface Generator {
  readonly stopTokens: readonly number[];
  readonly backbone: {
    apply(inputs: Tensor, options: { cache: AttentionCache; training: boolean }): Tensor;
    readonly tokenEmbedding: { readonly inputDim: number };
    readonly transformerLayers: readonly Block[];
  };
  /** The logits of the tokens that follow; `isFirst` for the first ones after the prompts. */
  logits(features: Tensor, isFirst: boolean): Tensor;
}

/** As `CausalLM.generate`. */
export async function generate(
  model: Generator,
  prompts: Prompts,
  options: GenerateOptions,
): Promise<number[][]> {
  const tokens = stream(model, prompts, options);
  const made: number[][] = [];
  for await (const { token, prompt } of tokens) {
    made[prompt] ??= [];
    made[prompt].push(token);
  }
  return made;
}

/** As `CausalLM.stream`. */
export async function* stream(
  model: Generator,
  prompts: Prompts,
  options: GenerateOptions,
): AsyncGenerator<GeneratedToken> {
  checkOptions('generate', options, generateOptionNames);
  requirePrompts(model, prompts);
  const { maxNewTokens = 50, stopTokens = model.stopTokens, signal, onToken } = options;
  requireInteger('generate', 'maxNewTokens', maxNewTokens, 1);
  const { repetitionPenalty = 1, noRepeatNgramSize = 0, minNewTokens = 0 } = options;
  requireFinite('generate', 'repetitionPenalty', repetitionPenalty, Number.MIN_VALUE);
  requireInteger('generate', 'noRepeatNgramSize', noRepeatNgramSize, 0);
  requireInteger('generate', 'minNewTokens', minNewTokens, 0);
  checkSignal('generate', signal);
  const stops = new Set(stopTokens);
  const isDone = prompts.map(() => false);
  const decoder = new Decoder(model, prompts, options, { maxNewTokens, stops });
  try {
    for (let step = 0; step < maxNewTokens && isDone.includes(false); step++) {
      signal?.throwIfAborted();
      const tokens = await decoder.next();
      signal?.throwIfAborted();
      for (const [prompt, token] of tokens.entries()) {
        if (isDone[prompt]) continue;
        isDone[prompt] = stops.has(token);
        onToken?.(token, prompt);
        yield { token, prompt };
      }
    }
  } finally {
    decoder.dispose();
  }
}

/** The texts of a generation, on the device. */
class Decoder {
  readonly #generation: Generation;
  readonly #step;
  readonly #adjustments;
  /** The last tokens, int32 [batch]; null before the first ones. */
  #tokens: Tensor | null = null;

  constructor(
    private readonly model: Generator,
    private readonly prompts: Prompts,
    options: GenerateOptions,
    { maxNewTokens, stops }: { maxNewTokens: number; stops: ReadonlySet<number> },
  ) {
    const { temperature = 0, topK, topP = 1, seed } = options;
    checkSeed('generate', seed);
    const maxLength = longestOf(prompts) + maxNewTokens;
    this.#generation = new Generation(model.backbone.transformerLayers, prompts.length, maxLength);
    const seeds = seed === undefined ? null : new SeedSequence(seed);
    const { inputDim } = model.backbone.tokenEmbedding;
    this.#adjustments = adjustmentsOf(options, prompts, stops, inputDim);
    const logits = (features: Tensor, isFirst: boolean, [factors, added]: readonly Tensor[]) => {
      const found = model.logits(features, isFirst);
      return factors && added ? adjusted(found, factors, added) : found;
    };
    const draw = (features: Tensor, isFirst: boolean, changes: readonly Tensor[]) =>
      sampleTokens(logits(features, isFirst, changes), null, {
        temperature,
        topK: topK ?? null,
        topP,
        // In a recording, each replay draws the next seed.
        seed: seeds?.draw() as number | undefined,
      });
    const step = (tokens: Tensor, ...changes: Tensor[]) => draw(this.#featuresAfter(tokens), false, changes);
    this.#step = { draw, compiled: compile(step) };
  }

  /** Returns the next token of each text. */
  async next(): Promise<number[]> {
    const before = this.#tokens;
    const changes = unrecorded(() => this.#adjustments?.tensors().map((each) => keep(each)) ?? []);
    const made = unrecorded(() => (before ? this.#step.compiled(before, ...changes) : this.#first(changes)));
    this.#tokens = keep(made);
    before?.dispose();
    for (const change of changes) change.dispose();
    const tokens = Array.from(await made.data());
    this.#adjustments?.add(tokens);
    return tokens;
  }

  dispose(): void {
    this.#tokens?.dispose();
    this.#step.compiled.dispose();
    this.#generation.dispose();
  }

  /** The tokens that follow the prompts. */
  #first(changes: readonly Tensor[]): Tensor {
    const { prompts, model } = this;
    const length = longestOf(prompts);
    return tidy(() => {
      const padded = prompts.map((prompt) => [
        ...prompt,
        ...new Array<number>(length - prompt.length).fill(0),
      ]);
      const counts = prompts.map((prompt) => prompt.length);
      this.#generation.advance(length, counts);
      const features = this.#features(tensor(padded, { dtype: 'int32' }), model);
      const last = tensor(
        counts.map((count) => count - 1),
        { dtype: 'int32' },
      );
      return this.#step.draw(featuresAt(features, last), true, changes);
    });
  }

  /** The features of the position after the last one of each text. */
  #featuresAfter(tokens: Tensor): Tensor {
    this.#generation.advance(1, null);
    return featuresAt(this.#features(reshape(tokens, { shape: [tokens.size, 1] }), this.model), 0);
  }

  #features(tokens: Tensor, { backbone }: Generator): Tensor {
    return backbone.apply(tokens, { cache: this.#generation, training: false });
  }
}

const longestOf = (prompts: Prompts) => prompts.reduce((longest, { length }) => Math.max(longest, length), 0);

const isFilled = (list: unknown) => Array.isArray(list) && list.length > 0;

function requirePrompts({ backbone }: Generator, prompts: unknown): void {
  const { inputDim: count } = backbone.tokenEmbedding;
  const isToken = (token: unknown) =>
    Number.isInteger(token) && (token as number) >= 0 && (token as number) < count;
  const isPrompt = (prompt: unknown) => isFilled(prompt) && isListOf(prompt, isToken);
  if (isFilled(prompts) && isListOf(prompts, isPrompt)) return;
  throw new ValueError({
    op: 'generate',
    rule: `prompts are lists of at least one token each, integers from 0 to ${count - 1}.`,
    received: describe(prompts),
    hint: 'pass [[464, 2068]]; a tokenizer makes tokens of a text.',
  });
}
