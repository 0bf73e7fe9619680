// @ts-check
/**
 * @file `npm run fuzz`: random programs on one engine. `stateful` ones read and assign variables, and run the same eagerly and
 * compiled, bit by bit; `differential` ones of 1 to 30 ops agree with float64, and their gradients with differences.
 *
 *     npm run fuzz -- [--suite stateful|differential] [--engine node|chromium|firefox|deno] [--programs 20000] [--from 0]
 *
 * `--browser` is short for `--engine chromium`. A failure is reduced and printed. Closes with `N passed, N failed` on a line of
 * its own; the exit code is 1 if a program failed.
 */
import process from 'node:process';
import { readArguments } from './lib/arguments.mjs';
import { bundle, temporaryFolder } from './lib/bundle.mjs';
import { engineNames, openBuilt } from './lib/engines.mjs';
import { runMain, SetupError, setup } from './setup.mjs';

const usage =
  'npm run fuzz -- [--suite stateful|differential] [--engine node|chromium|firefox|deno] [--programs 20000] [--from 0]';
/** Number of programs between two lines of progress. */
const batch = 250;
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
      },
    },
    (message) => new SetupError(`${message}\nUsage: ${usage}`),
  );
  const [from, programs] = [Number(values.from), Number(values.programs)];
  const entry = suites[String(values.suite)];
  const engine = values.engine ?? (values.browser ? 'chromium' : 'node');
  const isCount = Number.isInteger(from) && Number.isInteger(programs) && from >= 0 && programs > 0;
  if (!isCount) throw new SetupError(`--from and --programs take whole numbers.\nUsage: ${usage}`);
  if (!entry) throw new SetupError(`--suite is one of ${Object.keys(suites).join(', ')}.\nUsage: ${usage}`);
  if (!engineNames.includes(engine))
    throw new SetupError(`--engine is one of ${engineNames.join(', ')}.\nUsage: ${usage}`);
  return { from, to: from + programs, entry, engine };
}

async function main() {
  const { from, to, entry, engine: name } = options();
  const { env } = setup({ browser: name === 'chromium' });
  const built = await bundle({ entry, folder: temporaryFolder(`fuzz-${name}`), external: [/^webgpu$/] });
  for (let start = from; start < to; start += perEngine) {
    const engine = await openBuilt(name, built, env);
    try {
      const end = Math.min(to, start + perEngine);
      for (let first = start; first < end; first += batch) {
        const last = Math.min(end, first + batch);
        const failure = await engine.call('checkPrograms', first, last);
        if (failure !== null) {
          process.stdout.write(`${failure}\n${first - from} passed, 1 failed\n`);
          process.exitCode = 1;
          return;
        }
        process.stderr.write(`${last - from} of ${to - from}\n`);
      }
    } finally {
      await engine.close();
    }
  }
  process.stdout.write(`${to - from} passed, 0 failed\n`);
}

await runMain(main);
