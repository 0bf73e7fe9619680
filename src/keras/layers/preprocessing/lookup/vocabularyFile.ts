/** @file The file of a vocabulary in a `.keras` archive: a token in each line. */

export const vocabularyFile = 'vocabulary.txt';

/** The tokens in `text`, without the empty lines at its end. */
export function tokensIn(text: string): string[] {
  const lines = text.split(/\r?\n/);
  while (lines.at(-1) === '') lines.pop();
  return lines;
}
