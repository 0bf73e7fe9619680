// @ts-check
/**
 * @file Bundles TypeScript of the repository to one ES module that Node or a page can load: for scripts, which run
 * without a test runner. Needs the installed packages.
 */
import fs from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/**
 * @typedef {object} BundleOptions
 * @property {string} entry relative to the repository
 * @property {string} folder where the bundle goes
 * @property {import('vite').Plugin[]} [plugins]
 * @property {RegExp[]} [external] packages to leave out, besides Node's own modules
 */

/**
 * @param {BundleOptions} options
 * @returns {Promise<string>} the bundle's path; its source map lies next to it
 */
export async function bundle({ entry, folder, plugins = [], external = [] }) {
  const name = path.basename(entry).replace(/\.[cm]?[jt]s$/, '');
  await build({
    configFile: path.join(ROOT, 'vite.config.ts'),
    mode: 'script',
    logLevel: 'warn',
    plugins,
    build: {
      outDir: folder,
      lib: { entry: path.join(ROOT, entry), formats: ['es'], fileName: () => `${name}.js` },
      rolldownOptions: { external },
    },
  });
  return path.join(folder, `${name}.js`);
}

/**
 * Creates a folder under `out/` for this process, removed when the process ends: two runs never share one. It is in the
 * repository, so that packages left out of a bundle can be resolved from it.
 *
 * @param {string} name
 */
export function temporaryFolder(name) {
  const folder = path.join(ROOT, 'out', 'bundles', `${name}-${process.pid}`);
  fs.mkdirSync(folder, { recursive: true });
  process.once('exit', () => fs.rmSync(folder, { recursive: true, force: true }));
  return folder;
}
