// @ts-check
/**
 * @file `npm run bench:kernels`: how long the kernels of the problems in bench/codegen/problems take on this machine's GPU, for
 * Retrograd and its peers, without the host's share. `-- --help` lists the options.
 */
import { spawnSync } from 'node:child_process';
import process from 'node:process';
import { pathToFileURL } from 'node:url';
import { readArguments } from './lib/arguments.mjs';
import { filterOf } from './lib/bench-options.mjs';
import { writeResult } from './lib/bench-files.mjs';
import { ROOT, runMain, SetupError, setup } from './setup.mjs';

/** @typedef {typeof import('../bench/kernelTimes/main.ts')} Main */
/** @typedef {import('../bench/kernelTimes/result.ts').KernelRow} KernelRow */

const HELP = `npm run bench:kernels -- [options]

Measures how long kernels take on the GPU, through Dawn in Node: Retrograd's, TF.js's, jax-js's and ONNX Runtime Web's. A run
of each library is captured and replayed between two timestamps, so that the host's share isn't counted. The libraries take
turns. Problems of all families come first, so that little time gives a sample of all.

Options
  --filter TEXT     problems whose names or families have TEXT, or match /REGEXP/; default: all
  --seconds N       begins no problem after N seconds; default: no limit
  --no-peers        Retrograd alone
  --json FILE       the result for programs, kept as it grows
  --markdown FILE   the tables, likewise
  --help            prints this

Adapter
  The machine's GPU if it has one. Of several on Linux, VK_DRIVER_FILES selects one by the path of its driver's manifest:
    VK_DRIVER_FILES=/usr/share/vulkan/icd.d/nvidia_icd.json npm run bench:kernels
  Without a GPU, SwiftShader is used, whose times say nothing about GPUs. With RETROGRAD_ADAPTER=gpu it never is.

Exit codes: 0 done, 1 where Retrograd failed in a problem, an argument is bad or the device has no timestamps.
`;

function readOptions() {
  const text = /** @type {const} */ ({ type: 'string' });
  const flag = /** @type {const} */ ({ type: 'boolean', default: false });
  const { values } = readArguments(
    {
      options: {
        filter: { ...text, default: '' },
        seconds: text,
        'no-peers': flag,
        json: text,
        markdown: text,
        inside: flag,
        help: { ...flag, short: 'h' },
      },
    },
    (message) => new SetupError(`${message} See --help.`),
  );
  const seconds = values.seconds === undefined ? Number.POSITIVE_INFINITY : Number(values.seconds);
  if (!(seconds > 0)) {
    throw new SetupError(`--seconds is a number above 0. Received: ${values.seconds}. See --help.`);
  }
  return { ...values, filter: filterOf(values.filter), seconds, peers: !values['no-peers'] };
}

/** Runs a separate process, since Dawn reads its environment when it is loaded. */
function runInside() {
  const args = ['--enable-source-maps', ...process.argv.slice(1), '--inside'];
  const env = { ...process.env, ...setup({ browser: false }).env };
  return spawnSync(process.execPath, args, { cwd: ROOT, env, stdio: 'inherit' }).status ?? 1;
}

/** @returns {Promise<Main>} */
async function loadMain() {
  const { bundle, temporaryFolder } = await import('./lib/bundle.mjs');
  const { installDawnGlobals } = await import('./lib/dawn-globals.mjs');
  // Timestamps are an unsafe API for Dawn, which rounds them to 0.1 ms by default.
  await installDawnGlobals([
    'enable-dawn-features=allow_unsafe_apis',
    'disable-dawn-features=timestamp_quantization',
  ]);
  const folder = temporaryFolder('kernel-times');
  const file = await bundle({
    entry: 'bench/kernelTimes/main.ts',
    folder,
    external: [/^onnxruntime-web/, /^util$/],
  });
  return import(pathToFileURL(file).href);
}

await runMain(async () => {
  const { filter, seconds, peers, json, markdown, inside, help } = readOptions();
  if (help) {
    process.stdout.write(HELP);
    return;
  }
  if (!inside) {
    process.exitCode = runInside();
    return;
  }
  const { contenderVersions } = await import('./lib/bench-versions.mjs');
  const { kernelLine, measureKernels, openMachine, problemsFor, toKernelMarkdown } = await loadMain();
  if (problemsFor(filter).length === 0) {
    throw new SetupError(`--filter: no problem matches. Received: ${filter}`);
  }
  const machine = await openMachine();
  if (!machine) {
    throw new SetupError(
      'npm run bench:kernels needs a device with the feature timestamp-query. Received: a device without it. ' +
        'Hint: another driver or adapter may have it, see --help.',
    );
  }
  const setting = { ...machine, versions: contenderVersions() };
  process.stderr.write(`${setting.adapter}, profile ${setting.profile}\n`);
  /** @type {KernelRow[]} */
  const rows = [];
  await measureKernels({
    filter,
    seconds,
    peers,
    onRow(row) {
      rows.push(row);
      process.stderr.write(`${kernelLine(row)}\n`);
      writeResult(json, `${JSON.stringify({ setting, rows })}\n`);
      writeResult(markdown, toKernelMarkdown(setting, rows));
    },
  });
  process.stdout.write(toKernelMarkdown(setting, rows));
  const failed = rows.filter(({ times }) => !times.retrograd).length;
  if (failed > 0) process.stderr.write(`Retrograd failed in ${failed} problems.\n`);
  // Peers' devices don't close in order.
  process.exit(failed > 0 ? 1 : 0);
});
