// @ts-check
/**
 * @file The package entries by their public names, for code that is bundled or tested from the sources: examples import
 * `retrograd` as an app does.
 */
import path from 'node:path';
import { presentEntries } from './entries.mjs';

/**
 * @param {string} root
 * @returns {{ find: RegExp, replacement: string }[]}
 */
export function packageAliases(root) {
  return Object.entries(presentEntries(root)).map(([name, source]) => ({
    find: name === 'index' ? /^retrograd$/ : new RegExp(`^retrograd/${name}$`),
    replacement: path.join(root, source),
  }));
}
