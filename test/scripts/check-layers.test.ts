import { describe, expect, test } from 'vitest';
import { checkLayers, findCycles } from '../../scripts/check-layers.mjs';
import { readImports } from '../../scripts/lib/imports.mjs';

const messages = (files: Record<string, string>) =>
  checkLayers(new Map(Object.entries(files))).map(({ file, line, message }) => `${file}:${line}: ${message}`);

describe('layers', () => {
  test('an import that points down is allowed', () => {
    const files = {
      'src/core/shape.ts': '',
      'src/ops/gather.ts': `import { size } from '../core/shape.ts';\nimport { k } from '../kernels/gather.ts';`,
      'src/kernels/gather.ts': `import { source } from '../../shaders/gather.ts';`,
      'shaders/gather.ts': `import { wgsl } from 'wgsl-preprocessor';`,
    };
    expect(messages(files)).toEqual([]);
  });

  test.each([
    ['src/core/shape.ts', 'src/webgpu/device.ts'],
    ['src/history/node.ts', 'src/tensor/tensor.ts'],
    ['src/tensor/tensor.ts', 'src/ops/add.ts'],
    ['src/kernels/gather.ts', 'src/ops/gather.ts'],
    ['src/autodiff/tape.ts', 'src/keras/graph/node.ts'],
    ['src/keras/graph/node.ts', 'src/autodiff/tape.ts'],
    ['src/keras/layers/dense.ts', 'src/kernels/matMul.ts'],
    ['src/keras/layers/dense.ts', 'src/keras/training/fit.ts'],
    ['src/keras/layers/dense.ts', 'src/keras/loading/loadModel.ts'],
    ['src/keras/saving/saveModel.ts', 'src/keras/models/model.ts'],
    ['src/keras/models/model.ts', 'src/keras/loading/loadModel.ts'],
    ['shaders/gather.ts', 'src/core/shape.ts'],
  ])('%s must not import %s', (from, to) => {
    const up = '../'.repeat(from.split('/').length - 1);
    const found = messages({ [from]: `\nimport { x } from '${up}${to}';`, [to]: '' });
    expect(found).toHaveLength(1);
    expect(found[0]).toMatch(new RegExp(`^${from}:2: .* must not import .*${to}`));
  });

  test('a type-only import counts', () => {
    const files = { 'src/core/a.ts': `import type { T } from '../webgpu/b.ts';`, 'src/webgpu/b.ts': '' };
    expect(messages(files)).toHaveLength(1);
  });

  test('a dynamic import counts', () => {
    const files = { 'src/core/a.ts': `const b = () => import('../webgpu/b.ts');`, 'src/webgpu/b.ts': '' };
    expect(messages(files)).toHaveLength(1);
  });

  test('models and training may use the tape', () => {
    const files = {
      'src/keras/training/fit.ts': `import { T } from '../../autodiff/tape.ts';`,
      'src/autodiff/tape.ts': '',
    };
    expect(messages(files)).toEqual([]);
  });

  test('only entries import entries', () => {
    const files = {
      'src/index.ts': `export * from './keras/index.ts';`,
      'src/keras/index.ts': '',
      'src/ops/f.ts': `import { g } from '../index.ts';`,
    };
    expect(messages(files)).toEqual([
      expect.stringContaining('src/ops/f.ts:1: imports the package entry src/index.ts'),
    ]);
  });

  test('only shaders import a package, the preprocessor', () => {
    const files = {
      'shaders/a.ts': `import { x } from 'left-pad';`,
      'src/webgpu/b.ts': `import fs from 'node:fs';`,
      'src/io/c.ts': `const zip = await import('fflate');`,
      'shaders/d.ts': `import { wgsl } from 'wgsl-preprocessor';`,
    };
    expect(messages(files)).toEqual([
      expect.stringContaining("shaders/a.ts:1: imports the package 'left-pad'"),
      expect.stringContaining("src/webgpu/b.ts:1: imports the package 'node:fs'"),
      expect.stringContaining("src/io/c.ts:1: imports the package 'fflate'"),
    ]);
  });

  test('a missing file, and a file outside every layer, are reported', () => {
    const files = { 'src/ops/a.ts': `import './gone.ts';`, 'src/misc/b.ts': '' };
    expect(messages(files)).toEqual([
      expect.stringContaining("src/ops/a.ts:1: imports 'src/ops/gone.ts'"),
      expect.stringContaining('src/misc/b.ts:1: is in no layer'),
    ]);
  });
});

