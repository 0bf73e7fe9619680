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

/** @param {FamilyFiles[]} files @param {string} filter @returns {Promise<CaseResult[]>} */
async function inNode(files, filter) {
  const folder = temporaryFolder('conformance-fixtures');
  const built = await bundle({ entry: 'test/conformance/node.ts', folder, external: [/^webgpu$/] });
  const { open, runFamily } = await import(pathToFileURL(built).href);
  const uncaptured = await open();
  const matches = matcher(filter);
  /** @type {CaseResult[]} */
  const results = [];
  for (const { name, json, tensors } of files) {
    const bytes = fs.readFileSync(tensors);
    const family = {
      name,
      cases: JSON.parse(fs.readFileSync(json, 'utf8')),
      tensors: bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength),
    };
    /** @param {{ id: string, op: string }} test */
    const chosen = ({ id, op }) => matches(`${name}/${id}`) || matches(op);
    results.push(...(await runFamily(family, chosen, uncaptured)));
  }
  return results;
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
  report(await inNode(files, values.filter));
  process.exit(); // Dawn's device would keep the process alive.
});
