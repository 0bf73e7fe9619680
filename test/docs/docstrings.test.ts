/** @file Every public export has a docstring; that of an op says what shapes and dtypes it takes, and which errors it throws. */
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { presentEntries } from '../../scripts/lib/entries.mjs';
import { type PublicExport, publicExports } from '../../scripts/lib/exports.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const whereIs = ({ name, file }: PublicExport) => `${file.slice(root.length)}: ${name}`;

describe.each(Object.entries(presentEntries(root)))('the entry %s', (_, source) => {
  const all = publicExports(`${root}${source}`);

  test('exports nothing without a docstring', () => {
    expect(all.length).toBeGreaterThan(10);
    expect(all.filter(({ doc }) => doc === '').map(whereIs)).toEqual([]);
  });
});

describe('an op', () => {
  const ops = publicExports(`${root}src/ops/index.ts`).filter(
    ({ kind }) => kind === 'const' || kind === 'function',
  );
  test.each([
    ['shapes', /shape|elementwise|\[.*\]/i],
    ['dtypes', /dtype|float32|int32|bool/i],
    ['errors', /Errors?:|Throws/],
  ])('says what its %s are', (_, stated) => {
    expect(ops.length).toBeGreaterThan(100);
    expect(ops.filter(({ doc }) => !stated.test(doc)).map(whereIs)).toEqual([]);
  });
});

describe('the factory of a layer', () => {
  const factories = publicExports(`${root}src/keras/layers/index.ts`).filter(
    ({ kind }) => kind === 'function',
  );
  test.each([
    ['shapes', /shape|\[.*\]|elementwise/i],
    ['errors', /Errors?:|Throws/],
  ])('says what its %s are', (_, stated) => {
    expect(factories.length).toBeGreaterThan(50);
    expect(factories.filter(({ doc }) => !stated.test(doc)).map(whereIs)).toEqual([]);
  });
});
