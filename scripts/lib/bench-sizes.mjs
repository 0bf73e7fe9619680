// @ts-check
/** @file Weighs what an app downloads of each library: minified, gzipped, with the WebAssembly that comes along. */
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { build } from 'vite';
import { packageAliases } from './aliases.mjs';
import { shippedShaders } from './shipped-shaders.mjs';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** @typedef {import('../../bench/job.ts').Library} Library */
/** @typedef {import('../../bench/start.ts').Sizes} Sizes */

/** @type {Record<keyof Sizes, Partial<Record<Library, string>>>} */
const entries = {
  core: { retrograd: 'retrograd.ts', tfjs: 'tfjs.ts', jaxjs: 'jaxjs.ts', ort: 'ort.ts' },
  keras: { retrograd: 'retrogradKeras.ts' },
};

/** kB gzipped of a bundle of `entry`, in bench/size. @param {string} entry @returns {Promise<number>} */
async function sizeOf(entry) {
  const result = await build({
    root: ROOT,
    configFile: false,
    logLevel: 'error',
    plugins: [shippedShaders()],
    resolve: { alias: packageAliases(ROOT) },
    build: {
      target: 'es2022',
      write: false,
      modulePreload: false,
      reportCompressedSize: false,
      rolldownOptions: {
        input: path.join(ROOT, 'bench', 'size', entry),
        preserveEntrySignatures: 'strict',
      },
    },
  });
  const outputs = [result].flat().flatMap((bundle) => ('output' in bundle ? bundle.output : []));
  const bytes = outputs.map((file) => gzipSync(file.type === 'chunk' ? file.code : file.source).length);
  return bytes.reduce((sum, size) => sum + size, 0) / 1000;
}

/** @param {keyof Sizes} row @returns {Promise<Partial<Record<Library, number>>>} */
export async function measureSizes(row) {
  /** @type {Partial<Record<Library, number>>} */
  const sizes = {};
  for (const [library, entry] of Object.entries(entries[row])) {
    sizes[/** @type {Library} */ (library)] = await sizeOf(entry);
  }
  return sizes;
}
