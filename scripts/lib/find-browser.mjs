// @ts-check
/**
 * @file Finds a Chromium or Chrome that is already on this machine. Installs nothing, starts nothing.
 *
 * The machine that it looks at (environment, platform, file system) is a parameter, so that a test can pass its own.
 */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';

/**
 * @typedef {object} Machine what the search looks at
 * @property {Record<string, string | undefined>} env
 * @property {NodeJS.Platform} platform
 * @property {string} homedir
 * @property {(file: string) => boolean} isFile whether `file` exists and is a file
 * @property {(folder: string) => string[]} list the names in `folder`; empty if it doesn't exist
 */

/**
 * @typedef {object} BrowserSearch
 * @property {string | null} path the executable, or null if none was found
 * @property {string} source how it was found: a variable's name, `PATH`, `installed` or `puppeteer cache`
 * @property {string[]} tried all places searched, for the message if none was found
 */

/** Variables that specify a browser; the first one that is set wins. */
export const BROWSER_VARIABLES = ['RETROGRAD_CHROME', 'PUPPETEER_EXECUTABLE_PATH', 'CHROME_PATH'];

const NAMES_ON_PATH = [
  'chromium',
  'chromium-browser',
  'google-chrome-stable',
  'google-chrome',
  'google-chrome-beta',
  'google-chrome-unstable',
  'chrome',
];

/** @returns {Machine} the machine that this process runs on */
export function thisMachine() {
  return {
    env: process.env,
    platform: process.platform,
    homedir: os.homedir(),
    isFile: (file) => fs.statSync(file, { throwIfNoEntry: false })?.isFile() ?? false,
    list: (folder) => {
      try {
        return fs.readdirSync(folder);
      } catch {
        return [];
      }
    },
  };
}

/**
 * Finds the browser to use, in this order: the variables, `PATH`, the usual places, puppeteer's cache.
 * A variable that is set but isn't the path of a file is an error; nothing else is used in its place.
 *
 * @param {Partial<Machine>} [machine]
 * @param {(file: string) => boolean} [accepts] a further test that a found file must pass
 * @returns {BrowserSearch}
 */
export function searchBrowser(machine = {}, accepts = () => true) {
  const world = { ...thisMachine(), ...machine };
  /** @type {string[]} */
  const tried = [];
  for (const name of BROWSER_VARIABLES) {
    const file = world.env[name];
    if (!file) continue;
    if (world.isFile(file)) return { path: file, source: name, tried };
    throw new Error(
      `The variable ${name} must name a Chrome or Chromium executable. Received: '${file}', which is no file. ` +
        `Hint: set it to the executable's full path, or unset it to let the browser be found.`,
    );
  }
  tried.push(`variables ${BROWSER_VARIABLES.join(', ')} (not set)`);
  /** @type {[string, string[]][]} */
  const places = [
    ['PATH', onPath(world)],
    ['installed', usualPlaces(world)],
    ['puppeteer cache', inPuppeteerCache(world)],
  ];
  for (const [source, files] of places) {
    const found = files.find((file) => world.isFile(file) && accepts(file));
    if (found) return { path: found, source, tried };
    tried.push(`${source}: ${files.length ? files.join(', ') : 'nothing there'}`);
  }
  return { path: null, source: 'nowhere', tried };
}

/**
 * @param {Partial<Machine>} [machine]
 * @returns {string | null} the path of a Chromium or Chrome, or null if there is none
 */
export function findBrowser(machine = {}) {
  return searchBrowser(machine).path;
}

/** @param {Machine} world */
function join(world, /** @type {string[]} */ ...parts) {
  return (world.platform === 'win32' ? path.win32 : path.posix).join(...parts);
}

/** @param {Machine} world */
function onPath(world) {
  const windows = world.platform === 'win32';
  const folders = (world.env.PATH ?? world.env.Path ?? '').split(windows ? ';' : ':').filter(Boolean);
  const names = windows ? NAMES_ON_PATH.map((name) => `${name}.exe`) : NAMES_ON_PATH;
  const files = names.flatMap((name) => folders.map((folder) => join(world, folder, name)));
  return files.filter(world.isFile);
}

/** @param {Machine} world */
function usualPlaces(world) {
  switch (world.platform) {
    case 'darwin':
      return ['/', world.homedir].flatMap((root) =>
        ['Google Chrome', 'Chromium', 'Google Chrome for Testing', 'Google Chrome Canary'].map((app) =>
          join(world, root, 'Applications', `${app}.app`, 'Contents', 'MacOS', app),
        ),
      );
    case 'win32':
      return ['PROGRAMFILES', 'PROGRAMFILES(X86)', 'LOCALAPPDATA']
        .map((name) => world.env[name])
        .filter((root) => root !== undefined)
        .flatMap((root) => [
          join(world, root, 'Google', 'Chrome', 'Application', 'chrome.exe'),
          join(world, root, 'Chromium', 'Application', 'chrome.exe'),
        ]);
    default:
      return [
        '/usr/bin/chromium',
        '/usr/bin/chromium-browser',
        '/usr/bin/google-chrome-stable',
        '/usr/bin/google-chrome',
        '/usr/lib/chromium/chromium',
        '/usr/lib64/chromium-browser/chromium-browser',
        '/opt/google/chrome/chrome',
        '/snap/bin/chromium',
      ];
  }
}

/**
 * Returns the executables in puppeteer's cache (`<cache>/chrome/<platform>-<version>/…`), the newest version first.
 *
 * @param {Machine} world
 */
function inPuppeteerCache(world) {
  const cache = world.env.PUPPETEER_CACHE_DIR ?? join(world, world.homedir, '.cache', 'puppeteer');
  const builds = join(world, cache, 'chrome');
  return world
    .list(builds)
    .sort((a, b) => b.localeCompare(a, 'en', { numeric: true }))
    .flatMap((build) =>
      world.list(join(world, builds, build)).map((folder) => join(world, builds, build, folder)),
    )
    .map((folder) => executableIn(world, folder));
}

/** @param {Machine} world @param {string} folder */
function executableIn(world, folder) {
  if (world.platform === 'win32') return join(world, folder, 'chrome.exe');
  if (world.platform !== 'darwin') return join(world, folder, 'chrome');
  const app = 'Google Chrome for Testing';
  return join(world, folder, `${app}.app`, 'Contents', 'MacOS', app);
}
