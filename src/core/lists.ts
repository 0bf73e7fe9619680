/** @file Checks for lists and their entries. */

/** Default limit: longer lists aren't read through, since `new Array(2 ** 32 - 1)` is a list, too. */
const usualMost = 2 ** 20;

/** Whether `value` is a list of at most `most` entries that all satisfy `isItem`, holes included as undefined. */
export function isListOf<T>(
  value: unknown,
  isItem: (item: unknown) => item is T,
  most?: number,
): value is readonly T[];
export function isListOf(value: unknown, isItem: (item: unknown) => boolean, most?: number): boolean;
export function isListOf(value: unknown, isItem: (item: unknown) => boolean, most = usualMost): boolean {
  // Check the length first. Copy, since `every` skips holes.
  return Array.isArray(value) && value.length <= most && [...value].every((item) => isItem(item));
}
