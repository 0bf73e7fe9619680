// @ts-check
/**
 * @file `npm run fuzz`: random programs on one engine. `stateful` ones read and assign variables, and run the same eagerly and
 * compiled, bit by bit; `differential` ones of 1 to 30 ops agree with float64, and their gradients with differences.
 *
 *     npm run fuzz -- [--suite stateful|differential] [--engine node|chromium|firefox|deno] [--programs 20000] [--from 0]
 *                     [--processes 1] [--minutes M] [--compiled-every 4]
 *
 * One `differential` program of `--compiled-every` is compiled, too, which takes ten times as long as the rest of it: new
 * pipelines.
 * `--browser` is short for `--engine chromium`. After `--minutes` no further programs begin. A failure is reduced and printed,
 * and the run ends. Closes with `N passed, N failed` on a line of its own; the exit code is 1 if a program failed.
 */
import process from 'node:process';
import { readArguments } from './lib/arguments.mjs';
import { bundle, temporaryFolder } from './lib/bundle.mjs';
import { engineNames, openBuilt } from './lib/engines.mjs';
import { runMain, SetupError, setup } from './setup.mjs';

const usage =
  'npm run fuzz -- [--suite stateful|differential] [--engine node|chromium|firefox|deno] [--programs 20000] [--from 0] [--processes 1] [--minutes M] [--compiled-every 4]';
/** Number of programs between two lines of progress. */
const batch = 64;
/** Programs of one process or page: a device keeps the pipelines of all that it compiled. */
const perEngine = 2000;

/** The module of each suite, which exports `checkPrograms(from, to)`. @type {Record<string, string | undefined>} */
const suites = {
  stateful: 'test/support/statefulPrograms.ts',
  differential: 'test/support/differential/programs.ts',
};

function options() {
  const { values } = readArguments(
    {
      options: {
        suite: { type: 'string', default: 'stateful' },
        engine: { type: 'string' },
        programs: { type: 'string', default: '20000' },
        from: { type: 'string', default: '0' },
        browser: { type: 'boolean', default: false },
        processes: { type: 'string', default: '1' },
        minutes: { type: 'string', default: 'Infinity' },
        'compiled-every': { type: 'string' },
      },
    },
    (message) => new SetupError(`${message}\nUsage: ${usage}`),
  );
  const [from, programs] = [Number(values.from), Number(values.programs)];
  const [processes, minutes] = [Number(values.processes), Number(values.minutes)];
  const entry = suites[String(values.suite)];
  const compiledEvery = Number(values['compiled-every'] ?? 4);
  const engine = values.engine ?? (values.browser ? 'chromium' : 'node');
  const isCount = Number.isInteger(from) && Number.isInteger(programs) && from >= 0 && programs > 0;
  if (!isCount) throw new SetupError(`--from and --programs take integers.\nUsage: ${usage}`);
  if (!(Number.isInteger(processes) && processes > 0 && minutes > 0))
    throw new SetupError(`--processes takes an integer, --minutes a positive one.\nUsage: ${usage}`);
  if (!entry) throw new SetupError(`--suite is one of ${Object.keys(suites).join(', ')}.\nUsage: ${usage}`);
  if (!engineNames.includes(engine))
    throw new SetupError(`--engine is one of ${engineNames.join(', ')}.\nUsage: ${usage}`);
  if (!(Number.isInteger(compiledEvery) && compiledEvery > 0))
    throw new SetupError(`--compiled-every takes an integer.\nUsage: ${usage}`);
  if (values['compiled-every'] !== undefined && values.suite !== 'differential')
    throw new SetupError(
      `--compiled-every is for --suite differential; all stateful programs are compiled.\nUsage: ${usage}`,
    );
  return { from, to: from + programs, entry, engine, processes, minutes, compiledEvery };
}

/**
 * Runs batches on one engine after the other until `next` has none. Reports each.
 *
 * @param {() => Promise<import('./lib/engines.mjs').Engine>} open
 * @param {() => { first: number, last: number } | null} next
 * @param {number} compiledEvery
 * @param {(count: number, failure: string | null) => void} report
 */
async function work(open, next, compiledEvery, report) {
  for (let range = next(); range; ) {
    const engine = await open();
    try {
      for (let ran = 0; range && ran < perEngine; range = next()) {
        const { first, last } = range;
        report(last - first, await engine.call('checkPrograms', first, last, compiledEvery));
        ran += last - first;
      }
    } finally {
      await engine.close();
    }
  }
}

async function main() {
  const { from, to, entry, engine: name, processes, minutes, compiledEvery } = options();
  const { env } = setup({ browser: name === 'chromium' });
  const built = await bundle({ entry, folder: temporaryFolder(`fuzz-${name}`), external: [/^webgpu$/] });
  const end = performance.now() + minutes * 60_000;
  let [begun, passed, failed] = [from, 0, 0];
  const next = () => {
    if (begun >= to || failed > 0 || performance.now() > end) return null;
    const first = begun;
    begun = Math.min(to, first + batch);
    return { first, last: begun };
  };
  /** @param {number} count @param {string | null} failure */
  const report = (count, failure) => {
    if (failure === null) passed += count;
    else failed++;
    if (failure !== null) process.stdout.write(`${failure}\n`);
    process.stderr.write(`${passed} of ${to - from}\n`);
  };
  const open = () => openBuilt(name, built, env);
  await Promise.all(Array.from({ length: processes }, () => work(open, next, compiledEvery, report)));
  process.stdout.write(`seeds ${from} to ${begun - 1}\n${passed} passed, ${failed} failed\n`);
  process.exitCode = failed > 0 ? 1 : 0;
}

await runMain(main);
