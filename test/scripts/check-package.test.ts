import { describe, expect, test } from 'vitest';
import { compact, declareFunctions, rewriteImports } from '../../scripts/build-types.mjs';
import { checkExports, checkImports } from '../../scripts/check-package.mjs';

const ENTRY = { types: './dist/index.d.ts', default: './dist/index.js' };

describe('exports', () => {
  const entries = { index: 'src/index.ts' };
  const files = new Set(['dist/index.js', 'dist/index.d.ts']);

  test('every entry is exported and packed', () => {
    expect(checkExports({ exports: { '.': ENTRY } }, entries, files)).toEqual([]);
  });

  test('what lacks is reported', () => {
    expect(checkExports({ exports: { '.': ENTRY } }, entries, new Set(['dist/index.js']))).toEqual([
      "exports['.'] leads to ./dist/index.d.ts, which is not packed",
    ]);
    expect(checkExports({ exports: {} }, entries, files)).toHaveLength(2);
    expect(checkExports({ exports: { '.': ENTRY }, dependencies: { a: '1' } }, entries, files)).toHaveLength(
      1,
    );
  });
});

describe('imports of what is packed', () => {
  const check = (packed: Record<string, string>) =>
    checkImports(new Set(Object.keys(packed)), (file) => packed[file] ?? '');

  test('modules and types resolve among the packed files', () => {
    const packed = {
      'dist/index.js': `import { a } from './chunks/a.js';`,
      'dist/chunks/a.js': '',
      'dist/index.d.ts': `export * from './types/a.js';`,
      'dist/types/a.d.ts': '',
    };
    expect(check(packed)).toEqual([]);
  });

  test('a missing file and a package are reported', () => {
    const packed = { 'dist/index.js': `import './gone.js';\nimport 'left-pad';` };
    expect(check(packed)).toEqual([
      "dist/index.js:1: imports './gone.js', which is not packed",
      "dist/index.js:2: imports the package 'left-pad'",
    ]);
  });
});

test('types import .js where the sources import .ts', () => {
  const text = `import type { A } from './a.ts';\nexport declare const b: import("../b.ts").B;\nimport './c.ts';\nconst d = './d.ts';`;
  expect(rewriteImports(text)).toBe(
    `import type { A } from './a.js';\nexport declare const b: import("../b.js").B;\nimport './c.js';\nconst d = './d.ts';`,
  );
});

describe('constants that are only called', () => {
  const declared = (lines: readonly string[]) => declareFunctions(`${lines.join('\n')}\n`).split('\n');

  test('are functions, with their documentation at each call', () => {
    const docs = ['/**', ' * A layer.', ' */'];
    const calls = [
      'export declare const dense: {',
      '    (options: DenseOptions): Dense;',
      '    (units: number, options?: OptionsAfter<DenseOptions, "units"> | undefined): Dense;',
      '    (units: number, activation?: string | null | undefined, options?: import("./a.js").Rest<O, "a" | "b"> | undefined): Dense;',
      '};',
    ];
    expect(declared([...docs, ...calls])).toEqual([
      ...docs,
      'export declare function dense(options: DenseOptions): Dense;',
      ...docs,
      'export declare function dense(units: number, options?: OptionsAfter<DenseOptions, "units">): Dense;',
      ...docs,
      'export declare function dense(units: number, activation?: string | null, options?: import("./a.js").Rest<O, "a" | "b">): Dense;',
      '',
    ]);
  });

  test('of a single call are functions, too', () => {
    expect(declared(['export declare const nop: (options?: Options | undefined) => Nop;'])).toEqual([
      'export declare function nop(options?: Options): Nop;',
      '',
    ]);
  });

  test('are left as they are where they have properties', () => {
    const lines = ['export declare const a: {', '    (x: number): string;', '    name: string;', '};', ''];
    expect(declareFunctions(lines.join('\n'))).toBe(lines.join('\n'));
  });
});

test('declarations are written shorter', () => {
  const text = `import { A, type D } from './a.js';\ndeclare class B extends /* @__PURE__ */ A {\n    /**\n     * C.\n     */\n    c(): {\n        d: 1;\n    };\n}\nexport {};\n`;
  // Without the last line, everything before would be exported.
  const shorter = `import { A, D } from './a.js';\ndeclare class B extends A {\n /**\n  * C.\n  */\n c(): {\n  d: 1;\n };\n}\nexport {};\n`;
  expect(compact(text)).toBe(shorter);
});
