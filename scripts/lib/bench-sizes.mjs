// @ts-check
/**
 * @file Measures what an app downloads of each library: minified, gzipped, including WebAssembly. Code loaded by `import()`
 * is counted separately.
 */
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { build } from 'vite';
import { contenderVersions } from './bench-versions.mjs';
import { byLoad } from './chunks.mjs';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** @typedef {import('../../bench/job.ts').Library} Library */
/** @typedef {import('../../bench/start.ts').Sizes} Sizes */
/** @typedef {import('../../bench/start.ts').Weight} Weight */

/** @type {Record<keyof Sizes, Partial<Record<Library, string>>>} */
const entries = {
  core: { retrograd: 'retrograd.ts', tfjs: 'tfjs.ts', jaxjs: 'jaxjs.ts', ort: 'ort.ts' },
  keras: { retrograd: 'retrogradKeras.ts' },
};

/** The sizes of peers, each of the version that was weighed, since to bundle them takes 20 s. After changes to an entry, remove its size. */
const PEERS = path.join(ROOT, 'bench', 'size', 'peers.json');

/** Bundles `entry`, in bench/size, as an app would. @param {string} entry @returns {Promise<Weight>} */
async function weigh(entry) {
  const result = await build({
    configFile: path.join(ROOT, 'vite.config.ts'),
    mode: 'app',
    logLevel: 'error',
    build: {
      rolldownOptions: {
        input: path.join(ROOT, 'bench', 'size', entry),
        preserveEntrySignatures: 'allow-extension',
      },
    },
  });
  const outputs = [result].flat().flatMap((bundle) => ('output' in bundle ? bundle.output : []));
  const chunks = outputs.flatMap((file) => (file.type === 'chunk' ? [file] : []));
  const { first, device, gpu, software, later } = byLoad(chunks);
  const assets = outputs.flatMap((file) => (file.type === 'asset' ? [file.source] : []));
  return {
    first: sizeOf([...first.map(({ code }) => code), ...assets]),
    later: sizeOf([...device, ...gpu, ...software, ...later].map(({ code }) => code)),
  };
}

/** Gzipped size of files in kB. @param {(string | Uint8Array)[]} files */
function sizeOf(files) {
  return files.reduce((sum, file) => sum + gzipSync(file).length, 0) / 1000;
}

/**
 * Cached by bundle, since several rows show parts of one.
 * @type {Partial<Record<keyof Sizes, Promise<Partial<Record<Library, Weight>>>>>}
 */
const weighed = {};

/** @param {keyof Sizes} bundle */
export function measureSizes(bundle) {
  weighed[bundle] ??= weighAll(bundle);
  return weighed[bundle];
}

/** @param {keyof Sizes} bundle @returns {Promise<Partial<Record<Library, Weight>>>} */
async function weighAll(bundle) {
  /** @type {Partial<Record<Library, Weight>>} */
  const sizes = {};
  for (const [name, entry] of Object.entries(entries[bundle])) {
    const library = /** @type {Library} */ (name);
    sizes[library] = await (library === 'retrograd' ? weigh(entry) : weighPeer(library, entry));
  }
  return sizes;
}

/**
 * Returns the recorded size of a peer. If another version is installed, weighs that one, and records it.
 *
 * @param {Library} library @param {string} entry @returns {Promise<Weight>}
 */
async function weighPeer(library, entry) {
  /** @type {Partial<Record<Library, Weight & { version: string }>>} */
  const recorded = JSON.parse(fs.readFileSync(PEERS, 'utf8'));
  const version = contenderVersions()[library];
  const { [library]: known } = recorded;
  if (known?.version === version) return { first: known.first, later: known.later };
  const weight = await weigh(entry);
  recorded[library] = { version, ...weight };
  fs.writeFileSync(PEERS, `${JSON.stringify(recorded, null, 2)}\n`);
  return weight;
}
