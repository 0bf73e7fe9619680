/** @file skipgrams: pairs of words and their neighbours, as in Keras. */
import { ValueError } from '../core/errors.ts';
import { type OptionNames, optionsOf } from '../core/options.ts';
import { generator, permutation } from '../core/permutation.ts';
import { describe, requireBoolean, requireFinite, requireInteger } from '../core/shape.ts';
import { checkSeed, freshSeed } from '../ops/define/seeds.ts';

export interface SkipgramsOptions {
  /** How far a neighbour is from its word, at most. Default 4. */
  windowSize?: number;
  /** Pairs with a random word for each pair with a neighbour. Default 1; 0 for none. */
  negativeSamples?: number;
  /** Whether the pairs come in random order. Default true. */
  shuffle?: boolean;
  /** Whether labels are [0, 1] and [1, 0] rather than 1 and 0. Default false. */
  categorical?: boolean;
  /** The probability with which each word of the vocabulary is taken. Default: all are. */
  samplingTable?: readonly number[] | Float32Array | null;
  /** Makes the result reproducible. Default: a new seed. */
  seed?: number | null;
}

const optionNames: OptionNames<SkipgramsOptions> = {
  windowSize: true,
  negativeSamples: true,
  shuffle: true,
  categorical: true,
  samplingTable: true,
  seed: true,
};

const op = 'skipgrams';

/** Pairs of words, and whether the second is a neighbour of the first. */
export type Skipgrams = [couples: [word: number, other: number][], labels: (number | [number, number])[]];

/**
 * Pairs [word, neighbour] of a sequence of word indices with the label 1, and pairs [word, random word] with the label 0. Index 0 is
 * no word and is left out. Random words are 1 to `vocabularySize` - 1. Source: Mikolov et al. 2013, "Efficient estimation of word
 * representations in vector space".
 *
 *     const [couples, labels] = skipgrams([1, 2, 3], 4, { windowSize: 1, negativeSamples: 0, shuffle: false });
 *     // [[1, 2], [2, 1], [2, 3], [3, 2]] and [1, 1, 1, 1]
 *
 * Errors: ValueError for indices that the vocabulary doesn't have, and for invalid options.
 */
export function skipgrams(
  sequence: readonly number[] | Int32Array,
  vocabularySize: number,
  options?: SkipgramsOptions,
): Skipgrams;
export function skipgrams(sequence: unknown, vocabularySize: number, ...args: unknown[]): Skipgrams {
  const options: SkipgramsOptions = optionsOf(op, args, optionNames, ['sequence', 'vocabularySize']);
  const { windowSize = 4, negativeSamples = 1, shuffle = true, categorical = false } = options;
  requireInteger(op, 'vocabularySize', vocabularySize, 2);
  requireInteger(op, 'windowSize', windowSize, 1);
  requireFinite(op, 'negativeSamples', negativeSamples, 0);
  requireBoolean(op, 'shuffle', shuffle);
  requireBoolean(op, 'categorical', categorical);
  checkSeed(op, options.seed ?? undefined);
  const words = wordsOf(sequence, vocabularySize);
  const seed = options.seed ?? freshSeed();
  const random = generator(seed, 0);
  const couples = neighbours(
    words,
    windowSize,
    takenBy(options.samplingTable ?? null, vocabularySize, random),
  );
  const found = couples.length;
  const order = permutation(found, seed, 1);
  for (let i = 0; i < Math.floor(found * negativeSamples); i++) {
    const [word] = couples[order[i % found] as number] as [number, number];
    couples.push([word, 1 + Math.floor(random() * (vocabularySize - 1))]);
  }
  const labelOf = (isFound: boolean): number | [number, number] => {
    if (categorical) return isFound ? [0, 1] : [1, 0];
    return Number(isFound);
  };
  const places = shuffle ? [...permutation(couples.length, seed, 2)] : [...couples.keys()];
  return [places.map((i) => couples[i] as [number, number]), places.map((i) => labelOf(i < found))];
}

/** Returns the pairs of each word that is taken with its neighbours. */
function neighbours(
  words: ArrayLike<number>,
  windowSize: number,
  isTaken: (word: number) => boolean,
): [number, number][] {
  const couples: [number, number][] = [];
  for (let i = 0; i < words.length; i++) {
    const word = words[i] as number;
    if (word === 0 || !isTaken(word)) continue;
    const end = Math.min(words.length, i + windowSize + 1);
    for (let j = Math.max(0, i - windowSize); j < end; j++)
      if (j !== i && words[j] !== 0) couples.push([word, words[j] as number]);
  }
  return couples;
}

function wordsOf(sequence: unknown, vocabularySize: number): ArrayLike<number> {
  const isList = Array.isArray(sequence) || (ArrayBuffer.isView(sequence) && !(sequence instanceof DataView));
  const words = isList ? Array.from(sequence as ArrayLike<unknown>) : [];
  const isWord = (word: unknown) =>
    Number.isInteger(word) && (word as number) >= 0 && (word as number) < vocabularySize;
  if (isList && words.every(isWord)) return words as number[];
  throw new ValueError({
    op,
    rule: `words are integers from 0 to ${vocabularySize - 1}, in a list.`,
    received: describe(words.find((word) => !isWord(word)) ?? sequence),
    hint: 'count words from 1, and pass a vocabularySize that is one more than the largest index.',
  });
}

/** Returns whether a word is taken, by its probability. */
function takenBy(table: unknown, vocabularySize: number, random: () => number): (word: number) => boolean {
  if (table === null) return () => true;
  const isList = Array.isArray(table) || table instanceof Float32Array;
  const probabilities = isList ? Array.from(table as ArrayLike<unknown>) : [];
  const isProbability = (value: unknown) => typeof value === 'number' && value >= 0;
  if (probabilities.length >= vocabularySize && probabilities.every(isProbability))
    return (word) => (probabilities[word] as number) >= random();
  throw new ValueError({
    op,
    rule: '`samplingTable` has a probability for each word of the vocabulary.',
    received: describe(table),
    hint: 'pass vocabularySize numbers.',
  });
}
