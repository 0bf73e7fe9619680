// @ts-check
/**
 * @file A headless Firefox with WebGPU, in addition to Chromium: found, downloaded by puppeteer, or installed from Debian's
 * package (as root), and started with WebGPU on.
 */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { lastError, ROOT, SetupError, thisShell } from '../setup.mjs';
import { installDebianPackages } from './apt.mjs';

/** @typedef {import('../setup.mjs').Shell} Shell */
/** @typedef {import('../setup.mjs').RunResult} RunResult */

const NAMES_ON_PATH = ['firefox', 'firefox-esr'];
const USUAL_PLACES = [
  '/Applications/Firefox.app/Contents/MacOS/firefox',
  'C:\\Program Files\\Mozilla Firefox\\firefox.exe',
];
const DOWNLOAD_MINUTES = 5;
/** Software Vulkan of Mesa, lavapipe: what Firefox needs on a Linux machine without a GPU. */
const LAVAPIPE = 'mesa-vulkan-drivers';
const DRIVER_FOLDERS = ['/usr/share/vulkan/icd.d', '/etc/vulkan/icd.d', '/usr/local/share/vulkan/icd.d'];

/** @param {string} file */
const isFile = (file) => fs.statSync(file, { throwIfNoEntry: false })?.isFile() ?? false;

/** Returns the path of an installed Firefox, or null. */
export function findFirefox() {
  const named = process.env.RETROGRAD_FIREFOX;
  if (named && !isFile(named)) {
    throw new SetupError(
      `The variable RETROGRAD_FIREFOX must name a Firefox executable. Received: '${named}', which is no file.`,
    );
  }
  if (named) return named;
  const suffix = process.platform === 'win32' ? '.exe' : '';
  const onPath = (process.env.PATH ?? '')
    .split(path.delimiter)
    .flatMap((folder) => NAMES_ON_PATH.map((name) => path.join(folder, name + suffix)));
  return [...onPath, ...USUAL_PLACES, ...downloaded()].find(isFile) ?? null;
}

/** Returns what puppeteer downloaded before. */
function downloaded() {
  const cache = process.env.PUPPETEER_CACHE_DIR ?? path.join(os.homedir(), '.cache', 'puppeteer');
  const folder = path.join(cache, 'firefox');
  if (!fs.existsSync(folder)) return [];
  return fs
    .readdirSync(folder)
    .flatMap((build) => [
      path.join(folder, build, 'firefox', process.platform === 'win32' ? 'firefox.exe' : 'firefox'),
      path.join(folder, build, 'Firefox Nightly.app', 'Contents', 'MacOS', 'firefox'),
      path.join(folder, build, 'Firefox.app', 'Contents', 'MacOS', 'firefox'),
    ]);
}

/**
 * Returns the path of a Firefox, which is installed if there is none, along with a Vulkan driver.
 *
 * @param {Shell} [shell]
 * @returns {string}
 * @throws {SetupError} saying what was tried
 */
export function ensureFirefox(shell = thisShell()) {
  const found = findFirefox() ?? installFirefox(shell);
  if (shell.platform === 'linux' && !hasVulkanDriver()) installDebianPackages(shell, [LAVAPIPE]);
  return found;
}

function hasVulkanDriver() {
  return DRIVER_FOLDERS.some((folder) => fs.existsSync(folder) && fs.readdirSync(folder).length > 0);
}

/**
 * @param {Shell} shell
 * @returns {string}
 */
function installFirefox(shell) {
  /** @type {string[]} */
  const tried = [];
  for (const attempt of [download, installDebianFirefox]) {
    const outcome = attempt(shell);
    const found = outcome.ok ? findFirefox() : null;
    if (found) return found;
    tried.push(outcome.output);
  }
  throw new SetupError(
    `A Firefox is needed for the tests in a second browser. Received: none. Tried:\n${tried.map((line) => `  - ${line}`).join('\n')}\n` +
      "Hint: install Firefox 141 or newer (on Debian, as root: `apt-get install firefox-esr`), or set RETROGRAD_FIREFOX to an executable's full path.",
  );
}

/** @param {Shell} shell @returns {RunResult} */
function download(shell) {
  shell.say('No Firefox found. Downloading one (puppeteer) …');
  const cli = path.join(ROOT, 'node_modules', 'puppeteer', 'lib', 'esm', 'puppeteer', 'node', 'cli.js');
  const args = [cli, 'browsers', 'install', 'firefox'];
  const { ok, output } = shell.run(process.execPath, args, { minutes: DOWNLOAD_MINUTES });
  return { ok, output: `puppeteer's download: ${lastError(output)}` };
}

/** @param {Shell} shell @returns {RunResult} */
function installDebianFirefox(shell) {
  const { ok, output } = installDebianPackages(shell, ['firefox-esr', LAVAPIPE]);
  return { ok, output: `apt-get install firefox-esr: ${lastError(output)}` };
}

/**
 * Starts Firefox with WebGPU on. Its pages are opened and run like Chromium's.
 *
 * @returns {Promise<import('puppeteer').Browser>}
 */
export async function launchFirefox() {
  const executablePath = findFirefox();
  if (!executablePath)
    throw new SetupError(
      'A Firefox is needed. Received: none. Hint: `npm test` installs one, or set RETROGRAD_FIREFOX.',
    );
  const { default: puppeteer } = await import('puppeteer');
  // The variables that select Dawn's software adapter in Node would select one that Firefox rejects.
  const { VK_ICD_FILENAMES, VK_DRIVER_FILES, LD_LIBRARY_PATH, ...env } = process.env;
  return puppeteer.launch({
    browser: 'firefox',
    executablePath,
    headless: true,
    env,
    extraPrefsFirefox: { 'dom.webgpu.enabled': true, 'gfx.webgpu.ignore-blocklist': true },
    protocolTimeout: 60 * 60_000,
  });
}
