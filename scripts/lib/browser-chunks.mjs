// @ts-check
/**
 * @file How dist/browser is split: a chunk for each set of entries holds what exactly these load at their start. A page then loads few
 * files, and nothing that its entries don't need. What is only imported when it is used stays in chunks of its own.
 */
import fs from 'node:fs';
import path from 'node:path';
import { parseSync } from 'vite';

/**
 * Returns the groups for Rolldown. A group takes along what its modules import. So those of more entries come first: what a module
 * imports is loaded by at least the same entries.
 *
 * @param {Readonly<Record<string, string>>} entries the module of each entry, by its name
 */
export function browserChunks(entries) {
  /** @type {Map<string, string[]>} */
  const loadedBy = new Map();
  for (const [name, entry] of Object.entries(entries)) {
    for (const file of loadedWith(entry)) loadedBy.set(file, [...(loadedBy.get(file) ?? []), name]);
  }
  /** @type {Map<string, { name: string, priority: number, files: Set<string> }>} */
  const groups = new Map();
  for (const [file, names] of loadedBy) {
    const key = names.join();
    const group = groups.get(key) ?? { name: chunkName(names), priority: names.length, files: new Set() };
    group.files.add(file);
    groups.set(key, group);
  }
  return [...groups.values()].map(({ name, priority, files }) => ({
    name,
    priority,
    test: (/** @type {string} */ id) => files.has(id),
  }));
}

/** @param {readonly string[]} entries */
const chunkName = (entries) => entries.map((name) => name.replace(/.*\//, '')).join('+');

/** Returns `entry` and the modules that are loaded with it. @param {string} entry */
function loadedWith(entry) {
  const loaded = new Set([entry]);
  for (const file of loaded) {
    const { staticImports, staticExports } = parseSync(file, fs.readFileSync(file, 'utf8')).module;
    const requests = [...staticImports, ...staticExports.flatMap(({ entries }) => entries)];
    for (const { moduleRequest } of requests) {
      if (moduleRequest) loaded.add(path.join(path.dirname(file), moduleRequest.value));
    }
  }
  return loaded;
}
