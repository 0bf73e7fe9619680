// @ts-check
/**
 * @file Sets up a fresh clone: packages, a browser, and what Dawn for Node needs. Uses only Node, since it runs before
 * anything is installed. Writes to stderr, so that a command's own stdout stays clean.
 *
 * Run on its own (`node scripts/setup.mjs`), it prints what it found.
 */
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { installDebianPackages } from './lib/apt.mjs';
import { findBrowser, searchBrowser } from './lib/find-browser.mjs';
import { nodeGpuEnv } from './lib/node-gpu.mjs';

export { findBrowser, nodeGpuEnv };

export const ROOT = fileURLToPath(new URL('..', import.meta.url));

/** The oldest version in which WebGPU works in headless mode, with the flags of lib/browser.mjs. */
const OLDEST_BROWSER = 121;
const DOWNLOAD_MINUTES = 5;

/** An error of the set-up rather than the code, printed without a stack. */
export class SetupError extends Error {
  /** @override */
  name = 'SetupError';
}

/**
 * @typedef {object} Shell what the set-up does to the machine; a test passes its own
 * @property {(file: string, args: string[], options?: RunOptions) => RunResult} run
 * @property {(message: string) => void} say
 * @property {typeof searchBrowser} search
 * @property {NodeJS.Platform} platform
 * @property {boolean} root whether this process may install system packages
 */

/** @typedef {{ minutes?: number, env?: Record<string, string>, show?: boolean }} RunOptions */
/** @typedef {{ ok: boolean, output: string }} RunResult */

/** @returns {Shell} */
export function thisShell() {
  return {
    run,
    say: (message) => process.stderr.write(`${message}\n`),
    search: searchBrowser,
    platform: process.platform,
    root: process.getuid?.() === 0,
  };
}

/**
 * Installs what is missing and returns the environment for child processes: the browser's path in RETROGRAD_CHROME, and the
 * variables that Dawn for Node needs.
 *
 * @param {{ browser?: boolean }} [need] `browser: false` if the caller needs no browser
 * @returns {{ browser: string | null, env: Record<string, string> }}
 * @throws {SetupError} if something can't be installed
 */
export function setup({ browser: needsBrowser = true } = {}) {
  const shell = thisShell();
  ensurePackages(ROOT, shell);
  const browser = needsBrowser ? ensureBrowser(shell) : findBrowser();
  if (browser) process.env.RETROGRAD_CHROME = browser;
  return { browser, env: { ...(browser ? { RETROGRAD_CHROME: browser } : {}), ...nodeGpuEnv() } };
}

/**
 * Runs `npm ci` unless every package of package-lock.json is installed in the right version.
 *
 * @param {string} root
 * @param {Pick<Shell, 'run' | 'say'>} [shell]
 */
export function ensurePackages(root, shell = thisShell()) {
  if (packagesInstalled(root)) return;
  shell.say('Installing packages (npm ci) …');
  const { ok } = runNpm(shell, ['ci', '--no-audit', '--no-fund']);
  if (ok) return;
  throw new SetupError(
    'The packages of package-lock.json must be installed. Received: `npm ci` failed, see above. ' +
      'Hint: run `npm ci` where the npm registry can be reached, then this command again.',
  );
}

/**
 * Returns whether node_modules matches package-lock.json. Compares versions rather than dates: a checkout may touch the lock file
 * without changing it. Optional packages (other platforms' binaries) may be missing.
 *
 * @param {string} root
 */
export function packagesInstalled(root) {
  const wanted = lockedPackages(path.join(root, 'package-lock.json'));
  const present = lockedPackages(path.join(root, 'node_modules', '.package-lock.json'));
  if (!wanted || !present) return false;
  return Object.entries(wanted).every(
    ([name, entry]) => name === '' || entry.optional || present[name]?.version === entry.version,
  );
}

/**
 * @param {string} file
 * @returns {Record<string, { version?: string, optional?: boolean }> | null}
 */
function lockedPackages(file) {
  return fs.existsSync(file) ? JSON.parse(fs.readFileSync(file, 'utf8')).packages : null;
}

/**
 * Returns the path of a browser that starts: an installed one, otherwise puppeteer's download, otherwise Debian's package.
 *
 * @param {Shell} [shell]
 * @returns {string}
 * @throws {SetupError} saying what was tried
 */
