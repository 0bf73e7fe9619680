/** @file Finds the entries of the search index that match a query, the best first. */

export type Entry = readonly [title: string, kind: string, page: string, words: string];

const SHOWN = 12;

/** How well `entry` matches `query`, in lower case; 0 if it doesn't. */
function score([title, kind, , words]: Entry, query: string): number {
  const name = title.toLowerCase();
  const last = name.slice(name.lastIndexOf('.') + 1);
  const short = 1 / (1 + name.length);
  if (name === query || last === query) return 5 + short;
  if (name.startsWith(query) || last.startsWith(query)) return 4 + short;
  if (name.includes(query)) return 3 + short;
  const text = `${name} ${kind.toLowerCase()} ${words.toLowerCase()}`;
  return query.split(/\s+/).every((word) => text.includes(word)) ? 1 + short : 0;
}

/** At most a dozen entries for `query`, which is in lower case. */
export function find(entries: readonly Entry[], query: string): Entry[] {
  const rated = entries
    .map((entry) => [score(entry, query), entry] as const)
    .filter(([points]) => points > 0);
  return rated
    .sort(([a], [b]) => b - a)
    .slice(0, SHOWN)
    .map(([, entry]) => entry);
}
