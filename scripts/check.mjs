// @ts-check
/**
 * @file `npm run check`: types, lint, layers, and the unit tests nearest to what changed since the branch left main, in under
 * a minute on an idle machine.
 *
 *     -- --watch         checks again after each save: the tests nearest to the saved files
 *     -- --all           all unit tests that the change can affect, however many
 *     -- --since REF     what changed since REF, instead of the merge base with main
 */
import { spawn, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { affectedTests, FOLDERS, importGraph } from './lib/affected.mjs';
import { readArguments } from './lib/arguments.mjs';
import { ROOT, runMain, SetupError, setup } from './setup.mjs';

/** Largest number of test files in one check: a file takes a second on average. `npm test` runs the rest. */
const MOST_TESTS = 20;
/** Editors save a file in several steps, so wait for this many milliseconds. */
const SETTLE_MS = 200;

/** @param {...string} parts */
const bin = (...parts) => path.join('node_modules', ...parts);

/** Checks that don't depend on the change. @type {Record<string, string[]>} */
const STATIC_CHECKS = {
  types: [
    bin('typescript', 'bin', 'tsc'),
    ...['-p', 'tsconfig.json', '--incremental', '--tsBuildInfoFile', 'out/check.tsbuildinfo'],
  ],
  programs: [bin('typescript', 'bin', 'tsc'), '-p', 'examples/programs/tsconfig.json'],
  lint: [bin('@biomejs', 'biome', 'bin', 'biome'), 'check', '--error-on-warnings', '.'],
  layers: ['scripts/check-layers.mjs'],
};

/** @typedef {{ name: string, ok: boolean, seconds: number, output: string }} Outcome */

/**
 * @param {string} name
 * @param {string[]} command
 * @param {Record<string, string>} env
 * @returns {Promise<Outcome>}
 */
function run(name, command, env) {
  const start = performance.now();
  return new Promise((resolve) => {
    const child = spawn(process.execPath, command, { cwd: ROOT, env: { ...process.env, ...env } });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (output += text));
    child.on('close', (code) =>
      resolve({ name, ok: code === 0, seconds: (performance.now() - start) / 1000, output }),
    );
  });
}

/** @param {...string} args @returns {string[]} lines */
function git(...args) {
  const { status, stdout, stderr } = spawnSync('git', args, { cwd: ROOT, encoding: 'utf8' });
  if (status !== 0) throw new SetupError(`git ${args.join(' ')} failed:\n${stderr}`);
  return stdout.split('\n').filter(Boolean);
}

/** Returns the files that differ from `since`, or from where the branch left main. @param {string | undefined} since */
function changedFiles(since) {
  const hasMain = spawnSync('git', ['rev-parse', '--verify', '-q', 'main'], { cwd: ROOT }).status === 0;
  const base = since ?? (hasMain ? git('merge-base', 'main', 'HEAD')[0] : undefined) ?? 'HEAD';
  return [...git('diff', '--name-only', base), ...git('ls-files', '--others', '--exclude-standard')];
}

/**
 * Runs all checks and prints the output of those that fail. Resolves to whether all passed.
 *
 * @param {readonly string[]} changed
 * @param {{ all: boolean, env: Record<string, string> }} options
 */
async function check(changed, { all, env }) {
  const start = performance.now();
  const affected = affectedTests(changed, importGraph(ROOT));
  const tests = all ? affected : affected.slice(0, MOST_TESTS);
  const vitest = [bin('vitest', 'vitest.mjs'), 'run', '--project', 'unit', '--reporter=dot', ...tests];
  // Tests use all cores by themselves; the static checks go first, next to each other.
  const outcomes = await Promise.all(
    Object.entries(STATIC_CHECKS).map(([name, command]) => run(name, command, env)),
  );
  if (tests.length > 0) outcomes.push(await run('tests', vitest, env));
  for (const { name, ok, seconds, output } of outcomes) {
    process.stdout.write(
      `${name.padEnd(8)} ${ok ? 'passed' : 'FAILED'} ${seconds.toFixed(1).padStart(7)} s\n`,
    );
    if (!ok) process.stdout.write(`${output}\n`);
  }
  const rest = affected.length - tests.length;
  const further = rest > 0 ? `; ${rest} more can be affected (--all, or npm test)` : '';
  const seconds = ((performance.now() - start) / 1000).toFixed(0);
  process.stdout.write(
    `${changed.length} changed files, ${tests.length} test files${further}. ${seconds} seconds.\n`,
  );
  return outcomes.every(({ ok }) => ok);
}

/** @param {(files: string[]) => Promise<unknown>} onSave called with the files saved since the last call */
function watch(onSave) {
  /** @type {Set<string>} */
  const saved = new Set();
  let isBusy = false;
  const settle = () => setTimeout(next, SETTLE_MS);
  async function next() {
    if (isBusy || saved.size === 0) return;
    isBusy = true;
    const files = [...saved];
    saved.clear();
    await onSave(files);
    isBusy = false;
    if (saved.size > 0) settle();
  }
  for (const folder of FOLDERS) {
    fs.watch(path.join(ROOT, folder), { recursive: true }, (_, name) => {
      if (!name || !/\.(ts|mjs|wgsl)$/.test(name)) return;
      saved.add(`${folder}/${name.replaceAll(path.sep, '/')}`);
      settle();
    });
  }
  process.stdout.write('Waiting for a save; Ctrl-C ends.\n');
}

await runMain(async () => {
  const config = /** @type {const} */ ({
    options: { watch: { type: 'boolean' }, all: { type: 'boolean' }, since: { type: 'string' } },
  });
  const { values } = readArguments(config, (message) => new SetupError(message));
  const { env } = setup({ browser: false });
  const options = { all: values.all ?? false, env };
  const passed = await check(changedFiles(values.since), options);
  if (values.watch) watch((files) => check(files, options));
  else process.exitCode = passed ? 0 : 1;
});
