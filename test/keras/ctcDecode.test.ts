/** @file ctcDecode against Keras with TensorFlow, and against an exhaustive search (test/fixtures/keras/ctc.py). */
import { beforeAll, describe, expect, test } from 'vitest';
import { init, memory, tensor } from '../../src/index.ts';
import { ops } from '../../src/keras/index.ts';
import fixture from '../fixtures/keras/ctc.json' with { type: 'json' };

const { ctcDecode } = ops;

beforeAll(async () => {
  await init();
});

interface Case {
  shape: number[];
  logits: number[];
  lengths: number[];
  options: Record<string, unknown>;
  sequences: number[][][];
  scores: number[][];
}

const camel = (name: string) => name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());

function expectClose(actual: readonly number[], wanted: readonly number[]): void {
  expect(actual).toHaveLength(wanted.length);
  wanted.forEach((value, i) => {
    expect(Math.abs((actual[i] as number) - value)).toBeLessThanOrEqual(2e-6 * (5 + Math.abs(value)));
  });
}

test.each(
  (fixture.cases as unknown as Case[]).map(
    (one) => [`${one.shape} ${JSON.stringify(one.options)}`, one] as const,
  ),
)('%s: as in Keras', async (_, { shape, logits, lengths, options, sequences, scores }) => {
  const given = Object.fromEntries(Object.entries(options).map(([key, value]) => [camel(key), value]));
  const [found, scored] = await ctcDecode(tensor(logits, { shape }), lengths, given);
  expect([found.dtype, scored.dtype]).toEqual(['int32', 'float32']);
  expect(await found.array()).toEqual(sequences);
  expectClose([...(await scored.data())], scores.flat());
});

test('a beam that holds all sequences finds the likeliest ones', async () => {
  const { shape, logits, count, best } = fixture.exhaustive;
  const [found, scored] = await ctcDecode(tensor(logits, { shape }), [6], {
    strategy: 'beamSearch',
    beamWidth: count,
    topPaths: best.length,
  });
  const sequences = (await found.array()) as number[][][];
  expect(sequences.map(([row]) => (row as number[]).filter((label) => label >= 0))).toEqual(
    best.map(({ labels }) => labels),
  );
  expectClose(
    [...(await scored.data())],
    best.map(({ score }) => score),
  );
});

describe('edges', () => {
  const options = { strategy: 'beamSearch', topPaths: 3 } as const;

  test('sequences that do not exist are empty, and impossible', async () => {
    const [found, scored] = await ctcDecode(tensor([[[0, 0]]]), [1], options);
    expect(await found.array()).toEqual([[[-1]], [[1]], [[-1]]]);
    const scores = [...(await scored.data())];
    expectClose(scores.slice(0, 2), [-Math.LN2, -Math.LN2]);
    expect(scores[2]).toBe(Number.NEGATIVE_INFINITY);
  });

  test('no rows, no steps, and lengths in a tensor', async () => {
    const lengths = tensor([0, 0], { dtype: 'int32' });
    const [found, scored] = await ctcDecode(tensor([], { shape: [2, 0, 3] }), lengths, options);
    expect([found.shape, scored.shape]).toEqual([
      [3, 2, 0],
      [2, 3],
    ]);
    expect((await scored.data())[0]).toBe(0);
    const [none] = await ctcDecode(tensor([], { shape: [0, 4, 3] }), []);
    expect(none.shape).toEqual([1, 0, 4]);
  });

  test('impossible classes have no path', async () => {
    const low = Number.NEGATIVE_INFINITY;
    const [found] = await ctcDecode(
      tensor([
        [
          [low, 0, low],
          [0, low, low],
        ],
      ]),
      [2],
      options,
    );
    expect(await found.array()).toEqual([[[1, -1]], [[-1, -1]], [[-1, -1]]]);
  });

  test('only the results are left', async () => {
    const logits = tensor([[[0, 1]]]);
    const before = memory().tensors;
    const results = await ctcDecode(logits, [1]);
    expect(memory().tensors).toBe(before + results.length);
  });
});

describe('rejected', () => {
  const logits = () => tensor([[[0, 1]]]);
  const loose = (value: unknown) => value as never;

  test.each<[string, () => Promise<unknown>, RegExp]>([
    ['a list', () => ctcDecode(loose([[[0, 1]]]), [1]), /`inputs`/],
    ['a matrix', () => ctcDecode(tensor([[0, 1]]), [1]), /logits \[batch, steps, classes\]/],
    ['no classes', () => ctcDecode(tensor([], { shape: [1, 1, 0] }), [1]), /at least one class/],
    ['integers', () => ctcDecode(tensor([[[0, 1]]], { dtype: 'int32' }), [1]), /float32/],
    ['no lengths', () => ctcDecode(logits(), loose(undefined)), /sequenceLengths/],
    ['an object', () => ctcDecode(logits(), loose({ steps: 1 })), /sequenceLengths: \{"steps":1\}/],
    ['two lengths', () => ctcDecode(logits(), [1, 1]), /each of the 1 rows/],
    ['a length beyond the steps', () => ctcDecode(logits(), [2]), /at most 1 steps/],
    ['a negative length', () => ctcDecode(logits(), [-1]), /at most 1 steps/],
    ['an unknown strategy', () => ctcDecode(logits(), [1], loose({ strategy: 'best' })), /strategy/],
    ['no width', () => ctcDecode(logits(), [1], { beamWidth: 0 }), /beamWidth/],
    ['a blank beyond the classes', () => ctcDecode(logits(), [1], { maskIndex: 2 }), /one of the 2 classes/],
    ['a blank before them', () => ctcDecode(logits(), [1], { maskIndex: -3 }), /maskIndex/],
    ['two greedy paths', () => ctcDecode(logits(), [1], { topPaths: 2 }), /gives one path/],
    [
      'more paths than are kept',
      () => ctcDecode(logits(), [1], { strategy: 'beamSearch', beamWidth: 2, topPaths: 3 }),
      /at most/,
    ],
  ])('%s', async (_, run, message) => {
    await expect(run()).rejects.toThrow(message);
  });
});
