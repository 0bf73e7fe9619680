/** @file Attention layers beyond the battery: masks, ways to call them, scores. */
import { beforeAll, describe, expect, test } from 'vitest';
import { init, randomNormal, ShapeError, sum, type Tensor, tensor } from '../../../../src/index.ts';
import { input, layers, model } from '../../../../src/keras/index.ts';
import { maskOf } from '../../../../src/keras/masks.ts';

beforeAll(async () => {
  await init();
});

const draw = (seed: number, ...shape: number[]) => randomNormal(shape, { seed });
const values = async (x: Tensor) => Array.from(await x.data());
const flags = (rows: unknown) => tensor(rows as number[][], { dtype: 'bool' });

async function expectClose(found: Tensor, wanted: Tensor): Promise<void> {
  expect(found.shape).toEqual(wanted.shape);
  const expected = await values(wanted);
  (await values(found)).forEach((value, i) => {
    expect(Math.abs(value - (expected[i] as number))).toBeLessThan(1e-5);
  });
}

/** [query, value] of ids, where 0 is padding. */
function padded() {
  const ids = (rows: number[][]) => tensor(rows, { dtype: 'int32' });
  const query = layers.embedding({ inputDim: 5, outputDim: 4, maskZero: true });
  const value = layers.embedding({ inputDim: 5, outputDim: 4, maskZero: true });
  return {
    query: query.apply(
      ids([
        [1, 2, 0],
        [3, 4, 1],
      ]),
    ),
    value: value.apply(
      ids([
        [1, 0, 0, 2],
        [4, 4, 3, 0],
      ]),
    ),
  };
}

const bare = (x: Tensor) => sum(x, { axis: [] });
const seen = [
  [
    [1, 0, 0, 1],
    [1, 0, 0, 1],
    [0, 0, 0, 0],
  ],
  [
    [1, 1, 1, 0],
    [1, 1, 1, 0],
    [1, 1, 1, 0],
  ],
];

describe('multiHeadAttention', () => {
  const make = (options: object = {}) => layers.multiHeadAttention({ numHeads: 2, keyDim: 3, ...options });

  test('applies the masks of its inputs, and passes on that of the query', async () => {
    const layer = make();
    const { query, value } = padded();
    const output = layer.apply([query, value]);
    await expectClose(output, layer.apply([bare(query), bare(value)], { attentionMask: flags(seen) }));
    expect(await values(maskOf(output) as Tensor)).toEqual(await values(maskOf(query) as Tensor));
    const given = { queryMask: maskOf(query), valueMask: maskOf(value) };
    await expectClose(layer.apply([bare(query), bare(value)], given), output);
  });

  test('takes the mask of the key, and a mask for its heads', async () => {
    const layer = make();
    const [query, value] = [draw(1, 1, 2, 4), draw(2, 1, 3, 4)];
    const keyMask = flags([[1, 0, 1]]);
    const all = [
      [1, 0, 1],
      [1, 0, 1],
    ];
    const masked = layer.apply([query, value], { keyMask });
    for (const attentionMask of [all, [all], [[all, all]], [[all]]])
      await expectClose(layer.apply([query, value], { attentionMask: flags(attentionMask) }), masked);
    // In other dtypes, nonzero values are true.
    await expectClose(layer.apply([query, value], { attentionMask: tensor([all]) }), masked);
    expect(() => layer.apply([query, value], { attentionMask: flags([1, 0, 1]) })).toThrow(ShapeError);
    expect(() => layer.apply([query, value], { attentionMask: flags([[1, 0]]) })).toThrow(ShapeError);
  });

  test('sees nothing later with a causal mask, nothing far with a window', async () => {
    const x = draw(1, 1, 4, 3);
    const scoresOf = async (options: object, call: object) => {
      const [, scores] = make(options).apply([x, x], { ...call, returnAttentionScores: true });
      expect(scores.shape).toEqual([1, 2, 4, 4]);
      return ((await scores.array()) as number[][][][])[0]?.[0]?.map((row) => row.map((s) => Number(s > 0)));
    };
    expect(await scoresOf({}, { useCausalMask: true })).toEqual([
      [1, 0, 0, 0],
      [1, 1, 0, 0],
      [1, 1, 1, 0],
      [1, 1, 1, 1],
    ]);
    expect(await scoresOf({ slidingWindow: 2 }, { useCausalMask: true })).toEqual([
      [1, 0, 0, 0],
      [1, 1, 0, 0],
      [0, 1, 1, 0],
      [0, 0, 1, 1],
    ]);
    expect(await scoresOf({ slidingWindow: 2 }, {})).toEqual([
      [1, 1, 0, 0],
      [1, 1, 1, 0],
      [0, 1, 1, 1],
      [0, 0, 1, 1],
    ]);
  });

  test('has no scores where a query sees nothing', async () => {
    const x = draw(1, 1, 2, 3);
    const [, scores] = make().apply([x, x], {
      attentionMask: flags([
        [0, 0],
        [1, 0],
      ]),
      returnAttentionScores: true,
    });
    expect(await values(scores)).toEqual([0, 0, 1, 0, 0, 0, 1, 0]);
  });

  test('is called on a query, with value and key, on itself, or symbolically', async () => {
    const layer = make();
    const [query, value, key] = [draw(1, 2, 3, 4), draw(2, 2, 5, 4), draw(3, 2, 5, 4)];
    const wanted = layer.apply([query, value, key]);
    await expectClose(layer.apply(query, { value, key }), wanted);
    await expectClose(layer.apply([query, value], { key }), wanted);
    await expectClose(layer.apply(query), layer.apply([query, query]));
    const [q, v, k] = [input({ shape: [null, 4] }), input({ shape: [null, 4] }), input({ shape: [null, 4] })];
    const [output, scores] = layer.apply(q, { value: v, key: k, returnAttentionScores: true });
    expect(output.shape).toEqual([null, null, 4]);
    expect(scores.shape).toEqual([null, 2, null, null]);
    const net = model({ inputs: [q, v, k], outputs: [output, scores] });
    const [found] = net.apply([query, value, key]) as [Tensor, Tensor];
    await expectClose(found, wanted);
  });

  test('names its weights as Keras does', () => {
    const layer = make({ name: 'mha', valueDim: 5, kernelRegularizer: 'l2' });
    layer.apply([draw(1, 2, 3, 4), draw(2, 2, 5, 6)]);
    expect(layer.weights.map(({ path, shape }) => [path, [...shape]])).toEqual([
      ['mha/query/kernel', [4, 2, 3]],
      ['mha/query/bias', [2, 3]],
      ['mha/key/kernel', [6, 2, 3]],
      ['mha/key/bias', [2, 3]],
      ['mha/value/kernel', [6, 2, 5]],
      ['mha/value/bias', [2, 5]],
      ['mha/attention_output/kernel', [2, 5, 4]],
      ['mha/attention_output/bias', [4]],
    ]);
    expect(layer.losses).toHaveLength(4);
  });

  test('clears scores only in training', async () => {
    const layer = make({ dropout: 0.5 });
    const x = draw(1, 2, 8, 4);
    await expectClose(layer.apply(x), layer.apply(x));
    const [first, second] = [
      await values(layer.apply(x, { training: true })),
      await values(layer.apply(x, { training: true })),
    ];
    expect(first).not.toEqual(second);
  });
});

