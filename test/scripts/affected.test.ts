/** @file Which tests a change affects: by imports, the nearest first. */
import { describe, expect, test } from 'vitest';
import { affectedTests, importGraph } from '../../scripts/lib/affected.mjs';

const graphOf = (imports: Record<string, string[]>) => {
  const importers = new Map<string, Set<string>>();
  for (const [file, targets] of Object.entries(imports))
    for (const target of targets) importers.set(target, (importers.get(target) ?? new Set()).add(file));
  return importers;
};

const graph = graphOf({
  'src/kernels/gather.ts': ['shaders/gather.ts'],
  'src/ops/gather.ts': ['src/kernels/gather.ts'],
  'src/index.ts': ['src/ops/gather.ts'],
  'test/ops/aaa.test.ts': ['src/index.ts'],
  'test/ops/gather.test.ts': ['src/index.ts'],
  'test/ops/gather-faults.test.ts': ['src/index.ts'],
  'test/kernels/direct.test.ts': ['src/kernels/gather.ts'],
  'test/e2e/page.test.ts': ['src/index.ts'],
});

describe('affectedTests', () => {
  test('puts the test of the same name first, then the fewest imports away', () => {
    expect(affectedTests(['src/kernels/gather.ts'], graph)).toEqual([
      'test/ops/gather.test.ts',
      'test/ops/gather-faults.test.ts',
      'test/kernels/direct.test.ts',
      'test/shaders/snapshots.test.ts',
      'test/ops/aaa.test.ts',
    ]);
  });

  test('takes a changed test itself', () => {
    expect(affectedTests(['test/ops/aaa.test.ts', 'README.md'], graph)).toEqual(['test/ops/aaa.test.ts']);
  });

  test('knows the tests that read shaders without importing them', () => {
    expect(affectedTests(['shaders/pad.ts'], graph)).toEqual([
      'test/scripts/shaders.test.ts',
      'test/shaders/snapshots.test.ts',
    ]);
  });
});

test('the graph of the repository leads from a shader to the test of its op', () => {
  const affected = affectedTests(['shaders/gather.ts'], importGraph('.'));
  expect(affected.slice(0, 3)).toEqual([
    'test/ops/gather.test.ts',
    'test/ops/gather-faults.test.ts',
    'test/ops/gather-properties.test.ts',
  ]);
  expect(affected.length).toBeGreaterThan(100);
});
