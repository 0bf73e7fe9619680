// @ts-check
/** @file What the runners of both parts of the conformance share: choosing by pattern, and the closing line. */
import process from 'node:process';

/**
 * A test of names against a list of patterns, separated by commas: each a regular expression, or a part of the name
 * where it is none. No pattern takes every name.
 *
 * @param {string} patterns
 * @returns {(name: string) => boolean}
 */
export function matcher(patterns) {
  const tests = patterns
    .split(/,(?![^{]*\})/)
    .map((pattern) => pattern.trim())
    .filter(Boolean)
    .map((pattern) => {
      const expression = compile(pattern);
      return (/** @type {string} */ name) => name.includes(pattern) || (expression?.test(name) ?? false);
    });
  return (name) => tests.length === 0 || tests.some((test) => test(name));
}

/** @param {string} pattern */
function compile(pattern) {
  try {
    return new RegExp(pattern);
  } catch {
    return null;
  }
}

/**
 * The last line of a run. Nothing run is no pass, unless all of it was `skipped` with a reason.
 *
 * @param {number} passed
 * @param {number} failed
 * @param {number} [skipped]
 */
export function closingLine(passed, failed, skipped = 0) {
  process.stdout.write(`${passed} passed, ${failed} failed\n`);
  process.exitCode = failed > 0 || passed + skipped === 0 ? 1 : 0;
}
