/** @file Utilities for data. The expected values are those of Keras's documentation and of keras.utils 3.15. */
import { beforeAll, expect, test } from 'vitest';
import { init, mul, type Tensor, tensor, ValueError } from '../../../src/index.ts';
import { utils } from '../../../src/keras/index.ts';

const { padSequences, splitDataset, toCategorical } = utils;

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

test('padSequences of vectors, and toCategorical of nested lists, as in Keras', async () => {
  const steps = [
    [
      [1, 2],
      [3, 4],
    ],
    [],
    [[5, 6]],
  ];
  expect(await padSequences(steps).array()).toEqual([
    [
      [1, 2],
      [3, 4],
    ],
    [
      [0, 0],
      [0, 0],
    ],
    [
      [0, 0],
      [5, 6],
    ],
  ]);
  const short = padSequences(steps, { maxlen: 1, padding: 'post', truncating: 'post', value: 9 });
  expect(await short.array()).toEqual([[[1, 2]], [[9, 9]], [[5, 6]]]);
  expect(
    await toCategorical([
      [0, 1],
      [2, 0],
    ]).array(),
  ).toEqual([
    [
      [1, 0, 0],
      [0, 1, 0],
    ],
    [
      [0, 0, 1],
      [1, 0, 0],
    ],
  ]);
  expect(() => padSequences([[[1, 2]], [[1]]])).toThrow(ValueError);
  expect(() => toCategorical([[0, 1], [2]])).toThrow(ValueError);
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

test('splitting the samples of tensors into two parts', async () => {
  const x = tensor([[1], [2], [3], [4], [5]]);
  const arrays = (parts: readonly Tensor[]) => Promise.all(parts.map((part) => part.array()));
  expect(await arrays(splitDataset(x, { leftSize: 0.6 }))).toEqual([
    [[1], [2], [3]],
    [[4], [5]],
  ]);
  expect(await arrays(splitDataset(x, { rightSize: 1 }))).toEqual([[[1], [2], [3], [4]], [[5]]]);
  expect(await arrays(splitDataset(x, { leftSize: 1, rightSize: 0.4 }))).toEqual([[[1]], [[2], [3]]]);
  // Samples stay together, and a seed makes their order reproducible.
  const split = () => splitDataset([x, mul(x, 10)], { leftSize: 3, shuffle: true, seed: 7 });
  const [left, right] = await Promise.all(split().map(arrays));
  expect(await Promise.all(split().map(arrays))).toEqual([left, right]);
  expect([left?.[0], right?.[0]].flat(3).toSorted()).toEqual([1, 2, 3, 4, 5]);
  expect([left?.[1], right?.[1]].flat(3)).toEqual([left?.[0], right?.[0]].flat(3).map((n) => 10 * Number(n)));
});

test.each<[string, () => unknown]>([
  ['no size', () => splitDataset(tensor([1, 2]), {})],
  ['a part of nothing', () => splitDataset(tensor([1, 2]), { leftSize: 2 })],
  ['more than there are', () => splitDataset(tensor([1, 2]), { leftSize: 1, rightSize: 2 })],
  ['a negative size', () => splitDataset(tensor([1, 2]), { leftSize: -1 })],
  ['arrays', () => splitDataset([1, 2] as never, { leftSize: 1 })],
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
])('%s is rejected', (_, call) => {
  expect(call).toThrow(ValueError);
});
