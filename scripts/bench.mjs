// @ts-check
/**
 * @file `npm run bench`: measures Retrograd and its peers on the rows of bench/rows, prints a line per row and a table, and
 * saves intermediate results. `-- --help` lists the options.
 */
import { spawn } from 'node:child_process';
import path from 'node:path';
import process from 'node:process';
import { pathToFileURL } from 'node:url';
import { HELP, parseBenchOptions } from './lib/bench-options.mjs';
import { writeResult } from './lib/bench-files.mjs';
import { ROOT, runMain, SetupError, setup } from './setup.mjs';

/** @typedef {import('../bench/main.ts').Listed} Listed */
/** @typedef {import('../bench/result.ts').BenchResult} BenchResult */
/** @typedef {import('../bench/result.ts').RowResult} RowResult */
/** @typedef {import('../bench/result.ts').ComparisonResult} ComparisonResult */
/** @typedef {import('./lib/bench-browser.mjs').PageOptions} PageOptions */
/** @typedef {import('../bench/job.ts').Library} Library */
/** @typedef {import('../bench/cold/cold.ts').ColdStart} ColdStart */
/** @typedef {typeof import('../bench/reporting.ts')} Outside the parts of the benchmark's modules that are needed here */

/**
 * @typedef {object} Runner where rows are run
 * @property {(filter: string) => Promise<Listed[]>} list
 * @property {() => Promise<BenchResult>} start
 * @property {(row: Listed, options: PageOptions) => Promise<RowResult | ComparisonResult>} run
 * @property {((library: Library) => Promise<ColdStart>) | null} coldStart null where there are no pages
 * @property {() => Promise<void>} close
 */

/** @param {'chromium' | 'firefox'} kind @returns {Promise<Runner>} */
async function inBrowser(kind) {
  const { temporaryFolder } = await import('./lib/bundle.mjs');
  const { BenchBrowser, buildPages } = await import('./lib/bench-browser.mjs');
  const { launchBrowser, serveFolder } = await import('./lib/browser.mjs');
  const { ensureFirefox, launchFirefox } = await import('./lib/firefox.mjs');
  if (kind === 'firefox') ensureFirefox();
  const folder = temporaryFolder('bench');
  await buildPages(folder);
  const server = await serveFolder(folder);
  const browser = new BenchBrowser(kind === 'firefox' ? launchFirefox : launchBrowser, server.url);
  return {
    list: (filter) => browser.list(filter),
    start: () => browser.start(),
    run: (row, options) => browser.run(row, options),
    coldStart: (library) => browser.coldStart(library),
    async close() {
      await browser.close();
      await server.close();
    },
  };
}

/** In a process whose environment tells Dawn which adapter to use. @returns {Promise<Runner>} */
async function inNode() {
  const { bundle, temporaryFolder } = await import('./lib/bundle.mjs');
  const { contenderVersions } = await import('./lib/bench-versions.mjs');
  const { installDawnGlobals } = await import('./lib/dawn-globals.mjs');
  await installDawnGlobals();
  Object.assign(globalThis, { BENCH_VERSIONS: contenderVersions() });
  const folder = temporaryFolder('bench');
  const file = await bundle({ entry: 'bench/main.ts', folder, external: [/^onnxruntime-web/, /^util$/] });
  /** @type {typeof import('../bench/main.ts')} */
  const bench = await import(pathToFileURL(file).href);
  return {
    // Rows share a process, so the memory of one can't be separated from what others left on the device.
    list: async (filter) =>
      (await bench.listRows(filter)).filter(({ family }) => !family.startsWith('peak bytes')),
    start: async () => ({ ...(await bench.emptyResult()), limits: await bench.limitsHere() }),
    run: ({ name, kind }, options) =>
      kind === 'comparison' ? bench.runNamedComparison(name, options) : bench.runNamed(name, options),
    coldStart: null,
    close: async () => {},
  };
}

/** @returns {Promise<Outside>} */
async function loadOutside() {
  const { bundle, temporaryFolder } = await import('./lib/bundle.mjs');
  const file = await bundle({ entry: 'bench/reporting.ts', folder: temporaryFolder('bench-reporting') });
  return import(pathToFileURL(file).href);
}

/**
 * Number of pages that each library is started on, after a first one that fills the caches of the browser and the file system.
 */
const COLD_ROUNDS = 5;

/**
 * Measures the cold start of each library, in turn, a few times over.
 *
 * @param {Listed} row
 * @param {(library: Library) => Promise<ColdStart>} coldStart
 * @param {number} rounds
 * @param {Outside} outside
 */
