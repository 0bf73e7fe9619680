// @ts-check
/** @file The files of a bundle by when a page loads them. */

/** @typedef {{ fileName: string, isEntry: boolean, imports: string[], moduleIds: string[] }} Chunk */

/** What Retrograd loads with the device: its implementation and the kernels. */
const WITH_DEVICE = /kernels\/coreKernels\.[jt]s$/;

/**
 * Returns the chunks loaded with the entry, those loaded with the device, and those that `import()` loads on first use.
 *
 * @template {Chunk} C
 * @param {readonly C[]} chunks
 */
export function byLoad(chunks) {
  const first = withImports(
    chunks.filter((chunk) => chunk.isEntry),
    chunks,
  );
  const core = chunks.filter(({ moduleIds }) => moduleIds.some((id) => WITH_DEVICE.test(id)));
  const device = withImports(core, chunks).filter((chunk) => !first.includes(chunk));
  const later = chunks.filter((chunk) => !first.includes(chunk) && !device.includes(chunk));
  return { first, device, later };
}

/**
 * Returns `from`, and the chunks that they import.
 *
 * @template {Chunk} C
 * @param {readonly C[]} from
 * @param {readonly C[]} chunks
 */
export function withImports(from, chunks) {
  const found = new Set(from);
  for (const chunk of found) {
    for (const name of chunk.imports) {
      const imported = chunks.find(({ fileName }) => fileName === name);
      if (imported) found.add(imported);
    }
  }
  return [...found];
}
