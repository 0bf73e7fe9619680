/**
 * @file A small language with a grammar, in which a word's tag depends on its neighbours: "may" is a name after a title
 * and an auxiliary elsewhere, and a place follows "in".
 */
import { numbers } from './numbers.ts';

const titles = ['mr', 'ms', 'dr'];
const names = ['may', 'ada', 'will', 'rose', 'mark'];
const verbs = ['sees', 'likes', 'may', 'will', 'mark'];
const places = ['paris', 'rose', 'lima', 'ada'];
const others = ['the', 'a', 'house', 'river', 'and'];

export const vocabulary = [...new Set(['in', ...titles, ...names, ...verbs, ...places, ...others])];
export const tags = ['other', 'person', 'place'];

/** Sentences of `length` words, as numbers, with a tag for each word. */
export function sentences(count: number, length: number, seed: number): { x: number[][]; y: number[][] } {
  const next = numbers(seed);
  const pick = (list: readonly string[]) => list[Math.floor(next() * list.length)] as string;
  const rows = Array.from({ length: count }, () => {
    const words: [string, string][] = [];
    const clause = () => {
      if (next() < 0.6) words.push([pick(titles), 'other'], [pick(names), 'person']);
      else words.push([pick(others), 'other']);
      words.push([pick(verbs), 'other']);
      if (next() < 0.6) words.push(['in', 'other'], [pick(places), 'place']);
      else words.push([pick(others), 'other']);
    };
    while (words.length < length) clause();
    return words.slice(0, length);
  });
  return {
    x: rows.map((row) => row.map(([word]) => vocabulary.indexOf(word as string))),
    y: rows.map((row) => row.map(([, tag]) => tags.indexOf(tag as string))),
  };
}
