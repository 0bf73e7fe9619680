/**
 * @file patternFault: finds regular expressions that can take a time beyond any bound. Engines try every way to divide a text among
 * repetitions: with repetitions inside repetitions these are exponentially many, with k of the same characters in a row about n^k.
 * Source: J. Kirrage, A. Rathnayake and H. Thielecke, "Static Analysis for Regular Expression Denial-of-Service Attacks", 2013.
 */
import {
  type Alternatives,
  type Characters,
  type Item,
  parsePattern,
  type Sequence,
} from './parsePattern.ts';

/** Longer than any that tokenizers have. */
const maxLength = 2 ** 14;
/** Repetitions of the same characters in a row: known tokenizers have two, such as `\s*[\r\n]+`. */
const maxInRow = 2;

/** What is wrong with a pattern; null for one that may be used. */
export function patternFault(pattern: string): string | null {
  if (pattern.length > maxLength) return `it has at most ${maxLength} characters`;
  const alternatives = parsePattern(pattern);
  return alternatives ? faultIn(alternatives) : 'its brackets are closed, and it nests at most 50 deep';
}

function faultIn(alternatives: Alternatives): string | null {
  for (const sequence of alternatives) {
    if (hasManyInRow(sequence)) return `at most ${maxInRow} repetitions in a row take the same characters`;
    for (const { group, isRepeated } of sequence) {
      const fault = group && faultIn(group);
      if (fault) return fault;
      if (group && isRepeated && !isClear(group))
        return 'what is repeated has no repetitions, or they end where it does';
    }
  }
  return null;
}

function hasManyInRow(sequence: Sequence): boolean {
  let row: Item[] = [];
  for (const item of sequence) {
    if (item.isRepeated && !item.group) {
      const longer = [...row, item];
      row = areShared(longer) ? longer : [item];
    } else if (!item.isOptional) row = [];
    if (row.length > maxInRow) return true;
  }
  return false;
}

/**
 * Whether a text is divided among the repetitions of a group in one way only: each alternative begins with one character, which no other
 * begins with and which none of its repetitions takes.
 */
function isClear(group: Alternatives): boolean {
  const begins = group.map(([first]) => (first && isSingle(first) ? first : null));
  const known = begins.filter((begin) => begin !== null);
  if (known.length < begins.length) return false;
  if (known.some((begin, i) => known.slice(i + 1).some((other) => areShared([begin, other])))) return false;
  return group.every(([, ...rest]) =>
    rest.every((item) => isSingle(item) || (!item.group && !known.some((begin) => areShared([begin, item])))),
  );
}

const isSingle = ({ group, isRepeated, isOptional }: Item) => !group && !isRepeated && !isOptional;

/** Whether all items take one of the characters. */
function areShared([first, ...others]: readonly Item[]): boolean {
  const has = ({ characters }: Item, character: string) => characters.has(character);
  return [...(first?.characters ?? (new Set() as Characters))].some((character) =>
    others.every((item) => has(item, character)),
  );
}
