/** @file The unit tests that all engines run (`npm run test:engines`) need nothing of Node. */
import fs from 'node:fs';
import { isBuiltin } from 'node:module';
import { expect, test } from 'vitest';
import { readImports } from '../../scripts/lib/imports.mjs';
import { files } from '../engines/suites.ts';

const root = new URL('../', import.meta.url);
const seen = new Map<string, string[]>();

/** Node's modules that a test file imports, itself or by other files of test/. */
function nodeModules(file: URL): string[] {
  const known = seen.get(file.href);
  if (known) return known;
  const found: string[] = [];
  seen.set(file.href, found);
  for (const { specifier, typeOnly } of readImports(fs.readFileSync(file, 'utf8'))) {
    if (typeOnly) continue;
    if (isBuiltin(specifier)) found.push(specifier);
    const target = new URL(specifier, file);
    if (/^\.{1,2}\/.*\.ts$/.test(specifier) && target.href.startsWith(root.href))
      found.push(...nodeModules(target));
  }
  return found;
}

test.each(files())('%s imports no module of Node', (file) => {
  // A file that does is listed in test/engines/suites.ts, or its tests that do are in a file of their own.
  expect(nodeModules(new URL(file, root))).toEqual([]);
});
