// @ts-check
/**
 * @file An archive of everything that `npm run bench:gpu` runs, for a machine that has Node and a GPU, and on which nothing can be
 * installed.
 */
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { ROOT, SetupError } from '../setup.mjs';
import { temporaryFolder } from './bundle.mjs';
import { buildSources, describeSources } from './gpu-sources.mjs';

const NAME = 'retrograd-bench-gpu';
/** What the script itself imports, and the packages that aren't part of the bundle. */
const COPIED = [
  'package.json',
  'scripts/bench-gpu.mjs',
  'scripts/setup.mjs',
  'scripts/lib',
  'bench/native/pytorch.py',
  'node_modules/webgpu/package.json',
  'node_modules/webgpu/index.js',
  'node_modules/webgpu/dist/linux-x64',
  'node_modules/webgpu/dist/linux-arm64',
  'node_modules/onnxruntime-web/package.json',
];
/** Of ONNX Runtime only what its WebGPU entry loads. */
const ORT_FILES =
  /^ort\.webgpu\.bundle\.min\.mjs$|^ort\.webgpu\.min\.mjs$|^ort-wasm-simd-threaded\.asyncify\.(mjs|wasm)$/;

/** @param {string} file the archive @returns {Promise<string>} what was written */
export async function pack(file) {
  const parent = temporaryFolder('bench-gpu-pack');
  const folder = path.join(parent, NAME);
  const built = path.join(folder, 'built');
  fs.mkdirSync(built, { recursive: true });
  describeSources(built, await buildSources(built));
  for (const name of fs.readdirSync(built, { recursive: true, encoding: 'utf8' }))
    if (name.endsWith('.map')) fs.rmSync(path.join(built, name));
  for (const name of COPIED) copy(name, folder);
  const ort = path.join('node_modules', 'onnxruntime-web', 'dist');
  for (const name of fs.readdirSync(path.join(ROOT, ort)))
    if (ORT_FILES.test(name)) copy(path.join(ort, name), folder);
  fs.mkdirSync(path.dirname(file), { recursive: true });
  try {
    execFileSync('tar', ['czf', file, '-C', parent, NAME], { stdio: ['ignore', 'ignore', 'pipe'] });
  } catch (error) {
    throw new SetupError(`--pack needs tar. Received: ${error instanceof Error ? error.message : error}`);
  }
  const size = (fs.statSync(file).size / 2 ** 20).toFixed(1);
  return `${file}: ${size} MiB. On the machine: tar xzf ${path.basename(file)} && node ${NAME}/scripts/bench-gpu.mjs --out results`;
}

/** @param {string} name relative to the repository @param {string} folder */
function copy(name, folder) {
  const from = path.join(ROOT, name);
  if (!fs.existsSync(from)) return;
  const to = path.join(folder, name);
  fs.mkdirSync(path.dirname(to), { recursive: true });
  fs.cpSync(from, to, { recursive: true });
}
