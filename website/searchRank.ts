/** @file Finds the entries of the search index that match a query, the best first: by their names, then by their words. */
import MiniSearch from 'minisearch';

/** `words` are shown next to the title; `text` is searched and not shown. */
export type Entry = readonly [title: string, kind: string, page: string, words: string, text?: string];

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

/** How well the name of `entry` matches `query`; 0 if it doesn't. */
function nameScore(entry: Entry, query: string): number {
  const points = matchOfName(entry, query);
  const behind = later.find(([start]) => entry[1].startsWith(start))?.[1] ?? 0;
  return Math.max(0, points - behind);
}

function matchOfName([title]: Entry, query: string): number {
  const wanted = folded(query);
  const name = folded(title);
  const last = lastOf(name);
  const short = 1 / (1 + name.length);
  // Elsewhere layers are classes: Dense, nn.Conv2d.
  const isClass = /(?:^|\.)[A-Z][\w]*$/.test(query.trim());
  const asClass = isClass && title.startsWith('layers.') ? 0.6 : 0;
  if (name === wanted || `.${name}`.endsWith(`.${wanted}`)) return 5 + short + asClass;
  // As another library names it: tf.layers.dense.
  if (last === lastOf(wanted)) return (objects.test(query.trim()) ? 4.2 : 4.5) + short + asClass;
  if (name.startsWith(wanted) || last.startsWith(wanted)) return 4 + short;
  const isInside = wanted.length >= LONG ? name.includes(wanted) : startsWord(title, wanted);
  return isInside ? 3 + short : 0;
}

/** Whether `wanted` is where a word of `title` starts: `pool` in `maxPool`. */
function startsWord(title: string, wanted: string): boolean {
  const starts = [...title.matchAll(/[A-Z]|(?<![A-Za-z0-9])[a-z0-9]/g)].map(({ index }) => index);
  return starts.some((start) => folded(title.slice(start)).startsWith(wanted));
}

/** Modules of other libraries, which are no words of ours. */
const modules = /^(?:tf|torch|keras|jax|jnp|np|nn)$/;

const common = new Set(
  'a an and are as at be by do does for how i in is it my of on or the to what with'.split(' '),
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

/** `clip` of `clipping` and `Clips`: the word without an ending. */
function stem(word: string): string | null {
  const lower = word.toLowerCase();
  if (common.has(lower)) return null;
  const bare = lower.replace(/(?<=[a-z]{4})(?:ing|ed)$/, '');
  return bare === lower ? lower.replace(/(?<=[a-z]{3})(?<!s)s$/, '') : bare.replace(/([bdgmnprt])\1$/, '$1');
}

/** The guide explains; members and other libraries' names come last. */
function weightOf(kind: string): number {
  if (later.some(([start]) => kind.startsWith(start))) return 0.4;
  return kind.startsWith('retrograd') || kind === 'document' ? 1 : 2;
}

function textIndex(entries: readonly Entry[]): MiniSearch {
  const index = new MiniSearch({
    fields: ['title', 'words', 'text'],
    tokenize: wordsOf,
    processTerm: stem,
    searchOptions: {
      boost: { title: 4, words: 2 },
      prefix: (term) => term.length > 2,
      fuzzy: (term) => (term.length >= LONG ? 0.2 : false),
      weights: { prefix: 0.6, fuzzy: 0.2 },
      boostDocument: (id) => weightOf(entries[id]?.[1] ?? ''),
    },
  });
  index.addAll(entries.map(([title, , , words, text = ''], id) => ({ id, title, words, text })));
  return index;
}

/**
 * Search in `entries`: at most a dozen for a query. Names come first, then entries in which all words of the query occur; where
 * there are none, those in which some do.
 */
export function searchIn(entries: readonly Entry[]): (query: string) => Entry[] {
  // Built by the first query: until then the index of a page costs nothing.
  let index: MiniSearch | undefined;
  const byText = (query: string, combineWith: 'AND' | 'OR') => {
    index ??= textIndex(entries);
    return index.search(query, { combineWith }).flatMap(({ id }) => entries.slice(id, id + 1));
  };
  return (query) => {
    if (folded(query) === '') return [];
    const words = query.split(/[\s.]+/).filter((word) => !modules.test(word));
    const wanted = words.length > 0 ? words.join(' ') : query;
    const named = byName(entries, query);
    const found = [...new Set([...named, ...byText(wanted, 'AND')])];
    return (found.length > 0 ? found : byText(wanted, 'OR')).slice(0, SHOWN);
  };
}

function byName(entries: readonly Entry[], query: string): Entry[] {
  const rated = entries
    .map((entry) => [nameScore(entry, query), entry] as const)
    .filter(([points]) => points > 0);
  return rated
    .sort(([a], [b]) => b - a)
    .slice(0, SHOWN)
    .map(([, entry]) => entry);
}
