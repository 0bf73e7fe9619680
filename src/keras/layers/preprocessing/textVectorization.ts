/** @file TextVectorization: replaces texts by the indices of their words. */
import { ValueError } from '../../../core/errors.ts';
import { describe, oneOf as nameOf, requireInteger } from '../../../core/shape.ts';
import type { Tensor } from '../../../tensor/tensor.ts';
import { hostLayer, type HostLayerOptions } from './lookup/hostLayer.ts';
import { factoryOf } from '../../options/factory.ts';
import { checked, integer, nullable, oneOf, own } from '../../options/kinds.ts';
import type { Option } from '../../options/option.ts';
import { notSparse } from './categories.ts';
import { hostArray, type HostNest, isString } from './lookup/hostValues.ts';
import { Lookup, type LookupOptions } from './lookup/lookup.ts';
import { VocabularyLayer } from './lookup/vocabularyLayer.ts';

// Splits texts into tokens, with TensorFlow's rules for letters, punctuation and whitespace.

const punctuation = /[!"#$%&()*+,\-./:;<=>?@[\\\]^_`{|}~']/g;

/** As TensorFlow's `strings.lower`: ASCII letters only. */
const lower = (text: string) => text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
const strip = (text: string) => text.replace(punctuation, '');

const standardizations = {
  lowerAndStripPunctuation: (text: string) => strip(lower(text)),
  lower,
  stripPunctuation: strip,
};

type Standardize = keyof typeof standardizations;

const splits = {
  whitespace: (text: string): readonly string[] => text.split(/[ \t\n\v\f\r]+/).filter((word) => word !== ''),
  character: (text: string): readonly string[] => [...text],
};

type Split = keyof typeof splits;

/** The tokens of a row of words. For a number n, the tokens of 1 to n words, shorter ones first. */
function ngramsOf(words: readonly string[], ngrams: number | readonly number[] | null): string[] {
  if (ngrams === null) return [...words];
  const widths = typeof ngrams === 'number' ? Array.from({ length: ngrams }, (_, i) => i + 1) : ngrams;
  return widths.flatMap((width) =>
    Array.from({ length: Math.max(0, words.length - width + 1) }, (_, i) =>
      words.slice(i, i + width).join(' '),
    ),
  );
}

type SharedOptions = Pick<
  LookupOptions<string>,
  'maxTokens' | 'outputMode' | 'padToMaxTokens' | 'vocabulary' | 'idfWeights' | 'sparse'
>;

export interface TextVectorizationOptions extends HostLayerOptions, SharedOptions {
  /**
   * The first processing step of a text: 'lower' (of ASCII letters), 'stripPunctuation', 'lowerAndStripPunctuation', a
   * function, or null for none. Default 'lowerAndStripPunctuation'.
   */
  standardize?: Standardize | ((text: string) => string) | null;
  /**
   * How a text is split into words: at 'whitespace', by 'character', by a function, or null for no splitting. Default
   * 'whitespace'.
   */
  split?: Split | ((text: string) => readonly string[]) | null;
  /** Numbers of words per token: a list, or the largest number. Default null: one. */
  ngrams?: number | readonly number[] | null;
  /** The number of indices per text, truncated or padded with 0. Default null: that of the longest text. */
  outputSequenceLength?: number | null;
  /** Must be false: there are no ragged tensors. */
  ragged?: false;
  /** The encoding of texts as bytes. */
  encoding?: 'utf-8';
}

export class TextVectorization extends /* @__PURE__ */ hostLayer<
  Pick<
    TextVectorizationOptions,
    'standardize' | 'split' | 'ngrams' | 'outputSequenceLength' | 'ragged' | 'encoding'
  >,
  VocabularyLayer
>(
  'TextVectorization',
  () => ({
    maxTokens: own,
    standardize: nullable(nameOrFunction(standardizations, 'lowerAndStripPunctuation')) as never,
    split: nullable(nameOrFunction(splits, 'whitespace')) as never,
    ngrams: checked(widthsOf, null),
    outputMode: own,
    outputSequenceLength: integer({ min: 0, default: null }),
    padToMaxTokens: own,
    vocabulary: own,
    idfWeights: own,
    sparse: notSparse(),
    ragged: notSparse(),
    encoding: oneOf(['utf-8'], 'utf-8'),
  }),
  VocabularyLayer,
) {
  protected readonly lookup: Lookup<string>;

  constructor(options: TextVectorizationOptions = {}) {
    super(options);
    const { outputSequenceLength, name } = this;
    const { maxTokens = null, outputMode = 'int', padToMaxTokens = false } = options;
    const { vocabulary = null, idfWeights = null } = options;
    if (outputSequenceLength !== null && outputMode !== 'int')
      throw unfit(
        name,
        "`outputSequenceLength` goes with outputMode: 'int'.",
        `outputMode: ${describe(outputMode)}`,
      );
    const shared = { maxTokens, outputMode, padToMaxTokens, vocabulary, idfWeights };
    this.lookup = new Lookup(name, { ...shared, maskToken: '', oovToken: '[UNK]' }, isString);
  }

  /** Learns the vocabulary of texts: the most frequent words first. Errors: ValueError for no words. */
  adapt(data: HostNest<string>): void {
    const documents = this.#tokensOf(data);
    if (documents.every((document) => document.length === 0))
      throw unfit(this.name, 'a vocabulary is learned from a word or more.', 'no words');
    this.lookup.adaptToDocuments(documents);
  }

  /** int32 indices of the words of texts, or the encoding of each text. */
  apply(inputs: HostNest<string>): Tensor {
    const documents = this.#tokensOf(inputs);
    const longest = Math.max(0, ...documents.map((document) => document.length));
    const length = this.outputSequenceLength ?? longest;
    // Padding is the mask token: index 0, and ignored in other encodings.
    const values = documents.flatMap((document) => Array.from({ length }, (_, i) => document[i] ?? ''));
    const shape = isString(inputs) ? [length] : [documents.length, length];
    return this.lookup.encode({ shape, values });
  }

  override getConfig(): Record<string, unknown> {
    const { maxTokens, outputMode, padToMaxTokens, vocabulary, idfWeights } = this.lookup.config;
    return { ...super.getConfig(), maxTokens, outputMode, padToMaxTokens, vocabulary, idfWeights };
  }

  /** Returns the tokens of each text. */
  #tokensOf(data: HostNest<string>): string[][] {
    const { standardize, split, ngrams } = this;
    const { shape, values } = hostArray(this.name, data, isString, 'texts');
    const standard = typeof standardize === 'string' ? standardizations[standardize] : standardize;
    const texts = standard ? values.map((text) => standard(text)) : values;
    const words = split === null ? this.#rowsOf(texts, shape) : texts.map(this.#splitter(split, shape));
    return words.map((row) => ngramsOf(row, ngrams));
  }

  /** Returns the rows of texts that aren't split. */
  #rowsOf(texts: readonly string[], shape: readonly number[]): string[][] {
    const width = shape.length > 1 ? (shape.at(-1) as number) : 1;
    return Array.from({ length: texts.length / width }, (_, i) => texts.slice(i * width, (i + 1) * width));
  }

  #splitter(split: Split | ((text: string) => readonly string[]), shape: readonly number[]) {
    if (shape.length > 2 || (shape.length === 2 && shape[1] !== 1))
      throw unfit(this.name, 'texts that are split come as [batch] or [batch, 1].', describe(shape));
    return typeof split === 'function' ? split : splits[split];
  }
}

