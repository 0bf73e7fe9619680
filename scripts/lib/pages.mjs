// @ts-check
/**
 * @file Builds the library into dist/ and pages into site/, each only if its sources are newer. Used by the demo, by `npm run
 * build:pages`, and by tests of pages.
 */
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { ROOT, SetupError } from '../setup.mjs';
import { framed } from '../website/layout.mjs';
import { writeOffline } from '../website/offline.mjs';

const VITE = path.join(ROOT, 'node_modules', 'vite', 'bin', 'vite.js');

/** @typedef {(line: string) => void} Say */
/** @typedef {Record<string, string>} Env */

const BUILT = ['dist/index.js', 'dist/keras.js', 'dist/io.js', 'dist/hub.js', 'vite.config.ts'];

/** What every page has around it, in its own files. */
const FRAMED = ['website/style/tokens.css', 'scripts/website/layout.mjs', 'package.json'];
/** What all pages share. */
const FRAME = [
  ...['website/frame', 'website/style', 'website/searchRank.ts', 'website/searchSynonyms.ts'],
  ...['scripts/website/frame.mjs', 'scripts/website/offline.mjs', 'website/offline'],
];

/** The sources of a page, besides its own folder. @type {Record<string, string[]>} */
const MADE_OF = {
  notebook: [...BUILT, 'examples/perceptual-loss/picture.ts'],
  'super-resolution': [...BUILT, 'examples/perceptual-loss', 'examples/fine-tune/style.css'],
  tagger: [...BUILT, 'examples/fine-tune/style.css'],
  playground: [...BUILT, 'examples/playground', 'examples/notebook', 'scripts/website/playground-types.mjs'],
  vanilla: ['dist/browser', 'scripts/lib/pages.mjs'],
  // Bundles its peers, and measures the sizes of all of them.
  bench: ['src', 'shaders', 'scripts/lib', 'scripts/build-bench.mjs', 'vite.config.ts', 'package-lock.json'],
};

/** The pages, in the order of the site's index. @type {readonly { name: string, folder: string }[]} */
export const pages = [
  ...[
    'notebook',
    'fine-tune',
    'super-resolution',
    'tagger',
    'perceptual-loss',
    'webgpu-app',
    'gather-three-ways',
    'check',
    'vanilla',
  ].map((name) => ({ name, folder: `examples/${name}` })),
  { name: 'playground', folder: 'website/playground' },
  { name: 'bench', folder: 'bench' },
];

/** @param {Env} env @param {Say} say */
export function buildLibrary(env, say) {
  const sources = ['src', 'shaders', 'vite.config.ts', 'scripts/lib', 'package-lock.json'];
  if (isFresh('dist/index.js', sources)) return;
  say('Building the library …');
  build(env, [VITE, 'build', '--mode', 'library'], 'The library');
  // A build of the library removes its types. Pages don't need them, so a failure is ignored.
  try {
    build(env, ['scripts/build-types.mjs'], "The library's types");
  } catch {
    say('The types of the library were not written: `npm run typecheck` says why.');
  }
}

/** @param {string} name @param {Env} env @param {Say} say */
export function buildPage(name, env, say) {
  const page = pages.find((known) => known.name === name);
  if (!page)
    throw new SetupError(
      `There is no page '${name}'. Pages: ${pages.map((known) => known.name).join(', ')}.`,
    );
  buildFrame(env, say);
  if (isFresh(`site/${name}/index.html`, [page.folder, ...FRAMED, ...(MADE_OF[name] ?? BUILT)])) return;
  say(`Building the page ${name} …`);
  if (name === 'vanilla') copyVanilla(page.folder);
  else if (name === 'bench') build(env, ['scripts/build-bench.mjs'], 'The benchmark');
  else build(env, [VITE, 'build', '--mode', name], `The page ${name}`);
}

/** Builds the scripts, the style and the pictures that all pages share. @param {Env} env @param {Say} say */
function buildFrame(env, say) {
  if (isFresh('site/assets/search.js', FRAME)) return;
  say('Building the frame of the pages …');
  build(env, ['scripts/build-frame.mjs'], 'The frame of the pages');
}

/**
 * Builds the landing page, and the parts that scripts/website generates: guide, reference and search.
 * @param {Env} env
 * @param {Say} say
 */
export function buildWebsite(env, say) {
  buildFrame(env, say);
  const generated = [
    'docs',
    'website',
    'scripts/website',
    'scripts/lib/reference-examples.mjs',
    'examples/playground',
    'examples/ports',
    'examples/programs',
    'CHANGELOG.md',
    'CONTRIBUTING.md',
    'dist/index.d.ts',
  ];
  if (!isFresh('site/assets/search.json', generated)) {
    say('Building guide and reference …');
    build(env, ['scripts/build-website.mjs'], 'Guide and reference');
  }
  if (
    isFresh('site/index.html', [
      'website',
      'scripts/website',
      'bench/results',
      'examples/playground',
      ...BUILT,
    ])
  ) {
    writeOffline(pages.map(({ name }) => name));
    return;
  }
  say('Building the landing page …');
  fs.rmSync(path.join(ROOT, 'site', 'landing'), { recursive: true, force: true });
  build(env, [VITE, 'build', '--mode', 'landing'], 'The landing page');
  writeOffline(pages.map(({ name }) => name));
}

/** Copies the page that needs no build, and the modules in its import map. @param {string} folder */
function copyVanilla(folder) {
  const site = path.join(ROOT, 'site', 'vanilla');
  fs.rmSync(site, { recursive: true, force: true });
  fs.cpSync(path.join(ROOT, 'dist', 'browser'), path.join(site, 'retrograd'), { recursive: true });
  const html = fs.readFileSync(path.join(ROOT, folder, 'index.html'), 'utf8');
  fs.writeFileSync(
    path.join(site, 'index.html'),
    framed(html, '../').replaceAll('../../dist/browser/', './retrograd/'),
  );
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
  // A folder's own time changes when files are removed.
  return Math.max(stat.mtimeMs, ...fs.readdirSync(place).map((name) => newestTime(path.join(place, name))));
}

/**
 * Runs one command of a build; its output is shown only if it fails.
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
