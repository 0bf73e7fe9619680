// @ts-check
/**
 * @file Reads the imports of a TypeScript source without a compiler, which is sufficient for formatted code, and fast enough
 * to run on every change.
 */

/**
 * @typedef {object} Import
 * @property {string} specifier
 * @property {number} line from 1
 * @property {boolean} typeOnly `import type …`: erased, so no dependency at run time
 * @property {boolean} reexport `export … from`
 * @property {boolean} dynamic `import('…')`: not part of loading the module
 */

const STATIC =
  /(?<![.\w$])(import|export)(\s+type\b(?!\s*(?:,|from\b)))?(?:[\s\w$,*{}]*?\bfrom)?\s*(['"])([^'"\n]+)\3/g;
const DYNAMIC = /(?<![.\w$])import\s*\(\s*(['"])([^'"\n]+)\1/g;

/**
 * @param {string} source
 * @returns {Import[]}
 */
export function readImports(source) {
  const code = blankComments(source);
  /** @param {number} index */
  const lineAt = (index) => code.slice(0, index).split('\n').length;
  /** @type {Import[]} */
  const found = [];
  for (const match of code.matchAll(STATIC)) {
    const [, keyword, type, , specifier = ''] = match;
    found.push({
      specifier,
      line: lineAt(match.index),
      typeOnly: type !== undefined,
      reexport: keyword === 'export',
      dynamic: false,
    });
  }
  for (const match of code.matchAll(DYNAMIC)) {
    // `import('…').Name` in a type is read as a dynamic import, too, since it is a dependency between layers as well.
    const specifier = match[2] ?? '';
    found.push({
      specifier,
      line: lineAt(match.index),
      typeOnly: false,
      reexport: false,
      dynamic: true,
    });
  }
  return found;
}

/**
 * Returns `source` with comments, template literals and strings other than specifiers blanked out, keeping line breaks, so that
 * none of them looks like an import.
 *
 * @param {string} source
 */
function blankComments(source) {
  const token = /\/\/[^\n]*|\/\*[\s\S]*?\*\/|'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\[\s\S]|[^`\\])*`/g;
  const specifier = /^(['"])[^\s'"]*\1$/;
  return source.replace(token, (text) => (specifier.test(text) ? text : text.replace(/[^\n]/g, ' ')));
}
