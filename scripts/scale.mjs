// @ts-check
/**
 * @file `npm run scale`: whether time and memory grow in proportion to the work, for programs, models and training of n parts.
 * `-- --help` lists the options.
 */
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { pathToFileURL } from 'node:url';
import { readArguments } from './lib/arguments.mjs';
import { filterOf } from './lib/bench-options.mjs';
import { bundle, temporaryFolder } from './lib/bundle.mjs';
import { runMain, SetupError, setup } from './setup.mjs';

/** @typedef {typeof import('../bench/scale/main.ts')} Main */

const HELP = `npm run scale -- [options]

Doubles the size of each row until a run takes --seconds of processor time, its preparation four times as long, it needs --gigabytes
of memory, or the row's largest size is reached. Fits the exponents of time and bytes over the four largest sizes. Work that is linear
has 1. Each size runs in a process of its own, on Dawn's null back end: nothing is computed, so that only the library is measured.

Options
  --filter TEXT     rows whose names have TEXT, or match /REGEXP/; default: all
  --seconds N       processor time of the largest size; default: 4
  --gigabytes N     memory of the largest size; default: 2
  --limit N         the largest exponent that passes; default: 1.15
  --markdown FILE   the table
  --help            prints this

Exit codes: 0 all exponents are within the limit, 1 one is not, or an argument is bad.
`;

function readOptions() {
  const text = /** @type {const} */ ({ type: 'string' });
  const { values } = readArguments(
    {
      options: {
        filter: { ...text, default: '' },
        seconds: { ...text, default: '4' },
        gigabytes: { ...text, default: '2' },
        limit: { ...text, default: '1.15' },
        markdown: text,
        help: { type: 'boolean', default: false, short: 'h' },
      },
    },
    (message) => new SetupError(`${message} See --help.`),
  );
  const number = (/** @type {'seconds' | 'gigabytes' | 'limit'} */ name) => {
    if (Number(values[name]) > 0) return Number(values[name]);
    throw new SetupError(`--${name} is a number above 0. Received: ${values[name]}. See --help.`);
  };
  return {
    ...values,
    filter: filterOf(values.filter),
    seconds: number('seconds'),
    bytes: number('gigabytes') * 2 ** 30,
    limit: number('limit'),
  };
}

/**
 * Flags of the processes that measure time. Young objects have 1 MB, so that collections of them begin at the smallest size: where only
 * larger ones pay for them, linear work seems to grow faster. Old ones have as much as they need.
 */
const timeFlags = ['--expose-gc', '--max-semi-space-size=1', '--max-old-space-size=12000'];
/** The collector keeps little garbage, so that the peak is that of live values. */
const byteFlags = [
  '--expose-gc',
  '--max-semi-space-size=1',
  '--heap-growing-percent=10',
  '--max-old-space-size=12000',
];

/**
 * @param {string} folder
 * @param {string} built
 * @returns {(row: string, size: number, kind: 'time' | 'bytes', runs: number) => import('../bench/scale/measure.ts').Cost}
 */
function measuring(folder, built) {
  const dawn = pathToFileURL(path.resolve('scripts/lib/dawn-globals.mjs')).href;
  const code = `
    const { installDawnGlobals } = await import(${JSON.stringify(dawn)});
    await installDawnGlobals(['backend=null']);
    const { measureRow } = await import(${JSON.stringify(pathToFileURL(built).href)});
    const [, file, row, size, runs] = process.argv;
    const cost = await measureRow(row, Number(size), Number(runs), 8000);
    (await import('node:fs')).writeFileSync(file, JSON.stringify(cost));
    process.exit(0);`;
  const result = path.join(folder, 'cost.json');
  return (row, size, kind, runs) => {
    fs.rmSync(result, { force: true });
    const flags = kind === 'time' ? timeFlags : byteFlags;
    const args = [...flags, '--input-type=module', '-e', code, result, row, String(size), String(runs)];
    const { status, stderr } = spawnSync(process.execPath, args, {
      stdio: ['ignore', 'inherit', 'pipe'],
      encoding: 'utf8',
    });
    if (!fs.existsSync(result))
      throw new Error(`${row}, ${size}: the process ended with ${status}\n${stderr.slice(0, 2000)}`);
    return JSON.parse(fs.readFileSync(result, 'utf8'));
  };
}

