// @ts-check
/**
 * @file Runs TF.js's own shipped tests against the library, and prints what failed and what was skipped, each with its
 * reason. Started by ../conformance.mjs.
 */
import process from 'node:process';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { bundle, temporaryFolder } from '../lib/bundle.mjs';
import { runMain, SetupError } from '../setup.mjs';
import { closingLine, matcher } from './report.mjs';
import { internalReason, TESTED_FILES } from './tfjs-files.mjs';
import { testFiles, tfjsPlugin } from './tfjs-plugin.mjs';

/** @typedef {import('../../test/conformance/tfjs/run.ts').SpecResult} SpecResult */

/** @param {string[]} files @param {string} filter @returns {Promise<SpecResult[]>} */
async function runFiles(files, filter) {
  if (files.length === 0) return [];
  const folder = temporaryFolder('conformance-tfjs');
  const built = await bundle({
    entry: 'test/conformance/tfjs/node.ts',
    folder,
    plugins: [tfjsPlugin(files)],
    external: [/^webgpu$/, /^jasmine-core$/],
  });
  const { run } = await import(pathToFileURL(built).href);
  return run(matcher(filter));
}

/** @param {SpecResult[]} results @param {[file: string, reason: string][]} internal */
function report(results, internal) {
  for (const { file, name, status, reasons } of results) {
    if (status !== 'failed') continue;
    process.stdout.write(`FAILED ${file}: ${name}\n`);
    for (const reason of reasons) process.stdout.write(`  ${reason.replaceAll('\n', '\n    ')}\n`);
  }
  for (const [file, reason] of internal) process.stdout.write(`SKIPPED ${file}, the whole file: ${reason}\n`);
  const skipped = results.filter(({ status }) => status === 'skipped');
  for (const { file, name, reasons } of skipped)
    process.stdout.write(`SKIPPED ${file}: ${name}: ${reasons.join('; ')}\n`);
  /** @type {Map<string, number>} */
  const counts = new Map();
  for (const { reasons } of skipped)
    for (const reason of reasons) counts.set(reason, (counts.get(reason) ?? 0) + 1);
  if (skipped.length > 0) process.stdout.write(`${skipped.length} skipped, by reason:\n`);
  for (const [reason, count] of [...counts].sort((a, b) => b[1] - a[1]))
    process.stdout.write(`  ${String(count).padStart(4)} ${reason}\n`);
  /** @param {string} wanted */
  const count = (wanted) => results.filter(({ status }) => status === wanted).length;
  closingLine(count('passed'), count('failed'), skipped.length + internal.length);
}

/**
 * Returns the files that match, or those of `npm test` if there is no pattern, which must all exist.
 *
 * @param {string} patterns
 */
function chosenFiles(patterns) {
  const present = testFiles();
  if (patterns) return present.filter(matcher(patterns));
  const missing = TESTED_FILES.filter((file) => !present.includes(file));
  if (missing.length > 0) throw new SetupError(`TF.js no longer ships ${missing.join(', ')}`);
  return TESTED_FILES;
}

await runMain(async () => {
  const { values } = parseArgs({
    options: { tfjs: { type: 'string', default: '' }, filter: { type: 'string', default: '' } },
  });
  const chosen = chosenFiles(values.tfjs);
  if (chosen.length === 0) throw new SetupError(`--tfjs: no test file of TF.js matches '${values.tfjs}'`);
  /** @type {[string, string][]} */
  const internal = chosen.flatMap((file) => {
    const reason = internalReason(file);
    return reason === null ? [] : [/** @type {[string, string]} */ ([file, reason])];
  });
  const results = await runFiles(
    chosen.filter((file) => internalReason(file) === null),
    values.filter,
  );
  report(results, internal);
});
