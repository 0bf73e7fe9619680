// @ts-check
/**
 * @file The files that the playground's language service reads, as one JSON: types of the package, of its module `playground`, and the
 * libraries of TypeScript that they need.
 */
import fs from 'node:fs';
import path from 'node:path';

/** A program runs in a Worker. The service requests these libraries by name, and they refer to others. */
const LIBRARIES = ['es2023', 'esnext.disposable', 'webworker'];
const COMPILER = 'tools/typedoc/node_modules/typescript/lib';

/** @param {string} root of the repository @returns {Record<string, string>} texts by absolute path */
export function typesOf(root) {
  /** @type {Record<string, string>} */
  const files = {};
  for (const name of LIBRARIES) addLibrary(path.join(root, COMPILER), name, files);
  const dist = path.join(root, 'dist');
  for (const name of fs.readdirSync(dist, { recursive: true, encoding: 'utf8' })) {
    if (!name.endsWith('.d.ts')) continue;
    const text = fs.readFileSync(path.join(dist, name), 'utf8');
    files[`/node_modules/retrograd/dist/${name.split(path.sep).join('/')}`] = text;
  }
  const { name, type, exports } = JSON.parse(fs.readFileSync(path.join(root, 'package.json'), 'utf8'));
  files['/node_modules/retrograd/package.json'] = JSON.stringify({ name, type, exports });
  files['/node_modules/playground/package.json'] = JSON.stringify({
    name: 'playground',
    types: 'index.d.ts',
  });
  files['/node_modules/playground/index.d.ts'] = fs.readFileSync(
    path.join(root, 'website/playground/playground.d.ts'),
    'utf8',
  );
  return files;
}

/**
 * Adds a library and those that it refers to.
 * @param {string} folder
 * @param {string} name
 * @param {Record<string, string>} files
 */
function addLibrary(folder, name, files) {
  const file = `/lib/lib.${name}.d.ts`;
  if (files[file] !== undefined) return;
  const text = fs.readFileSync(path.join(folder, `lib.${name}.d.ts`), 'utf8');
  files[file] = text;
  for (const [, other = ''] of text.matchAll(/^\/\/\/ <reference lib="([^"]+)" \/>/gm))
    addLibrary(folder, other, files);
}

/** Writes types.json next to the page. @param {string} root @returns {import('vite').Plugin} */
export function playgroundTypes(root) {
  return {
    name: 'playground-types',
    apply: 'build',
    generateBundle() {
      this.emitFile({ type: 'asset', fileName: 'types.json', source: JSON.stringify(typesOf(root)) });
    },
  };
}
