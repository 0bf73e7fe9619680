// @ts-check
/** @file Writes the results of the benchmarks. */
import fs from 'node:fs';
import path from 'node:path';

/** Writes `text`, and creates the file's folder; without a file, nothing. @param {string | undefined} file @param {string} text */
export function writeResult(file, text) {
  if (!file) return;
  fs.mkdirSync(path.dirname(path.resolve(file)), { recursive: true });
  fs.writeFileSync(file, text);
}
