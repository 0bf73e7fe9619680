// @ts-check
/**
 * @file `npm run conformance`: checks the library against reference values and tests of other libraries.
 *
 *     -- --fixtures PATH [--filter PATTERN] [--browser]    cases and models of a folder (or of its ops or models, one model,
 *                                                          one family's file), in Node or Chromium
 *     -- --tfjs PATTERN [--filter PATTERN]                 TF.js's own tests whose file names match
 *
 * Without arguments: everything that `npm test` asks for (the cases of test/fixtures/ops and the models of
 * test/fixtures/models in both, and TF.js's tests of what is offered: conformance/tfjs-files.mjs). Each part closes with
 * `N passed, N failed` on a line of its own; the exit code is 1 if something failed or nothing ran.
 */
import { spawn } from 'node:child_process';
import path from 'node:path';
import process from 'node:process';
import { readArguments } from './lib/arguments.mjs';
import { ROOT, runMain, SetupError, setup } from './setup.mjs';

const CASES = 'test/fixtures/ops';
const MODELS = 'test/fixtures/models';

const usage = [
  'npm run conformance -- --fixtures PATH [--filter PATTERN] [--browser]',
  'npm run conformance -- --tfjs PATTERN [--filter PATTERN]',
];

/** The command of each part: a separate process, since Dawn reads its environment when it is loaded. */
const runners = {
  fixtures: 'scripts/conformance/fixtures.mjs',
  tfjs: 'scripts/conformance/tfjs.mjs',
};

/**
 * @param {string[]} command
 * @param {Record<string, string>} env
 * @returns {Promise<number>}
 */
function run(command, env) {
  return new Promise((resolve) => {
    const args = ['--enable-source-maps', ...command];
    const options = { cwd: ROOT, env: { ...process.env, ...env }, stdio: /** @type {const} */ ('inherit') };
    const child = spawn(process.execPath, args, options);
    child.on('close', (code) => resolve(code ?? 1));
  });
}

/** @returns {{ title: string, command: string[] }[]} */
function parts() {
  const { values } = parse();
  const filter = values.filter === undefined ? [] : ['--filter', values.filter];
  if (values.fixtures !== undefined) {
    const folder = path.resolve(process.env.INIT_CWD ?? process.cwd(), values.fixtures);
    const where = values.browser ? ['--browser'] : [];
    return [{ title: '', command: [runners.fixtures, '--fixtures', folder, ...where, ...filter] }];
  }
  if (values.tfjs !== undefined)
    return [{ title: '', command: [runners.tfjs, '--tfjs', values.tfjs, ...filter] }];
  if (values.filter !== undefined || values.browser) throw new SetupError(`Usage:\n  ${usage.join('\n  ')}`);
  return [
    { title: 'golden cases in Node', command: [runners.fixtures, '--fixtures', path.join(ROOT, CASES)] },
    {
      title: 'golden cases in Chromium',
      command: [runners.fixtures, '--fixtures', path.join(ROOT, CASES), '--browser'],
    },
    { title: 'models in Node', command: [runners.fixtures, '--fixtures', path.join(ROOT, MODELS)] },
    {
      title: 'models in Chromium',
      command: [runners.fixtures, '--fixtures', path.join(ROOT, MODELS), '--browser'],
    },
    { title: "TF.js's own tests in Node", command: [runners.tfjs] },
  ];
}

function parse() {
  const options = /** @type {const} */ ({
    fixtures: { type: 'string' },
    tfjs: { type: 'string' },
    filter: { type: 'string' },
    browser: { type: 'boolean' },
  });
  return readArguments(
    { options },
    (message) => new SetupError(`${message}\nUsage:\n  ${usage.join('\n  ')}`),
  );
}

await runMain(async () => {
  const todo = parts();
  const { env } = setup();
  let failed = false;
  for (const { title, command } of todo) {
    if (title) process.stdout.write(`\n-- ${title}\n`);
    failed = (await run(command, env)) !== 0 || failed;
  }
  process.exitCode = failed ? 1 : 0;
});
