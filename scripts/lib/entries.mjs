// @ts-check
/**
 * @file The package entries, in one place: they are built, checked in the packed package, and must not be imported from
 * inside.
 */
import fs from 'node:fs';
import path from 'node:path';

/**
 * Entry name -> its source. `index` is the entry `.`, any other name is the entry `./name`.
 *
 * @type {Record<string, string>}
 */
export const ENTRY_SOURCES = {
  index: 'src/index.ts',
  kernels: 'src/kernels.ts',
  keras: 'src/keras/index.ts',
  'keras/layers': 'src/keras/layers/index.ts',
  data: 'src/data/index.ts',
  io: 'src/io/index.ts',
  inspect: 'src/inspect/index.ts',
  hub: 'src/hub/index.ts',
  show: 'src/show/index.ts',
};

/**
 * Returns the entries whose source exists under `root`.
 *
 * @param {string} root
 * @returns {Record<string, string>} entry name -> source, relative to `root`
 */
export function presentEntries(root) {
  return Object.fromEntries(
    Object.entries(ENTRY_SOURCES).filter(([, source]) => fs.existsSync(path.join(root, source))),
  );
}
