/** @file Concatenations in one launch, which adapters other than software select. */
import { beforeAll, describe, expect, test } from 'vitest';
import {
  cast,
  concat,
  type DType,
  gradients,
  init,
  ones,
  square,
  stack,
  sum,
  type Tensor,
  tensor,
} from '../../src/index.ts';
import { asAdapter } from '../support/adapterClass.ts';
import { launchesOf } from '../support/launchesOf.ts';

beforeAll(async () => {
  await init();
});

/** Different values for each part. */
const part = (shape: readonly number[], i: number): Tensor =>
  tensor(
    Array.from({ length: shape.reduce((a, b) => a * b, 1) }, (_, k) => 1000 * i + k),
    { shape: [...shape] },
  );

const cases: readonly [
  name: string,
  sizes: readonly number[],
  rest: readonly [number, number],
  launches: number,
][] = [
  ['vectors', [4, 8], [3, 4], 1],
  ['odd sizes', [1, 3, 5], [3, 5], 1],
  ['six tensors', [2, 1, 4, 3, 2, 7], [2, 3], 1],
  ['an empty one among them', [2, 0, 3], [2, 3], 1],
  ['only one that is not empty', [0, 3], [2, 3], 1],
  ['too many for one launch', [1, 2, 3, 1, 2, 3, 1], [2, 3], 7],
];

describe.each(cases)('%s', (_, sizes, [outer, inner], launches) => {
  test.each([0, 1, 2])('along axis %i: as on a software adapter', async (axis) => {
    const shapes = sizes.map((size) => [outer, inner].toSpliced(axis, 0, size));
    const parts = shapes.map(part);
    const join = () => concat(parts, { axis });
    const expected = await join().array();
    await asAdapter('gpu', async () => {
      expect(await join().array()).toEqual(expected);
      expect(await launchesOf((...tensors) => concat(tensors, { axis }), parts)).toBe(launches);
    });
  });
});

test('a tensor next to itself, all dtypes, and stacks', () =>
  asAdapter('gpu', async () => {
    const x = tensor([1, -2, 0.5, 0, 3, 4]);
    expect(await concat([x, x]).array()).toEqual([1, -2, 0.5, 0, 3, 4, 1, -2, 0.5, 0, 3, 4]);
    for (const dtype of ['int32', 'bool'] satisfies DType[]) {
      const [a, b] = [cast(x, dtype), cast(ones([1]), dtype)];
      const joined = await concat([a, b]).data();
      expect([...joined]).toEqual([...(await a.data()), 1]);
    }
    expect(await stack([x, x], { axis: 1 }).array()).toEqual([1, -2, 0.5, 0, 3, 4].map((v) => [v, v]));
  }));

test('the gradients of its parts', () =>
  asAdapter('gpu', async () => {
    const parts = [part([2, 3], 0), part([2, 1], 1)];
    const { gradients: found } = gradients(() => sum(square(concat(parts, { axis: 1 }))), parts);
    for (const [i, gradient] of (found as Tensor[]).entries())
      expect([...(await gradient.data())]).toEqual(
        [...(await (parts[i] as Tensor).data())].map((v) => 2 * v),
      );
  }));
