import { beforeAll, describe, expect, test } from 'vitest';
import { grad, init, mean, mul, square, std, sum, type Tensor, tensor } from '../../src/index.ts';

beforeAll(async () => {
  await init();
});

const rows = [
  [3, 3, 3, 3],
  [0, 0, 0, 0],
  [1, 2, 3, 6],
];

describe('std of equal values', () => {
  const loss = (x: Tensor) => sum(std(x, { axis: 1 }));

  test('has the gradient 0, and others theirs', async () => {
    const [equal, zeros, others] = (await grad(loss)(tensor(rows)).array()) as number[][];
    expect(equal).toEqual([0, 0, 0, 0]);
    expect(zeros).toEqual([0, 0, 0, 0]);
    const deviation = Math.sqrt(14 / 4);
    for (const [i, x] of [1, 2, 3, 6].entries())
      expect(others?.[i]).toBeCloseTo((x - 3) / (4 * deviation), 6);
  });

  test('has finite derivatives of second and third order', async () => {
    const second = grad((x) => sum(square(grad(loss)(x))));
    const third = grad((x) => sum(mul(second(x), x)));
    for (const derivative of [second, third]) {
      const values = await derivative(tensor(rows)).data();
      expect([...values].every(Number.isFinite)).toBe(true);
      expect([...values].slice(0, 8)).toEqual(new Array(8).fill(0));
    }
  });

  test('over all axes, with one element, and with keepDims', async () => {
    expect(await grad((x) => std(x))(tensor([[5, 5]])).array()).toEqual([[0, 0]]);
    expect(await grad((x) => std(x))(tensor([7])).array()).toEqual([0]);
    expect(await grad((x) => mean(std(x, { axis: 0, keepDims: true })))(tensor([[1, 2]])).array()).toEqual([
      [0, 0],
    ]);
  });

  test('NaN stays NaN', async () => {
    const [value] = await grad((x) => std(x))(tensor([Number.NaN, 1])).data();
    expect(value).toBeNaN();
  });
});
