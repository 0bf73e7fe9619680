/** @file Finds the entries of the search index that match a query, the best first. */

export type Entry = readonly [title: string, kind: string, page: string, words: string];

const SHOWN = 12;

/** One spelling of `maxPooling2d`, `max_pooling2d`, `MaxPooling2D()` and `max pooling 2d`. */
const folded = (text: string) => text.toLowerCase().replace(/[\s_-]+|\(.*$/g, '');

/** The name without those of its modules: `dense` of `keras.layers.dense`. */
const lastOf = (name: string) => name.slice(name.lastIndexOf('.') + 1);

/** What comes after exports: members of classes, and names of other libraries. @see scripts/website */
const later: readonly (readonly [start: string, points: number])[] = [
  ['member of', 0.3],
  ['name in', 0.5],
];

/** What a method is called on: `step` of an optimizer is no op `step`, but `tidy` of tf is. */
const objects = /^(?:model|net|optimizer|loss|tape|x|tensor|layer|history)\./i;

/** How well `entry` matches `query`; 0 if it doesn't. */
function score(entry: Entry, query: string): number {
  const points = match(entry, query);
  const behind = later.find(([start]) => entry[1].startsWith(start))?.[1] ?? 0;
  return Math.max(0, points - behind);
}

function match([title, kind, , words]: Entry, query: string): number {
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
  if (name.includes(wanted)) return 3 + short;
  const text = `${title} ${kind} ${words}`.toLowerCase();
  const parts = query.toLowerCase().trim().split(/\s+/);
  return parts.every((word) => text.includes(word)) ? 1 + short : 0;
}

/** Modules of other libraries, which are no words of ours. */
const modules = /^(?:tf|torch|keras|jax|np|nn|data|train)$/;

/** `image` and `resize` of `tf.image.resize`; without the s of a plural. */
const wordsOf = (query: string) =>
  query
    .trim()
    .split(/[\s._()-]+|(?<=[a-z])(?=[A-Z])/)
    .map((word) => word.toLowerCase().replace(/(?<=\w{3})s$/, ''))
    .filter((word) => word.length > 1 && !modules.test(word));

/** For a query that no name is like: 1 and less where all of its words occur. */
function wordScore([title, kind, , words]: Entry, wanted: readonly string[]): number {
  const text = `${title} ${kind} ${words}`.toLowerCase();
  return wanted.length > 0 && wanted.every((word) => text.includes(word)) ? 1 / (1 + title.length) : 0;
}

/** At most a dozen entries for `query`. */
export function find(entries: readonly Entry[], query: string): Entry[] {
  if (folded(query) === '') return [];
  const wanted = wordsOf(query);
  const found = rate(entries, (entry) => score(entry, query));
  return found.length > 0 ? found : rate(entries, (entry) => wordScore(entry, wanted));
}

function rate(entries: readonly Entry[], scoreOf: (entry: Entry) => number): Entry[] {
  const rated = entries.map((entry) => [scoreOf(entry), entry] as const).filter(([points]) => points > 0);
  return rated
    .sort(([a], [b]) => b - a)
    .slice(0, SHOWN)
    .map(([, entry]) => entry);
}
