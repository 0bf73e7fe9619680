/**
 * @file The code of the guide, run in Node as it is printed: the `ts` blocks of a page are one program. The text of a comment
 * after a `console.log` is what the program prints. Pages that need a browser run in test/e2e/guide.test.ts.
 */
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { format } from 'node:util';
import { afterAll, beforeEach, expect, test, vi } from 'vitest';
import { temporaryFolder } from '../../scripts/lib/bundle.mjs';
import { checkNumerics, debugMode } from '../../src/index.ts';
import { clearSession } from '../../src/keras/index.ts';
import { filesOf, needsBrowser, needsCamera } from '../support/guide.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const folder = temporaryFolder('guide-in-node');
const pages = fs
  .readdirSync(path.join(root, 'docs/guide'))
  .filter((file) => file.endsWith('.md') && ![...needsBrowser, needsCamera].includes(file));

// Programs print names, which go on counting where other tests of the process stopped.
beforeEach(clearSession);
afterAll(() => {
  checkNumerics(false);
  debugMode(false);
});

test.each(pages)('the code of %s prints what it says', async (page) => {
  const text = fs.readFileSync(path.join(root, 'docs/guide', page), 'utf8');
  const code = [...text.matchAll(/^```ts\n([\s\S]*?)^```$/gm)].map(([, block]) => block).join('');
  const file = path.join(folder, `${path.parse(page).name}.ts`);
  fs.writeFileSync(file, code);
  for (const [name, from] of Object.entries(filesOf[page] ?? {})) {
    fs.mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
    fs.copyFileSync(path.join(root, 'test/fixtures', from), path.join(folder, name));
  }
  const home = process.cwd();
  process.chdir(folder);
  const printed: string[] = [];
  const log = vi.spyOn(console, 'log').mockImplementation((...values) => {
    printed.push(format(...values));
  });
  try {
    await import(pathToFileURL(file).href);
  } finally {
    log.mockRestore();
    process.chdir(home);
  }
  const promised = [...code.matchAll(/console\.log\(.*; +\/\/ (.+)$/gm)].map(([, comment = '']) => comment);
  expect(promised.length).toBeGreaterThan(0);
  for (const line of promised) expect(printed).toContain(line);
});
