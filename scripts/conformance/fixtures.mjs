// @ts-check
/**
 * @file Runs the cases of a fixture folder, or of one family's file, and the models of a folder, in Node or
 * (`--browser`) in headless Chromium, and prints what failed. Started by ../conformance.mjs.
 */
import fs from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { bundle, temporaryFolder } from '../lib/bundle.mjs';
import { runMain, SetupError } from '../setup.mjs';
import { families } from './families.mjs';
import { hasFinal, modelFolders, readModel, readTexts } from './models.mjs';
import { closingLine, matcher } from './report.mjs';

/** @typedef {import('../../test/conformance/cases.ts').CaseResult} CaseResult */
/** @typedef {import('../../test/conformance/cases.ts').Case} Case */
/** @typedef {import('./families.mjs').FamilyFiles} FamilyFiles */

/** @typedef {{ families: FamilyFiles[], models: string[] }} Found */

/** @param {string} where a folder of cases, of models or of both, a model's folder, or one family's file @returns {Found} */
function fixturesAt(where) {
  if (!fs.existsSync(where))
    throw new SetupError(
      `--fixtures takes a folder of cases or models, or a family's file. Received: ${where}`,
    );
  const models = modelFolders(where);
  // A model's own folder has JSON next to tensors, too.
  const found = models.includes(where) ? [] : [...families(where), ...families(path.join(where, 'ops'))];
  if (found.length + models.length > 0) return { families: found, models };
  throw new SetupError(
    `--fixtures: no <family>.json with a <family>.safetensors next to it, and no folder of a model, in ${where}`,
  );
}

/**
 * Returns the cases of a family whose `family/id`, or whose op, matches.
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

/**
 * Returns the checks of a model that match: `models/name/check`, a check's name, or a model's.
 *
 * @param {string} folder
 * @param {readonly string[]} checks
 * @param {string} filter
 */
function chosenChecks(folder, checks, filter) {
  const matches = matcher(filter);
  const name = path.basename(folder);
  return checks.filter((check) => matches(`models/${name}/${check}`) || matches(check));
}

/** @param {Found} found @param {string} filter @returns {Promise<CaseResult[]>} */
async function inNode({ families: files, models }, filter) {
  const folder = temporaryFolder('conformance-fixtures');
  const built = await bundle({ entry: 'test/conformance/node.ts', folder, external: [/^webgpu$/] });
  const { open, runFamily, checkNames, runModel } = await import(pathToFileURL(built).href);
  const uncaptured = await open();
  /** @type {CaseResult[]} */
  const results = [];
  for (const family of files) {
    const bytes = fs.readFileSync(family.tensors);
    const tensors = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength);
    const cases = chosenCases(family, filter);
    results.push(...(await runFamily({ name: family.name, cases, tensors }, uncaptured)));
  }
  for (const model of models) {
    const checks = chosenChecks(model, checkNames, filter);
    results.push(...(await runModel(readModel(model), checks, uncaptured)));
  }
  return results;
}

/** @param {Found} found @param {string} filter @returns {Promise<CaseResult[]>} */
async function inBrowser({ families: files, models }, filter) {
  const { launchBrowser, openPage, serveFolder } = await import('../lib/browser.mjs');
  const folder = temporaryFolder('conformance-page');
  await bundle({ entry: 'test/conformance/page.ts', folder });
  const [family] = files;
  const server = await serveFolder(folder, {
    mounts: {
      ...(family ? { '/cases/': path.dirname(family.tensors) } : {}),
      ...Object.fromEntries(models.map((model, i) => [`/model-${i}/`, model])),
    },
  });
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
    const checkNames = models.length > 0 ? await page.evaluate(checksOfPage) : [];
    for (const [i, model] of models.entries()) {
      const checks = chosenChecks(model, checkNames, filter);
      const files = { ...readTexts(model), hasFinal: hasFinal(model), url: `/model-${i}`, checks };
      results.push(...(await page.evaluate(runModelInPage, files)));
    }
    await page.evaluate(() => new Promise((resolve) => setTimeout(resolve, 0))); // Lets late errors arrive.
    // Errors of the GPU are reported by the case that ran.
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

/** Runs in the page. @returns {Promise<string[]>} */
async function checksOfPage() {
  const { checkNames } = await import(/** @type {string} */ ('/page.js'));
  return checkNames;
}

/** Runs in the page. @param {object} model @returns {Promise<CaseResult[]>} */
async function runModelInPage(model) {
  const { runModelAt } = await import(/** @type {string} */ ('/page.js'));
  return runModelAt(model);
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
  const found = fixturesAt(values.fixtures);
  report(await (values.browser ? inBrowser : inNode)(found, values.filter));
});
