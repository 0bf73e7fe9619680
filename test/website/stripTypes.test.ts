/** @file Programs without their types, against what the compiler makes of them. */
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import ts from '../../tools/typedoc/node_modules/typescript/lib/typescript.js';
import { stripTypes } from '../../website/playground/language/stripTypes.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

/**
 * The program as the compiler prints it, so that both can be compared: without parentheses, which it removes with what is cast
 * in them, commas that no import follows, and the mark of an empty module.
 */
const printed = (source: string) =>
  ts
    .transpileModule(source, {
      compilerOptions: {
        target: ts.ScriptTarget.ESNext,
        module: ts.ModuleKind.ESNext,
        removeComments: true,
      },
    })
    .outputText.replaceAll(/[()]|^"use strict";\n|^export \{\};\n/gm, '')
    .replaceAll(/,\s*\}/g, ' }');

function expectSame(source: string): void {
  const stripped = stripTypes(source);
  expect(stripped, source).not.toBeNull();
  const result = stripped ?? '';
  expect(result.split('\n').length).toBe(source.split('\n').length);
  // As JavaScript: a type that is left would be an error.
  const { diagnostics } = ts.transpileModule(result, { fileName: 'a.js', reportDiagnostics: true });
  expect(diagnostics?.map(({ messageText }) => messageText)).toEqual([]);
  expect(printed(result)).toBe(printed(source));
}

const folders = ['examples/playground', 'examples/programs'];
const files = folders.flatMap((folder) =>
  fs
    .readdirSync(path.join(root, folder))
    .filter((file) => file.endsWith('.ts'))
    .map((file) => path.join(folder, file)),
);

test.each(files)('%s', (file) => {
  const source = fs.readFileSync(path.join(root, file), 'utf8');
  // What isn't sure is left to the compiler, but the programs of the gallery are to start at once.
  if (file.startsWith('examples/playground') || stripTypes(source) !== null) expectSame(source);
});

test('the code of the guide needs no compiler', () => {
  const folder = path.join(root, 'docs/guide');
  const programs = fs.readdirSync(folder).map((file) => {
    const text = fs.readFileSync(path.join(folder, file), 'utf8');
    return [
      file,
      [...text.matchAll(/^```ts\n([\s\S]*?)^```$/gm)].map(([, block]) => block).join('\n'),
    ] as const;
  });
  const stripped = programs.filter(([, source]) => stripTypes(source) !== null);
  expect(stripped.length).toBeGreaterThan(programs.length / 2);
  for (const [, source] of stripped) expectSame(source);
});

test.each([
  'const a: number[] = [1], b = a as unknown as string[], c = b satisfies string[];',
  "import { type Tensor, init, type A as B } from 'retrograd';\nawait init();",
  "import type { Tensor } from 'retrograd';\nlet x: Tensor | undefined;\nexport { x };",
  "import { Tensor, add } from 'retrograd';\nfunction f(x: Tensor): Tensor { return add(x, 1); }\nf;",
  "import {\n  Tensor,\n  add,\n} from 'retrograd';\nadd(1, 2);",
  "import * as rg from 'retrograd';\nrg.init();",
  "import 'retrograd';",
  "import rg, { add } from 'retrograd';\nadd(rg, 1);",
  "import Tensor, { add } from 'retrograd';\nlet t: Tensor; add(1, 1);\nexport { t };",
  'type P<T> = readonly [x: number, y: T];\ninterface I { a?: string }\nexport type Q = P<I>;\nlet q = 1;',
  'declare const foo: number;\nfoo + 1;',
  'function f<T extends object>(x: T, y?: number, ...rest: string[]): x is T { return x! && y! > rest.length; }',
  'const m = new Map<string, number[]>(); m.get("a")!.length; h<Foo>(1);',
  'class C<T> extends D<T> implements E, F { private readonly x: number = 1; static y?: string; z!: number; override get v(): number { return this.x; } protected m(x?: number): void {} }',
  'using tape = new GradientTape();\nfor (const [k, v] of b as [string, number][]) f(k, v);',
  "const o = { m(x: number): string { return (x as number) + 'px'; }, async *g<T>(x: T) { yield x; } };",
  'const w = (x: number, { a, b }: { a: number; b: string } = { a: 1, b: "" }): string => b + a + x;',
  'const t = <const T,>(x: T) => x; const s = "a: number"; const r = /: string/; // as: number',
  'a ? (b) : c => d;',
  'let x = a < b && c > d; const y = a! ?? b; x!; y;',
])('%s', (source) => {
  const stripped = stripTypes(source);
  if (stripped !== null) expectSame(source);
});

describe('left to the compiler', () => {
  test.each([
    'enum E { A }',
    'namespace N { export const x = 1; }',
    'class C { constructor(private x: number) {} }',
    'abstract class A { abstract f(): void }',
    'function f(x: number): void;\nfunction f(x: unknown) { x; }',
    'const x = <number>y;',
    'const x = (1;',
    'let = 3 +;',
    "import { add from 'retrograd';",
    'function f(this: Window) {}',
    'class D { declare x: number }',
    'class E { @log x = 1 }',
  ])('%s', (source) => {
    expect(stripTypes(source)).toBeNull();
  });
});
