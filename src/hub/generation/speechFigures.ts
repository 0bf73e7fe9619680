/** @file How probable a network finds what it wrote of sounds, and that nothing is said. */
import { softmax } from '../../ops/activations/softmax.ts';
import { reshape } from '../../ops/arrangement/reshape.ts';
import { slice } from '../../ops/arrangement/slice.ts';
import { unrecorded } from '../../ops/define/recorders.ts';
import { sub } from '../../ops/elementwise/arithmetic.ts';
import { takeAlongAxis } from '../../ops/indexing/takeAlongAxis.ts';
import { logSumExp } from '../../ops/reductions/logSumExp.ts';
import { tensor } from '../../tensor/create.ts';
import { keep, tidy } from '../../tensor/scope.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import type { Generator } from './generation.ts';

/** What was written of a sound. */
export interface WrittenText {
  readonly prompt: readonly number[];
  /** The tokens after it, with the one that ends the text. */
  readonly tokens: readonly number[];
  /** Where the prompt has the token of the start, after what was said before. */
  readonly start: number;
}

export interface SpeechFigures {
  /** The mean of the logarithms of the probabilities of the tokens, among those that may follow. */
  readonly logProbability: number;
  /** The probability of `noSpeechToken` after that of the start; 0 without one. */
  readonly noSpeech: number;
}

/** Logits of so many tokens are computed at a time: those of a whole text of a large vocabulary take 100 MB. */
const tokensAtOnce = 32;

/** Reads each text once. `generator` is that of the sounds of the texts. */
export async function figuresOf(
  generator: Generator,
  texts: readonly WrittenText[],
  noSpeechToken: number | null,
): Promise<SpeechFigures[]> {
  const features = unrecorded(() => tidy(() => keep(read(generator, texts))));
  try {
    const figures: SpeechFigures[] = [];
    for (const [row, text] of texts.entries()) {
      const ofText = { generator, features, row, text };
      const noSpeech = noSpeechToken === null ? 0 : await noSpeechIn(ofText, noSpeechToken);
      figures.push({ logProbability: await logProbabilityOf(ofText), noSpeech });
    }
    return figures;
  } finally {
    features.dispose();
  }
}

interface ReadText {
  readonly generator: Generator;
  /** Of all texts: [texts, positions, features]. */
  readonly features: Tensor;
  readonly row: number;
  readonly text: WrittenText;
}

/** The features of all texts. Zeros follow the shorter ones, which earlier positions don't see. */
function read({ backbone }: Generator, texts: readonly WrittenText[]): Tensor {
  // The last token isn't read: none follows.
  const inputs = texts.map(({ prompt, tokens }) => [...prompt, ...tokens.slice(0, -1)]);
  const length = Math.max(...inputs.map((each) => each.length));
  const padded = inputs.map((each) => [...each, ...new Array<number>(length - each.length).fill(0)]);
  return backbone.apply(tensor(padded, { dtype: 'int32' }), { training: false });
}

/** The features at `count` positions of a text: [count, features]. */
function featuresOf({ features, row }: ReadText, from: number, count: number): Tensor {
  const size = features.shape[2] as number;
  return reshape(slice(features, { begin: [row, from, 0], size: [1, count, size] }), {
    shape: [count, size],
  });
}

async function noSpeechIn(read: ReadText, token: number): Promise<number> {
  const probability = unrecorded(() =>
    tidy(() => {
      const probabilities = softmax(read.generator.logits(featuresOf(read, read.text.start, 1), true));
      return keep(slice(probabilities, { begin: [0, token], size: [1, 1] }));
    }),
  );
  return valuesOf(probability).then(([value]) => value as number);
}

async function logProbabilityOf(read: ReadText): Promise<number> {
  const { length } = read.text.tokens;
  let sum = 0;
  // Other rules hold for the first token.
  for (let at = 0; at < length; at += at === 0 ? 1 : tokensAtOnce) {
    const count = at === 0 ? 1 : Math.min(tokensAtOnce, length - at);
    const parts = unrecorded(() => tidy(() => keep(logProbabilities(read, at, count))));
    for (const part of await valuesOf(parts)) sum += part;
  }
  return sum / length;
}

/** The logarithms of the probabilities of `count` tokens from number `at` on: [count, 1]. */
function logProbabilities(read: ReadText, at: number, count: number): Tensor {
  const { generator, text } = read;
  const { rules = null } = generator;
  const logits = generator.logits(featuresOf(read, text.prompt.length - 1 + at, count), at === 0);
  const before = Array.from({ length: count }, (_, i) => text.tokens.slice(0, at + i));
  const allowed = rules ? rules.apply(logits, rules.tensors(before), at === 0) : logits;
  const tokens = tensor(text.tokens.slice(at, at + count), { shape: [count, 1], dtype: 'int32' });
  return sub(takeAlongAxis(allowed, tokens, { axis: -1 }), logSumExp(allowed, { axis: -1, keepDims: true }));
}

async function valuesOf(values: Tensor): Promise<ArrayLike<number> & Iterable<number>> {
  try {
    return (await values.data()) as Float32Array;
  } finally {
    values.dispose();
  }
}
