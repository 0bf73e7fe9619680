// @ts-check
/** @file Code shared by the runners of both parts of the conformance tests: selection by pattern, and the last line of output. */
import process from 'node:process';

/**
 * Matches names against a comma-separated list of patterns: regular expressions, or substrings if they aren't valid ones.
 * Without patterns, every name matches.
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
 * Returns the last line of a run. If nothing ran, that is a failure, unless everything was `skipped` with a reason.
 *
 * @param {number} passed
 * @param {number} failed
 * @param {number} [skipped]
 */
export function closingLine(passed, failed, skipped = 0) {
  process.stdout.write(`${passed} passed, ${failed} failed\n`);
  process.exitCode = failed > 0 || passed + skipped === 0 ? 1 : 0;
}
