/** @file generate: continues prompts token by token. */
import { checkSignal } from '../../core/abortSignal.ts';
import { describe } from '../../core/describe.ts';
import { ValueError } from '../../core/errors.ts';
import { isListOf } from '../../core/lists.ts';
import { checkOptions, type OptionNames } from '../../core/options.ts';
import { requireInteger } from '../../core/shape.ts';
import { argMax } from '../../ops/argExtrema.ts';
import { reshape } from '../../ops/reshape.ts';
import { slice } from '../../ops/slice.ts';
import { tensor } from '../../tensor/create.ts';
import { tidy } from '../../tensor/scope.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import type { AttentionCache } from '../layers/attentionCache.ts';
import type { GenerateOptions, Prompts } from './generateOptions.ts';
import { KeyValueCache } from './keyValueCache.ts';

/** The part of a CausalLM that is used here. */
export interface Generator {
  readonly name: string;
  readonly stopTokens: readonly number[];
  readonly backbone: {
    apply(inputs: Tensor, options: { cache: AttentionCache }): Tensor;
    readonly tokenEmbedding: { readonly inputDim: number };
  };
  logits(features: Tensor): Tensor;
}

const optionNames: OptionNames<GenerateOptions> = {
  maxNewTokens: false,
  stopTokens: false,
  signal: false,
  onToken: false,
};

/** As `CausalLM.generate`. */
export async function generate(
  model: Generator,
  prompts: Prompts,
  options: GenerateOptions,
): Promise<number[][]> {
  const made: number[][] = prompts.map(() => []);
  for await (const { token, prompt } of stream(model, prompts, options)) made[prompt]?.push(token);
  return made;
}

/** A token of the continuation of a prompt, by its number. */
export interface GeneratedToken {
  readonly token: number;
  readonly prompt: number;
}

/** As `CausalLM.stream`. */
export async function* stream(
  model: Generator,
  prompts: Prompts,
  options: GenerateOptions,
): AsyncGenerator<GeneratedToken> {
  checkOptions('generate', options, optionNames);
  requirePrompts(model, prompts);
  const { maxNewTokens = 50, stopTokens = model.stopTokens, signal, onToken } = options;
  requireInteger('generate', 'maxNewTokens', maxNewTokens, 1);
  checkSignal('generate', signal);
  const stops = new Set(stopTokens);
  const longest = Math.max(...prompts.map((prompt) => prompt.length));
  const padding = prompts.map((prompt) => longest - prompt.length);
  const cache = new KeyValueCache(padding);
  const isDone = prompts.map(() => false);
  // Padding stands in front of shorter prompts, so that all end at the same place.
  let next: readonly (readonly number[])[] = prompts.map((prompt, i) => [
    ...new Array<number>(padding[i] as number).fill(0),
    ...prompt,
  ]);
  try {
    for (let step = 0; step < maxNewTokens && isDone.includes(false); step++) {
      signal?.throwIfAborted();
      const tokens = await nextTokens(model, next, cache);
      signal?.throwIfAborted();
      for (const [prompt, token] of tokens.entries()) {
        if (isDone[prompt]) continue;
        isDone[prompt] = stops.has(token);
        onToken?.(token, prompt);
        yield { token, prompt };
      }
      next = tokens.map((token) => [token]);
    }
  } finally {
    cache.dispose();
  }
}

/** The tokens that follow `tokens`, one for each text. */
async function nextTokens(
  model: Generator,
  tokens: readonly (readonly number[])[],
  cache: KeyValueCache,
): Promise<number[]> {
  const length = tokens[0]?.length as number;
  cache.advance(length);
  const chosen = tidy(() => {
    const features = model.backbone.apply(tensor(tokens as number[][], { dtype: 'int32' }), { cache });
    return argMax(model.logits(lastOf(features)), { axis: -1 });
  });
  try {
    return Array.from(await chosen.data());
  } finally {
    chosen.dispose();
  }
}

/** The features of the last position: [batch, length, features] → [batch, features]. */
function lastOf(x: Tensor): Tensor {
  const [batch, length, features] = x.shape as [number, number, number];
  return reshape(slice(x, { begin: [0, length - 1, 0], size: [batch, 1, features] }), {
    shape: [batch, features],
  });
}

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
