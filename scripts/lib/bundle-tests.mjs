// @ts-check
/** @file Bundles test files as chunks of their own, with a runner of theirs in place of vitest, so that any engine loads them. */
import path from 'node:path';
import { ROOT } from '../setup.mjs';
import { bundle, temporaryFolder } from './bundle.mjs';

const OWN = path.join(ROOT, 'test', 'engines');

/**
 * @param {string} entry relative to the repository
 * @param {string} name of the folder
 * @param {import('vite').Plugin[]} [plugins]
 * @returns {Promise<string>} the bundle's path
 */
export const bundleTests = (entry, name, plugins = []) =>
  bundle({
    entry,
    folder: temporaryFolder(name),
    external: [/^webgpu$/],
    plugins: [
      {
        name: 'tests-without-vitest',
        enforce: 'pre',
        // The package says that its modules have no side effects; those of tests have.
        config: () => ({
          build: { rolldownOptions: { treeshake: false, output: { codeSplitting: true } } },
        }),
        resolveId(id) {
          const module = path.basename(id, '.ts');
          return ['vitest', 'workgroupMemory'].includes(module) ? path.join(OWN, `${module}.ts`) : null;
        },
      },
      ...plugins,
    ],
  });
