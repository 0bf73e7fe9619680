/** @file Adjustments: how the logits of the next tokens are changed by the texts so far. As transformers' logits processors. */
import { add, div, mul } from '../../ops/elementwise/arithmetic.ts';
import { maximum, minimum } from '../../ops/elementwise/maximum.ts';
import { tensor } from '../../tensor/create.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import type { GenerateOptions, Prompts } from './generateOptions.ts';
import type { Generator } from './generation.ts';

type Settings = Required<{
  [K in 'repetitionPenalty' | 'noRepeatNgramSize' | 'minNewTokens']: number;
}> & {
  readonly badWords: readonly (readonly number[])[];
  readonly suppressTokens: readonly number[];
  readonly beginSuppressTokens: readonly number[];
};

/** Far below any logit: such a token isn't drawn, nor is it the largest. */
export const never = -1e30;

/** What is changed with the given options; null for nothing. */
export function adjustmentsOf(
  {
    repetitionPenalty = 1,
    noRepeatNgramSize = 0,
    minNewTokens = 0,
    badWords = [],
    suppressTokens = [],
    beginSuppressTokens = [],
  }: GenerateOptions,
  prompts: Prompts,
  stops: ReadonlySet<number>,
  vocabularySize: number,
): Adjustments | null {
  const tokens = badWords.length + suppressTokens.length + beginSuppressTokens.length;
  const isUsed = repetitionPenalty !== 1 || noRepeatNgramSize > 0 || minNewTokens > 0 || tokens > 0;
  if (!isUsed) return null;
  const isStop = (words: readonly number[]) => words.length === 1 && stops.has(words[0] as number);
  const others = badWords.filter((words) => !isStop(words));
  const lists = { badWords: others, suppressTokens, beginSuppressTokens };
  const settings = { repetitionPenalty, noRepeatNgramSize, minNewTokens, ...lists };
  return new Adjustments(settings, prompts, stops, vocabularySize);
}

export class Adjustments {
  #texts: number[][];
  /** Of each logit, [batch, vocabularySize]: those of the tokens so far are the penalty. */
  readonly #factors: Float32Array;
  #steps = 0;

  constructor(
    private readonly settings: Settings,
    prompts: Prompts,
    private readonly stops: ReadonlySet<number>,
    private readonly vocabularySize: number,
  ) {
    this.#texts = prompts.map((prompt) => [...prompt]);
    this.#factors = new Float32Array(prompts.length * vocabularySize).fill(1);
    for (const [i, text] of this.#texts.entries()) for (const token of text) this.#penalize(i, token);
  }

  /** Notes the tokens that were added. */
  add(tokens: readonly number[]): void {
    this.#steps++;
    for (const [i, token] of tokens.entries()) {
      this.#texts[i]?.push(token);
      this.#penalize(i, token);
    }
  }

  /** Notes other texts, each a token longer than one before. */
  replace(texts: readonly (readonly number[])[]): void {
    this.#steps++;
    this.#texts = texts.map((text) => [...text]);
    this.#factors.fill(1);
    for (const [i, text] of texts.entries()) for (const token of text) this.#penalize(i, token);
  }

  #penalize(text: number, token: number): void {
    this.#factors[text * this.vocabularySize + token] = this.settings.repetitionPenalty;
  }

  /** The factor of each logit, and what is added to it: [batch, vocabularySize] each. */
  tensors(): [factors: Tensor, added: Tensor] {
    const { vocabularySize: size } = this;
    const { length: batch } = this.#texts;
    const shape = [batch, size];
    const added = new Float32Array(batch * size);
    for (const [i, text] of this.#texts.entries())
      for (const token of this.#excluded(text)) if (token < size) added[i * size + token] = never;
    return [tensor(this.#factors, { shape }), tensor(added, { shape })];
  }

  /** Tokens that don't come next. */
  #excluded(text: readonly number[]): number[] {
    const { noRepeatNgramSize: size, minNewTokens, badWords, suppressTokens } = this.settings;
    const atFirst = this.#steps === 0 ? this.settings.beginSuppressTokens : [];
    const ends = (words: readonly number[]) =>
      text.length >= words.length &&
      words.slice(0, -1).every((word, i) => text.at(i + 1 - words.length) === word);
    const bad = badWords.filter(ends).map((words) => words.at(-1) as number);
    const stops = [...bad, ...suppressTokens, ...atFirst, ...(this.#steps < minNewTokens ? this.stops : [])];
    if (size === 0) return stops;
    const last = text.slice(text.length - size + 1);
    const isAt = (start: number) => last.every((token, i) => text[start + i] === token);
    const repeated = text.length < size ? [] : text.filter((_, i) => i >= size - 1 && isAt(i - size + 1));
    return [...stops, ...repeated];
  }
}

/** The logits with the changes: negative ones are multiplied by the factor, others divided by it. */
function adjusted(logits: Tensor, factors: Tensor, added: Tensor): Tensor {
  const scaled = add(mul(minimum(logits, 0), factors), div(maximum(logits, 0), factors));
  return add(scaled, added);
}

/** What the texts so far change of the next logits: what `changedLogits` takes. */
export function changesOf(
  { rules }: Generator,
  adjustments: Adjustments | null,
  made: readonly (readonly number[])[],
): Tensor[] {
  return [...(adjustments?.tensors() ?? []), ...(rules?.tensors(made) ?? [])];
}

/** The logits with all changes. */
export function changedLogits(
  { rules }: Generator,
  logits: Tensor,
  adjustments: Adjustments | null,
  changes: readonly Tensor[],
  isFirst: boolean,
): Tensor {
  const [factors, added] = changes as [Tensor, Tensor];
  const found = adjustments ? adjusted(logits, factors, added) : logits;
  return rules ? rules.apply(found, changes.slice(adjustments ? 2 : 0), isFirst) : found;
}
