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
  /** How many tokens are added at most. Default 50, or as many as the network has positions for. */
  readonly maxNewTokens?: number | undefined;
  /** Tokens that end a text. Default: those of the model. */
  readonly stopTokens?: readonly number[] | undefined;
  /** Texts that end a text, with the token that completes one. `decode` is needed. Default: none. */
  readonly stopStrings?: readonly string[] | undefined;
  /** The text of tokens, for `stopStrings`: `(tokens) => tokenizer.decode(tokens)`. */
  readonly decode?: ((tokens: number[]) => string) | undefined;
  /** Divides the logits before a token is drawn. Default 0: the token with the largest logit is taken. */
  readonly temperature?: number | undefined;
  /** A token is drawn from this many with the largest logits. Default: all. */
  readonly topK?: number | undefined;
  /** A token is drawn from the most probable ones that have this probability together. Default 1. */
  readonly topP?: number | undefined;
  /** A token is drawn from those at least this times as probable as the most probable one, before `topK` and `topP`. Default 0. */
  readonly minP?: number | undefined;
  /**
   * A token is drawn from those whose surprise is nearest to the expected one and that have this probability together, before `topK` and
   * `topP`. Source: Meister et al., Locally Typical Sampling, 2022. Default 1.
   */
  readonly typicalP?: number | undefined;
  /** Tokens that are never chosen. Default: none. */
  readonly suppressTokens?: readonly number[] | undefined;
  /** Tokens that no text begins with, after its prompt. Default: none. */
  readonly beginSuppressTokens?: readonly number[] | undefined;
  /** Sequences of tokens that no text contains. A token that ends a text stays possible by itself. Default: none. */
  readonly badWords?: readonly (readonly number[])[] | undefined;
  /**
   * How many texts are kept at each step: those that are the most probable as a whole. Without `temperature`, and not by `stream`, since
   * they are known at the end. Default 1: the most probable token is taken.
   */
  readonly numBeams?: number | undefined;
  /** Log probabilities of whole texts are divided by their length to this power: more than 0 is for longer ones. Default 1. */
  readonly lengthPenalty?: number | undefined;
  /**
   * When a search ends: true as soon as `numBeams` texts have ended; false (default) when longer ones are unlikely to be better, by their
   * present length; 'never' by their largest length.
   */
  readonly earlyStopping?: boolean | 'never' | undefined;
  /** How many texts are made of each prompt, one after the other: with `temperature`, or at most `numBeams`. Default 1. */
  readonly numReturnSequences?: number | undefined;
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
  stopStrings: false,
  decode: false,
  temperature: false,
  topK: false,
  topP: false,
  minP: false,
  typicalP: false,
  suppressTokens: false,
  beginSuppressTokens: false,
  badWords: false,
  numBeams: false,
  lengthPenalty: false,
  earlyStopping: false,
  numReturnSequences: false,
  repetitionPenalty: false,
  noRepeatNgramSize: false,
  minNewTokens: false,
  seed: false,
  signal: false,
  onToken: false,
};
