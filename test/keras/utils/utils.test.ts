/** @file Utilities for data. The expected values are those of Keras's documentation and of keras.utils 3.15. */
import { beforeAll, expect, test } from 'vitest';
import { init, ValueError } from '../../../src/index.ts';
import { utils } from '../../../src/keras/index.ts';

const { padSequences, toCategorical } = utils;

beforeAll(async () => {
  await init();
});

const sequences = [[1], [2, 3], [4, 5, 6]];

test.each<[utils.PadSequencesOptions, number[][]]>([
  [
    {},
    [
      [0, 0, 1],
      [0, 2, 3],
      [4, 5, 6],
    ],
  ],
  [
    { value: -1 },
    [
      [-1, -1, 1],
      [-1, 2, 3],
      [4, 5, 6],
    ],
  ],
  [
    { padding: 'post' },
    [
      [1, 0, 0],
      [2, 3, 0],
      [4, 5, 6],
    ],
  ],
  [
    { maxlen: 2 },
    [
      [0, 1],
      [2, 3],
      [5, 6],
    ],
  ],
  [
    { maxlen: 2, truncating: 'post', padding: 'post' },
    [
      [1, 0],
      [2, 3],
      [4, 5],
    ],
  ],
  [
    { maxlen: 4, dtype: 'float32', value: 0.5 },
    [
      [0.5, 0.5, 0.5, 1],
      [0.5, 0.5, 2, 3],
      [0.5, 4, 5, 6],
    ],
  ],
])('padSequences with %j', async (options, expected) => {
  const padded = padSequences(sequences, options);
  expect(padded.dtype).toBe(options.dtype ?? 'int32');
  expect(await padded.array()).toEqual(expected);
});

test('padSequences of nothing, and of typed arrays', async () => {
  expect(padSequences([]).shape).toEqual([0, 0]);
  expect(padSequences([[], []]).shape).toEqual([2, 0]);
  expect(await padSequences([Int32Array.of(7)], { maxlen: 2 }).array()).toEqual([[0, 7]]);
});

test('toCategorical', async () => {
  const rows = [
    [1, 0, 0],
    [0, 0, 1],
    [0, 1, 0],
  ];
  expect(await toCategorical([0, 2, 1]).array()).toEqual(rows);
  expect(await toCategorical([[0], [2], [1]]).array()).toEqual(rows);
  expect(await toCategorical(Int32Array.of(1), { numClasses: 4 }).array()).toEqual([[0, 1, 0, 0]]);
});

test.each<[string, () => unknown]>([
  ['a class beyond their number', () => toCategorical([0, 3], { numClasses: 3 })],
  ['half a class', () => toCategorical([0.5])],
  ['a negative class', () => toCategorical([-1])],
  ['no list', () => toCategorical(3 as never)],
  ['another option', () => toCategorical([1], { depth: 3 } as never)],
  ['numbers in place of sequences', () => padSequences([1, 2] as never)],
  ['words', () => padSequences([['a']] as never)],
  ['another side', () => padSequences(sequences, { padding: 'both' as never })],
  ['a fractional length', () => padSequences(sequences, { maxlen: 1.5 })],
  ['another dtype', () => padSequences(sequences, { dtype: 'bool' as never })],
])('%s is refused', (_, call) => {
  expect(call).toThrow(ValueError);
});
