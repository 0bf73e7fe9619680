/**
 * @file Elements of datasets: values, and lists and records of values. The outermost list of an element is always a tuple, such
 * as [x, y]; lists of numbers inside are values. So [1, 0] is a pair of numbers, and [[1, 0], 1] a vector and a number.
 */
import { ValueError } from '../core/errors.ts';
import { isBranch } from '../core/nest.ts';
import { describe } from '../core/shape.ts';
import type { HostArray } from '../tensor/create.ts';
import { Tensor } from '../tensor/tensor.ts';

/** Numbers and booleans, nested at any depth. */
export type NumberList = number | boolean | readonly NumberList[];

/** A value of an element: one number, array or text of a sample. Null stays null. */
export type ElementValue = NumberList | HostArray | Tensor | string | null | undefined;

/** Deeper than any element in practice, and far from a stack overflow. */
const maxDepth = 200;

/** The keys that lead to a value of an element. */
export type Place = readonly string[];

/** Returns a place for messages: ' at [1]', or nothing for a whole element. */
export function where(place: Place): string {
  return place.length === 0 ? '' : ` at [${place.join('][')}]`;
}

/** Returns whether `part` is a value, rather than a list or record of values. `isOutermost`: whether it is a whole element. */
export function isValue(part: unknown, isOutermost: boolean): part is ElementValue {
  if (!isBranch(part)) return true;
  if (!Array.isArray(part) || isOutermost) return false;
  let first: unknown = part;
  for (let depth = 0; Array.isArray(first) && depth <= maxDepth; depth++) first = first[0];
  return typeof first === 'number' || typeof first === 'boolean';
}

/**
 * Returns the structure of `elements[0]` with `join` applied to the values at each place, one of each element. `place` has the
 * keys that lead there, such as ['1'] or ['image'].
 * Errors: ValueError for elements that are structured differently.
 */
export function joinElements(
  op: string,
  elements: readonly unknown[],
  join: (values: readonly ElementValue[], place: Place) => unknown,
  place: Place = [],
): unknown {
  const isOutermost = place.length === 0;
  if (place.length > maxDepth) throw tooDeep(op);
  const [first] = elements;
  if (isValue(first, isOutermost)) {
    const other = elements.find((element) => !isValue(element, isOutermost));
    if (other !== undefined) throw differentStructure(op, place, first, other);
    return join(elements as ElementValue[], place);
  }
  const keys = Object.keys(first as object);
  for (const element of elements) {
    const isSame =
      isBranch(element) &&
      Array.isArray(element) === Array.isArray(first) &&
      Object.keys(element).length === keys.length &&
      keys.every((key) => Object.hasOwn(element, key));
    if (!isSame) throw differentStructure(op, place, first, element);
  }
  const partOf = (key: string) => {
    const parts = elements.map((element) => (element as Record<string, unknown>)[key]);
    return joinElements(op, parts, join, [...place, key]);
  };
  return Array.isArray(first)
    ? keys.map(partOf)
    : Object.fromEntries(keys.map((key) => [key, partOf(key)] as const));
}

/** Returns the element with `map` applied to each of its values. */
export function mapElement(element: unknown, map: (value: ElementValue) => unknown): unknown {
  return joinElements('map', [element], ([value]) => map(value));
}

/** Returns the tensors of an element. */
export function tensorsIn(element: unknown): Tensor[] {
  const found: Tensor[] = [];
  // An element may be deep, or contain itself, until `joinElements` refuses it.
  const parts = new Set([element]);
  for (const part of parts) {
    if (part instanceof Tensor) found.push(part);
    else if (isBranch(part) && !isNumbers(part)) for (const inner of Object.values(part)) parts.add(inner);
  }
  return found;
}

/** Long lists of numbers hold no tensors. */
function isNumbers(part: unknown): boolean {
  return Array.isArray(part) && typeof part[0] === 'number' && typeof part.at(-1) === 'number';
}

/** Frees the tensors of an element, except those that are also in `kept`. */
export function freeElement(element: unknown, kept?: unknown): void {
  const tensors = tensorsIn(element);
  if (tensors.length === 0) return;
  const leaving = new Set(tensorsIn(kept));
  for (const tensor of tensors) if (!leaving.has(tensor)) tensor.dispose();
}

function tooDeep(op: string): ValueError {
  return new ValueError({
    op,
    rule: `an element has lists and records in one another at most ${maxDepth} deep.`,
    received: 'more levels than that',
    hint: 'look for a list or record that contains itself.',
  });
}

function differentStructure(op: string, place: Place, first: unknown, other: unknown): ValueError {
  return new ValueError({
    op,
    rule: 'all elements have the same structure.',
    received: `${describe(first)} and ${describe(other)}${where(place)}`,
    hint: 'return the same list or record for each element, with null for what is missing.',
  });
}
