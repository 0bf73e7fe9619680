// @ts-check
/** @file The files of a bundle by when a page loads them. */

/** @typedef {{ fileName: string, isEntry: boolean, imports: string[], moduleIds: string[] }} Chunk */

/** What Retrograd loads with the device: its implementation and the kernels; and the kernels that only GPUs or software adapters need. */
const WITH_DEVICE = /kernels[./]loading[./]coreKernels\.[jt]s$/;
const FOR_GPUS = /kernels[./]loading[./]lazyGpuKernels\.[jt]s$/;
const FOR_SOFTWARE = /kernels[./]loading[./]lazySoftwareKernels\.[jt]s$/;

/**
 * Returns the chunks loaded with the entry, those loaded with any device, those that devices of GPUs and of software adapters load
 * besides, and those that `import()` loads on first use.
 *
 * @template {Chunk} C
 * @param {readonly C[]} chunks
 */
export function byLoad(chunks) {
  const first = withImports(
    chunks.filter((chunk) => chunk.isEntry),
    chunks,
  );
  /** @param {RegExp} module @param {readonly C[]} loaded */
  const loadedWith = (module, loaded) =>
    withImports(
      chunks.filter(({ moduleIds }) => moduleIds.some((id) => module.test(id))),
      chunks,
    ).filter((chunk) => !loaded.includes(chunk));
  const device = loadedWith(WITH_DEVICE, first);
  const gpu = loadedWith(FOR_GPUS, [...first, ...device]);
  const software = loadedWith(FOR_SOFTWARE, [...first, ...device]);
  const atStart = [...first, ...device, ...gpu, ...software];
  return { first, device, gpu, software, later: chunks.filter((chunk) => !atStart.includes(chunk)) };
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
