/**
 * @file Imports of a cell: which names it imports from, and its source with other names in their place. A cell is an ES
 * module, and the browser links it; only the text between the quotes must become an address.
 */

/** `import … from '…'`, `import '…'` and `export { … } from '…'`, at the start of a line. */
const statement =
  /^([ \t]*(?:import\s*(?:[\w$*{},\s]+?\sfrom\s*)?|export\s*(?:\{[^}]*\}|\*(?:\s*as\s+[\w$]+)?)\s*from\s*))(['"])([^'"\n]+)\2/gm;

export function importsOf(source: string): string[] {
  return [...source.matchAll(statement)].map((match) => match[3] as string);
}

/** `source` with every specifier replaced. Lines stay where they are, so that errors name the right ones. */
export function linked(source: string, addressOf: (specifier: string) => string): string {
  return source.replace(
    statement,
    (_, before, quote, specifier) => `${before}${quote}${addressOf(specifier)}${quote}`,
  );
}
