/** @file Finds the entries of the search index that match a query, the best first: by their names, then by their words. */
import MiniSearch from 'minisearch';
import { synonyms } from './searchSynonyms.ts';

/** `words` are shown next to the title; `text` and `keys` are searched and not shown. `keys` were chosen for the entry. */
export type Entry = readonly [
  title: string,
  kind: string,
  page: string,
  words: string,
  text?: string,
  keys?: string,
];

const SHOWN = 12;

/** One spelling of `maxPooling2d`, `max_pooling2d`, `MaxPooling2D()` and `max pooling 2d`. */
const folded = (text: string) => text.toLowerCase().replace(/[\s_-]+|\(.*$/g, '');

/** The name without those of its modules: `dense` of `keras.layers.dense`. */
const lastOf = (name: string) => name.slice(name.lastIndexOf('.') + 1);

/** What comes after exports: members of classes, other names, and names of other libraries. @see scripts/website */
const later: readonly (readonly [start: string, points: number])[] = [
  ['member of', 0.3],
  ['another name', 0.4],
  ['name in', 0.5],
];

/** What a method is called on: `step` of an optimizer is no op `step`, but `tidy` of tf is. */
const objects = /^(?:model|net|optimizer|loss|tape|x|tensor|layer|history)\./i;

/** From this length on, a query may be in the middle of a word: `entropy` in `crossentropy`, but not `ema` in `FeatureMaps`. */
const LONG = 5;

/** What a query is compared with. */
interface Name {
  readonly entry: Entry;
  readonly folded: string;
  readonly last: string;
  /** The title from each of its words on. */
  readonly words: readonly string[];
  /** Points that it is behind. @see later */
  readonly behind: number;
}

const nameOf = (entry: Entry): Name => {
  const [title, kind] = entry;
  const starts = [...title.matchAll(/[A-Z]|(?<![A-Za-z0-9])[a-z0-9]/g)].map(({ index }) => index);
  const name = folded(title);
  return {
    entry,
    folded: name,
    last: lastOf(name),
    words: starts.map((start) => folded(title.slice(start))),
    behind: later.find(([start]) => kind.startsWith(start))?.[1] ?? 0,
  };
};

/** Returns how well a name matches `query`; 0 if it doesn't. */
function nameScore(query: string): (name: Name) => number {
  const said = query.trim();
  const wanted = folded(query);
  const isOneWord = !/\s/.test(said);
  // Elsewhere layers are classes: Dense, nn.Conv2d.
  const isClass = /(?:^|\.)[A-Z][\w]*$/.test(said);
  // As another library names it: tf.layers.dense.
  const foreign = objects.test(said) ? 4.2 : 4.5;
  const matchOf = ({ entry: [title], folded: name, last, words }: Name): number => {
    const short = 1 / (1 + name.length);
    const asClass = isClass && title.startsWith('layers.') ? 0.6 : 0;
    if (name === wanted || `.${name}`.endsWith(`.${wanted}`)) return 5 + short + asClass;
    if (isOneWord && last === lastOf(wanted)) return foreign + short + asClass;
    if (name.startsWith(wanted) || last.startsWith(wanted)) return 4 + short;
    const isInside =
      wanted.length >= LONG ? name.includes(wanted) : words.some((word) => word.startsWith(wanted));
    return isInside ? 3 + short : 0;
  };
  // Several words are a question, not a name of another library.
  return (name) =>
    !isOneWord && name.entry[1].startsWith('name in') ? 0 : Math.max(0, matchOf(name) - name.behind);
}

/** Modules of other libraries, which are no words of ours. */
const modules = /^(?:tf|torch|keras|jax|jnp|np|nn)$/;

/** Words that say nothing of the subject. */
const common = new Set(
  (
    'a an and any anything are as at be by can cant could cannot do does did doesnt done dont don doesn everything few for from ' +
    'get gets getting give gives go goes going got has have how i if in into is isnt it its just let like make makes me my ' +
    'need needs not of on or our own please return returned returns run running runs should so some something t than that the ' +
    'their them then there these this js to use used uses using want was we what when where which while who why will with wont ' +
    'work works would you your'
  ).split(' '),
);

/** The words of a text, and each name also in its parts: `cropAndResize`, `crop`, `and`, `resize`. */
function wordsOf(text: string): string[] {
  return text
    .split(/[^\p{L}\p{N}_]+|_/u)
    .filter((word) => word !== '')
    .flatMap((word) => {
      const parts = word.split(/(?<=[a-z\d])(?=[A-Z])/);
      return parts.length > 1 ? [word, ...parts] : parts;
    });
}

/** Endings, the longest first, and what is left of them: `quantization`, `quantizing` and `quantize` are one word. */
const endings: readonly (readonly [ending: RegExp, left: string])[] = [
  [/(?<=[a-z]{3})i[sz](?:ations?|ing|ers?|ed|es?)$/, 'iz'],
  [/(?<=[a-z]{3})at(?:ions?|ing|ors?|ed|es?)$/, 'at'],
  [/(?<=[a-z]{4})(?:ings?|ed)$/, ''],
  [/(?<=[a-z]{2}(?:ss|sh|ch|x))es$/, ''],
  [/(?<=[a-z]{3})ies$/, 'y'],
  [/(?<=[a-z]{3}[^su])s$/, ''],
  [/(?<=[a-z]{3})e$/, ''],
];

/** `clip` of `clipping` and `Clips`: the word without an ending. */
function stem(word: string): string | null {
  const lower = word.toLowerCase();
  if (common.has(lower)) return null;
  const [ending, left] = endings.find(([found]) => found.test(lower)) ?? [];
  if (!ending || left === undefined) return lower;
  const bare = lower.replace(ending, left).replace(/([bdgmnprt])\1$/, '$1');
  return bare.length > 3 ? bare.replace(/e$/, '') : bare;
}

/** The guide explains; types, members and other libraries' names come last. */
function weightOf([title, kind]: Entry): number {
  if (later.some(([start]) => kind.startsWith(start))) return 0.3;
  if (/(?:Options|Settings|Parts|Arguments)$/.test(title)) return 0.25;
  return kind.startsWith('retrograd') ? 0.8 : kind === 'document' ? 1 : 2;
}

/** How much more a word says of an entry for which it was chosen than one in its text. */
const KEYS = 6;

function textIndex(entries: readonly Entry[]): MiniSearch {
  const index = new MiniSearch({
    fields: ['title', 'words', 'text', 'keys'],
    tokenize: wordsOf,
    processTerm: stem,
    searchOptions: {
      boost: { title: 4, words: 2, keys: KEYS },
      prefix: (term) => term.length > 3,
      fuzzy: (term) => (term.length > LONG ? 0.2 : false),
      weights: { prefix: 0.5, fuzzy: 0.15 },
      boostDocument: (id) => weightOf(entries[id] as Entry),
    },
  });
  index.addAll(
    entries.map(([title, , , words, text = '', keys = ''], id) => ({ id, title, words, text, keys })),
  );
  return index;
}

/** @see synonyms */
const WHOLE = { prefix: false, fuzzy: false };

/** The power of the share of a query's words that an entry has: one with all of them comes before one with a rare one. */
const COMPLETENESS = 3;

/**
 * Search in `entries`: at most a dozen for a query. What has the name comes first, then what has most of the words, or synonyms of
 * them, and what has a part of the name.
 */
export function searchIn(entries: readonly Entry[]): (query: string) => Entry[] {
  // Made by the first query: until then the index of a page costs nothing.
  let index: MiniSearch | undefined;
  let names: readonly Name[] | undefined;
  const byText = (query: string) => {
    index ??= textIndex(entries);
    const words = [...new Set(wordsOf(query).filter((word) => stem(word) !== null))];
    const best = new Map<number, { score: number; count: number }>();
    for (const word of words) {
      const found = new Map<number, number>();
      // A synonym is meant as a whole: `mobile`, not `MobileNet`.
      for (const form of [word, ...(synonyms[word.toLowerCase()]?.split(' ') ?? [])])
        for (const { id, score } of index.search(form, form === word ? {} : WHOLE))
          found.set(id, Math.max(found.get(id) ?? 0, score));
      for (const [id, score] of found) {
        const before = best.get(id) ?? { score: 0, count: 0 };
        best.set(id, { score: before.score + score, count: before.count + 1 });
      }
    }
    const rated = [...best].map(
      ([id, { score, count }]) => [id, score * (count / words.length) ** COMPLETENESS] as const,
    );
    return rated.sort(([, a], [, b]) => b - a).flatMap(([id]) => entries.slice(id, id + 1));
  };
  return (query) => {
    if (folded(query) === '') return [];
    const words = query.split(/[\s.]+/).filter((word) => !modules.test(word));
    const wanted = words.length > 0 ? words.join(' ') : query;
    names ??= entries.map(nameOf);
    const named = byName(names, query);
    const exact = named.filter(([points]) => points >= EXACT).map(([, entry]) => entry);
    const parts = named.filter(([points]) => points < EXACT).map(([, entry]) => entry);
    const isName = words.length < 2;
    const text = byText(wanted);
    const [best = [], others] = [text.slice(0, 1), text.slice(1)];
    const ordered = isName
      ? [...exact, ...parts, ...text]
      : [...exact, ...best, ...functionIn(entries, words), ...others, ...parts];
    return [...new Set(ordered)].slice(0, SHOWN);
  };
}

/** Names that are words of any question: `model`, `tensor`, `images`. More entries than this have them in their title or words. */
const GENERAL = 100;

/** The function that one of several words names: `transpose` of `transpose a matrix`. */
function functionIn(entries: readonly Entry[], words: readonly string[]): Entry[] {
  const wanted = words.filter((word) => stem(word) !== null).map(folded);
  const isGeneral = (name: string) => {
    const all = entries.filter(([title, , , said]) => `${title} ${said}`.toLowerCase().includes(name));
    return all.length > GENERAL;
  };
  const found = entries.filter(
    ([title, kind]) =>
      kind.startsWith('retrograd') && /^[a-z]/.test(lastOf(title)) && wanted.includes(folded(lastOf(title))),
  );
  return found.filter(([title]) => !isGeneral(folded(lastOf(title)))).slice(0, 1);
}

/** Points of a name that is all of the query, not a part of it. */
const EXACT = 3.5;

function byName(names: readonly Name[], query: string): (readonly [points: number, entry: Entry])[] {
  const score = nameScore(query);
  const rated = names.map((name) => [score(name), name.entry] as const).filter(([points]) => points > 0);
  return rated.sort(([a], [b]) => b - a).slice(0, SHOWN);
}
