/**
 * @file Which weight of a file is which weight of a model. Keras names the weights of inner layers by all layers around
 * them in a model that code made (`context/forward_lstm/lstm_cell/kernel`), and by fewer in one that it loaded
 * (`forward_lstm/lstm_cell/kernel`); both are the same model.
 */

/**
 * For each path its name in the file: the same, or, for what is left, the one name that is an end of it, or of which it
 * is an end. Paths without such a name, and those that share one, aren't in the answer.
 */
export function matchPaths(paths: readonly string[], names: readonly string[]): Map<string, string> {
  const known = new Set(names);
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

function isEnd(end: string, path: string): boolean {
  return path.endsWith(`/${end}`);
}

function countOf(items: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const item of items) counts.set(item, (counts.get(item) ?? 0) + 1);
  return counts;
}
