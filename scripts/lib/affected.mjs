// @ts-check
/**
 * @file Finds the unit tests that a change affects, nearest first, from the imports between the files of the repository. A
 * change of a central file affects every test; those with its name, or that import it, come first.
 */
import fs from 'node:fs';
import path from 'node:path';
import { presentEntries } from './entries.mjs';
import { readImports } from './imports.mjs';

/** Folders whose files import each other. */
export const FOLDERS = ['src', 'shaders', 'test', 'scripts', 'bench', 'examples'];

/** Tests that read files without importing them. @type {[files: RegExp, test: string][]} */
const READERS = [
  [/^shaders\//, 'test/scripts/shaders.test.ts'],
  [/^(shaders|src\/kernels|scripts\/wgsl)\//, 'test/shaders/snapshots.test.ts'],
];

/** @typedef {Map<string, Set<string>>} Graph file -> the files that import it */

/** @param {string} root @returns {Graph} */
export function importGraph(root) {
  const entries = presentEntries(root);
  /** @type {Graph} */
  const importers = new Map();
  for (const file of sourceFiles(root)) {
    for (const { specifier } of readImports(fs.readFileSync(path.join(root, file), 'utf8'))) {
      const target = specifier.startsWith('.')
        ? path.posix.join(path.posix.dirname(file), specifier)
        : entries[specifier === 'retrograd' ? 'index' : specifier.replace(/^retrograd\//, '')];
      if (!target) continue;
      const known = importers.get(target) ?? new Set();
      importers.set(target, known.add(file));
    }
  }
  return importers;
}

/** @param {string} root @returns {string[]} */
function sourceFiles(root) {
  return FOLDERS.flatMap((folder) =>
    fs
      .readdirSync(path.join(root, folder), { recursive: true })
      .map((name) => `${folder}/${String(name).replaceAll(path.sep, '/')}`)
      .filter((name) => /\.(ts|mjs)$/.test(name) && !name.startsWith('test/fixtures/')),
  );
}

/**
 * @param {readonly string[]} changed files, relative to the repository
 * @param {Graph} importers
 * @returns {string[]} unit tests, the nearest first
 */
export function affectedTests(changed, importers) {
  const distances = distancesFrom(changed, importers);
  for (const file of changed) {
    for (const [files, test] of READERS) if (files.test(file)) distances.set(test, 1);
  }
  const names = new Set(changed.filter((file) => !isTest(file)).map(baseName));
  const bonus = (/** @type {string} */ name) => {
    if (names.has(name)) return 200;
    // `gather-faults.test.ts` is a test of `gather.ts` as well.
    return names.has(name.split('-')[0] ?? '') ? 100 : 0;
  };
  const rank = (/** @type {string} */ test) =>
    /** @type {number} */ (distances.get(test)) - bonus(baseName(test));
  return [...distances.keys()].filter(isTest).sort((a, b) => rank(a) - rank(b) || a.localeCompare(b));
}

/**
 * Returns the number of imports between a file and the nearest of `changed`.
 * @param {readonly string[]} changed
 * @param {Graph} importers
 */
function distancesFrom(changed, importers) {
  /** @type {Map<string, number>} */
  const distances = new Map(changed.map((file) => [file, 0]));
  // A map's keys are visited in the order of insertion, including those added during the loop: breadth first.
  for (const [file, distance] of distances) {
    for (const importer of importers.get(file) ?? []) {
      if (!distances.has(importer)) distances.set(importer, distance + 1);
    }
  }
  return distances;
}

const isTest = (/** @type {string} */ file) =>
  /^test\/.*\.test\.ts$/.test(file) && !/^test\/(e2e|fixtures)\//.test(file);

const baseName = (/** @type {string} */ file) => path.posix.basename(file).replace(/(\.test)?\.\w+$/, '');