export function ensureBrowser(shell = thisShell()) {
  /** @type {string[]} */
  const rejected = [];
  const look = () => shell.search({}, (file) => isUsable(shell, file, rejected));
  const there = look();
  if (there.path) return there.path;
  const tried = [...there.tried, ...rejected];
  for (const attempt of [downloadBrowser, installDebianBrowser]) {
    const outcome = attempt(shell);
    const found = outcome.ok ? look().path : null;
    if (found) return found;
    tried.push(outcome.output);
  }
  throw new SetupError(
    `A Chrome or Chromium, version ${OLDEST_BROWSER} or newer, is needed to run WebGPU headlessly. Received: none. Tried:\n` +
      `${tried.map((line) => `  - ${line}`).join('\n')}\n` +
      'Hint: install Chrome or Chromium (on Debian, as root: `apt-get install chromium`), or set RETROGRAD_CHROME ' +
      "to an executable's full path.",
  );
}

/**
 * Returns whether `file` is a browser and not a placeholder for one (Ubuntu's `chromium-browser` only prints a hint to use snap).
 *
 * @param {Shell} shell
 * @param {string} file
 * @param {string[]} rejected receives the reason
 */
function isUsable(shell, file, rejected) {
  if (shell.platform === 'win32') return true; // chrome.exe opens a window instead of printing its version.
  const { ok, output } = shell.run(file, ['--version'], { minutes: 0.5 });
  const version = Number(/(?:Chromium|Chrome\S*(?: for Testing)?) (\d+)\./.exec(output)?.[1] ?? Number.NaN);
  if (ok && version >= OLDEST_BROWSER) return true;
  rejected.push(
    `${file}: ${Number.isNaN(version) ? 'does not start as a browser' : `version ${version} is too old`}`,
  );
  return false;
}

/** @param {Shell} shell @returns {RunResult} */
function downloadBrowser(shell) {
  shell.say('No Chrome or Chromium found. Downloading one (puppeteer) …');
  const puppeteer = path.join(ROOT, 'node_modules', 'puppeteer', 'lib', 'esm', 'puppeteer', 'node', 'cli.js');
  const args = [puppeteer, 'browsers', 'install', 'chrome'];
  const { ok, output } = shell.run(process.execPath, args, { minutes: DOWNLOAD_MINUTES });
  return { ok, output: `puppeteer's download: ${lastError(output)}` };
}

/** @param {Shell} shell @returns {RunResult} */
function installDebianBrowser(shell) {
  const { ok, output } = installDebianPackages(shell, ['chromium']);
  return { ok, output: `apt-get install chromium: ${lastError(output)}` };
}

/** Returns the line of `output` with the reason, and the next one if it ends with a colon. @param {string} output */
export function lastError(output) {
  const lines = output
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean);
  const at = lines.findIndex((line) => /^E:|error|ENOTFOUND|unable/i.test(line));
  if (at < 0) return lines.at(-1) ?? 'failed';
  return lines.slice(at, lines[at]?.endsWith(':') ? at + 2 : at + 1).join(' ');
}

/** @param {Pick<Shell, 'run'>} shell @param {string[]} args */
function runNpm(shell, args) {
  // Without network access, puppeteer's own download would fail the whole install; it has a separate step.
  const options = { show: true, env: { PUPPETEER_SKIP_DOWNLOAD: '1' } };
  const npm = process.env.npm_execpath;
  if (npm?.endsWith('.js')) return shell.run(process.execPath, [npm, ...args], options);
  return shell.run(process.platform === 'win32' ? 'npm.cmd' : 'npm', args, options);
}

/**
 * @param {string} file
 * @param {string[]} args
 * @param {RunOptions} [options] `show`: the command's output goes to stderr immediately
 * @returns {RunResult}
 */
function run(file, args, { minutes, env, show = false } = {}) {
  const result = spawnSync(file, args, {
    cwd: ROOT,
    env: { ...process.env, ...env },
    encoding: 'utf8',
    timeout: minutes === undefined ? undefined : minutes * 60_000,
    shell: process.platform === 'win32' && file.endsWith('.cmd'),
    stdio: show ? ['ignore', 2, 'pipe'] : ['ignore', 'pipe', 'pipe'],
  });
  if (show && result.stderr) process.stderr.write(result.stderr);
  const late = result.error?.message.includes('ETIMEDOUT')
    ? `error: not done within ${minutes} minutes\n`
    : '';
  return { ok: result.status === 0, output: `${late}${result.stdout ?? ''}${result.stderr ?? ''}` };
}

/**
 * Runs a script's `main`: a SetupError is printed without a stack, and ends with exit code 1.
 *
 * @param {() => unknown} main
 */
export async function runMain(main) {
  try {
    await main();
  } catch (error) {
    process.stderr.write(`${describe(error)}\n`);
    process.exitCode = 1;
  }
}

/** @param {unknown} error */
function describe(error) {
  if (error instanceof SetupError) return error.message;
  return error instanceof Error ? error.stack : String(error);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await runMain(() => {
    const { browser, env } = setup();
    process.stdout.write(`browser: ${browser}\n`);
    for (const [name, value] of Object.entries(env)) process.stdout.write(`${name}=${value}\n`);
  });
}
