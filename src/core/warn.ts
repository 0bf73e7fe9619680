/** @file Warnings that are printed once. */

/** The texts that were printed. */
export const printed = new Set<string>();

/** Prints `text` to the console, once per program. */
export function warnOnce(text: string): void {
  if (printed.has(text)) return;
  printed.add(text);
  console.warn(`retrograd: ${text}`);
}
