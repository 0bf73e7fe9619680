// @ts-check
/** @file Loads the library's kernels in Node, from the TypeScript sources: without a build, and without a GPU. */
import path from 'node:path';
import { runnerImport } from 'vite';
import { packageAliases } from '../lib/aliases.mjs';
import { ROOT } from '../setup.mjs';

const KERNEL = path.join(ROOT, 'src/webgpu/kernel.ts');
const REGISTERING = path.join(ROOT, 'scripts/wgsl/registeringKernel.ts');

/** @returns {Promise<typeof import('./everyKernel.ts')>} */
export async function loadKernels() {
  const { module } = await runnerImport(path.join(ROOT, 'scripts/wgsl/everyKernel.ts'), {
    root: ROOT,
    logLevel: 'error',
    resolve: { alias: packageAliases(ROOT) },
    plugins: [registersKernels()],
  });
  return module;
}

/** Replaces `kernel.ts` in every import by the module that lists the defined kernels. @returns {import('vite').Plugin} */
function registersKernels() {
  return {
    name: 'registers-kernels',
    enforce: 'pre',
    async resolveId(id, importer) {
      if (!importer || importer === REGISTERING || !id.endsWith('/kernel.ts')) return null;
      return path.resolve(path.dirname(importer), id) === KERNEL ? REGISTERING : null;
    },
  };
}
