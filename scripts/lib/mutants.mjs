// @ts-check
/**
 * @file Mutants of sources, by Stryker's instrumenter: each source has all of its mutants in it, behind a switch
 * (test/mutation/mutantSwitch.ts), so that one bundle and one process run them all.
 */
import fs from 'node:fs';
import path from 'node:path';
import { Instrumenter } from '@stryker-mutator/instrumenter';
import { ROOT } from '../setup.mjs';

/**
 * @typedef {object} Mutant
 * @property {string} id
 * @property {string} file relative to the repository
 * @property {number} line from 1 on
 * @property {number} column from 1 on
 * @property {string} mutator
 * @property {string} original
 * @property {string} replacement
 */

const silent = {
  isTraceEnabled: () => false,
  isDebugEnabled: () => false,
  isInfoEnabled: () => false,
  isWarnEnabled: () => false,
  isErrorEnabled: () => false,
  isFatalEnabled: () => false,
  trace() {},
  debug() {},
  info() {},
  warn() {},
  error() {},
  fatal() {},
};

/** Wording isn't behaviour: tests check the class of an error and the values in it, not its exact text. */
const wordsOfErrors = {
  /** @param {any} place a path of Babel's */
  shouldIgnore(place) {
    if (!place.isStringLiteral() && !place.isTemplateLiteral()) return undefined;
    const isError = (/** @type {any} */ { node }) =>
      node.type === 'NewExpression' && /Error$/.test(node.callee.name ?? '');
    return place.findParent(isError) ? 'the wording of an error' : undefined;
  },
};

/**
 * Instruments sources. Gives the mutants, and the plugin that bundles the instrumented sources.
 *
 * @param {readonly string[]} files relative to the repository
 * @returns {Promise<{ mutants: Mutant[], plugin: import('vite').Plugin }>}
 */
export async function instrument(files) {
  const read = (/** @type {string} */ name) => fs.readFileSync(name, 'utf8');
  const sources = files.map((file) => path.join(ROOT, file));
  const { files: instrumented, mutants } = await new Instrumenter(silent).instrument(
    sources.map((name) => ({ name, content: read(name), mutate: true })),
    { plugins: null, excludedMutations: [], ignorers: [wordsOfErrors] },
  );
  const codes = new Map(instrumented.map(({ name, content }) => [name, content]));
  const lines = new Map(sources.map((name) => [name, read(name).split('\n')]));
  return {
    mutants: mutants
      .filter(({ status }) => status === undefined)
      .map(({ id, fileName, location, mutatorName, replacement }) => ({
        id,
        file: path.relative(ROOT, fileName).replaceAll('\\', '/'),
        line: location.start.line + 1,
        column: location.start.column + 1,
        mutator: mutatorName,
        original: textAt(lines.get(fileName) ?? [], location),
        replacement: replacement ?? '',
      })),
    plugin: {
      name: 'mutants',
      enforce: 'pre',
      load: (id) => codes.get(id) ?? null,
    },
  };
}

/**
 * @param {readonly string[]} lines
 * @param {import('@stryker-mutator/api/core').Location} location
 */
function textAt(lines, { start, end }) {
  const chosen = lines.slice(start.line, end.line + 1);
  const last = chosen.length - 1;
  chosen[last] = (chosen[last] ?? '').slice(0, end.column);
  chosen[0] = (chosen[0] ?? '').slice(start.column);
  return chosen.map((line) => line.trim()).join(' ');
}
