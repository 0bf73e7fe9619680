// @ts-check
/**
 * @file `npm run bench`: measures the workloads of bench/ in headless Chromium (or `--runtime node`, on Dawn), prints a
 * line a row, and keeps the result.
 *
 *     -- [--filter TEXT] [--budget MS] [--json FILE] [--markdown FILE] [--runtime chromium|node]
 */
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { ROOT, runMain, SetupError, setup } from './setup.mjs';

/** @typedef {import('../bench/main.ts').BenchResult} BenchResult */
/** @typedef {import('../bench/main.ts').BenchOptions} BenchOptions */

/** @param {BenchOptions} options @returns {Promise<{ result: BenchResult, markdown: string }>} */
async function inChromium(options) {
  const { bundle, temporaryFolder } = await import('./lib/bundle.mjs');
  const { evaluateIn, launchBrowser, openPage, serveFolder } = await import('./lib/browser.mjs');
  const folder = temporaryFolder('bench');
  await bundle({ entry: 'bench/main.ts', folder });
  const server = await serveFolder(folder);
  const browser = await launchBrowser();
  try {
    const opened = await openPage(browser, server.url);
    opened.page.on('console', (message) => {
      if (message.type() === 'log') process.stderr.write(`${message.text()}\n`);
    });
    return await evaluateIn(opened, runInPage, options);
  } finally {
    await browser.close();
    await server.close();
  }
}

/** Runs in the page. @param {BenchOptions} options */
async function runInPage(options) {
  const { runBench, toMarkdown } = await import(/** @type {string} */ ('/main.js'));
  const result = await runBench(options, (/** @type {string} */ line) => console.log(line));
  return { result, markdown: toMarkdown(result) };
}

/** Runs in a process whose environment leads Dawn to an adapter. @param {BenchOptions} options */
async function inNode(options) {
  const { bundle, temporaryFolder } = await import('./lib/bundle.mjs');
  const { create, globals } = await import('webgpu');
  Object.assign(globalThis, globals);
  const navigator = { gpu: create([]), userAgent: `Node ${process.version}, Dawn` };
  Object.defineProperty(globalThis, 'navigator', { value: navigator, configurable: true, writable: true });
  const file = await bundle({ entry: 'bench/main.ts', folder: temporaryFolder('bench') });
  const { runBench, toMarkdown } = await import(pathToFileURL(file).href);
  const result = await runBench(options, (/** @type {string} */ line) => process.stderr.write(`${line}\n`));
  return { result, markdown: toMarkdown(result) };
}

/** @param {string | undefined} file @param {string} text */
function keep(file, text) {
  if (!file) return;
  fs.mkdirSync(path.dirname(path.resolve(file)), { recursive: true });
  fs.writeFileSync(file, text);
}

await runMain(async () => {
  const { values } = parseArgs({
    options: {
      filter: { type: 'string', default: '' },
      budget: { type: 'string' },
      json: { type: 'string' },
      markdown: { type: 'string' },
      runtime: { type: 'string', default: 'chromium' },
      inside: { type: 'boolean', default: false },
    },
  });
  if (values.runtime !== 'chromium' && values.runtime !== 'node') {
    throw new SetupError(`--runtime is chromium or node. Received: ${values.runtime}`);
  }
  const budget = values.budget === undefined ? undefined : Number(values.budget);
  if (budget !== undefined && !(budget > 0)) {
    throw new SetupError(`--budget is a number of milliseconds above 0. Received: ${values.budget}`);
  }
  if (values.runtime === 'node' && !values.inside) {
    const { env } = setup();
    const args = ['--enable-source-maps', ...process.argv.slice(1), '--inside'];
    const child = spawn(process.execPath, args, {
      cwd: ROOT,
      env: { ...process.env, ...env },
      stdio: 'inherit',
    });
    process.exitCode = await new Promise((resolve) => child.on('close', (code) => resolve(code ?? 1)));
    return;
  }
  if (!values.inside) Object.assign(process.env, setup().env);
  const options = { filter: values.filter, ...(budget === undefined ? {} : { budget }) };
  const { result, markdown } = await (values.inside ? inNode(options) : inChromium(options));
  if (result.rows.length === 0) throw new SetupError(`--filter: no row matches. Received: ${values.filter}`);
  keep(values.json, `${JSON.stringify(result, null, 2)}\n`);
  keep(values.markdown, markdown);
  process.stdout.write(markdown);
});