async function main() {
  const options = readOptions();
  if (options.help) {
    process.stdout.write(HELP);
    return;
  }
  setup({ browser: false });
  const folder = temporaryFolder('scale');
  const built = await bundle({ entry: 'bench/scale/main.ts', folder, external: [/^webgpu$/] });
  const { rows, exponentOf } = /** @type {Main} */ (await import(pathToFileURL(built).href));
  const measure = measuring(folder, built);
  /** @type {string[]} */
  const table = [
    '| work | size | processor time | exponent | bytes | exponent |',
    '| --- | --- | --- | --- | --- | --- |',
  ];
  let failed = 0;
  for (const row of rows.filter(({ name }) => matches(options.filter, name))) {
    const { times, peaks, error } = measureSizes(row, measure, options);
    const [time, bytes] = [exponentOf(times), exponentOf(peaks)];
    const fails = error !== null || time > options.limit || bytes > options.limit;
    if (fails) failed++;
    const line = error ? `| ${row.name} | ${error} |` : tableRow(row, times, peaks, time, bytes);
    table.push(line);
    process.stdout.write(`${fails ? 'FAILS' : 'ok   '} ${line}\n`);
    if (options.markdown) fs.writeFileSync(options.markdown, `${table.join('\n')}\n`);
  }
  process.stdout.write(`${table.length - 2 - failed} passed, ${failed} failed\n`);
  process.exitCode = failed > 0 ? 1 : 0;
}

/** @typedef {import('../bench/scale/exponent.ts').Point} Point */

/**
 * Doubles the size as far as the options allow.
 *
 * @param {import('../bench/scale/scaleRow.ts').ScaleRow} row
 * @param {ReturnType<typeof measuring>} measure
 * @param {{ seconds: number, bytes: number }} limits
 */
function measureSizes({ name, from, to = Number.POSITIVE_INFINITY }, measure, limits) {
  /** @type {Point[]} */
  const times = [];
  /** @type {Point[]} */
  const peaks = [];
  try {
    for (let size = from; size <= to; size *= 2) {
      const { milliseconds, preparation } = measure(name, size, 'time', 3);
      const { bytes } = measure(name, size, 'bytes', 1);
      times.push({ size, cost: milliseconds });
      // Less can't be distinguished from what the process holds anyway.
      if (bytes > 2 ** 24) peaks.push({ size, cost: bytes });
      // The double would go beyond.
      if (
        milliseconds > 500 * limits.seconds ||
        preparation > 2000 * limits.seconds ||
        bytes > limits.bytes / 2
      )
        break;
    }
    return { times, peaks, error: null };
  } catch (error) {
    return { times, peaks, error: error instanceof Error ? error.message : String(error) };
  }
}

/** @param {string} filter @param {string} name */
function matches(filter, name) {
  const pattern = /^\/(.*)\/$/.exec(filter)?.[1];
  return pattern === undefined ? name.includes(filter) : new RegExp(pattern).test(name);
}

/**
 * @param {import('../bench/scale/scaleRow.ts').ScaleRow} row
 * @param {readonly Point[]} times
 * @param {readonly Point[]} peaks
 * @param {number} time
 * @param {number} bytes
 */
function tableRow({ name, unit }, times, peaks, time, bytes) {
  const { size = 0, cost = 0 } = times.at(-1) ?? {};
  const peak = peaks.at(-1);
  const held = peak ? `${(peak.cost / 2 ** 20).toFixed(0)} MiB` : 'below 16 MiB';
  const exponent = (/** @type {number} */ p) => (Number.isNaN(p) ? '–' : p.toFixed(2));
  return `| ${name} | ${size} ${unit} | ${cost.toFixed(0)} ms | ${exponent(time)} | ${held} | ${exponent(bytes)} |`;
}

await runMain(main);
