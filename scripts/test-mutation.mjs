// @ts-check
/**
 * @file `npm run test:mutation`: changes the sources of `core`, `history`, `autodiff` and `execution` by one operator, condition,
 * literal or block at a time, and runs the tests that reach the change, in Node. A mutant is killed where a test fails.
 *
 *     npm run test:mutation -- [--file PATTERN] [--tests PATTERN] [--sample N] [--seed 1] [--minutes M] [--seconds 10]
 *                              [--again]
 *
 * `--seconds` is for the tests of one mutant, of which the fastest run. Mutants of code that runs once in a process, such as
 * tables, get processes of their own, and any of the tests. `--again`, after tests were added, runs only mutants that
 * no run killed before: what an earlier run killed counts as killed, as long as the source is the same.
 * Prints survivors as they are found. Writes docs/mutation.md where all mutants of a file ran, or a sample of them. The exit code
 * is 1 where the score is below 85 %, not counting survivors that test/mutation/explained.mjs explains.
 */
import fs from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { readArguments } from './lib/arguments.mjs';
import { KeptStatuses } from './lib/mutation-statuses.mjs';
import { MutationSession } from './lib/mutation-session.mjs';
import { isExplained, writeMutationReport } from './lib/mutation-report.mjs';
import { ROOT, runMain, SetupError, setup } from './setup.mjs';

const usage =
  'npm run test:mutation -- [--file PATTERN] [--tests PATTERN] [--sample N] [--seed 1] [--minutes M] [--seconds 10] [--again]';
const folders = ['core', 'history', 'autodiff', 'execution'];
const goal = 0.85;

/** @typedef {import('./lib/mutants.mjs').Mutant} Mutant */

function options() {
  const { values } = readArguments(
    {
      options: {
        file: { type: 'string', default: '.' },
        tests: { type: 'string', default: '.' },
        sample: { type: 'string', default: 'Infinity' },
        seed: { type: 'string', default: '1' },
        minutes: { type: 'string', default: 'Infinity' },
        seconds: { type: 'string', default: '10' },
        again: { type: 'boolean', default: false },
      },
    },
    (message) => new SetupError(`${message}\nUsage: ${usage}`),
  );
  const [sample, seed] = [Number(values.sample), Number(values.seed)];
  const [minutes, seconds] = [Number(values.minutes), Number(values.seconds)];
  if (!(sample >= 1 && minutes > 0 && seconds > 0 && Number.isInteger(seed)))
    throw new SetupError(`--sample, --seed, --minutes and --seconds take positive numbers.\nUsage: ${usage}`);
  const [files, tests] = [new RegExp(String(values.file)), new RegExp(String(values.tests))];
  return { files, tests, sample, seed, minutes, seconds, again: values.again === true };
}

/** @param {RegExp} pattern */
function sources(pattern) {
  const all = folders.flatMap((folder) =>
    fs
      .readdirSync(path.join(ROOT, 'src', folder), { recursive: true })
      .map((name) => path.posix.join('src', folder, String(name).replaceAll('\\', '/')))
      .filter((file) => file.endsWith('.ts')),
  );
  const files = all.filter((file) => pattern.test(file)).sort();
  if (files.length > 0) return files;
  throw new SetupError(`--file matches a source of ${folders.join(', ')}. Received: ${pattern}.`);
}

/** Returns the folder whose sources are all in `files`; null if they are others. @param {readonly string[]} files */
function wholeFolder(files) {
  const isAllOf = (/** @type {string} */ folder) =>
    String(sources(new RegExp(`^src/${folder}/`))) === String(files);
  return folders.find(isAllOf) ?? null;
}

/**
 * Returns `count` of `mutants`, in an order that `seed` determines.
 *
 * @param {readonly Mutant[]} mutants
 * @param {number} seed
 * @param {number} count
 */
function sampled(mutants, seed, count) {
  let state = seed;
  // Numerical Recipes, a linear congruential generator.
  const draw = () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state;
  };
  return mutants
    .map((mutant) => ({ mutant, place: draw() }))
    .sort((a, b) => a.place - b.place)
    .slice(0, count)
    .map(({ mutant }) => mutant);
}

await runMain(async () => {
  const { files, tests, sample, seed, minutes, seconds, again } = options();
  const { env } = setup({ browser: false });
  const { instrument } = await import('./lib/mutants.mjs');
  const { bundleTests } = await import('./lib/bundle-tests.mjs');
  const chosen = sources(files);
  const { mutants, plugin } = await instrument(chosen);
  const kept = new KeptStatuses(chosen);
  const built = await bundleTests('test/mutation/suites.ts', 'mutation', [plugin]);
  const session = await MutationSession.open(built, env, tests, 1000 * seconds);
  const end = performance.now() + minutes * 60_000;
  const chosenMutants = sampled(mutants, seed, sample);
  /** @type {(Mutant & { status: import('./lib/mutation-session.mjs').Status })[]} */
  const results = [];
  try {
    for (const mutant of chosenMutants) {
      const known = again ? kept.of(mutant) : undefined;
      if (known && (known === 'killed' || isExplained(mutant) || performance.now() > end)) {
        results.push({ ...mutant, status: known });
        continue;
      }
      if (performance.now() > end) continue;
      const { status: found, note } = await session.run(mutant.id);
      // The tests of this run may be fewer than those that reached it before.
      const status = found === 'not covered' ? (known ?? found) : found;
      results.push({ ...mutant, status });
      kept.set(mutant, status);
      kept.save();
      if (status === 'killed') continue;
      const { file, line, mutator, original, replacement } = mutant;
      const mark = isExplained(mutant) ? `${status}, explained` : status;
      process.stdout.write(
        `${mark}: ${file}:${line} ${mutator}: ${original} → ${replacement || '(nothing)'} ${note}\n`,
      );
    }
  } finally {
    await session.close();
  }
  const isSample = results.length === chosenMutants.length && results.length < mutants.length;
  const { killed, counted } = writeMutationReport(results, {
    all: mutants,
    sampled: isSample ? wholeFolder(chosen) : null,
  });
  const score = killed / Math.max(1, counted);
  process.stdout.write(
    `${results.length} of ${mutants.length} mutants, ${session.seconds()} s\n` +
      `${killed} of ${counted} that tests can reach are killed: ${(100 * score).toFixed(1)} %\n`,
  );
  process.exitCode = score < goal ? 1 : 0;
});
