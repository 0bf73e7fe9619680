/**
 * @file Which weight of a file is which weight of a model. Layers that nobody named are numbered as they are made, so that
 * a model that is made again has other numbers (`dense_3/kernel` for `dense_1/kernel`) in the same order. And Keras names the weights of inner layers by all layers around
 * them in a model that code made (`context/forward_lstm/lstm_cell/kernel`), and by fewer in one that it loaded
 * (`forward_lstm/lstm_cell/kernel`); both are the same model.
 */

/**
 * For each path its name in the file. All are the same, or all but for the numbers; or some are the same, and for what is
 * left, the one name that is an end of it, or of which it
 * is an end. Paths without such a name, and those that share one, aren't in the answer.
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
  const pairs = open.flatMap((path) => {
    const found = free.filter((name) => isEnd(name, path) || isEnd(path, name));
    return found.map((name) => [path, name] as const);
  });
  const paired = countOf(pairs.map(([path]) => path));
  const taken = countOf(pairs.map(([, name]) => name));
  for (const [path, name] of pairs)
    if (paired.get(path) === 1 && taken.get(name) === 1) matched.set(path, name);
  return matched;
}

/** The answer where paths and names differ in numbers alone; null where they differ in more. */
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

/** The paths with numbers in the order of those that they have: of `a_3/k` and `a_7/k` they are `a#0/k` and `a#1/k`. */
function placesOf(paths: readonly string[]): string[] {
  const split = paths.map((path) => path.split('/'));
  const depth = Math.max(0, ...split.map(({ length }) => length));
  const places = split.map(() => '');
  for (let level = 0; level < depth; level++) {
    // Numbers count among layers of one kind inside the same layer.
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
    parts.forEach((part, i) => {
      if (!part) return;
      const numbers = [...(kinds.get(part.key) as Set<number>)].sort((a, b) => a - b);
      places[i] = `${part.key}#${numbers.indexOf(part.number)}`;
    });
  }
  return places;
}

function isEnd(end: string, path: string): boolean {
  return path.endsWith(`/${end}`);
}

function countOf(items: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const item of items) counts.set(item, (counts.get(item) ?? 0) + 1);
  return counts;
}
