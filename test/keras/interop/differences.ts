/** @file Finds the differences between two JSON documents. */

/** Keras stores some options, such as those of L1, in float32 tensors. */
const plain = (value: unknown) => (typeof value === 'number' ? Math.fround(value) : value);

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;

/** Returns the places where `found` differs from `expected`, each with both values. A missing key counts as undefined. */
export function differences(found: unknown, expected: unknown, place = 'top'): string[] {
  const isSameKind = Array.isArray(found) === Array.isArray(expected);
  if (!isObject(found) || !isObject(expected) || !isSameKind)
    return Object.is(plain(found), plain(expected))
      ? []
      : [`${place}: ${JSON.stringify(found)}, not ${JSON.stringify(expected)}`];
  const keys = new Set([...Object.keys(found), ...Object.keys(expected)]);
  return [...keys].flatMap((key) => differences(found[key], expected[key], `${place}.${key}`));
}
