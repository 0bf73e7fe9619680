/** @file Nested lists of numbers, as flat values with a shape. */

export interface Numbers {
  readonly shape: readonly number[];
  readonly values: readonly number[];
}

/** Returns a number, a typed array or regular nested lists as values and their shape; null for anything else. */
export function numbersOf(given: unknown): Numbers | null {
  if (typeof given === 'number') return { shape: [], values: [given] };
  if (ArrayBuffer.isView(given)) {
    const values = Array.from(given as unknown as ArrayLike<number>);
    return { shape: [values.length], values };
  }
  if (!Array.isArray(given)) return null;
  const items = given.map(numbersOf);
  const inner = items[0]?.shape ?? [];
  const isRegular = items.every((item) => item !== null && String(item.shape) === String(inner));
  if (!isRegular) return null;
  return { shape: [given.length, ...inner], values: (items as Numbers[]).flatMap(({ values }) => values) };
}
