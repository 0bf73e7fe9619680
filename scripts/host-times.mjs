// @ts-check
/**
 * @file `npm run bench:host`: how long calls take on the host, for Retrograd and its peers, on Dawn's null back end, which executes
 * nothing. Runs on any machine. `-- --help` lists the options.
 */
import { fork } from 'node:child_process';
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
jax-js's, which take turns, each in a process of its own. Dawn's null back end executes nothing, so no GPU is needed, and results aren't checked.
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

/** Bundles the measurement. */
async function bundleMain() {
  const { bundle, temporaryFolder } = await import('./lib/bundle.mjs');
  const folder = temporaryFolder('host-times');
  return bundle({ entry: 'bench/hostTimes/main.ts', folder, external: [/^util$/] });
}

/**
 * Starts the process of a side.
 *
 * @param {string} file the bundle
 * @param {string} side
 */
async function startSide(file, side) {
  const child = fork(new URL('lib/host-side.mjs', import.meta.url), [file, side]);
  const next = () =>
    new Promise((resolve, reject) => {
      const onExit = () => reject(new Error(`the process of ${side} ended.`));
      child.once('exit', onExit);
      child.once('message', (message) => {
        child.off('exit', onExit);
        resolve(message);
      });
    });
  await next();
  return {
    /** @param {object} request */
    async ask(request) {
      const answer = next();
      child.send(request);
      const { result, failure } = await answer;
      if (failure !== undefined) throw new Error(failure);
      return result;
    },
    end: () => child.kill(),
  };
}

await runMain(async () => {
  const { filter, record, help } = readOptions();
  if (help) {
    process.stdout.write(HELP);
    return;
  }
  const { contenderVersions } = await import('./lib/bench-versions.mjs');
  const { installDawnGlobals } = await import('./lib/dawn-globals.mjs');
  await installDawnGlobals(['backend=null']);
  const file = await bundleMain();
  /** @type {Main} */
  const { casesFor, hostLine, measureHost, sides, toHostMarkdown } = await import(pathToFileURL(file).href);
  if (casesFor(filter).length === 0) {
    throw new SetupError(`--filter: no call matches. Received: ${filter}`);
  }
  /** @type {HostRow[]} */
  const rows = [];
  const started = await Promise.all(sides.map((side) => startSide(file, side)));
  const processes = new Map(sides.map((side, i) => [side, started[i]]));
  const lone = await measureHost(
    filter,
    (side, method, argument) =>
      processes.get(side)?.ask({ method, argument }) ?? Promise.reject(new Error('not started')),
    (row) => {
      rows.push(row);
      process.stderr.write(`${hostLine(row)}\n`);
    },
  );
  for (const each of started) each.end();
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
});
