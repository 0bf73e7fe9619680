// @ts-check
/**
 * @file Builds the library into dist/ and pages into site/, each only where what it is made of is newer. Used by the demo, by
 * `npm run build:pages`, and by tests of pages.
 */
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { ROOT, SetupError } from '../setup.mjs';

const VITE = path.join(ROOT, 'node_modules', 'vite', 'bin', 'vite.js');

/** @typedef {(line: string) => void} Say */
/** @typedef {Record<string, string>} Env */

/** Folders beside a page's own that it is made of, where there are any. @type {Record<string, string[]>} */
const ALSO = { notebook: ['examples/perceptual-loss/picture.ts'] };

/**
 * The pages, in the order of the site's index: a folder with a Vite configuration.
 *
 * @returns {{ name: string, folder: string }[]}
 */
export function pages() {
  const examples = fs
    .readdirSync(path.join(ROOT, 'examples'))
    .sort((a, b) => Number(b === 'notebook') - Number(a === 'notebook'))
    .map((name) => ({ name, folder: `examples/${name}` }));
  return [...examples, { name: 'bench', folder: 'bench' }].filter(({ folder }) =>
    fs.existsSync(path.join(ROOT, folder, 'vite.config.ts')),
  );
}

/** @param {Env} env @param {Say} say */
export function buildLibrary(env, say) {
  const sources = ['src', 'shaders', 'scripts/build.mjs', 'scripts/lib', 'package-lock.json'];
  if (isFresh('dist/index.js', sources)) return;
  say('Building the library …');
  build(env, ['scripts/build.mjs'], 'The library');
  // A build of the library removes its types. They are no part of a page: where they fail, it goes on without.
  try {
    build(env, ['scripts/build-types.mjs'], "The library's types");
  } catch {
    say('The types of the library were not written: `npm run typecheck` says why.');
  }
}

/** @param {string} name @param {Env} env @param {Say} say */
export function buildPage(name, env, say) {
  const page = pages().find((known) => known.name === name);
  if (!page)
    throw new SetupError(
      `There is no page '${name}'. Pages: ${pages()
        .map((known) => known.name)
        .join(', ')}.`,
    );
  const made = ['dist/index.js', 'dist/keras.js', 'dist/io.js', 'examples/pageConfig.ts', page.folder];
  if (isFresh(`site/${name}/index.html`, [...made, ...(ALSO[name] ?? [])])) return;
  say(`Building the page ${name} …`);
  build(env, [VITE, 'build', '--config', `${page.folder}/vite.config.ts`], `The page ${name}`);
}

/** @param {string} made @param {string[]} sources files and folders */
function isFresh(made, sources) {
  const file = path.resolve(ROOT, made);
  if (!fs.existsSync(file)) return false;
  const time = fs.statSync(file).mtimeMs;
  return sources.every((source) => newestTime(path.join(ROOT, source)) < time);
}

/** @param {string} place @returns {number} */
function newestTime(place) {
  const stat = fs.statSync(place);
  if (!stat.isDirectory()) return stat.mtimeMs;
  // A folder's own time tells of files that were removed.
  return Math.max(stat.mtimeMs, ...fs.readdirSync(place).map((name) => newestTime(path.join(place, name))));
}

/**
 * Runs one command of a build; what it prints is shown only where it fails.
 *
 * @param {Env} env
 * @param {string[]} args
 * @param {string} what
 */
function build(env, args, what) {
  const result = spawnSync(process.execPath, args, {
    cwd: ROOT,
    env: { ...process.env, ...env },
    encoding: 'utf8',
  });
  if (result.status === 0) return;
  throw new SetupError(`${what} must build. Received:\n${result.stdout}${result.stderr}`);
}
