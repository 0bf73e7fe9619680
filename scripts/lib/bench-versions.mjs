// @ts-check
/** @file The installed versions of the libraries that the benchmark compares. */
import fs from 'node:fs';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** @typedef {import('../../bench/job.ts').Library} Library */

/** @param {string} folder */
function versionIn(folder) {
  return JSON.parse(fs.readFileSync(`${ROOT}/${folder}/package.json`, 'utf8')).version;
}

/** @returns {Record<Library, string>} */
export function contenderVersions() {
  return {
    retrograd: versionIn('.'),
    tfjs: versionIn('node_modules/@tensorflow/tfjs-backend-webgpu'),
    jaxjs: versionIn('node_modules/@jax-js/jax'),
    ort: versionIn('node_modules/onnxruntime-web'),
  };
}
