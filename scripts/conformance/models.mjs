// @ts-check
/** @file Finds folders of models among fixtures, and reads them. */
import fs from 'node:fs';
import path from 'node:path';

/** @typedef {import('../../test/conformance/models.ts').ModelFiles} ModelFiles */

/**
 * Folders of models: `where` itself, those in it, and those in its folder `models`.
 *
 * @param {string} where
 * @returns {string[]}
 */
export function modelFolders(where) {
  if (!fs.statSync(where).isDirectory()) return [];
  if (isModel(where)) return [where];
  return [where, path.join(where, 'models')]
    .filter((folder) => fs.existsSync(folder))
    .flatMap((folder) => fs.readdirSync(folder).map((name) => path.join(folder, name)))
    .filter((folder) => fs.statSync(folder).isDirectory() && isModel(folder))
    .sort();
}

/** @param {string} folder */
function isModel(folder) {
  return ['config.json', 'meta.json', 'io.safetensors'].every((file) =>
    fs.existsSync(path.join(folder, file)),
  );
}

/** @param {string} folder @returns {Omit<ModelFiles, 'io' | 'weights' | 'final'>} */
export function readTexts(folder) {
  /** @param {string} file */
  const text = (file) => {
    const where = path.join(folder, file);
    return fs.existsSync(where) ? fs.readFileSync(where, 'utf8') : null;
  };
  return {
    name: path.basename(folder),
    config: /** @type {string} */ (text('config.json')),
    meta: /** @type {string} */ (text('meta.json')),
    summary: text('summary.txt'),
    train: text('train.json'),
  };
}

/** @param {string} folder @returns {ModelFiles} */
export function readModel(folder) {
  /** @param {string} file */
  const bytes = (file) => {
    const data = fs.readFileSync(path.join(folder, file));
    return data.buffer.slice(data.byteOffset, data.byteOffset + data.byteLength);
  };
  return {
    ...readTexts(folder),
    io: bytes('io.safetensors'),
    weights: bytes('weights.safetensors'),
    final: hasFinal(folder) ? bytes('final.safetensors') : null,
  };
}

/** @param {string} folder */
export function hasFinal(folder) {
  return fs.existsSync(path.join(folder, 'final.safetensors'));
}
