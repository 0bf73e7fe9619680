// @ts-check
/** @file Reads what vitest's JSON reporter wrote about a run. */
import fs from 'node:fs';
import path from 'node:path';

/** Lines of an error's message and stack that are worth repeating. */
const MESSAGE_LINES = 12;

/**
 * @typedef {object} FileResult
 * @property {string} name absolute path of the test file
 * @property {'passed' | 'failed'} status
 * @property {string} message why the file could not be run; empty if its tests ran
 * @property {{ fullName: string, status: string, failureMessages: string[] }[]} assertionResults
 */
/**
 * @typedef {object} Report
 * @property {number} numPassedTests
 * @property {number} numFailedTests
 * @property {number} numPendingTests
 * @property {number} numTodoTests
 * @property {FileResult[]} testResults
 */

/**
 * Returns how many tests a run had, null if it ended before its report.
 *
 * @param {string} file the report
 */
export function countsIn(file) {
  const report = read(file);
  if (report === null) return null;
  const { numPassedTests, numFailedTests, numPendingTests, numTodoTests } = report;
  return { passed: numPassedTests, failed: numFailedTests, skipped: numPendingTests + numTodoTests };
}

/**
 * Returns a text for each failed test, and for each file that failed outside of its tests: where it is, then the start of what it
 * threw.
 *
 * @param {string} file the report
 * @param {string} root folder that the paths of tests are relative to
 * @returns {string[]}
 */
export function failuresIn(file, root) {
  return (read(file)?.testResults ?? []).flatMap(({ name, status, message, assertionResults }) => {
    const place = path.relative(root, name);
    const failed = assertionResults.filter((test) => test.status === 'failed');
    if (status === 'failed' && failed.length === 0) return [describe(place, message)];
    return failed.map((test) => describe(`${place} > ${test.fullName}`, test.failureMessages.join('\n')));
  });
}

/** @param {string} file @returns {Report | null} */
function read(file) {
  return fs.existsSync(file) ? JSON.parse(fs.readFileSync(file, 'utf8')) : null;
}

/** @param {string} place @param {string} message */
function describe(place, message) {
  const lines = message.trimEnd().split('\n').slice(0, MESSAGE_LINES);
  return [place, ...lines.map((line) => `  ${line}`.trimEnd())].join('\n');
}
