// @ts-check
/**
 * @file `npm run bench:host`: how long calls take on the host, for Retrograd and its peers, on Dawn's null back end, which executes
 * nothing. Runs on any machine. `-- --help` lists the options.
 */
import os from 'node:os';
import process from 'node:process';
import { pathToFileURL } from 'node:url';
import { readArguments } from './lib/arguments.mjs';
import { filterOf } from './lib/bench-options.mjs';
import { writeResult } from './lib/bench-files.mjs';
import { ROOT, runMain, SetupError } from './setup.mjs';

/** @typedef {typeof import('../bench/hostTimes/main.ts')} Main */
/** @typedef {import('../bench/hostTimes/result.ts').HostRow} HostRow */

const HELP = `npm run bench:host -- [options]

Measures the time of eager calls, of a tape and of layers on the host: Retrograd's with the profile of each kind of GPU, TF.js's and
jax-js's, which take turns in one process. Dawn's null back end executes nothing, so no GPU is needed, and results aren't checked.
Also counts launches and submissions, and measures when a call on an idle device is submitted.

Options
  --filter TEXT     calls whose names have TEXT, or match /REGEXP/; default: all
  --record          writes bench/results/host-null.md and .json
  --help            prints this

Run nothing else on the machine.
`;

function readOptions() {
  const { values } = readArguments(
    {
      options: {
        filter: { type: 'string', default: '' },
        record: { type: 'boolean', default: false },
        help: { type: 'boolean', default: false, short: 'h' },
      },
    },
    (message) => new SetupError(`${message} See --help.`),
  );
  return { ...values, filter: filterOf(values.filter) };
}

/** @returns {Promise<Main>} */
async function loadMain() {
  const { bundle, temporaryFolder } = await import('./lib/bundle.mjs');
  const { installDawnGlobals } = await import('./lib/dawn-globals.mjs');
  await installDawnGlobals(['backend=null']);
  const folder = temporaryFolder('host-times');
  const file = await bundle({ entry: 'bench/hostTimes/main.ts', folder, external: [/^util$/] });
  return import(pathToFileURL(file).href);
}

await runMain(async () => {
  const { filter, record, help } = readOptions();
  if (help) {
    process.stdout.write(HELP);
    return;
  }
  const { contenderVersions } = await import('./lib/bench-versions.mjs');
  const { casesFor, hostLine, measureHost, toHostMarkdown } = await loadMain();
  if (casesFor(filter).length === 0) {
    throw new SetupError(`--filter: no call matches. Received: ${filter}`);
  }
  /** @type {HostRow[]} */
  const rows = [];
  const lone = await measureHost(filter, (row) => {
    rows.push(row);
    process.stderr.write(`${hostLine(row)}\n`);
  });
  const { retrograd, tfjs, jaxjs } = contenderVersions();
  const result = {
    engine: globalThis.navigator.userAgent,
    date: new Date().toISOString().slice(0, 10),
    processor: os.cpus()[0]?.model ?? '',
    versions: { Retrograd: retrograd, 'TF.js': tfjs, 'jax-js': jaxjs },
    rows,
    lone,
  };
  const page = toHostMarkdown(result);
  if (record) {
    writeResult(`${ROOT}/bench/results/host-null.md`, page);
    writeResult(`${ROOT}/bench/results/host-null.json`, `${JSON.stringify(result)}\n`);
  }
  process.stdout.write(page);
  // Peers' devices don't close in order.
  process.exit(0);
});
