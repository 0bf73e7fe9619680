import { beforeAll, describe, expect, test } from 'vitest';
import { getDevice, grad, init, mul, norm, sum, type Tensor, tensor, vmap } from '../../src/index.ts';

beforeAll(async () => {
  await init();
});

const rows = [
  [3, 4],
  [0, 0],
  [-5, 12],
];
const lengths = (x: Tensor) => norm(x, { axis: 1 });

function expectClose(found: unknown, expected: readonly (readonly number[])[]): void {
  for (const [i, row] of expected.entries())
    for (const [j, value] of row.entries()) expect((found as number[][])[i]?.[j]).toBeCloseTo(value, 6);
}

describe('the Euclidean norm', () => {
  test('is one launch, and 0 of no elements', async () => {
    const x = tensor(rows);
    const { statistics } = getDevice().stream;
    const before = statistics.launches;
    const y = lengths(x);
    expect(statistics.launches - before).toBe(1);
    expect(await y.array()).toEqual([5, 0, 13]);
    expect(await norm(tensor([], { shape: [2, 0] }), { axis: 1 }).array()).toEqual([0, 0]);
  });

  test('has the direction as its gradient, and 0 where it is 0', async () => {
    expectClose(await grad((x: Tensor) => sum(lengths(x)))(tensor(rows)).array(), [
      [3 / 5, 4 / 5],
      [0, 0],
      [-5 / 13, 12 / 13],
    ]);
  });

  test('has the second derivatives y² / r³ and -x y / r³, and 0 where it is 0', async () => {
    const first = tensor([1, 0]);
    const firstComponents = (x: Tensor) => sum(mul(grad((y: Tensor) => sum(lengths(y)))(x), first));
    expectClose(await grad(firstComponents)(tensor(rows)).array(), [
      [16 / 125, -12 / 125],
      [0, 0],
      [144 / 13 ** 3, 60 / 13 ** 3],
    ]);
  });

  test('and its gradient are mapped', async () => {
    expect(await vmap((x: Tensor) => norm(x))(tensor(rows)).array()).toEqual([5, 0, 13]);
    expectClose(await vmap(grad((x: Tensor) => norm(x)))(tensor(rows)).array(), [
      [3 / 5, 4 / 5],
      [0, 0],
    ]);
  });

  test('of NaN is NaN, of an infinity infinite', async () => {
    const [nan, infinite] = await norm(
      tensor([
        [Number.NaN, 1],
        [1, Number.NEGATIVE_INFINITY],
      ]),
      { axis: 1 },
    ).data();
    expect(nan).toBeNaN();
    expect(infinite).toBe(Number.POSITIVE_INFINITY);
  });
});
