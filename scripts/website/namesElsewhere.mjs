// @ts-check
/** @file What other libraries call an export, read from the tables of docs/names.md. */

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