function nameOrFunction(known: object, fallback: string): Option<unknown> {
  return checked((op, what, given: unknown) => {
    if (typeof given !== 'function') nameOf(op, what, given, Object.keys(known));
  }, fallback);
}

function widthsOf(op: string, what: string, given: unknown): void {
  for (const width of [given].flat()) requireInteger(op, what, width, 1);
}

function unfit(op: string, rule: string, received: string): ValueError {
  return new ValueError({ op, rule, received, hint: 'correct it, or leave it out for the default.' });
}

/**
 * Replaces texts by the indices of their words in a vocabulary, which is given or learned by `adapt`: padding has index 0,
 * unknown words 1. Texts are arrays on the host; apply the layer to them in front of a model:
 *
 *     const words = layers.textVectorization({ outputSequenceLength: 4 });
 *     words.adapt(['The cat', 'the dog']);
 *     words.apply(['A dog!']);   // int32 [[1, 3, 0, 0]]
 *
 * Shapes: [batch] or [batch, 1] → [batch, words], int32; 'multiHot', 'count' and 'tfIdf' → [batch, tokens], float32.
 * Errors: ValueError for invalid options, and for a layer without a vocabulary.
 */
export const textVectorization = /* @__PURE__ */ factoryOf(TextVectorization, [
  'maxTokens',
  'standardize',
  'split',
  'ngrams',
  'outputMode',
  'outputSequenceLength',
]);
