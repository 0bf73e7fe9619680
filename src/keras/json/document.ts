/**
 * @file A document of Keras's JSON as plain values, before anything is created from it: parsed, of bounded depth, and without
 * keys called `__proto__`, which have a special meaning in JavaScript.
 */
import { invalid } from './jsonErrors.ts';
import { withMarkedFloats } from './markedFloats.ts';

export type Json = null | boolean | number | string | readonly Json[] | JsonObject;
export interface JsonObject {
  readonly [key: string]: Json;
}

/** Deeper than any model that Keras writes, and far below the limit of recursion. */
const maxDepth = 200;
/**
 * Limit of lists and objects: about thirty times as many as in the largest application. Long lists of numbers or words count
 * once.
 */
const maxParts = 2 ** 20;

/**
 * Errors: FormatError for text that isn't JSON, for a document that isn't an object, that nests too deeply or has too many
 * parts.
 */
export function readDocument(given: string | object, source: string): JsonObject {
  const document = typeof given === 'string' ? parse(given, source) : (given as Json);
  if (!isObject(document)) {
    throw invalid(source, {
      place: 'the top',
      rule: 'a model is an object with class_name and config.',
      received: Array.isArray(document) ? 'a list' : document,
    });
  }
  checkNesting(document, source, typeof given === 'string');
  return document;
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function parse(text: string, source: string): Json {
  try {
    return JSON.parse(withMarkedFloats(text)) as Json;
  } catch (cause) {
    throw invalid(source, {
      place: 'the text',
      rule: 'a model is described in JSON.',
      received: String(cause),
      hint: 'the text may be cut short: save it again.',
      cause,
    });
  }
}

/**
 * Uses no recursion, since deep documents would overflow the stack. If objects may be shared, one that is found again is
 * visited again only at a greater depth.
 */
function checkNesting(document: Json, source: string, isTree: boolean): void {
  const deepest = isTree ? null : new Map<object, number>();
  let parts = 0;
  const open: [value: unknown, depth: number][] = [[document, 0]];
  for (let next = open.pop(); next; next = open.pop()) {
    const [value, depth] = next;
    if (typeof value !== 'object' || value === null || (deepest?.get(value) ?? -1) >= depth) continue;
    deepest?.set(value, depth);
    if (depth > maxDepth)
      throw harmful(
        source,
        depth,
        `a description nests at most ${maxDepth} deep.`,
        'lists or objects beyond that',
      );
    if (++parts > maxParts)
      throw harmful(
        source,
        depth,
        `a description has at most ${maxParts} lists and objects.`,
        'more of them',
      );
    if (Object.hasOwn(value, '__proto__'))
      throw harmful(source, depth, "no key is called '__proto__'.", 'one that is');
    for (const inner of Object.values(value))
      if (typeof inner === 'object' && inner !== null) open.push([inner, depth + 1]);
  }
}

function harmful(source: string, depth: number, rule: string, received: string): Error {
  return invalid(source, {
    place: `depth ${depth}`,
    rule,
    received,
    hint: 'no model needs it: the file is damaged, or malicious.',
  });
}