describe.each(['attention', 'additiveAttention'] as const)('%s', (name) => {
  test('applies the masks of its inputs, and clears masked queries', async () => {
    const layer = layers[name]();
    const { query, value } = padded();
    const [output, scores] = layer.apply([query, value], { returnAttentionScores: true }) as [Tensor, Tensor];
    const rows = (await scores.array()) as number[][][];
    expect(
      rows[0]?.every(([a, b, c, d]) => b === 0 && c === 0 && (a as number) > 0 && (d as number) > 0),
    ).toBe(true);
    expect(rows[1]?.every(([, , , d]) => d === 0)).toBe(true);
    expect((await values(output)).slice(8, 12)).toEqual([0, 0, 0, 0]);
    expect(await values(maskOf(output) as Tensor)).toEqual(await values(maskOf(query) as Tensor));
    expect(maskOf(scores)).toBeNull();
  });

  test('sees nothing later with a causal mask', async () => {
    const x = draw(1, 1, 3, 2);
    const [, scores] = layers[name]().apply([x, x], {
      useCausalMask: true,
      returnAttentionScores: true,
    }) as [Tensor, Tensor];
    const rows = (await scores.array()) as number[][][];
    expect(rows[0]?.map((row) => row.map((s) => Number(s > 0)))).toEqual([
      [1, 0, 0],
      [1, 1, 0],
      [1, 1, 1],
    ]);
  });

  test('returns scores symbolically', () => {
    const [q, v] = [input({ shape: [null, 4] }), input({ shape: [5, 4] })];
    const outputs = layers[name]().apply([q, v], { returnAttentionScores: true }) as unknown as {
      shape: unknown;
    }[];
    expect(outputs.map(({ shape }) => shape)).toEqual([
      [null, null, 4],
      [null, null, 5],
    ]);
  });
});

describe('build', () => {
  const made = () => layers.multiHeadAttention({ numHeads: 2, keyDim: 3 });
  const shapes = (layer: ReturnType<typeof made>) => layer.weights.map(({ shape }) => shape);
  const [query, value, key] = [
    [null, 4, 8],
    [null, 5, 6],
    [null, 5, 7],
  ] as const;

  test('takes shapes one after the other, as in Keras, or in a list', () => {
    const [two, three, none, listed] = [made(), made(), made(), made()];
    two.build(query, value);
    three.build(query, value, key);
    none.build(query, value, null);
    listed.build([query, value, key]);
    expect(two.built && three.built).toBe(true);
    expect(shapes(three)).toEqual(shapes(listed));
    expect(shapes(two)).toEqual(shapes(none));
    expect(shapes(two)[2]).toEqual([6, 2, 3]);
    expect(shapes(three)[2]).toEqual([7, 2, 3]);
    expect(two.apply([draw(1, 2, 4, 8), draw(2, 2, 5, 6)]).shape).toEqual([2, 4, 8]);
    const grouped = layers.groupQueryAttention({ numQueryHeads: 2, numKeyValueHeads: 1, headDim: 3 });
    grouped.build(query, value);
    expect(grouped.built).toBe(true);
  });

  test.each<[string, unknown[]]>([
    ['a query alone', [query]],
    ['a list of one', [[query]]],
    ['ranks that differ', [query, [null, 6]]],
    ['four shapes', [query, value, key, key]],
    ['no shape', [query, 'value']],
    ['a record', [{ query, value }]],
  ])('rejects %s', (_, given) => {
    const layer = made();
    const build = layer.build as (...shapes: unknown[]) => void;
    expect(() => build(...given)).toThrow(/multi_head_attention/);
    expect(layer.built).toBe(false);
  });
});
