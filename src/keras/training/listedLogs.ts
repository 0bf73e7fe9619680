/**
 * @file Logs by name that can also be destructured in Keras's order: `const [loss, accuracy] = await net.evaluate(x, y)`.
 */
import type { Logs } from './batch.ts';

/** Values by name; by iteration in the order of `model.metricsNames`. */
export type ListedLogs = Logs & Iterable<number>;

/** Returns `logs`, which can then be iterated in the order of `keys`, the names of the metrics. */
export function listed(logs: Logs, keys: readonly string[]): ListedLogs {
  const values = () =>
    Object.keys(logs)
      .sort((a, b) => placeOf(a, keys) - placeOf(b, keys))
      .map((name) => logs[name] as number);
  // Hidden, so that the logs look like any other record.
  const value = () => values()[Symbol.iterator]();
  return Object.defineProperty(logs, Symbol.iterator, { value }) as ListedLogs;
}

/** A metric of several values is logged as `name_0`, `name_1`, … Values that belong to no metric come last. */
function placeOf(name: string, keys: readonly string[]): number {
  const place = keys.findIndex((key) => key === name || key === name.replace(/_\d+$/, ''));
  return place < 0 ? keys.length : place;
}
