/** @file Sentences whose words are labelled: templates with names in their gaps. */
import { labels } from './network.ts';
import given from './sentences.json' with { type: 'json' };

export interface Sentence {
  readonly words: readonly string[];
  /** The number of each word's label. */
  readonly labels: readonly number[];
}

type Kind = (typeof labels)[number];

/** The kinds of names that the gaps of templates take. */
const kinds: Readonly<Record<string, Kind>> = { P: 'person', L: 'place', O: 'organization' };

/** Each third name is held back: the page isn't shown it with a label. */
const isHeldBack = (_: string, i: number) => i % 3 === 2;

/** Those that are learned are of more kinds; some have no names, so that other words don't become some. */
const { learned, more, heldBack } = given.templates;
const templates = { learned: [...learned, ...more, ...given.plain], heldBack };

/** Words, and signs by themselves. */
export function wordsOf(text: string): string[] {
  return text.match(/[\p{L}\p{N}]+(?:['’-][\p{L}\p{N}]+)*|\S/gu) ?? [];
}

/** Makes `count` sentences, the same for the same seed; those held back have other templates and other names. */
export function sentencesOf(count: number, seed: number, part: 'learned' | 'heldBack'): Sentence[] {
  const random = randomOf(seed);
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
  const known = (list: readonly string[]) =>
    list.filter((name, i) => isHeldBack(name, i) === (part === 'heldBack'));
  const { names, kinds: ofWhat } = given.organizations;
  const [first, last, places, owners] = [given.first, given.last, given.places, names].map(known) as [
    string[],
    string[],
    string[],
    string[],
  ];
  const nameOf: Readonly<Record<Kind, () => string>> = {
    none: () => '',
    person: () => pick([`${pick(first)} ${pick(last)}`, pick(first), pick(last)]),
    place: () => pick(places),
    organization: () => `${pick(owners)} ${pick(ofWhat)}`,
  };
  return Array.from({ length: count }, () => {
    const parts = pick(templates[part])
      .split(' ')
      .flatMap((word) => {
        const kind = kinds[word.slice(1, -1)] ?? 'none';
        const words = kind === 'none' ? [word] : nameOf[kind]().split(' ');
        return words.map((one) => ({ word: one, label: labels.indexOf(kind) }));
      });
    return { words: parts.map(({ word }) => word), labels: parts.map(({ label }) => label) };
  });
}

/** Numbers from 0 to 1. Source: mulberry32, T. Ettinger, in the public domain. */
function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}
