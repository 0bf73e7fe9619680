/** @file skipgrams against Keras's (test/fixtures/data/skipgrams.py), and the random parts by their properties. */
import { expect, test } from 'vitest';
import { skipgrams } from '../../src/data/index.ts';
import { ValueError } from '../../src/index.ts';
import cases from '../fixtures/data/skipgrams.json' with { type: 'json' };

test.each(cases)(
  'neighbours of $sequence, $windowSize apart',
  ({ sequence, windowSize, categorical, result }) => {
    const options = { windowSize, categorical, negativeSamples: 0, shuffle: false };
    expect(skipgrams(sequence, 20, options)).toEqual(result);
  },
);

const sequence = Array.from({ length: 40 }, (_, i) => (i * 7) % 11);

test('random words and order: the same for the same seed', () => {
  const options = { windowSize: 2, negativeSamples: 1.5, seed: 3 };
  const [couples, labels] = skipgrams(sequence, 11, options);
  const found = skipgrams(sequence, 11, { windowSize: 2, negativeSamples: 0, shuffle: false })[0];
  const key = (couple: readonly number[]) => String(couple);
  expect(
    couples
      .filter((_, i) => labels[i] === 1)
      .map(key)
      .toSorted(),
  ).toEqual(found.map(key).toSorted());
  const random = couples.filter((_, i) => labels[i] === 0);
  expect(random).toHaveLength(Math.floor(1.5 * found.length));
  for (const [word, other] of random) expect(word * other).toBeGreaterThan(0);
  expect(new Set(random.map(([, other]) => other))).toEqual(new Set([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]));
  expect(skipgrams(sequence, 11, options)).toEqual([couples, labels]);
  expect(skipgrams(sequence, 11, { ...options, seed: 4 })).not.toEqual([couples, labels]);
});

test('words are taken by their probability', () => {
  const samplingTable = Array.from({ length: 11 }, (_, word) => (word === 5 ? 0 : 1));
  const [couples] = skipgrams(sequence, 11, { samplingTable, negativeSamples: 0 });
  expect(couples.some(([word]) => word === 5)).toBe(false);
  expect(couples.some(([, other]) => other === 5)).toBe(true);
});

test('rejections', () => {
  const call = skipgrams as (...args: unknown[]) => unknown;
  const rejected: unknown[][] = [
    [[1, 4], 4],
    [[1.5], 4],
    ['ab', 4],
    [[1], 1],
    [[1], 4, { windowSize: 0 }],
    [[1], 4, { samplingTable: [1] }],
    [[1], 4, { window: 1 }],
    [[1], 4, { negativeSamples: -1 }],
  ];
  for (const args of rejected) expect(() => call(...args)).toThrow(ValueError);
  expect(skipgrams([], 4)).toEqual([[], []]);
});
