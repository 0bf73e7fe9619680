/**
 * @file Values per output. Targets, weights, losses and metrics are given as one value, as an array in the order of the
 * outputs, or as a record by output name.
 */
import { ValueError } from '../../core/errors.ts';
import { describe } from '../../core/shape.ts';
import type { Nest } from '../tensorNest.ts';

/** Returns whether `value` is a plain object. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null) return false;
  const prototype = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

/**
 * Returns `given` with a value for each of `names`, where outputs are nested in records: those of `{ q: [a, b] }` are 'q/a' and 'q/b'.
 * Other values are returned as they are.
 */
export function flatRecord<T>(given: T, names: readonly string[]): T | Record<string, unknown> {
  const entriesIn = (key: string, value: unknown): [string, unknown][] => {
    const inside = names.filter((name) => name.startsWith(`${key}/`));
    if (names.includes(key) || inside.length === 0) return [[key, value]];
    if (isRecord(value))
      return Object.entries(value).flatMap(([name, one]) => entriesIn(`${key}/${name}`, one));
    return Array.isArray(value) && value.length === inside.length
      ? value.map((one, i) => [inside[i] as string, one])
      : [[key, value]];
  };
  if (!isRecord(given)) return given;
  return Object.fromEntries(Object.entries(given).flatMap(([key, value]) => entriesIn(key, value)));
}

/**
 * Returns the names of the outputs in `yPred`: the keys of a record; otherwise the model's output names, or `output_1`,
 * `output_2`, and so on.
 */
export function outputNamesOf(yPred: Nest<unknown>, known: readonly string[] | null): readonly string[] {
  if (isRecord(yPred)) {
    const keys = Object.keys(flatRecord(yPred, known ?? []));
    const same = known && known.length === keys.length && known.every((name) => keys.includes(name));
    return same ? known : keys;
  }
  const count = Array.isArray(yPred) ? yPred.length : 1;
  if (known?.length === count) return known;
  return Array.from({ length: count }, (_, i) => `output_${i + 1}`);
}

/**
 * Returns the values of `given` in the order of `names`; undefined for names that a record lacks.
 * Errors: ValueError for a wrong number of values, and for names that no output has.
 */
export function inOutputOrder<T>(
  op: string,
  what: string,
  given: Nest<T>,
  names: readonly string[],
): (T | undefined)[] {
  if (isRecord(given)) {
    const flat = flatRecord(given, names) as Record<string, T>;
    const unknown = Object.keys(flat).filter((name) => !names.includes(name));
    if (unknown.length === 0) return names.map((name) => flat[name]);
    throw new ValueError({
      op,
      rule: `the keys of \`${what}\` must be names of outputs: ${names.map(describe).join(', ')}.`,
      received: unknown.map(describe).join(', '),
      hint: 'an output is named after its layer, or by its key in a record.',
    });
  }
  const list = (Array.isArray(given) ? given : [given]) as T[];
  if (list.length === names.length) return list;
  throw new ValueError({
    op,
    rule: `\`${what}\` must have a value for each output: ${names.join(', ')}.`,
    received: `${list.length} values for ${names.length} outputs`,
    hint: 'pass an array in that order, or a record by name.',
  });
}
