/** @file Ops whose shapes depend on values: nonzero, booleanMask, unique, nonMaxSuppression. */
import { beforeAll, describe, expect, test } from 'vitest';
import {
  booleanMask,
  DTypeError,
  GradientTape,
  init,
  memory,
  mul,
  nonMaxSuppression,
  nonzero,
  ShapeError,
  sum,
  type Tensor,
  tensor,
  tidy,
  unique,
  ValueError,
} from '../../src/index.ts';

beforeAll(async () => {
  await init();
});

const listOf = async (x: Tensor) => Array.from(await x.data(), Number);
const bools = (values: number[], shape = [values.length]) => tensor(values, { shape, dtype: 'bool' });

describe('nonzero', () => {
  test.each([
    {
      values: [0, 1, -2, 0, Number.NaN, 3],
      shape: [2, 3],
      found: [
        [0, 1],
        [0, 2],
        [1, 1],
        [1, 2],
      ],
    },
    { values: [0, 0], shape: [2], found: [] },
    { values: [], shape: [0, 3], found: [] },
    { values: [5], shape: [], found: [[]] },
    {
      values: [0, 1, 0, 1, 1, 0, 0, 0],
      shape: [2, 2, 2],
      found: [
        [0, 0, 1],
        [0, 1, 1],
        [1, 0, 0],
      ],
    },
  ])('$values of shape $shape', async ({ values, shape, found }) => {
    const at = await nonzero(tensor(values, { shape }));
    expect(at.dtype).toBe('int32');
    expect(at.shape).toEqual([found.length, shape.length]);
    expect(await listOf(at)).toEqual(found.flat());
  });

  test('integers, bools, and a scope that ends before the result comes', async () => {
    expect(await listOf(await nonzero(tensor([3, 0, -1], { dtype: 'int32' })))).toEqual([0, 2]);
    const x = bools([0, 1, 1]);
    const found = tidy(() => ({ promise: nonzero(x) }));
    expect(await listOf(await found.promise)).toEqual([1, 2]);
  });

  test('many elements', async () => {
    const values = Float32Array.from({ length: 5000 }, (_, i) => ((i * 7) % 5 === 0 ? 1 : 0));
    const wanted = Array.from(values.keys()).filter((i) => values[i] === 1);
    expect(await listOf(await nonzero(tensor(values)))).toEqual(wanted);
  });

  test('what is no tensor', async () => {
    await expect(nonzero([1, 2] as never)).rejects.toBeInstanceOf(ValueError);
  });
});

describe('booleanMask', () => {
  const x = () => tensor([1, 2, 3, 4, 5, 6], { shape: [3, 2] });

  test('rows, columns and elements', async () => {
    const rows = await booleanMask(x(), bools([1, 0, 1]));
    expect([rows.shape, await listOf(rows)]).toEqual([
      [2, 2],
      [1, 2, 5, 6],
    ]);
    const columns = await booleanMask(x(), bools([0, 1]), { axis: 1 });
    expect([columns.shape, await listOf(columns)]).toEqual([
      [3, 1],
      [2, 4, 6],
    ]);
    const elements = await booleanMask(x(), bools([1, 0, 0, 0, 1, 1], [3, 2]));
    expect([elements.shape, await listOf(elements)]).toEqual([[3], [1, 5, 6]]);
    expect((await booleanMask(x(), bools([0, 0, 0]))).shape).toEqual([0, 2]);
  });

  test('the gradient goes to what was taken', async () => {
    const input = x();
    using tape = new GradientTape();
    tape.watch(input);
    const taken = await booleanMask(input, bools([1, 0, 1]));
    const [gradient] = tape.gradient(sum(mul(taken, taken)), [input]);
    expect(await listOf(gradient as Tensor)).toEqual([2, 4, 0, 0, 10, 12]);
  });

  test('rejections', async () => {
    await expect(booleanMask(x(), bools([1, 0]))).rejects.toBeInstanceOf(ShapeError);
    await expect(booleanMask(x(), tensor([1, 0, 1]))).rejects.toBeInstanceOf(DTypeError);
    await expect(booleanMask(x(), bools([1], []))).rejects.toBeInstanceOf(ShapeError);
    await expect(booleanMask(x(), bools([1, 0, 1]), { axis: 2 })).rejects.toBeInstanceOf(ShapeError);
  });
});

