/**
 * @file Imports of a cell: the names it imports from, and its source with these names replaced. A cell is an ES module that
 * the browser links; only the text between the quotes must become an address.
 */

/** `import … from '…'`, `import '…'` and `export { … } from '…'`, at the start of a line. */
const statement =
  /^([ \t]*(?:import\s*(?:[\w$*{},\s]+?\sfrom\s*)?|export\s*(?:\{[^}]*\}|\*(?:\s*as\s+[\w$]+)?)\s*from\s*))(['"])([^'"\n]+)\2/gm;

export function importsOf(source: string): string[] {
  return [...source.matchAll(statement)].map((match) => match[3] as string);
}

/** `source` with every specifier replaced. Lines keep their positions, so that errors report the right ones. */
export function linked(source: string, addressOf: (specifier: string) => string): string {
  return source.replace(
    statement,
    (_, before, quote, specifier) => `${before}${quote}${addressOf(specifier)}${quote}`,
  );
}
