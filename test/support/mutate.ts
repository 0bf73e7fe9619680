/** @file Damaged documents: a JSON value with one of its parts changed, added or removed. */
import type { Random } from './random.ts';

type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

/** Text instead of a value: JSON that `JSON.stringify` wouldn't write. */
const marker = '@@raw@@';

/** Replacements for a part; texts are inserted into the document as they are. */
const replacements: readonly string[] = [
  'null',
  'true',
  'false',
  '0',
  '-1',
  '1.5',
  '1e12',
  '4294967299',
  '9007199254740993',
  '1e308',
  '1e400',
  '-0',
  '""',
  '"NaN"',
  '"Infinity"',
  '"x"',
  '"__proto__"',
  '"constructor"',
  '"toString"',
  `"${'x'.repeat(5000)}"`,
  '[]',
  '{}',
  '[null]',
  '[[[[[[[[1]]]]]]]]',
  '{"__proto__": {"polluted": 1}}',
  '{"constructor": {"prototype": {"polluted": 1}}}',
  '{"toString": 1, "valueOf": 1, "hasOwnProperty": 1, "length": 1e9}',
  '{"class_name": "Dense", "config": {}}',
  '{"class_name": "__lambda__", "config": {"value": "code"}}',
  '{"length": 4294967295}',
  `${'['.repeat(5000)}${']'.repeat(5000)}`,
  `${'{"a":'.repeat(5000)}1${'}'.repeat(5000)}`,
];

/** Every place in a document: the object or list that contains it, and its key. */
function placesOf(value: Json, found: [holder: Json, key: string | number][] = []) {
  if (typeof value !== 'object' || value === null) return found;
  for (const key of Object.keys(value)) {
    found.push([value, key]);
    placesOf((value as Record<string, Json>)[key] as Json, found);
  }
  return found;
}

/** `text` as JSON with one part damaged. */
export function mutated(text: string, random: Random): string {
  const document = { top: JSON.parse(text) as Json };
  const [holder, key] = random.pick(placesOf(document)) as [Record<string, Json>, string];
  const kind = random.below(10);
  if (kind === 0 && holder !== (document as unknown)) {
    if (Array.isArray(holder)) holder.splice(Number(key), 1);
    else delete holder[key];
  } else if (kind === 1 && holder !== (document as unknown)) {
    const name = random.pick(['__proto__', 'constructor', 'extra', 'class_name', 'config', 'name', '0']);
    Object.defineProperty(holder, name, {
      value: marker,
      enumerable: true,
      configurable: true,
      writable: true,
    });
  } else if (kind === 2) {
    // Another part of the same document.
    const [from, at] = random.pick(placesOf(document)) as [Record<string, Json>, string];
    holder[key] = structuredClone(from[at]) as Json;
  } else holder[key] = marker;
  return JSON.stringify(document.top).replace(`"${marker}"`, () => random.pick(replacements));
}
