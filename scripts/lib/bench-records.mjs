// @ts-check
/** @file The recorded results of the benchmark. Uses only Node. */
import fs from 'node:fs';
import path from 'node:path';

/** @typedef {import('../../bench/gpu/plan.ts').RecordedResult} RecordedResult */
/** @typedef {import('../../bench/result.ts').BenchResult} BenchResult */

/** Results of the benchmark in a folder. @param {string} folder @returns {BenchResult[]} */
export function recordedResults(folder) {
  if (!fs.existsSync(folder)) return [];
  const files = fs.readdirSync(folder).filter((name) => name.endsWith('.json'));
  return files.flatMap((name) => {
    const result = readJson(path.join(folder, name));
    const isResult = Array.isArray(result?.rows) && 'comparisons' in result;
    return isResult && !result.isOnNull ? [result] : [];
  });
}

/** What the order of rows on a page follows from: names and ratios. @param {string} folder @returns {RecordedResult[]} */
export const recordedOrders = (folder) =>
  recordedResults(folder).map(({ adapter, date, rows }) => ({
    adapter,
    date,
    rows: rows.map(({ name, ratio }) => ({ name, ratio, kernels: [] })),
  }));

/** @param {string} file @returns {any} null if it isn't there, or was cut off */
export function readJson(file) {
  try {
    return JSON.parse(fs.readFileSync(file, 'utf8'));
  } catch {
    return null;
  }
}