async function runColdStarts({ name, family }, coldStart, rounds, { libraries, rowResult, summarize }) {
  /** @type {Partial<Record<Library, number[]>>} */
  const taken = {};
  /** @type {Partial<Record<Library, string>>} */
  const notes = {};
  for (let round = 0; round <= rounds; round++) {
    for (const library of libraries) {
      if (notes[library]) continue;
      const { milliseconds, fault } = await coldStart(library);
      if (milliseconds === undefined) notes[library] = fault ?? 'failed';
      else if (round > 0) taken[library] = [...(taken[library] ?? []), milliseconds];
    }
  }
  const known = /** @type {[Library, number[]][]} */ (Object.entries(taken)).filter(
    ([library]) => !notes[library],
  );
  const summaries = known.map(([library, values]) => /** @type {const} */ ([library, summarize(values)]));
  return rowResult(name, family, 'ms', {
    values: Object.fromEntries(summaries.map(([library, { median }]) => [library, median])),
    spread: Object.fromEntries(summaries.map(([library, { spread }]) => [library, spread])),
    notes,
  });
}

/** @param {Listed} row @param {Outside} outside */
async function weigh({ name, family }, { rowResult, sizeListings, sizeRow }) {
  const { measureSizes } = await import('./lib/bench-sizes.mjs');
  const listing = sizeListings.find((other) => other.name === name);
  if (!listing) throw new Error(`no bundle is called ${name}`);
  return rowResult(name, family, 'kB gzipped', sizeRow(listing, await measureSizes(listing.bundle)));
}

/**
 * @param {Listed} row
 * @param {Runner} runner
 * @param {PageOptions} options
 * @param {Outside} outside
 */
function runListed(row, runner, options, outside) {
  if (row.kind === 'size') return weigh(row, outside);
  if (row.kind !== 'cold') return runner.run(row, options);
  const { coldStart } = runner;
  if (!coldStart) return null;
  const rounds = Math.max(1, Math.min(COLD_ROUNDS, Math.round((options.budget ?? 400) / 80)));
  return runColdStarts(row, coldStart, rounds, outside);
}

/** @param {string} text */
const say = (text) => process.stderr.write(`${text}\n`);

/** Builds the page and serves it until the process ends. */
async function serve() {
  setup({ browser: false });
  const { buildPage } = await import('./lib/pages.mjs');
  const { serveFolder } = await import('./lib/browser.mjs');
  buildPage('bench', {}, say);
  const { url } = await serveFolder(path.join(ROOT, 'site'));
  say(`The benchmark is at ${url}bench/ (Ctrl+C ends it).`);
}

/** Runs a separate process, since Dawn reads its environment when it is loaded. @param {Record<string, string>} env */
async function runInside(env) {
  const args = ['--enable-source-maps', ...process.argv.slice(1), '--inside'];
  const options = { cwd: ROOT, env: { ...process.env, ...env }, stdio: /** @type {const} */ ('inherit') };
  const child = spawn(process.execPath, args, options);
  return new Promise((resolve) => child.on('close', (code) => resolve(code ?? 1)));
}

await runMain(async () => {
  const { filter, budget, json, markdown, browser, runtime, inside, ...values } = parseBenchOptions(
    process.argv.slice(2),
  );
  if (values.help) {
    process.stdout.write(HELP);
    return;
  }
  if (values.serve) return serve();
  if (runtime === 'node' && !inside) {
    process.exitCode = await runInside(setup().env);
    return;
  }
  if (!inside) Object.assign(process.env, setup().env);
  const outside = await loadOutside();
  const { line, toMarkdown, comparisonLine } = outside;
  const runner = await (inside ? inNode() : inBrowser(browser));
  let broken = 0;
  try {
    const rows = await runner.list(filter);
    if (rows.length === 0) throw new SetupError(`--filter: no row matches. Received: ${filter}`);
    const result = await runner.start();
    const options = { limits: result.limits, ...(budget === undefined ? {} : { budget }) };
    const save = () => {
      writeResult(json, `${JSON.stringify(result, null, 2)}\n`);
      writeResult(markdown, toMarkdown(result));
    };
    for (const row of rows) {
      try {
        const found = await runListed(row, runner, options, outside);
        if (!found) continue;
        if ('peers' in found) {
          result.rows.push(found);
          if (found.retrograd === null) broken++;
          say(line(found));
        } else {
          result.comparisons.push(found);
          say(comparisonLine(found));
        }
      } catch (error) {
        broken++;
        say(`${row.name}: ${error instanceof Error ? error.message : error}`);
      }
      save();
    }
    process.stdout.write(toMarkdown(result));
  } finally {
    await runner.close();
  }
  if (broken > 0) {
    say(`${broken} rows failed.`);
    process.exitCode = 1;
  }
});
