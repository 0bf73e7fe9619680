/**
 * @file What an object has as properties: layers and variables, in arrays, records, maps and sets at any depth. That is
 * how a layer knows the layers inside it. Private `#fields` can't be seen from outside, so they don't count.
 */

/** The values of `owner`'s properties that satisfy `wanted`, each once, in the order of the properties. */
export function findInProperties<T>(owner: object, wanted: (value: unknown) => value is T): T[] {
  const found = new Set<T>();
  const seen = new Set<unknown>();
  const search = (value: unknown): void => {
    if (typeof value !== 'object' || value === null || seen.has(value)) return;
    seen.add(value);
    if (wanted(value)) found.add(value);
    else for (const part of partsOf(value)) search(part);
  };
  for (const value of Object.values(owner)) search(value);
  return [...found];
}

/** What a container holds; nothing for objects of classes, which keep to themselves what they have. */
function partsOf(value: object): Iterable<unknown> {
  if (Array.isArray(value) || value instanceof Set) return value;
  if (value instanceof Map) return value.values();
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null ? Object.values(value) : [];
}
