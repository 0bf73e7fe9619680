/** @file Checks for lists and their entries. */

/** Default limit. Longer lists aren't traversed: `new Array(2 ** 32 - 1)` is a list, too. */
const defaultMax = 2 ** 20;

/** Returns whether `value` is a list of at most `max` entries that all satisfy `isItem`, holes included as undefined. */
export function isListOf<T>(
  value: unknown,
  isItem: (item: unknown) => item is T,
  max?: number,
): value is readonly T[];
export function isListOf(value: unknown, isItem: (item: unknown) => boolean, max?: number): boolean;
export function isListOf(value: unknown, isItem: (item: unknown) => boolean, max = defaultMax): boolean {
  // Check the length first. Copy, since `every` skips holes.
  return Array.isArray(value) && value.length <= max && [...value].every((item) => isItem(item));
}
