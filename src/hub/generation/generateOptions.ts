/** @file What `generate` takes. */

/** The tokens of texts to be continued, of any lengths. */
export type Prompts = readonly (readonly number[])[];

/** Options of `generate` and `stream`. */
export interface GenerateOptions {
  /** How many tokens are added at most. Default 50. */
  readonly maxNewTokens?: number | undefined;
  /** Tokens that end a text. Default: those of the model. */
  readonly stopTokens?: readonly number[] | undefined;
  /** Aborts the generation before its next token. */
  readonly signal?: AbortSignal | undefined;
  /** Called with each token as it is known, and the number of its prompt. */
  readonly onToken?: ((token: number, prompt: number) => void) | undefined;
}