describe('unique', () => {
  test('elements, in the order of their first occurrence', async () => {
    const [values, indices] = await unique(tensor([3, 1, Number.NaN, 3, -0, 0, Number.NaN]));
    expect(await listOf(values)).toEqual([3, 1, Number.NaN, -0]);
    expect(await listOf(indices)).toEqual([0, 1, 2, 0, 3, 3, 2]);
  });

  test('rows and columns; nothing', async () => {
    const x = tensor([1, 0, 1, 2, 0, 2, 1, 0, 1], { shape: [3, 3], dtype: 'int32' });
    const [rows, which] = await unique(x, { axis: 0 });
    expect([rows.shape, rows.dtype, await listOf(rows), await listOf(which)]).toEqual([
      [2, 3],
      'int32',
      [1, 0, 1, 2, 0, 2],
      [0, 1, 0],
    ]);
    const [columns, of] = await unique(x, { axis: -1 });
    expect([columns.shape, await listOf(columns), await listOf(of)]).toEqual([
      [3, 2],
      [1, 0, 2, 0, 1, 0],
      [0, 1, 0],
    ]);
    const [none] = await unique(tensor([], { shape: [0, 2] }), { axis: 0 });
    expect(none.shape).toEqual([0, 2]);
  });

  test('an axis that x lacks', async () => {
    await expect(unique(tensor([1]), { axis: 1 })).rejects.toBeInstanceOf(ShapeError);
  });
});

describe('nonMaxSuppression', () => {
  // The example of TensorFlow's own tests: three clusters.
  const boxes = () =>
    tensor([0, 0, 1, 1, 0, 0.1, 1, 1.1, 0, -0.1, 1, 0.9, 0, 10, 1, 11, 0, 10.1, 1, 11.1, 0, 100, 1, 101], {
      shape: [6, 4],
    });
  const scores = () => tensor([0.9, 0.75, 0.6, 0.95, 0.5, 0.3]);

  test.each([
    { options: { maxOutputSize: 3 }, kept: [3, 0, 5] },
    { options: { maxOutputSize: 2 }, kept: [3, 0] },
    { options: { maxOutputSize: 0 }, kept: [] },
    { options: { maxOutputSize: 30, scoreThreshold: 0.4 }, kept: [3, 0] },
    // The score 0.6 is larger as a float32, but not above the threshold.
    { options: { maxOutputSize: 30, iouThreshold: 1, scoreThreshold: 0.6 }, kept: [3, 0, 1] },
    { options: { maxOutputSize: 30, iouThreshold: 1 }, kept: [3, 0, 1, 2, 4, 5] },
  ])('$options', async ({ options, kept }) => {
    const [indices, best] = await nonMaxSuppression(boxes(), scores(), options);
    expect(await listOf(indices)).toEqual(kept);
    const all = await listOf(scores());
    expect(await listOf(best)).toEqual(kept.map((i) => all[i]));
  });

  test.each([1, 0.5, 0])(
    'soft scores, with iouThreshold %d, which drops no box then',
    async (iouThreshold) => {
      const options = { maxOutputSize: 6, iouThreshold, scoreThreshold: 0, softNmsSigma: 0.5 };
      const [indices, lowered] = await nonMaxSuppression(boxes(), scores(), options);
      expect(await listOf(indices)).toEqual([3, 0, 1, 5, 4, 2]);
      // TensorFlow's numbers.
      (await listOf(lowered)).forEach((score, i) => {
        expect(score).toBeCloseTo([0.95, 0.9, 0.384, 0.3, 0.256, 0.197][i] as number, 3);
      });
    },
  );

  test.each([0, 0.5])('a box with a NaN overlaps none, softNmsSigma %d', async (softNmsSigma) => {
    const x = tensor([0, 0, 1, 1, 0, Number.NaN, 1, 1, 0, 0, 1, 1], { shape: [3, 4] });
    const options = { maxOutputSize: 9, scoreThreshold: 0.1, softNmsSigma };
    const [indices] = await nonMaxSuppression(x, tensor([0.4, 0.6, 0.5]), options);
    expect(await listOf(indices)).toEqual(softNmsSigma === 0 ? [1, 2] : [1, 2, 0]);
  });

  test('corners in any order, and boxes without area', async () => {
    const x = tensor([1, 1, 0, 0, 0, 0.1, 1, 1.1, 0, 0, 0, 0], { shape: [3, 4] });
    const [indices] = await nonMaxSuppression(x, tensor([0.5, 0.6, 0.4]), { maxOutputSize: 9 });
    expect(await listOf(indices)).toEqual([1, 2]);
  });

  test('rejections', async () => {
    await expect(nonMaxSuppression(boxes(), tensor([1]), { maxOutputSize: 1 })).rejects.toBeInstanceOf(
      ShapeError,
    );
    await expect(nonMaxSuppression(boxes(), scores(), {} as never)).rejects.toBeInstanceOf(ValueError);
    await expect(
      nonMaxSuppression(boxes(), scores(), { maxOutputSize: 1, iouThreshold: 2 }),
    ).rejects.toBeInstanceOf(ValueError);
  });
});

test('nothing stays', async () => {
  const x = tensor([0, 1, 2]);
  const before = memory().tensors;
  (await nonzero(x)).dispose();
  for (const made of await unique(x)) made.dispose();
  await x.data();
  expect(memory().tensors).toBe(before);
});
