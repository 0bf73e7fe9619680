// @ts-check
/**
 * @file `npm run example NAME`: runs an example in headless Chromium and prints its output. `--list` lists all examples,
 * `--runtime node` runs it in Node on Dawn.
 *
 * An example is `examples/NAME/run.ts`, or a file of a folder that holds several, such as `examples/keras-history/NAME.ts`.
 * It exports `run(print)`. An `examples/NAME/run.mjs` runs in Node instead, and opens its pages itself.
 */
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { pathToFileURL } from 'node:url';
import { readArguments } from './lib/arguments.mjs';
import { ROOT, runMain, SetupError, setup } from './setup.mjs';

const FOLDER = path.join(ROOT, 'examples');
/** Folders whose every file is an example. */
const COLLECTIONS = ['programs', 'keras-history'];

/** @returns {Map<string, string>} name -> file, relative to the repository */
function examples() {
  const found = new Map();
  for (const name of fs.readdirSync(FOLDER)) {
    for (const file of ['run.ts', 'run.mjs'])
      if (fs.existsSync(path.join(FOLDER, name, file))) found.set(name, `examples/${name}/${file}`);
  }
  for (const collection of COLLECTIONS) {
    const folder = path.join(FOLDER, collection);
    if (!fs.existsSync(folder)) continue;
    for (const file of fs.readdirSync(folder)) {
      if (file.endsWith('.ts')) found.set(path.parse(file).name, `examples/${collection}/${file}`);
    }
  }
  return found;
}

const print = (/** @type {string} */ line) => process.stdout.write(`${line}\n`);

/** @param {string} entry */
async function inChromium(entry) {
  if (entry.endsWith('.mjs')) {
    const { run } = await import(pathToFileURL(path.join(ROOT, entry)).href);
    await run(print);
    return;
  }
  const { bundle, temporaryFolder } = await import('./lib/bundle.mjs');
  const { evaluateIn, launchBrowser, openPage, serveFolder } = await import('./lib/browser.mjs');
  const folder = temporaryFolder('example');
  const file = path.basename(await bundle({ entry, folder }));
  const server = await serveFolder(folder);
  const browser = await launchBrowser();
  try {
    const opened = await openPage(browser, server.url);
    opened.page.on('console', (message) => {
      if (message.type() === 'log') process.stdout.write(`${message.text()}\n`);
    });
    await evaluateIn(opened, runInPage, `/${file}`);
  } finally {
    await browser.close();
    await server.close();
  }
}

/** Runs in the page. @param {string} url */
async function runInPage(url) {
  const { run } = await import(url);
  await run((/** @type {string} */ line) => console.log(line));
}

/** Runs in a process whose environment tells Dawn which adapter to use. @param {string} entry */
async function inNode(entry) {
  const { bundle, temporaryFolder } = await import('./lib/bundle.mjs');
  const { create, globals } = await import('webgpu');
  Object.assign(globalThis, globals);
  const gpu = create([]);
  const navigator = globalThis.navigator ?? {};
  Object.defineProperty(navigator, 'gpu', { value: gpu, configurable: true });
  Object.defineProperty(globalThis, 'navigator', { value: navigator, configurable: true, writable: true });
  const file = await bundle({ entry, folder: temporaryFolder('example') });
  const { run } = await import(pathToFileURL(file).href);
  await run(print);
}

await runMain(async () => {
  const options = /** @type {const} */ ({
    list: { type: 'boolean', default: false },
    runtime: { type: 'string', default: 'chromium' },
    inside: { type: 'boolean', default: false },
  });
  const rejected = (/** @type {string} */ message) => new SetupError(message);
  const { values, positionals } = readArguments({ allowPositionals: true, options }, rejected);
  const known = examples();
  if (values.list) {
    process.stdout.write(`${[...known.keys()].join('\n')}\n`);
    return;
  }
  const [name = ''] = positionals;
  const entry = known.get(name);
  if (!entry) {
    throw new SetupError(
      `An example is one of ${[...known.keys()].join(', ')}. Received: ${name || 'no name'}. Hint: npm run example ${[...known.keys()][0]}`,
    );
  }
  if (values.runtime !== 'chromium' && values.runtime !== 'node') {
    throw new SetupError(`--runtime is chromium or node. Received: ${values.runtime}`);
  }
  if (values.runtime === 'node' && entry.endsWith('.mjs'))
    throw new SetupError(`'${name}' needs pages. Received: --runtime node. Hint: leave it out.`);
  if (values.inside) {
    await inNode(entry);
    return;
  }
  const { env } = setup();
  if (values.runtime === 'chromium') {
    Object.assign(process.env, env);
    await inChromium(entry);
    return;
  }
  const args = ['--enable-source-maps', process.argv[1] ?? '', name, '--runtime', 'node', '--inside'];
  const child = spawn(process.execPath, args, {
    cwd: ROOT,
    env: { ...process.env, ...env },
    stdio: 'inherit',
  });
  process.exitCode = await new Promise((resolve) => child.on('close', (code) => resolve(code ?? 1)));
});
