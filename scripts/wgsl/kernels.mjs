// @ts-check
/** @file Loads the library's kernels in Node, from the TypeScript sources: without a build, and without a GPU. */
import fs from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { bundle, temporaryFolder } from '../lib/bundle.mjs';
import { ROOT } from '../setup.mjs';

const KERNEL = path.join(ROOT, 'src/webgpu/kernel.ts');
const REGISTERING = path.join(ROOT, 'scripts/wgsl/registeringKernel.ts');

/** @returns {Promise<typeof import('./everyKernel.ts')>} */
export async function loadKernels() {
  const folder = temporaryFolder('wgsl');
  const file = await bundle({
    entry: 'scripts/wgsl/everyKernel.ts',
    folder,
    plugins: [registersKernels()],
  });
  const module = await import(pathToFileURL(file).href);
  // A test's process is ended, and runs nothing at its end.
  fs.rmSync(folder, { recursive: true });
  return module;
}

/**
 * Replaces `kernel.ts` in every import by the module that lists the defined kernels. The bundle keeps them all, though nothing
 * refers to them.
 *
 * @returns {import('vite').Plugin}
 */
function registersKernels() {
  return {
    name: 'registers-kernels',
    enforce: 'pre',
    config: () => ({
      build: { rolldownOptions: { treeshake: { annotations: false, moduleSideEffects: true } } },
    }),
    transform: () => ({ moduleSideEffects: true }), // package.json says that there are none.
    async resolveId(id, importer) {
      if (!importer || importer === REGISTERING || !id.endsWith('/kernel.ts')) return null;
      return path.resolve(path.dirname(importer), id) === KERNEL ? REGISTERING : null;
    },
  };
}
