/**
 * @file Finds layers and variables among the properties of an object, including those in arrays, records, maps and sets.
 * A layer tracks the layers inside it this way. Private `#fields` are not visible from outside and are not found.
 */

/** Values in the properties of `owner` that satisfy `wanted`, each once, in property order. */
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

/** Returns the items of a container. Instances of classes are not searched. */
function partsOf(value: object): Iterable<unknown> {
  if (Array.isArray(value) || value instanceof Set) return value;
  if (value instanceof Map) return value.values();
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null ? Object.values(value) : [];
}
