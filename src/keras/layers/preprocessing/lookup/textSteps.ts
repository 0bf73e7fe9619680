/** @file Splits texts into tokens, with TensorFlow's rules for letters, punctuation and whitespace. */

const punctuation = /[!"#$%&()*+,\-./:;<=>?@[\\\]^_`{|}~']/g;

/** As TensorFlow's `strings.lower`: ASCII letters only. */
const lower = (text: string) => text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
const strip = (text: string) => text.replace(punctuation, '');

export const standardizations = {
  lowerAndStripPunctuation: (text: string) => strip(lower(text)),
  lower,
  stripPunctuation: strip,
};

export type Standardize = keyof typeof standardizations;

export const splits = {
  whitespace: (text: string): readonly string[] => text.split(/[ \t\n\v\f\r]+/).filter((word) => word !== ''),
  character: (text: string): readonly string[] => [...text],
};

export type Split = keyof typeof splits;

/** The tokens of a row of words. For a number n, the tokens of 1 to n words, shorter ones first. */
export function ngramsOf(words: readonly string[], ngrams: number | readonly number[] | null): string[] {
  if (ngrams === null) return [...words];
  const widths = typeof ngrams === 'number' ? Array.from({ length: ngrams }, (_, i) => i + 1) : ngrams;
  return widths.flatMap((width) =>
    Array.from({ length: Math.max(0, words.length - width + 1) }, (_, i) =>
      words.slice(i, i + width).join(' '),
    ),
  );
}
