// @ts-check
/**
 * @file `npm run fuzz`: random programs with state, run eagerly and compiled, which must agree bit by bit.
 *
 *     npm run fuzz -- [--programs 20000] [--from 0] [--browser]
 *
 * Runs in Node, or with `--browser` in headless Chromium. A failure is reduced and printed. Closes with
 * `N passed, N failed` on a line of its own; the exit code is 1 where a program failed.
 */
import { spawnSync } from 'node:child_process';
import path from 'node:path';
import process from 'node:process';
import { readArguments } from './lib/arguments.mjs';
import { ROOT, runMain, SetupError, setup } from './setup.mjs';

const usage = 'npm run fuzz -- [--programs 20000] [--from 0] [--browser]';
/** Programs between two lines of progress. */
const batch = 250;

function options() {
  const { values } = readArguments(
    {
      options: {
        programs: { type: 'string', default: '20000' },
        from: { type: 'string', default: '0' },
        browser: { type: 'boolean', default: false },
      },
    },
    (message) => new SetupError(`${message}\nUsage: ${usage}`),
  );
  const [from, programs] = [values.from, values.programs].map(Number);
  if (Number.isInteger(from) && Number.isInteger(programs) && Number(from) >= 0 && Number(programs) > 0)
    return { from: Number(from), to: Number(from) + Number(programs), browser: values.browser };
  throw new SetupError(`--from and --programs take whole numbers.\nUsage: ${usage}`);
}

/** @param {number} from @param {number} to */
async function inChromium(from, to) {
  const { bundle, temporaryFolder } = await import('./lib/bundle.mjs');
  const { launchBrowser, openPage, serveFolder } = await import('./lib/browser.mjs');
  const folder = temporaryFolder('fuzz');
  await bundle({ entry: 'test/support/statefulPrograms.ts', folder });
  const server = await serveFolder(folder);
  const browser = await launchBrowser();
  try {
    const { page } = await openPage(browser, server.url);
    /** @param {number} first @param {number} last @returns {Promise<string | null>} */
    const run = async (first, last) =>
      (await import(/** @type {string} */ ('/statefulPrograms.js'))).checkPrograms(first, last);
    for (let first = from; first < to; first += batch) {
      const failure = await page.evaluate(run, first, Math.min(to, first + batch));
      if (failure !== null) {
        process.stdout.write(`${failure}\n${first - from} passed, 1 failed\n`);
        return 1;
      }
      process.stderr.write(`${Math.min(to, first + batch) - from} of ${to - from}\n`);
    }
  } finally {
    await browser.close();
    await server.close();
  }
  process.stdout.write(`${to - from} passed, 0 failed\n`);
  return 0;
}

/** @param {number} from @param {number} to @param {Record<string, string>} env */
function inNode(from, to, env) {
  const test = 'test/autodiff/compilePrograms.test.ts';
  const { status } = spawnSync(
    process.execPath,
    [
      path.join('node_modules', 'vitest', 'vitest.mjs'),
      'run',
      '--project',
      'unit',
      '--reporter=verbose',
      test,
    ],
    { cwd: ROOT, stdio: 'inherit', env: { ...process.env, ...env, RETROGRAD_PROGRAMS: `${from}-${to}` } },
  );
  return status ?? 1;
}

async function main() {
  const { from, to, browser } = options();
  const { env } = setup({ browser });
  process.exitCode = browser ? await inChromium(from, to) : inNode(from, to, env);
}

await runMain(main);
