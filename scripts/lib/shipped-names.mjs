// @ts-check
/** @file How the modules of the package, and their types, are named. */
import path from 'node:path';

const IMPORT = /((?:\bfrom|\bimport\(|\bimport)\s*(['"]))(\.[^'"\n]*)\.[jt]s\2/g;

/**
 * Returns the path of a source with dots. npm packs files in the order of their base names. With these, those of a folder are next to one
 * another, and gzip, which finds repetitions within 32 kB, makes the package 8 % smaller.
 *
 * @param {string} source relative to the repository, with `/`
 */
export const shippedName = (source) => source.replace(/^src\/|(?:\.d)?\.[jt]s$/g, '').replaceAll('/', '.');

/**
 * Returns `code` with the names of the modules that it imports as they are shipped.
 *
 * @param {string} code
 * @param {string} source where it is in the repository, with `/`
 */
export function withShippedNames(code, source) {
  return code.replace(IMPORT, (_, start, quote, specifier) => {
    const imported = path.posix.join(path.posix.dirname(source), `${specifier}.ts`);
    return `${start}./${shippedName(imported)}.js${quote}`;
  });
}
