/**
 * @file Matches the weights of a file to those of a model. Layers without a given name are numbered as they are created, so
 * a model that is created again has other numbers in the same order (`dense_3/kernel` for `dense_1/kernel`). And Keras
 * prefixes the weights of inner layers with all outer layers in a model built by code
 * (`context/forward_lstm/lstm_cell/kernel`), but with fewer in a model that it loaded (`forward_lstm/lstm_cell/kernel`).
 */

/**
 * Maps each path to its name in the file. Either all are equal, or all are equal except for the numbers, or some are equal
 * and each other path matches the one name that is a suffix of it or vice versa. Paths without a match, or with an
 * ambiguous one, are missing from the result.
 */
export function matchPaths(paths: readonly string[], names: readonly string[]): Map<string, string> {
  const known = new Set(names);
  if (!paths.every((path) => known.has(path))) {
    const renumbered = matchNumbered(paths, names);
    if (renumbered) return renumbered;
  }
  const matched = new Map(paths.filter((path) => known.has(path)).map((path) => [path, path]));
  const open = paths.filter((path) => !matched.has(path));
  const free = names.filter((name) => !matched.has(name));
  const isFree = new Set(free);
  const byEnd = new Map<string, string[]>();
  for (const name of free) {
    for (const end of endsOf(name)) {
      const sharing = byEnd.get(end) ?? [];
      sharing.push(name);
      byEnd.set(end, sharing);
    }
  }
  const pairs = open.flatMap((path) => {
    const found = [...endsOf(path).filter((end) => isFree.has(end)), ...(byEnd.get(path) ?? [])];
    return found.map((name) => [path, name] as const);
  });
  const paired = countOf(pairs.map(([path]) => path));
  const taken = countOf(pairs.map(([, name]) => name));
  for (const [path, name] of pairs)
    if (paired.get(path) === 1 && taken.get(name) === 1) matched.set(path, name);
  return matched;
}

/** Returns the matches if paths and names differ only in numbers; otherwise null. */
function matchNumbered(paths: readonly string[], names: readonly string[]): Map<string, string> | null {
  const places = placesOf(names);
  const byPlace = new Map(names.map((name, i) => [places[i] as string, name]));
  if (byPlace.size !== paths.length) return null;
  const matched = new Map<string, string>();
  for (const [i, place] of placesOf(paths).entries()) {
    const name = byPlace.get(place);
    if (name === undefined) return null;
    matched.set(paths[i] as string, name);
  }
  return matched;
}

/** Returns the paths with numbers replaced by ranks: `a_3/k` and `a_7/k` become `a#0/k` and `a#1/k`. */
function placesOf(paths: readonly string[]): string[] {
  const split = paths.map((path) => path.split('/'));
  const depth = split.reduce((max, { length }) => Math.max(max, length), 0);
  const places = split.map(() => '');
  for (let level = 0; level < depth; level++) {
    // Ranks count layers of the same kind inside the same layer.
    const kinds = new Map<string, Set<number>>();
    const parts = split.map((segments, i) => {
      const segment = segments[level];
      if (segment === undefined) return null;
      const [, kind = segment, number = '0'] = /^(.+)_(\d+)$/.exec(segment) ?? [];
      const key = `${places[i]}/${kind}`;
      const numbers = kinds.get(key) ?? new Set();
      kinds.set(key, numbers.add(Number(number)));
      return { key, number: Number(number) };
    });
    const ranks = new Map([...kinds].map(([key, numbers]) => [key, ranksOf(numbers)]));
    parts.forEach((part, i) => {
      if (part) places[i] = `${part.key}#${ranks.get(part.key)?.get(part.number)}`;
    });
  }
  return places;
}

function ranksOf(numbers: ReadonlySet<number>): Map<number, number> {
  return new Map([...numbers].sort((a, b) => a - b).map((number, rank) => [number, rank]));
}

/** Returns what comes after each slash. */
function endsOf(path: string): string[] {
  const parts = path.split('/');
  return parts.slice(1).map((_, i) => parts.slice(i + 1).join('/'));
}

function countOf(items: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const item of items) counts.set(item, (counts.get(item) ?? 0) + 1);
  return counts;
}
