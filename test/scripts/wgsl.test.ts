/** @file `npm run wgsl`: prints kernels, and reports invalid names and options. */
import { spawnSync } from 'node:child_process';
import { describe, expect, test } from 'vitest';
import { layOut } from '../../shaders/lib/wgsl.ts';
import { findKernel, parseOptions, withOptions } from '../../scripts/wgsl/options.mjs';

/** No driver is named to Vulkan: the command needs no GPU. */
function run(...args: string[]) {
  const { stdout, stderr, status } = spawnSync(process.execPath, ['scripts/wgsl.mjs', ...args], {
    encoding: 'utf8',
    env: { ...process.env, VK_DRIVER_FILES: '/nowhere' },
  });
  return { stdout, stderr, status };
}

describe('npm run wgsl', () => {
  test('prints a kernel, with defaults for the options that are left out', () => {
    const { stdout, status } = run('gather', '{"width": 4}');
    expect(stdout).toContain('var<storage, read> x: array<vec4<u32>>;');
    expect(stdout).toContain('fn main(');
    expect(status).toBe(0);
  });

  test('lists all kernels by family, with their options and an example', () => {
    const { stdout, status } = run();
    expect(stdout).toMatch(/^gemm\n {2}matMul +\{"tile":\{"memory":"shared"/);
    expect(stdout).toContain('\nrecurrent\n');
    expect(stdout).toContain(
      `npm run wgsl -- NAME ['OPTIONS'], for example: npm run wgsl -- gather '{"width": 4}'`,
    );
    expect(status).toBe(0);
  });

  test('rejects an unknown kernel', () => {
    const { stdout, stderr, status } = run('gater');
    expect(stderr).toBe("there is no kernel 'gater'. Did you mean 'gather'?\n");
    expect(stdout).toBe('');
    expect(status).toBe(1);
  });
});

test.each([
  ['gater', "there is no kernel 'gater'. Did you mean 'gather'?"],
  ['GatherChecked', "there is no kernel 'GatherChecked'. Did you mean 'gather checked'?"],
  ['checked', "there is no kernel 'checked'. Did you mean 'gather checked'?"],
  ['toString', "there is no kernel 'toString'. Kernels: gather, gather checked."],
])('findKernel rejects %s', (name, message) => {
  const entry = { defaults: {}, variants: {} };
  expect(() => findKernel({ indexing: { gather: entry, 'gather checked': entry } }, name)).toThrow(message);
});

test('parseOptions rejects invalid JSON', () => {
  expect(parseOptions('{"width": 4}')).toEqual({ width: 4 });
  expect(() => parseOptions('{width: 4}')).toThrow(
    'the options must be JSON, such as \'{"width": 4}\'. Received: {width: 4}',
  );
});

describe('withOptions', () => {
  const defaults = { tile: { blockM: 8, matrixSize: undefined }, states: ['a'], width: 4 };

  test('merges tables and replaces everything else', () => {
    const given = { tile: { matrixSize: [1, 2] }, states: ['b', 'c'] };
    expect(withOptions('k', defaults, given)).toEqual({
      tile: { blockM: 8, matrixSize: [1, 2] },
      states: ['b', 'c'],
      width: 4,
    });
  });

  test.each([
    [{ tile: { blokM: 4 } }, "kernel 'k' has no option 'tile.blokM'. Did you mean 'blockM'?"],
    [{ tile: 4 }, "option 'tile' of 'k' must be a JSON object. Received: 4."],
    [[], "the options of 'k' must be a JSON object. Received: []."],
    [{ entirely: 1 }, "kernel 'k' has no option 'entirely'. Its options: tile, states, width."],
  ])('rejects %j', (given, message) => {
    expect(() => withOptions('k', defaults, given)).toThrow(message);
  });
});

describe('layOut', () => {
  test('indents by brackets, whatever the indentation of the fragments', () => {
    const text =
      '\n\n\nfn f(\n a: u32,\n) {\n\n      if (a) { // why {\n g();\n\n    } else {\n  h(\n1,\n);\n}\n\n\n  }\n';
    expect(layOut(text)).toBe(
      '\nfn f(\n  a: u32,\n) {\n  if (a) { // why {\n    g();\n  } else {\n    h(\n      1,\n    );\n  }\n}\n',
    );
  });

  test('indents the rest of a statement', () => {
    expect(layOut('{\nlet a =\nb +\nc;\nlet d = e;\n}')).toBe(
      '{\n  let a =\n    b +\n    c;\n  let d = e;\n}',
    );
  });
});
