// @ts-check
/**
 * @file `npm test`: runs all checks, from a fresh clone. Installs what is missing, then runs the stages
 * in rounds, and stops after the first round in which one fails. Closes with the failed tests, a table, and `N passed, N failed`
 * on a line of its own: the tests of all stages that count tests.
 *
 * `npm test -- --only types,unit` runs some stages; their names are below.
 */
import { spawn, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { ensureFirefox } from './lib/firefox.mjs';
import { countsIn, failuresIn } from './lib/vitest-report.mjs';
import { ROOT, runMain, SetupError, setup } from './setup.mjs';

const NODE = process.execPath;
const OUT = path.join(ROOT, 'out', 'test');
/** No stage takes this long unless it hangs. */
const STAGE_MINUTES = 40;
/** Failures that are repeated at the end, and lines of a stage that has no list of them. */
const MAX_REPEATED = 20;
const END_LINES = 20;

/** @typedef {{ passed: number, failed: number, skipped: number }} Counts */
/**
 * @typedef {object} Stage
 * @property {string} name
 * @property {string[][]} commands run in order; `node` is this Node
 * @property {(output: string) => Counts | null} [count]
 * @property {() => readonly string[]} [failures] a text for each failed test; without it, a failure is the end of the output
 * @property {() => Record<string, string>} [prepare] installs what only this stage needs; returns its environment
 */

/** @param {...string} parts */
const bin = (...parts) => path.join('node_modules', ...parts);

/** @type {Stage} */
const types = {
  name: 'types',
  commands: [
    [bin('typescript', 'bin', 'tsc'), '-p', 'tsconfig.json'],
    [bin('typescript', 'bin', 'tsc'), '-p', 'examples/programs/tsconfig.json'],
  ],
};

/** @type {Stage} */
const lint = {
  name: 'lint',
  commands: [[bin('@biomejs', 'biome', 'bin', 'biome'), 'check', '--error-on-warnings', '.']],
};

/** @type {Stage} */
const layers = { name: 'layers', commands: [['scripts/check-layers.mjs']] };

/** @type {Stage} */
const build = {
  name: 'build',
  commands: [
    [bin('vite', 'bin', 'vite.js'), 'build', '--mode', 'library', '--logLevel', 'warn'],
    ['scripts/build-types.mjs'],
    ['scripts/size.mjs'],
  ],
};

/** @type {Stage} */
const packed = { name: 'package', commands: [['scripts/check-package.mjs']] };

/** @type {Stage} */
const conformance = {
  name: 'conformance',
  commands: [['scripts/conformance.mjs']],
  count: countInOutput,
};

/** @type {Stage} */
const browser = { ...vitest('browser'), prepare: () => ({ RETROGRAD_FIREFOX: ensureFirefox() }) };

/**
 * The rounds run one after another, the tracks of a round at the same time, the stages of a track one after another. The
 * output of the first track is shown immediately, that of the others when a stage ends.
 *
 * The unit tests keep two processes busy, but each waits for the GPU a fifth of its time; the browser tests wait a third.
 *
 * @type {readonly (readonly (readonly Stage[])[])[]}
 */
const rounds = [
  [[lint, layers, build, packed], [types]],
  [[vitest('unit')], [conformance, browser]],
];

/** @param {string} project @returns {Stage} */
function vitest(project) {
  const report = path.join(OUT, `${project}.json`);
  const command = [bin('vitest', 'vitest.mjs'), 'run', '--project', project];
  return {
    name: project,
    commands: [[...command, '--reporter=default', '--reporter=json', `--outputFile.json=${report}`]],
    count: () => countsIn(report),
    failures: () => failuresIn(report, ROOT),
  };
}

/**
 * The sum of the lines `N passed, N failed` that a stage printed.
 *
 * @param {string} output
 * @returns {Counts | null}
 */
function countInOutput(output) {
  const lines = [...output.matchAll(/^(\d+) passed, (\d+) failed(?:, (\d+) skipped)?$/gm)];
  if (lines.length === 0) return null;
  /** @param {number} group */
  const sum = (group) => lines.reduce((total, line) => total + Number(line[group] ?? 0), 0);
  return { passed: sum(1), failed: sum(2), skipped: sum(3) };
}

/**
 * Runs one command of a stage and returns its output, which is shown immediately if `isShown`.
 *
 * @param {string[]} command
 * @param {Record<string, string>} env
 * @param {boolean} isShown
 * @returns {Promise<{ ok: boolean, output: string }>}
 */
function run(command, env, isShown) {
  return new Promise((resolve) => {
    const color = process.stdout.isTTY ? { FORCE_COLOR: '1' } : {};
    const child = spawn(NODE, command, {
      cwd: ROOT,
      env: { ...process.env, ...color, ...env },
      stdio: ['ignore', 'pipe', 'inherit'],
      detached: process.platform !== 'win32', // A group of its own, so that a limit ends its children as well.
    });
    /** @type {Buffer[]} */
    const chunks = [];
    child.stdout.on('data', (chunk) => {
      chunks.push(chunk);
      if (isShown) process.stdout.write(chunk);
    });
    const limit = setTimeout(() => {
      process.stderr.write(`\nNot done within ${STAGE_MINUTES} minutes, stopped: ${command.join(' ')}\n`);
      stop(child.pid);
    }, STAGE_MINUTES * 60_000);
    const onInterrupt = () => stop(child.pid);
    process.once('SIGINT', onInterrupt).once('SIGTERM', onInterrupt);
    child.on('close', (code) => {
      clearTimeout(limit);
      process.off('SIGINT', onInterrupt).off('SIGTERM', onInterrupt);
      resolve({ ok: code === 0, output: Buffer.concat(chunks).toString('utf8') });
    });
  });
}

/** @param {number | undefined} pid */
function stop(pid) {
  if (pid === undefined) return;
  if (process.platform === 'win32') spawnSync('taskkill', ['/pid', String(pid), '/t', '/f']);
  else process.kill(-pid, 'SIGKILL');
}

/** @typedef {{ name: string, outcome: 'passed' | 'FAILED' | 'not run', seconds: number, counts: Counts | null, failures: readonly string[] }} Row */

/** @param {Row[]} rows */
function table(rows) {
  const lines = rows.map(({ name, outcome, seconds, counts }) => {
    const time = outcome === 'not run' ? '' : `${seconds.toFixed(1)} s`;
    const skipped = counts?.skipped ? `, ${counts.skipped} skipped` : '';
    const tests = counts ? `${counts.passed} of ${counts.passed + counts.failed} tests${skipped}` : '';
    return `  ${name.padEnd(12)} ${outcome.padEnd(8)} ${time.padStart(9)}   ${tests}`.trimEnd();
  });
  return `\n${lines.join('\n')}\n\n`;
}

/**
 * What failed, again: a stage's own output may be thousands of lines above, and some of it on the other stream.
 *
 * @param {readonly Row[]} rows
 */
function repeated(rows) {
  const texts = rows.flatMap(({ name, failures }) =>
    failures.map((text) => `\nFAILED in ${name}: ${text}\n`),
  );
  const left = texts.length - MAX_REPEATED;
  return texts.slice(0, MAX_REPEATED).join('') + (left > 0 ? `\n… and ${left} more, above\n` : '');
}

/** @param {string} output */
const endOf = (output) => `\n${output.trimEnd().split('\n').slice(-END_LINES).join('\n')}`;

/** @param {string} name @returns {Row} */
const notRun = (name) => ({ name, outcome: 'not run', seconds: 0, counts: null, failures: [] });

/** @returns {readonly (readonly (readonly Stage[])[])[]} the rounds, with the stages given by `--only` or all stages */
function chosenRounds() {
  const at = process.argv.indexOf('--only');
  if (at < 0) return rounds;
  const known = rounds.flat(2).map(({ name }) => name);
  const names = (process.argv[at + 1] ?? '').split(',');
  const unknown = names.filter((name) => !known.includes(name));
  if (unknown.length > 0) {
    throw new SetupError(
      `--only takes stages, separated by commas: ${known.join(', ')}. Received: '${unknown.join(',')}'.`,
    );
  }
  return rounds.map((round) =>
    round
      .map((track) => track.filter(({ name }) => names.includes(name)))
      .filter((track) => track.length > 0),
  );
}

/**
 * @param {Stage} stage
 * @param {boolean} isShown while it runs, rather than when it ends
 * @param {Record<string, string>} env
 * @returns {Promise<Row>}
 */
async function runStage({ name, commands, count, failures, prepare }, isShown, env) {
  if (isShown) process.stdout.write(`\n== ${name}\n`);
  const start = performance.now();
  let output = '';
  let failed = false;
  const ownEnv = { ...env, ...prepare?.() };
  for (const command of commands) {
    const result = await run(command, ownEnv, isShown);
    output += result.output;
    failed = !result.ok;
    if (failed) break;
  }
  const counts = count?.(output) ?? null;
  failed ||= (counts?.failed ?? 0) > 0 || (count !== undefined && !counts?.passed); // No test run is no pass.
  if (!isShown) process.stdout.write(`\n== ${name}\n${output}`);
  const seconds = (performance.now() - start) / 1000;
  if (!failed) return { name, outcome: 'passed', seconds, counts, failures: [] };
  const texts = failures?.() ?? [];
  return { name, outcome: 'FAILED', seconds, counts, failures: texts.length > 0 ? texts : [endOf(output)] };
}

/**
 * Runs the stages one after another; stages after a failed one aren't run.
 *
 * @param {readonly Stage[]} track
 * @param {boolean} isShown
 * @param {Record<string, string>} env
 * @returns {Promise<Row[]>}
 */
async function runTrack(track, isShown, env) {
  /** @type {Row[]} */
  const rows = [];
  for (const stage of track)
    rows.push(hasFailed(rows) ? notRun(stage.name) : await runStage(stage, isShown, env));
  return rows;
}

/** @param {readonly Row[]} rows */
const hasFailed = (rows) => rows.some(({ outcome }) => outcome === 'FAILED');

async function main() {
  const started = performance.now();
  const { env } = setup();
  fs.rmSync(OUT, { recursive: true, force: true });
  fs.mkdirSync(OUT, { recursive: true });
  /** @type {Row[]} */
  const rows = [];
  for (const round of chosenRounds()) {
    if (hasFailed(rows)) rows.push(...round.flat().map(({ name }) => notRun(name)));
    else rows.push(...(await Promise.all(round.map((track, i) => runTrack(track, i === 0, env)))).flat());
  }
  const failed = rows.some(({ outcome }) => outcome !== 'passed');
  process.stdout.write(repeated(rows) + table(rows));
  process.stdout.write(`${((performance.now() - started) / 60_000).toFixed(1)} minutes\n`);
  const passes = rows.reduce((total, { counts }) => total + (counts?.passed ?? 0), 0);
  // A stage that failed without a failed test (a type error, a crash) counts as one failure, so that `0 failed` means success.
  const failures = rows.reduce(
    (total, row) => total + (row.counts?.failed || Number(row.outcome === 'FAILED')),
    0,
  );
  process.stdout.write(`${passes} passed, ${failures} failed\n`);
  process.exitCode = failed ? 1 : 0;
}

await runMain(main);
