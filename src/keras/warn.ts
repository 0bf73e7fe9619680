/** @file Warnings: what works, but hardly as it was meant. Said once in a program. */

const said = new Set<string>();

/** Writes `text` to the console, the first time. */
export function warnOnce(text: string): void {
  if (said.has(text)) return;
  said.add(text);
  console.warn(`retrograd: ${text}`);
}
