/** @file Every public export has a docstring; that of an op says what shapes and dtypes it takes, and which errors it throws. */
import fs from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { presentEntries } from '../../scripts/lib/entries.mjs';
import { type PublicExport, publicExports, withDerivedDocs } from '../../scripts/lib/exports.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const whereIs = ({ name, file }: PublicExport) => `${file.slice(root.length)}: ${name}`;

describe.each(Object.entries(presentEntries(root)))('the entry %s', (_, source) => {
  const all = withDerivedDocs(publicExports(`${root}${source}`));

  test('exports nothing without a docstring', () => {
    expect(all.length).toBeGreaterThan(10);
    expect(all.filter(({ doc }) => doc === '').map(whereIs)).toEqual([]);
  });
});

describe('an interface of options', () => {
  const interfaces = new Map(
    Object.values(presentEntries(root))
      .flatMap((source) => publicExports(`${root}${source}`))
      .filter(({ kind, name }) => kind === 'interface' && /(Options|Settings)$/.test(name))
      .map((one) => [`${one.file} ${one.name}`, one] as const),
  );
  const member = /^ {2}(?:\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\n {2})?(?:readonly )?(\w+)\??:/gm;

  /** What a docstring says apart from the default. */
  const wordsOf = (doc: string) =>
    doc
      .replace(/\n\s*\*/g, ' ')
      .replace(/Default:? [^.]*(\.\d[^.]*)?(\.|$)/, '')
      .match(/\w+/g) ?? [];

  test('says of each option what it means, beyond its name and default', () => {
    expect(interfaces.size).toBeGreaterThan(100);
    const mute = [...interfaces.values()].flatMap((one) =>
      [...one.text.matchAll(member)]
        .filter(([, doc = '']) => wordsOf(doc).length < 2)
        .map(([, , name]) => `${whereIs(one)}.${name}`),
    );
    expect(mute).toEqual([]);
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
    ({ kind }) => kind === 'const' || kind === 'function',
  );
  test.each([
    ['shapes', /shape|\[.*\]|elementwise/i],
    ['errors', /Errors?:|Throws/],
  ])('says what its %s are', (_, stated) => {
    expect(factories.length).toBeGreaterThan(50);
    expect(factories.filter(({ doc }) => !stated.test(doc)).map(whereIs)).toEqual([]);
  });
});

describe('what only the library uses', () => {
  // Types of the package don't have it, so that editors don't offer it.
  test.each([
    ['src/tensor/tensor.ts', ['attachment', 'members', 'physicalStorage', 'revive', 'watchDrop']],
    [
      'src/tensor/variable.ts',
      ['adopt', 'current', 'label', 'requireAssignable', 'snapshot', 'writableStorage'],
    ],
    ['src/keras/graph/operation.ts', ['addOutbound', 'replay']],
    ['src/autodiff/tape.ts', ['follows', 'hasRecorded', 'leaves', 'record']],
    [
      'src/keras/layers/base/layer.ts',
      ['callsForeignLayers', 'inputDType', 'layersInside', 'replay', 'sublayers', 'takesMask'],
    ],
    [
      'src/keras/models/trainedLayer.ts',
      ['compileOptions', 'createdOptimizer', 'ownMetrics', 'slots', 'trainer'],
    ],
    ['src/keras/optimizers/optimizer.ts', ['holdsAverages', 'swapAverages']],
  ])('in %s is marked as internal', (file, members) => {
    const text = fs.readFileSync(`${root}${file}`, 'utf8');
    const member =
      /^ {2}(?:\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\n {2})?(?:(?:abstract|override|readonly|get|set) )*(\w+)[(:]/gm;
    const found = [...text.matchAll(member)].filter(([, , name = '']) => members.includes(name));
    expect([...new Set(found.map(([, , name]) => name))].sort()).toEqual(members.toSorted());
    for (const [, doc = ''] of found) expect(doc).toContain('@internal');
  });
});
