// @ts-check
/**
 * @file `npm run bench`: measures Retrograd beside its peers on the rows of bench/rows, prints a line a row and a table, and
 * keeps the result as it grows.
 *
 *     -- [--filter TEXT | --filter /REGEXP/] [--budget MS] [--json FILE] [--markdown FILE]
 *        [--browser chromium|firefox] [--runtime browser|node] [--serve]
 *
 * `--serve` builds and serves bench/index.html, for a browser of your own. `--filter gather` takes in the three ways of
 * gathering, which are many rows. Exit code 1 where Retrograd failed in a row.
 */
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { ROOT, runMain, SetupError, setup } from './setup.mjs';

/** @typedef {import('../bench/main.ts').Listed} Listed */
/** @typedef {import('../bench/result.ts').BenchResult} BenchResult */
/** @typedef {import('../bench/result.ts').RowResult} RowResult */
/** @typedef {import('../bench/result.ts').WaysResult} WaysResult */
/** @typedef {import('./lib/bench-browser.mjs').PageOptions} PageOptions */

/**
 * @typedef {object} Runner where rows are run
 * @property {(filter: string) => Promise<Listed[]>} list
 * @property {() => Promise<BenchResult>} start
 * @property {(row: Listed, options: PageOptions) => Promise<RowResult | WaysResult>} run
 * @property {() => Promise<void>} close
 */

/** @param {'chromium' | 'firefox'} kind @returns {Promise<Runner>} */
async function inBrowser(kind) {
  const { temporaryFolder } = await import('./lib/bundle.mjs');
  const { BenchBrowser, buildPages } = await import('./lib/bench-browser.mjs');
  const folder = temporaryFolder('bench');
  await buildPages(folder);
  return BenchBrowser.open(folder, kind);
}

/** In a process whose environment leads Dawn to an adapter. @returns {Promise<Runner>} */
async function inNode() {
  const { bundle, temporaryFolder } = await import('./lib/bundle.mjs');
  const { contenderVersions } = await import('./lib/bench-versions.mjs');
  const { create, globals } = await import('webgpu');
  Object.assign(globalThis, globals, { BENCH_VERSIONS: contenderVersions() });
  const navigator = { gpu: create([]), userAgent: `Node ${process.version}, Dawn` };
  Object.defineProperty(globalThis, 'navigator', { value: navigator, configurable: true, writable: true });
  const folder = temporaryFolder('bench');
  const file = await bundle({ entry: 'bench/main.ts', folder, external: [/^onnxruntime-web/] });
  /** @type {typeof import('../bench/main.ts')} */
  const bench = await import(pathToFileURL(file).href);
  return {
    list: bench.listRows,
    start: async () => ({ ...(await bench.emptyResult()), limits: await bench.limitsHere() }),
    run: ({ name, kind }, options) =>
      kind === 'ways' ? bench.runNamedWays(name, options) : bench.runNamed(name, options),
    close: async () => {},
  };
}

/** What lays results out. @returns {Promise<typeof import('../bench/report.ts')>} */
async function loadReport() {
  const { bundle, temporaryFolder } = await import('./lib/bundle.mjs');
  const file = await bundle({ entry: 'bench/report.ts', folder: temporaryFolder('bench-report') });
  return import(pathToFileURL(file).href);
}

/** @param {string | undefined} file @param {string} text */
function keep(file, text) {
  if (!file) return;
  fs.mkdirSync(path.dirname(path.resolve(file)), { recursive: true });
  fs.writeFileSync(file, text);
}

/** @param {string} text */
const say = (text) => process.stderr.write(`${text}\n`);

/** Builds the page and serves it until the process is ended. */
async function serve() {
  const { buildPages } = await import('./lib/bench-browser.mjs');
  const { serveFolder } = await import('./lib/browser.mjs');
  const folder = path.join(ROOT, 'site', 'bench');
  await buildPages(folder);
  const { url } = await serveFolder(folder);
  say(`The benchmark is at ${url} (Ctrl+C ends it).`);
}

function parse() {
  const { values } = parseArgs({
    options: {
      filter: { type: 'string', default: '' },
      budget: { type: 'string' },
      json: { type: 'string' },
      markdown: { type: 'string' },
      browser: { type: 'string', default: 'chromium' },
      runtime: { type: 'string', default: 'browser' },
      serve: { type: 'boolean', default: false },
      inside: { type: 'boolean', default: false },
    },
  });
  const { browser, runtime } = values;
  if (browser !== 'chromium' && browser !== 'firefox') {
    throw new SetupError(`--browser is chromium or firefox. Received: ${browser}`);
  }
  if (runtime !== 'browser' && runtime !== 'chromium' && runtime !== 'node') {
    throw new SetupError(`--runtime is browser or node. Received: ${runtime}`);
  }
  const budget = values.budget === undefined ? undefined : Number(values.budget);
  if (budget !== undefined && !(budget > 0)) {
    throw new SetupError(`--budget is a number of milliseconds above 0. Received: ${values.budget}`);
  }
  return { ...values, browser: /** @type {'chromium' | 'firefox'} */ (browser), runtime, budget };
}

/** Dawn reads its environment when it is loaded: a process of its own. @param {Record<string, string>} env */
async function runInside(env) {
  const args = ['--enable-source-maps', ...process.argv.slice(1), '--inside'];
  const options = { cwd: ROOT, env: { ...process.env, ...env }, stdio: /** @type {const} */ ('inherit') };
  const child = spawn(process.execPath, args, options);
  return new Promise((resolve) => child.on('close', (code) => resolve(code ?? 1)));
}

await runMain(async () => {
  const { filter, budget, json, markdown, browser, runtime, inside, ...values } = parse();
  if (values.serve) return serve();
  if (runtime === 'node' && !inside) {
    process.exitCode = await runInside(setup().env);
    return;
  }
  if (!inside) Object.assign(process.env, setup().env);
  const { line, toMarkdown, waysLine } = await loadReport();
  const runner = await (inside ? inNode() : inBrowser(browser));
  let broken = 0;
  try {
    const rows = await runner.list(filter);
    if (rows.length === 0) throw new SetupError(`--filter: no row matches. Received: ${filter}`);
    const result = await runner.start();
    const options = { limits: result.limits, ...(budget === undefined ? {} : { budget }) };
    const save = () => {
      keep(json, `${JSON.stringify(result, null, 2)}\n`);
      keep(markdown, toMarkdown(result));
    };
    for (const row of rows) {
      try {
        const found = await runner.run(row, options);
        if ('peers' in found) {
          result.rows.push(found);
          if (found.retrograd === null) broken++;
          say(line(found));
        } else {
          result.ways.push(found);
          say(waysLine(found));
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
