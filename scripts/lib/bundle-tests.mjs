// @ts-check
/** @file Bundles test files as chunks of their own, with a runner of theirs instead of vitest, so that any engine loads them. */
import path from 'node:path';
import { ROOT } from '../setup.mjs';
import { bundle, temporaryFolder } from './bundle.mjs';

const OWN = path.join(ROOT, 'test', 'engines');

/**
 * Tests aren't in the library's folder, which call sites of debug mode leave out.
 *
 * @param {{ facadeModuleId?: string | null }} chunk
 */
const placeOf = ({ facadeModuleId }) =>
  facadeModuleId?.endsWith('.test.ts') ? 'test/[name].js' : 'src/lib/[name].js';

/**
 * @param {string} entry relative to the repository
 * @param {string} name of the folder
 * @param {import('vite').Plugin[]} [plugins]
 * @returns {Promise<string>} the bundle's path
 */
export const bundleTests = (entry, name, plugins = []) =>
  bundleTestsInto(entry, temporaryFolder(name), plugins);

/** The same, into a given folder. @param {string} entry @param {string} folder @param {import('vite').Plugin[]} [plugins] */
export const bundleTestsInto = (entry, folder, plugins = []) =>
  bundle({
    entry,
    folder,
    external: [/^webgpu$/],
    plugins: [
      {
        name: 'tests-without-vitest',
        enforce: 'pre',
        // The package says that its modules have no side effects; those of tests have.
        config: () => ({
          build: {
            rolldownOptions: { treeshake: false, output: { codeSplitting: true, chunkFileNames: placeOf } },
          },
        }),
        resolveId: (id) => (id === 'vitest' || id === 'util' ? path.join(OWN, `${id}.ts`) : null),
      },
      ...plugins,
    ],
  });
