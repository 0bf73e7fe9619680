// @ts-check
/**
 * @file `npm run codegen`: the code that a GPU's compiler generates for the kernels, on any Linux machine. Compiles the
 * problems of bench/codegen by Mesa's RADV, through Dawn, with the WGSL that a browser would get, and reports registers,
 * waves, workgroup memory, spills and the instructions of every loop. `-- --help` lists the options.
 */
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { pathToFileURL } from 'node:url';
import { readArguments } from './lib/arguments.mjs';
import { families, radvEnvironment } from './lib/radv.mjs';
import { writeResult } from './lib/bench-files.mjs';
import { ROOT, runMain, SetupError, setup } from './setup.mjs';

/** @typedef {import('./lib/radv.mjs').GpuFamily} GpuFamily */
/** @typedef {import('../src/webgpu/adapter.ts').AdapterKind} AdapterKind */
/** @typedef {typeof import('../bench/codegen/main.ts')} Main */

const HELP = `npm run codegen -- [options]

Compiles Retrograd's kernels, and its peers', for a GPU that needn't be there, and reports what the compiler made of them.
Needs Linux, Mesa's RADV, Vulkan's headers and a C compiler; on Debian, as root, they are installed.

Options
  --family NAME     rdna2 (default), rdna3 or gcn5
  --profile NAMES   the adapter profiles by which kernels are selected, joined by commas: discrete (default; with --peers,
                    discrete and integrated), integrated, apple, mobile
  --filter TEXT     problems whose names or families have TEXT, or match /REGEXP/; default: all
  --steps           whole training steps of Retrograd, TF.js and jax-js: launches, and bytes read and written
  --peers           also what TF.js, jax-js and ONNX Runtime Web launch
  --fit FILE        how the model compares with a page of \`npm run bench:kernels\` that was measured on an H100
  --json FILE       the result for programs
  --markdown FILE   the tables
  --keep FOLDER     statistics and assembly of each pipeline, one file each
  --quiet           prints no tables
  --record          writes bench/results/codegen-FAMILY.md and .json; where the profile isn't discrete, FAMILY-PROFILE;
                    with --peers, codegen-peers.md and .json; with --steps, codegen-steps.md and .json
  --help            prints this
`;

const knownProfiles = /** @type {const} */ (['discrete', 'integrated', 'apple', 'mobile']);

function readOptions() {
  const text = /** @type {const} */ ({ type: 'string' });
  const flag = /** @type {const} */ ({ type: 'boolean', default: false });
  const { values } = readArguments(
    {
      options: {
        family: { ...text, default: 'rdna2' },
        profile: text,
        filter: { ...text, default: '' },
        peers: flag,
        steps: flag,
        fit: text,
        json: text,
        markdown: text,
        keep: text,
        quiet: flag,
        record: flag,
        inside: flag,
        help: { ...flag, short: 'h' },
      },
    },
    (message) => new SetupError(`${message} See --help.`),
  );
  const family = oneOf('family', values.family, /** @type {GpuFamily[]} */ (Object.keys(families)));
  // The machines of the comparison with peers get different profiles.
  const { profile = values.peers ? 'discrete,integrated' : 'discrete' } = values;
  const chosen = profile.split(',').map((name) => oneOf('profile', name, knownProfiles));
  return { ...values, family, profiles: chosen };
}

/**
 * @template {string} T
 * @param {string} option
 * @param {string} value
 * @param {readonly T[]} known
 * @returns {T}
 */
function oneOf(option, value, known) {
  const found = known.find((name) => name === value);
  if (found) return found;
  throw new SetupError(`--${option} is ${known.join(' or ')}. Received: ${value}. See --help.`);
}

/** @param {string} filter */
function patternOf(filter) {
  const pattern = /^\/(.*)\/$/.exec(filter)?.[1];
  return pattern === undefined ? filter : new RegExp(pattern);
}

/**
 * Reruns this script in an environment in which Dawn compiles for the chip.
 * @param {GpuFamily} family
 * @param {string | undefined} keep
 */
