/** @file Composing WGSL from fragments. The template tag (./wgsl.ts) formats the result. */

export const range = (n: number): number[] => Array.from({ length: n }, (_, i) => i);

export const components = ['x', 'y', 'z', 'w'] as const;

/** One line for each item. */
export function each<T>(items: readonly T[], line: (item: T, i: number) => string): string {
  return items.map(line).join('\n');
}

/** `fragment` of the numbers 0 to `count - 1`, line by line. */
export function repeat(count: number, fragment: (i: number) => string): string {
  return each(range(count), fragment);
}
