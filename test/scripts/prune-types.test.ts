/** @file Declaration files without what no entry leads to. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { pruneTypes } from '../../scripts/lib/pruneTypes.mjs';

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'retrograd-types-'));
afterAll(() => fs.rmSync(folder, { recursive: true }));

/** What is left of files, by name; `index.d.ts` is the entry. */
function pruned(files: Record<string, string>): Record<string, string> {
  for (const [name, text] of Object.entries(files)) fs.writeFileSync(path.join(folder, name), text);
  const kept = pruneTypes([path.join(folder, 'index.d.ts')]);
  return Object.fromEntries([...kept].map(([file, text]) => [path.basename(file), text]));
}

test('keeps what the entry exports, with its documentation and what it mentions', () => {
  const kept = pruned({
    'index.d.ts': "/** @file The entry. */\nexport { add } from './add.js';\nexport * from './all.js';\n",
    'add.d.ts': [
      "import type { Shape, Unused } from './shape.js';",
      '/** Adds. */',
      'export declare function add(a: number): Shape;',
      'export declare function add(a: string, b: Local): Shape;',
      'interface Local { inner: Inner }',
      'type Inner = 1;',
      '/** Internal, like Unused. */',
      'export declare function hidden(): Unused;',
      'export {};',
    ].join('\n'),
    'shape.d.ts': 'export type Shape = readonly number[];\nexport type Unused = string;\n',
    'all.d.ts': "export declare const one: import('./lazy.js').Lazy;\n",
    'lazy.d.ts': 'export interface Lazy { a: 1 }\n',
    'nobody.d.ts': 'export type Nobody = 1;\n',
  });
  expect(Object.keys(kept).sort()).toEqual(['add.d.ts', 'all.d.ts', 'index.d.ts', 'lazy.d.ts', 'shape.d.ts']);
  expect(kept['add.d.ts']).toBe(
    [
      "import { type Shape } from './shape.js';",
      '/** Adds. */',
      'export declare function add(a: number): Shape;',
      'export declare function add(a: string, b: Local): Shape;',
      'interface Local { inner: Inner }',
      'type Inner = 1;',
      'export {};',
      '',
    ].join('\n'),
  );
  expect(kept['shape.d.ts']).toBe('export type Shape = readonly number[];\nexport {};\n');
});

test('what is needed and not exported keeps the documentation of its members alone', () => {
  const kept = pruned({
    'index.d.ts': "export { type Open, run } from './run.js';\n",
    'run.d.ts': [
      '/** Runs. */',
      'export declare function run(given: Open): void;',
      '/** What is not exported. */',
      'interface Base {',
      '    /** A member. */',
      '    a: 1;',
      '}',
      '/** What is. */',
      'export interface Open extends Base {',
      '}',
    ].join('\n'),
  });
  expect(kept['run.d.ts']).toContain('/** Runs. */\nexport declare function run');
  expect(kept['run.d.ts']).toContain('/** What is. */\nexport interface Open');
  expect(kept['run.d.ts']).toContain('/** A member. */');
  expect(kept['run.d.ts']).not.toContain('What is not exported.');
});

test('follows names that are renamed, imported and exported again, and namespaces', () => {
  const kept = pruned({
    'index.d.ts': "export { b as c } from './b.js';\nexport * as space from './space.js';\n",
    'b.d.ts': "import { type A } from './a.js';\ndeclare const inner: A;\nexport { inner as b, type A };\n",
    'a.d.ts': 'export type A = 1;\n',
    'space.d.ts': "import * as all from './a.js';\nexport declare const x: typeof all;\n",
  });
  expect(kept['index.d.ts']).toMatch(/export { b as c } from '\.\/b\.js';\n[\s\S]*export \* as space/);
  expect(kept['b.d.ts']).toMatch(/import { type A }[\s\S]*declare const inner: A;\nexport { inner as b };/);
  expect(kept['space.d.ts']).toMatch(/import type \* as all from '\.\/a\.js';/);
});