describe('repeated imports', () => {
  const repeated = (text: string) => messages({ 'src/core/a.ts': text, 'src/core/b.ts': '' });

  test('one module is imported once, types and values together', () => {
    const text = `import type { A } from './b.ts';\nimport { b } from './b.ts';`;
    expect(repeated(text)).toEqual([
      `src/core/a.ts:2: imports './b.ts' a second time: merge the two imports`,
    ]);
  });

  test('an export of the same module, or a part loaded later, is not a repetition', () => {
    expect(repeated(`import { a } from './b.ts';\nexport { b } from './b.ts';`)).toEqual([]);
    expect(repeated(`import type { A } from './b.ts';\nconst load = () => import('./b.ts');`)).toEqual([]);
  });
});

describe('cycles', () => {
  test('files that load each other are named in order', () => {
    const files = {
      'src/webgpu/a.ts': `import { b } from './b.ts';`,
      'src/webgpu/b.ts': `import { c } from './c.ts';`,
      'src/webgpu/c.ts': `import { a } from './a.ts';`,
    };
    expect(messages(files)).toEqual([
      'src/webgpu/a.ts:1: imports itself: src/webgpu/a.ts -> src/webgpu/b.ts -> src/webgpu/c.ts -> src/webgpu/a.ts',
    ]);
  });

  test('type-only imports count', () => {
    const files = {
      'src/webgpu/a.ts': `import type { B } from './b.ts';`,
      'src/webgpu/b.ts': `import { a } from './a.ts';`,
    };
    expect(messages(files)).toEqual([
      'src/webgpu/a.ts:1: imports itself: src/webgpu/a.ts -> src/webgpu/b.ts -> src/webgpu/a.ts',
    ]);
  });

  test('dynamic imports count', () => {
    const files = {
      'src/webgpu/a.ts': `const b = () => import('./b.ts');`,
      'src/webgpu/b.ts': `import { a } from './a.ts';`,
    };
    expect(messages(files)).toEqual([
      'src/webgpu/a.ts:1: imports itself: src/webgpu/a.ts -> src/webgpu/b.ts -> src/webgpu/a.ts',
    ]);
  });

  test('ops that are gradients of each other count', () => {
    const files = { 'src/ops/a.ts': `import './b.ts';`, 'src/ops/b.ts': `import './a.ts';` };
    expect(messages(files)).toEqual([
      'src/ops/a.ts:1: imports itself: src/ops/a.ts -> src/ops/b.ts -> src/ops/a.ts',
    ]);
  });

  test('two paths to a file are no cycle; a file that imports itself is one', () => {
    const diamond = new Map([
      ['a', ['b', 'c']],
      ['b', ['d']],
      ['c', ['d']],
      ['d', []],
    ] as const);
    expect(findCycles(new Map([...diamond].map(([k, v]) => [k, [...v]])))).toEqual([]);
    expect(findCycles(new Map([['a', ['a']]]))).toEqual([['a', 'a']]);
  });
});

describe('reading imports', () => {
  const specifiers = (source: string) => readImports(source).map((found) => found.specifier);

  test('every form of import is found', () => {
    const source = [
      `import a from 'a';`,
      `import * as b from "b";`,
      `import c, { type C } from 'c';`,
      `import {\n  d,\n  e as f,\n} from 'd';`,
      `import 'e';`,
      `export { g } from 'f';`,
      `export * from 'g';`,
      `export * as h from 'h';`,
      `const i = await import('i');`,
    ].join('\n');
    expect(specifiers(source)).toEqual(['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i']);
  });

  test('text like an import in comments, strings and templates is ignored', () => {
    const source = [
      `// import a from 'a';`,
      `/* import b from 'b'; */`,
      'const shader = `import c from "c"`;',
      `const text = "import d from 'd'";`,
      `export const from = 'e';`,
      `object.import('f');`,
    ].join('\n');
    expect(specifiers(source)).toEqual([]);
  });

  test('type-only is distinguished', () => {
    const kinds = readImports(
      `import type { A } from 'a';\nexport type { B } from 'b';\nimport { type C } from 'c';\nimport type from 'd';`,
    );
    expect(kinds.map((found) => found.typeOnly)).toEqual([true, true, false, false]);
  });
});
