/** @file What `generate` and `stream` take and give. */

import type { OptionNames } from '../../core/options.ts';

/** The tokens of texts to be continued, of any lengths. */
export type Prompts = readonly (readonly number[])[];

/** A token that continues a prompt. */
export interface GeneratedToken {
  readonly token: number;
  /** The number of the prompt. */
  readonly prompt: number;
}

/** Options of `generate` and `stream`. */
export interface GenerateOptions {
  /** How many tokens are added at most. Default 50. */
  readonly maxNewTokens?: number | undefined;
  /** Tokens that end a text. Default: those of the model. */
  readonly stopTokens?: readonly number[] | undefined;
  /** Divides the logits before a token is drawn. Default 0: the token with the largest logit is taken. */
  readonly temperature?: number | undefined;
  /** A token is drawn from this many with the largest logits. Default: all. */
  readonly topK?: number | undefined;
  /** A token is drawn from the most probable ones that have this probability together. Default 1. */
  readonly topP?: number | undefined;
  /**
   * Logits of tokens that are in the text already are divided by it, negative ones multiplied: more than 1 makes repetitions rarer.
   * Default 1.
   */
  readonly repetitionPenalty?: number | undefined;
  /** No sequence of so many tokens comes twice in a text, its prompt included. Default 0: all may. */
  readonly noRepeatNgramSize?: number | undefined;
  /** How many tokens are added at least, before one that ends the text. Default 0. */
  readonly minNewTokens?: number | undefined;
  /** Makes draws reproducible: an integer in [0, 2^53). Default: other tokens each time. */
  readonly seed?: number | undefined;
  /** Aborts the generation before its next token. */
  readonly signal?: AbortSignal | undefined;
  /** Called with each token as it is known, and the number of its prompt. */
  readonly onToken?: ((token: number, prompt: number) => void) | undefined;
}

/** The options of all generations. */
export const generateOptionNames: OptionNames<GenerateOptions> = {
  maxNewTokens: false,
  stopTokens: false,
  temperature: false,
  topK: false,
  topP: false,
  repetitionPenalty: false,
  noRepeatNgramSize: false,
  minNewTokens: false,
  seed: false,
  signal: false,
  onToken: false,
};
