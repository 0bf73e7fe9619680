// @ts-check
/**
 * @file Runs a module on each engine: Node and Chromium, whose WebGPU is Dawn; Firefox and Deno, whose WebGPU is wgpu.
 * Callers call the module's exports; arguments and results are JSON.
 */
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { createInterface } from 'node:readline';
import { ROOT, SetupError } from '../setup.mjs';

/**
 * @typedef {object} Engine
 * @property {(name: string, ...args: unknown[]) => Promise<any>} call
 * @property {() => Promise<void>} close
 * @property {() => Promise<void>} kill without waiting for what runs
 */

export const engineNames = ['node', 'chromium', 'firefox', 'deno'];

/** The prefix of the runner's answers: everything else in its output is printed by the code that it runs. */
export const answerMark = '@answer ';

/**
 * @param {string} name
 * @param {string} entry the module, relative to the repository
 * @param {Record<string, string>} env from the set-up, by which Dawn in Node finds its adapter
 * @param {import('vite').Plugin[]} [plugins] of the bundle
 * @returns {Promise<Engine>}
 */
export async function openEngine(name, entry, env, plugins) {
  const { bundle, temporaryFolder } = await import('./bundle.mjs');
  const folder = temporaryFolder(`engine-${name}`);
  return openBuilt(name, await bundle({ entry, folder, plugins, external: [/^webgpu$/] }), env);
}

/**
 * The same for a module that is already bundled.
 *
 * @param {string} name
 * @param {string} built its path
 * @param {Record<string, string>} env
 * @param {Record<string, string>} [mounts] folders that pages find next to it, by prefix
 * @returns {Promise<Engine>}
 */
export async function openBuilt(name, built, env, mounts) {
  if (name === 'node') return inProcess(process.execPath, ['--expose-gc'], built, { ...process.env, ...env });
  if (name === 'deno') {
    // The variables that select Dawn's software adapter don't work for wgpu.
    const { VK_ICD_FILENAMES, VK_DRIVER_FILES, LD_LIBRARY_PATH, ...own } = process.env;
    return inProcess(
      requireDeno(),
      ['run', '--allow-all', '--unstable-webgpu', '--v8-flags=--expose-gc'],
      built,
      own,
    );
  }
  return inPage(name, built, mounts);
}

/** Finds the Deno set by RETROGRAD_DENO, or the one on the PATH. */
export function findDeno() {
  const file = process.platform === 'win32' ? 'deno.exe' : 'deno';
  const onPath = (process.env.PATH ?? '').split(path.delimiter).map((folder) => path.join(folder, file));
  const named = process.env.RETROGRAD_DENO;
  return (named ? [named] : onPath).find((place) => fs.existsSync(place)) ?? null;
}

function requireDeno() {
  const found = findDeno();
  if (found) return found;
  throw new SetupError(
    'Deno is needed. Received: none on the PATH. Hint: `npm install --global deno`, or set RETROGRAD_DENO to its path.',
  );
}

/** Processes that are running. @type {Set<import('node:child_process').ChildProcess>} */
const running = new Set();
let endsEngines = false;

/** Ends the engines when the run is interrupted: they read requests only between calls, and a call may take long. */
function endWithThisProcess() {
  if (endsEngines) return;
  endsEngines = true;
  process.once('exit', () => {
    for (const child of running) child.kill('SIGKILL');
  });
  for (const [signal, number] of /** @type {const} */ ([
    ['SIGHUP', 1],
    ['SIGINT', 2],
    ['SIGTERM', 15],
  ]))
    process.once(signal, () => process.exit(128 + number));
}

/**
 * @param {string} command
 * @param {string[]} flags
 * @param {string} built
 * @param {NodeJS.ProcessEnv} env
 * @returns {Engine}
 */
function inProcess(command, flags, built, env) {
  const runner = path.join(ROOT, 'scripts', 'lib', 'engine-runner.mjs');
  const child = spawn(command, [...flags, runner, built], {
    cwd: ROOT,
    env,
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  endWithThisProcess();
  running.add(child);
  child.once('close', () => running.delete(child));
  /** @type {((line: string) => void)[]} */
  const waiting = [];
  createInterface({ input: child.stdout }).on('line', (line) => {
    if (line.startsWith(answerMark)) waiting.shift()?.(line.slice(answerMark.length));
    else if (line !== '') process.stderr.write(`${line}\n`);
  });
  const ended = new Promise((resolve) => child.once('close', resolve));
  return {
    async call(name, ...args) {
      const answer = new Promise((resolve) => {
        waiting.push(resolve);
      });
      child.stdin.write(`${JSON.stringify({ name, args })}\n`);
      const died = ended.then((code) => JSON.stringify({ error: `the process ended with code ${code}` }));
      const { value, error } = JSON.parse(String(await Promise.race([answer, died])));
      if (error) throw new Error(error);
      return value;
    },
    async close() {
      child.stdin.end();
      await ended;
    },
    async kill() {
      child.kill('SIGKILL');
      await ended;
    },
  };
}

/**
 * @param {string} name
 * @param {string} built
 * @param {Record<string, string>} [mounts]
 * @returns {Promise<Engine>}
 */
async function inPage(name, built, mounts) {
  const { launchBrowser, openPage, serveFolder } = await import('./browser.mjs');
  const { launchFirefox } = await import('./firefox.mjs');
  const server = await serveFolder(path.dirname(built), { mounts });
  const browser = name === 'firefox' ? await launchFirefox() : await launchBrowser();
  const { page } = await openPage(browser, server.url);
  /** Runs in the page. @param {string} address @param {string} called @param {unknown[]} args */
  const call = async (address, called, args) => {
    const module = await import(/** @type {string} */ (address));
    return (await module[called](...args)) ?? null;
  };
  const close = async () => {
    await browser.close();
    await server.close();
  };
  return {
    call: (called, ...args) => page.evaluate(call, `/${path.basename(built)}`, called, args),
    close,
    kill: close,
  };
}