function runInside(family, keep) {
  setup({ browser: false });
  const folder = keep ? path.resolve(keep) : fs.mkdtempSync(path.join(os.tmpdir(), 'codegen-'));
  fs.mkdirSync(folder, { recursive: true });
  for (const file of fs.readdirSync(folder)) if (/^\d+\.txt$/.test(file)) fs.rmSync(path.join(folder, file));
  const found = radvEnvironment(family, folder);
  if ('reason' in found) throw new SetupError(`npm run codegen needs RADV. ${found.reason}`);
  try {
    const args = ['--enable-source-maps', ...process.argv.slice(1), '--inside'];
    const { status } = spawnSync(process.execPath, args, {
      cwd: ROOT,
      env: { ...process.env, ...found.env },
      stdio: 'inherit',
    });
    process.exitCode = status ?? 1;
  } finally {
    if (!keep) fs.rmSync(folder, { recursive: true });
  }
}

/** @returns {Promise<Main>} */
async function loadMain() {
  const { bundle, temporaryFolder } = await import('./lib/bundle.mjs');
  const { installDawnGlobals } = await import('./lib/dawn-globals.mjs');
  await installDawnGlobals(['enable-dawn-features=allow_unsafe_apis']);
  const folder = temporaryFolder('codegen');
  const file = await bundle({
    entry: 'bench/codegen/main.ts',
    folder,
    external: [/^onnxruntime-web/, /^util$/],
  });
  return import(pathToFileURL(file).href);
}

/** @param {ReturnType<typeof readOptions>} options */
async function reportSteps({ family, filter, json, markdown, quiet, record }) {
  const { measureSteps, toStepJson, toStepMarkdown } = await loadMain();
  const reports = await measureSteps({
    folder: /** @type {string} */ (process.env.CODEGEN_OUT),
    filter: patternOf(filter),
    onStep: ({ name }) => quiet || process.stderr.write(`${name}\n`),
  });
  if (reports.length === 0) throw new SetupError(`--filter: no step matches. Received: ${filter}`);
  const date = new Date().toISOString().slice(0, 10);
  const setting = { compiler: families[family].name, profile: 'discrete', date };
  const [asJson, asMarkdown] = [toStepJson(reports, setting), toStepMarkdown(reports, setting)];
  writeResult(json, asJson);
  writeResult(markdown, asMarkdown);
  if (record) {
    writeResult(path.join(ROOT, 'bench', 'results', 'codegen-steps.json'), asJson);
    writeResult(path.join(ROOT, 'bench', 'results', 'codegen-steps.md'), asMarkdown);
  }
  if (!quiet) process.stdout.write(asMarkdown);
  // Devices without hardware don't close in order.
  process.exit(0);
}

await runMain(async () => {
  const options = readOptions();
  const { family, profiles, filter, peers, fit, json, markdown, keep, quiet, record, inside, help } = options;
  if (help) {
    process.stdout.write(HELP);
    return;
  }
  if (!inside) {
    runInside(family, keep);
    return;
  }
  if (options.steps) {
    await reportSteps(options);
    return;
  }
  const { compileProblems, toFitMarkdown, toJson, toMarkdown, toPeerJson, toPeerMarkdown } = await loadMain();
  const reports = await compileProblems({
    folder: /** @type {string} */ (process.env.CODEGEN_OUT),
    filter: patternOf(filter),
    profiles,
    peers,
    onProblem: ({ name }) => quiet || process.stderr.write(`${name}\n`),
  });
  if (reports.length === 0) throw new SetupError(`--filter: no problem matches. Received: ${filter}`);
  const profile = profiles.join(', ');
  const setting = { compiler: families[family].name, profile, date: new Date().toISOString().slice(0, 10) };
  const asJson = (peers ? toPeerJson : toJson)(reports, setting);
  const asMarkdown = (peers ? toPeerMarkdown : toMarkdown)(reports, setting);
  writeResult(json, asJson);
  writeResult(markdown, asMarkdown);
  if (record) {
    const own = ['codegen', family, ...(profile === 'discrete' ? [] : profiles)].join('-');
    const name = peers ? 'codegen-peers' : own;
    writeResult(path.join(ROOT, 'bench', 'results', `${name}.json`), asJson);
    writeResult(path.join(ROOT, 'bench', 'results', `${name}.md`), asMarkdown);
  }
  if (!quiet) process.stdout.write(asMarkdown);
  if (fit) process.stdout.write(`\n${toFitMarkdown(reports, fs.readFileSync(path.resolve(fit), 'utf8'))}`);
  // Devices without hardware don't close in order.
  process.exit(0);
});
