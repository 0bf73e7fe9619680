// @ts-check
/** @file Finds families of golden cases among fixtures. */
import fs from 'node:fs';
import path from 'node:path';

/** @typedef {{ name: string, json: string, tensors: string }} FamilyFiles */

/** @param {string} where a folder, or one family's file @returns {FamilyFiles[]} */
export function families(where) {
  const stat = fs.statSync(where, { throwIfNoEntry: false });
  if (!stat) return [];
  const folder = stat.isDirectory() ? where : path.dirname(where);
  const names = stat.isDirectory() ? fs.readdirSync(where) : [path.basename(where)];
  return names
    .filter((file) => file.endsWith('.json') || stat.isFile())
    .map((file) => path.parse(file).name)
    .map((name) => ({
      name,
      json: path.join(folder, `${name}.json`),
      tensors: path.join(folder, `${name}.safetensors`),
    }))
    .filter(({ tensors }) => fs.existsSync(tensors)) // Such as index.json, which lists what there is.
    .sort((a, b) => a.name.localeCompare(b.name));
}
