/**
 * @file The programs of the playground's gallery, in Node: each runs, and learns what it should. Their output goes to
 * test/support/playground.ts. The page itself is tested in test/e2e/playground.test.ts.
 */
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { setRandomSeed } from '../../src/index.ts';
import { programs as gallery } from '../../website/playground/page/gallery.ts';
import { reset, settings, shown } from '../support/playground.ts';

const folder = fileURLToPath(new URL('../../examples/playground', import.meta.url));
const programs = import.meta.glob('../../examples/playground/*.ts');

const run = (name: string) => programs[`../../examples/playground/${name}.ts`]?.();

/** First and last value of a curve. */
function ends(name: string): [first: number, last: number] {
  const points = shown.curves.get(name) ?? [];
  return [points[0]?.[1] ?? Number.NaN, points.at(-1)?.[1] ?? Number.NaN];
}

describe('the programs of the playground', { timeout: 120_000 }, () => {
  beforeEach(() => setRandomSeed(1));
  afterEach(reset);

  test('are those of the gallery, each with less than 200 lines', () => {
    const files = fs.readdirSync(folder);
    expect(files.sort()).toEqual(gallery.map(({ name }) => `${name}.ts`).sort());
    for (const file of files)
      expect([file, fs.readFileSync(path.join(folder, file), 'utf8').split('\n').length]).toEqual([
        file,
        expect.toSatisfy((lines: number) => lines < 200),
      ]);
  });

  test('line', async () => {
    await run('line');
    expect(ends('mean squared error')[1]).toBeLessThan(0.02);
    expect(shown.tables.flat()).toMatchObject([
      { learned: expect.closeTo(3, 1) },
      { learned: expect.closeTo(2, 1) },
    ]);
  });

  test('spirals', async () => {
    settings.sliders = { epochs: 2 };
    await run('spirals');
    const [first, last] = ends('cross-entropy');
    expect(last).toBeLessThan(first);
    expect(shown.pictures).toBe(1);
  });

  test('field', async () => {
    settings.sliders = { steps: 4 };
    await run('field');
    const [first, last] = ends('squared error');
    expect(last).toBeLessThan(first);
    expect(shown.pictures).toBe(2);
  });

  test('gpt writes what it learned, by its cache of keys and values', async () => {
    // What follows an a depends on the letter before it: no answer without the cache is right.
    settings.text = 'abacad'.repeat(16);
    settings.sliders = { steps: 60, temperature: 0.05, length: 16, width: 16, depth: 1 };
    await run('gpt');
    expect(ends('cross-entropy of a letter')[1]).toBeLessThan(0.3);
    expect(
      shown.texts
        .findLast((words) => /: a/.test(words))
        ?.split('\n')
        .at(-1),
    ).toBe('Step   60: abacadabacadabac');
  });

  test('digits', async () => {
    // One step an epoch: enough of them to see through the noise of the dropout.
    settings.sliders = { epochs: 6, examples: 60 };
    await run('digits');
    const [first, last] = ends('cross-entropy');
    expect(last).toBeLessThan(first);
    expect(shown.bars.reduce((sum, { value }) => sum + value, 0)).toBeCloseTo(1, 3);
  });

  test('style', async () => {
    settings.sliders = { steps: 4 };
    await run('style');
    const [first, last] = ends('style and content');
    expect(last).toBeLessThan(first);
    expect(shown.pictures).toBe(3);
  });

  test('kernel', async () => {
    await run('kernel');
    expect(shown.pictures).toBe(1);
  });

  test('inspect', async () => {
    await run('inspect');
    expect(shown.texts.at(-1)).toMatch(/Dead relu: all \d+ outputs .*second/);
  });

  test('null-gradient', async () => {
    await run('null-gradient');
    expect(shown.texts.join('\n')).toMatch(/disconnected: no gradient flows[\s\S]*fresh/);
  });

  const words = () => shown.texts.join('\n');
  const falls = (name: string, to: number) => expect(ends(name)[1]).toBeLessThan(to);
  test.each<[name: string, check: () => void]>([
    ['tensors', () => expect(shown.texts).toContain('[[10,21,32],[13,24,35]]')],
    ['shape-error', () => expect(words()).toMatch(/matMul: [\s\S]*concat: [\s\S]*28, 28/)],
    ['memory', () => expect(shown.tables.flat()).toHaveLength(6)],
    ['gather-index', () => expect(words()).toMatch(/index 3[\s\S]*index 7[\s\S]*'words'[\s\S]*sample 2/)],
    [
      'derivatives',
      () => expect(shown.tables.flat()[2]).toMatchObject({ first: '1.3818', second: '0.2391' }),
    ],
    ['each-example', () => expect(shown.bars.filter(({ value }) => value > 0.5)).toHaveLength(1)],
    ['text', () => expect(shown.bars.map(({ value }) => Math.round(value)).slice(0, 2)).toEqual([1, 0])],
    ['forecast', () => falls('mean squared error', 0.01)],
    ['early-stopping', () => expect(words()).toMatch(/Stopped after \d\d of/)],
    ['learning-rates', () => falls('rate 0.03', ends('rate 0.001')[1])],
    ['bars', () => expect(words()).toMatch(/→ 0\.0/)],
    ['adapter', () => falls('new task, adapter only', 0.03)],
    ['frozen', () => falls('outsides', 0.4)],
    ['save-and-load', () => expect(shown.texts[0]).toBe(shown.texts[2])],
    ['compiled', () => expect(shown.tables.flat()).toHaveLength(2)],
    ['nan', () => expect(words()).toMatch(/log: output 0 [\s\S]*loss of [\s\S]* epoch/)],
  ])('%s', async (name, check) => {
    await run(name);
    check();
  });
});
