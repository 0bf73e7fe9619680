// @ts-check
/**
 * @file What `npm run bench:gpu` runs: built from the repository, or read from a folder that `--pack` made for a machine that
 * nothing can be installed on.
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { ROOT } from '../setup.mjs';
import { recordedResults } from './bench-records.mjs';

/** @typedef {import('../../bench/result.ts').BenchResult} BenchResult */

/**
 * @typedef {object} Sources
 * @property {string} worker path of the built bench/gpu/worker.ts
 * @property {string} outside path of the built bench/gpu/outside.ts
 * @property {string} tests path of the built unit tests
 * @property {string} native path of bench/native/pytorch.py
 * @property {Record<string, string>} versions of the libraries
 * @property {string | null} commit
 * @property {string} program a hash of what is measured
 * @property {readonly BenchResult[]} recorded results
 */

/** Names of the files in a packed folder. */
const PACKED = { folder: 'built', description: 'sources.json' };

const externals = [/^onnxruntime-web/, /^util$/];

/** @returns {Promise<Sources>} */
export async function findSources() {
  const folder = path.join(ROOT, PACKED.folder);
  const description = path.join(folder, PACKED.description);
  if (!fs.existsSync(description)) {
    const { temporaryFolder } = await import('./bundle.mjs');
    return buildSources(temporaryFolder('bench-gpu'));
  }
  return { ...pathsIn(folder), ...JSON.parse(fs.readFileSync(description, 'utf8')) };
}

/** Whether this is a packed folder, which has all that it needs. */
export const isPacked = () => fs.existsSync(path.join(ROOT, PACKED.folder, PACKED.description));

/** @param {string} folder */
const pathsIn = (folder) => ({
  worker: path.join(folder, 'worker.js'),
  outside: path.join(folder, 'outside.js'),
  tests: path.join(folder, 'suites.js'),
  native: path.join(ROOT, 'bench', 'native', 'pytorch.py'),
});

/** Builds everything into `folder`. @param {string} folder @returns {Promise<Sources>} */
export async function buildSources(folder) {
  const { bundle } = await import('./bundle.mjs');
  const { bundleTestsInto } = await import('./bundle-tests.mjs');
  const { contenderVersions } = await import('./bench-versions.mjs');
  const paths = pathsIn(folder);
  await bundle({ entry: 'bench/gpu/worker.ts', folder, external: externals });
  await bundle({ entry: 'bench/gpu/outside.ts', folder });
  await bundleTestsInto('test/engines/suites.ts', folder);
  const program = createHash('sha256').update(fs.readFileSync(paths.worker)).digest('hex').slice(0, 16);
  return {
    ...paths,
    versions: contenderVersions(),
    commit: commitHere(),
    program,
    recorded: recordedResults(path.join(ROOT, 'bench', 'results')),
  };
}

/** Writes the description of sources that were built into `folder`. @param {string} folder @param {Sources} sources */
export function describeSources(folder, { versions, commit, program, recorded }) {
  const text = JSON.stringify({ versions, commit, program, recorded });
  fs.writeFileSync(path.join(folder, PACKED.description), text);
}

function commitHere() {
  const git = (/** @type {string[]} */ ...args) =>
    execFileSync('git', args, { cwd: ROOT, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  try {
    const changed =
      git('status', '--porcelain', '--', 'src', 'shaders', 'bench') === '' ? '' : ', changed since';
    return `${git('rev-parse', '--short', 'HEAD')}${changed}`;
  } catch {
    return null;
  }
}
