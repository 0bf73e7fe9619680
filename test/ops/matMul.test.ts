/** @file matMul beyond the battery's samples: integer values, sums of many terms, very many slices. */
import { expect, test } from 'vitest';
import { fusedMatMul, init, matMul, tensor } from '../../src/index.ts';
import { withGemmTile } from '../support/algorithms.ts';
import { gemmTiles } from '../../src/kernels/gemm/gemmTiles.ts';
import { draw, largestError, product } from '../support/reference.ts';
import { sizeOf } from '../../src/core/shape.ts';

await init();

test('integers multiply exactly, and bools count as 0 and 1', async () => {
  const a = tensor(
    [
      [16777217, -2],
      [3, 4],
    ],
    { dtype: 'int32' },
  );
  const b = tensor(
    [
      [1, 5],
      [7, -1],
    ],
    { dtype: 'int32' },
  );
  expect(await matMul(a, b).array()).toEqual([
    [16777203, 83886087],
    [31, 11],
  ]);
  const mask = tensor([
    [true, false],
    [true, true],
  ]);
  const counted = matMul(mask, mask);
  expect(counted.dtype).toBe('int32');
  expect(await counted.array()).toEqual([
    [1, 0],
    [2, 1],
  ]);
  const large = tensor([[4000000000]], { dtype: 'uint32' });
  expect(await matMul(large, tensor([[1]], { dtype: 'uint32' })).item()).toBe(4000000000);
});

test('an integer matrix and a float one is one of floats', async () => {
  const y = matMul(tensor([[1, 2]], { dtype: 'int32' }), tensor([[0.5], [0.25]]));
  expect(y.dtype).toBe('float32');
  expect(await y.item()).toBe(1);
});

/** Returns the error of adding one product after the other in float32. */
function plainError(a: Float32Array, b: Float32Array, [m, n, k]: [number, number, number]): number {
  const plain = new Float32Array(m * n);
  for (let i = 0; i < m; i++)
    for (let j = 0; j < n; j++)
      for (let l = 0; l < k; l++)
        plain[i * n + j] =
          (plain[i * n + j] as number) + Math.fround((a[i * k + l] as number) * (b[l * n + j] as number));
  return largestError(plain, product(a, b, [m, n, k]));
}

test.each([[[7, 9, 300]], [[40, 64, 1000]], [[3, 2, 5000]], [[1, 33, 4096]], [[33, 1, 4096]]] as [
  [number, number, number],
][])('%j: no more than 4 times the error of a plain sum', async (size) => {
  const [m, n, k] = size;
  const [a, b] = [draw(m * k, 11), draw(k * n, 12)];
  const y = await matMul(tensor(a, { shape: [m, k] }), tensor(b, { shape: [k, n] })).data();
  expect(largestError(y, product(a, b, size))).toBeLessThan(4 * plainError(a, b, size) + 1e-7);
});

test.each([
  ['a column and a row', [5, 1], [1, 8], {}],
  ['both transposed', [1, 5], [8, 1], { transposeA: true, transposeB: true }],
  ['columns of a batch and one row', [3, 5, 1], [1, 8], {}],
  ['batches that broadcast to each other', [2, 1, 5, 1], [3, 1, 8], {}],
  ['vectors of odd length', [5, 1], [1, 7], {}],
  ['long vectors of odd length', [97, 1], [1, 101], {}],
  ['batches of long rows of odd length', [2, 1, 51, 1], [3, 1, 101], {}],
])('an outer product of %s', async (_, aShape, bShape, options) => {
  const drawn = (shape: readonly number[]) => draw(sizeOf(shape), shape.length);
  const [a, b, m] = [drawn(aShape), drawn(bShape), Math.max(...aShape.slice(-2))];
  const n = (bShape.at(-1) as number) * (bShape.length === 2 ? (bShape[0] as number) : 1);
  // The products of every matrix of a's batch with every one of b's.
  const expected: number[] = [];
  for (let i = 0; i < a.length; i += m)
    for (let j = 0; j < b.length; j += n)
      expected.push(...product(a.subarray(i, i + m), b.subarray(j, j + n), [m, n, 1]));
  const y = matMul(tensor(a, { shape: aShape }), tensor(b, { shape: bShape }), options);
  expect(y.shape.slice(-2)).toEqual([m, n]);
  expect(Array.from(await y.data())).toEqual(expected.map(Math.fround));
});

test('more slices than workgroups of one dimension', async () => {
  const batch = 65536 + 70;
  const a = Float32Array.from({ length: batch }, (_, i) => i % 251);
  const x = tensor(a, { shape: [batch, 1, 1] });
  const y = await withGemmTile({ ...gemmTiles.small, groupN: 1 }, () => matMul(x, x)).data();
  expect(y.findIndex((value, i) => value !== (i % 251) ** 2)).toBe(-1);
});

test('a column with an activation, and with a bias', async () => {
  const a = tensor([
    [1, -2],
    [3, 4],
    [-5, 6],
  ]);
  const b = tensor([[1], [1]]);
  expect(await fusedMatMul(a, b, null, { activation: 'relu' }).array()).toEqual([[0], [7], [1]]);
  expect(await fusedMatMul(a, b, [10], { activation: 'relu' }).array()).toEqual([[9], [17], [11]]);
});
