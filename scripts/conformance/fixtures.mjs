// @ts-check
/**
 * @file Runs the cases of a fixture folder, or of one family's file, in Node or (`--browser`) in headless Chromium,
 * and prints what failed. Started by ../conformance.mjs.
 */
import fs from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { bundle, temporaryFolder } from '../lib/bundle.mjs';
import { runMain, SetupError } from '../setup.mjs';
import { closingLine, matcher } from './report.mjs';

/** @typedef {import('../../test/conformance/cases.ts').CaseResult} CaseResult */
/** @typedef {import('../../test/conformance/cases.ts').Case} Case */
/** @typedef {{ name: string, json: string, tensors: string }} FamilyFiles */

/** @param {string} where a folder, or one family's file @returns {FamilyFiles[]} */
function families(where) {
  const stat = fs.statSync(where, { throwIfNoEntry: false });
  if (!stat)
    throw new SetupError(`--fixtures takes a folder of cases, or a family's file. Received: ${where}`);
  const folder = stat.isDirectory() ? where : path.dirname(where);
  const names = stat.isDirectory() ? fs.readdirSync(where) : [path.basename(where)];
  const found = names
    .filter((file) => file.endsWith('.json') || stat.isFile())
    .map((file) => path.parse(file).name)
    .map((name) => ({
      name,
      json: path.join(folder, `${name}.json`),
      tensors: path.join(folder, `${name}.safetensors`),
    }))
    .filter(({ tensors }) => fs.existsSync(tensors)) // Such as index.json, which lists what there is.
    .sort((a, b) => a.name.localeCompare(b.name));
  if (found.length === 0)
    throw new SetupError(`--fixtures: no <family>.json with a <family>.safetensors beside it in ${where}`);
  return found;
}

/**
 * The cases of a family whose `family/id`, or whose op, matches.
 *
 * @param {FamilyFiles} files
 * @param {string} filter
 * @returns {Case[]}
 */
function chosenCases({ name, json }, filter) {
  const matches = matcher(filter);
  /** @type {Case[]} */
  const cases = JSON.parse(fs.readFileSync(json, 'utf8'));
  return cases.filter(({ id, op }) => matches(`${name}/${id}`) || matches(op));
}

/** @param {FamilyFiles[]} files @param {string} filter @returns {Promise<CaseResult[]>} */
async function inNode(files, filter) {
  const folder = temporaryFolder('conformance-fixtures');
  const built = await bundle({ entry: 'test/conformance/node.ts', folder, external: [/^webgpu$/] });
  const { open, runFamily } = await import(pathToFileURL(built).href);
  const uncaptured = await open();
  /** @type {CaseResult[]} */
  const results = [];
  for (const family of files) {
    const bytes = fs.readFileSync(family.tensors);
    const tensors = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength);
    const cases = chosenCases(family, filter);
    results.push(...(await runFamily({ name: family.name, cases, tensors }, uncaptured)));
  }
  return results;
}

/** @param {FamilyFiles[]} files @param {string} filter @returns {Promise<CaseResult[]>} */
async function inBrowser(files, filter) {
  const { launchBrowser, openPage, serveFolder } = await import('../lib/browser.mjs');
  const folder = temporaryFolder('conformance-page');
  await bundle({ entry: 'test/conformance/page.ts', folder });
  const [{ tensors }] = /** @type {[FamilyFiles]} */ (files);
  const server = await serveFolder(folder, { mounts: { '/cases/': path.dirname(tensors) } });
  const browser = await launchBrowser();
  try {
    const { page, errors } = await openPage(browser, server.url);
    /** @type {CaseResult[]} */
    const results = [];
    for (const family of files) {
      const url = `/cases/${encodeURIComponent(path.basename(family.tensors))}`;
      const cases = chosenCases(family, filter);
      results.push(...(await page.evaluate(runInPage, { name: family.name, cases, url })));
    }
    await page.evaluate(() => new Promise((resolve) => setTimeout(resolve, 0))); // Lets late errors arrive.
    // Those of the GPU are told by the case that ran.
    const faults = errors.filter((error) => !error.includes('Uncaptured GPU error'));
    if (faults.length > 0)
      results.push({ family: 'page', id: 'errors', op: 'Chromium', note: undefined, faults });
    return results;
  } finally {
    await browser.close();
    await server.close();
  }
}

/** Runs in the page. @param {{ name: string, cases: Case[], url: string }} family @returns {Promise<CaseResult[]>} */
async function runInPage(family) {
  const { runFamilyAt } = await import(/** @type {string} */ ('/page.js'));
  return runFamilyAt(family);
}

/** @param {CaseResult[]} results */
function report(results) {
  const failed = results.filter(({ faults }) => faults.length > 0);
  const notYet = results.filter((result) => result.notYet !== undefined);
  for (const { family, id, op, note, faults } of failed) {
    process.stdout.write(`FAILED ${family}/${id} (${op})\n`);
    for (const fault of faults) process.stdout.write(`  ${fault.replaceAll('\n', '\n    ')}\n`);
    if (note) process.stdout.write(`  note: ${note}\n`);
  }
  const reasons = new Map();
  for (const { notYet: reason, op } of notYet) reasons.set(reason, [...(reasons.get(reason) ?? []), op]);
  for (const [reason, ops] of reasons)
    process.stdout.write(`${ops.length} not yet offered (${reason}): ${[...new Set(ops)].join(', ')}\n`);
  const passed = results.length - failed.length - notYet.length;
  closingLine(passed, failed.length);
}

await runMain(async () => {
  const { values } = parseArgs({
    options: {
      fixtures: { type: 'string', default: '' },
      filter: { type: 'string', default: '' },
      browser: { type: 'boolean', default: false },
    },
  });
  const files = families(values.fixtures);
  report(await (values.browser ? inBrowser : inNode)(files, values.filter));
});
