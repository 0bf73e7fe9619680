// @ts-check
/** @file What other libraries call an export: Keras by its list of names, others by the tables of docs/names.md. */

/** A row names as many things on both sides, in the same order, or one thing of ours for all of theirs. */
const ROW = /^\| (.+?) \| (.+?) \|$/gm;

/** What has a name only with certain options, as `sgd({ momentum })`, or is no name, has ''. @param {string} text */
const namesIn = (text) =>
  [...text.matchAll(/`([^`]+)`/g)].map(
    ([, code = '']) => /^(?:await )?([\w.]+)(?!\w|\(\{|\[)/.exec(code)?.[1] ?? '',
  );

/**
 * Returns the names of others by our name. Rows whose sides can't be matched one by one say nothing about single names.
 *
 * @param {string} page the text of docs/names.md
 * @returns {Map<string, string[]>}
 */
export function namesElsewhere(page) {
  /** @type {Map<string, string[]>} */
  const found = new Map();
  for (const [, theirs = '', ours = ''] of page.matchAll(ROW)) {
    const [others, own] = [namesIn(theirs), namesIn(ours)];
    if (own.length !== 1 && own.length !== others.length) continue;
    for (const [i, other] of others.entries()) {
      const name = own[own.length === 1 ? 0 : i] ?? '';
      if (other.includes('.') && name) found.set(name, [...(found.get(name) ?? []), other]);
    }
  }
  return found;
}

/** Names that differ in case and underscores alone are the same. @param {string} name */
const folded = (name) => name.toLowerCase().replaceAll('_', '');

/**
 * Returns Keras's name for ours, such as `keras.layers.Dense` for `layers.dense`, if it has one.
 *
 * @param {Readonly<Record<string, readonly string[]>>} names of Keras, by module, next to its version
 * @returns {(name: string) => string | undefined}
 */
export function namesOfKeras(names) {
  const modules = Object.entries(names).filter(([, own]) => Array.isArray(own));
  const all = modules.flatMap(([module, own]) =>
    own.map((name) => `${module === 'image' ? 'ops.image' : module}.${name}`),
  );
  const byName = new Map(all.map((name) => [folded(name), `keras.${name}`]));
  return (name) => byName.get(folded(name));
}
