// @ts-check
/** @file The files of a bundle by when a page loads them. */

/** @typedef {{ fileName: string, isEntry: boolean, imports: string[] }} Chunk */

/**
 * What is loaded with the entry, and what `import()` loads.
 *
 * @template {Chunk} C
 * @param {readonly C[]} chunks
 */
export function byLoad(chunks) {
  const first = new Set(chunks.filter((chunk) => chunk.isEntry));
  for (const chunk of first) {
    for (const name of chunk.imports) {
      const imported = chunks.find(({ fileName }) => fileName === name);
      if (imported) first.add(imported);
    }
  }
  return { first: [...first], later: chunks.filter((chunk) => !first.has(chunk)) };
}
