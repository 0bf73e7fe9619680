/** @file Linear algebra on matrices that are hard: ill-conditioned, singular, of many sizes. References are float64. */
import { beforeAll, describe, expect, test } from 'vitest';
import {
  cholesky,
  det,
  init,
  inv,
  matMul,
  qr,
  solve,
  solveTriangular,
  type Tensor,
  tensor,
} from '../../src/index.ts';
import { random } from '../support/random.ts';

beforeAll(async () => {
  await init();
});

const listOf = async (x: Tensor) => Array.from(await x.data(), Number);
const unit = 2 ** -24;
const largest = (list: readonly number[]) => list.reduce((max, x) => Math.max(max, Math.abs(x)), 0);

/** a b of flat matrices [m, k] and [k, n], in float64. */
function product(a: readonly number[], b: readonly number[], k: number): number[] {
  const [m, n] = [a.length / k, b.length / k];
  return Array.from({ length: m * n }, (_, at) => {
    const [i, j] = [Math.floor(at / n), at % n];
    let sum = 0;
    for (let l = 0; l < k; l++) sum += (a[i * k + l] as number) * (b[l * n + j] as number);
    return sum;
  });
}

const flipped = (a: readonly number[], rows: number) => {
  const columns = a.length / rows;
  return Array.from(
    { length: a.length },
    (_, at) => a[(at % rows) * columns + Math.floor(at / rows)] as number,
  );
};

function drawn(count: number, seed: number): number[] {
  const dice = random(seed);
  return Array.from({ length: count }, () => Math.fround(2 * dice.next() - 1));
}

/** 1 / (i + j + 1): of condition 5e5 for n = 5, 2e10 for 8. */
const hilbert = (n: number) =>
  Array.from({ length: n * n }, (_, at) => Math.fround(1 / (Math.floor(at / n) + (at % n) + 1)));

const difference = (a: readonly number[], b: readonly number[]) =>
  largest(a.map((x, i) => x - (b[i] as number)));

// Both sides of a workgroup of 64.
describe.each([1, 2, 7, 63, 64, 65, 100])('%i rows', (n) => {
  const values = drawn(n * n, n);
  const matrix = () => tensor(values, { shape: [n, n] });

  test('cholesky: L Lᵀ is x', async () => {
    const x = product(values, flipped(values, n), n).map((v, at) =>
      Math.fround(v + (at % (n + 1) === 0 ? 1 : 0)),
    );
    const factor = await listOf(cholesky(tensor(x, { shape: [n, n] })));
    expect(difference(product(factor, flipped(factor, n), n), x)).toBeLessThan(2 * n * unit * largest(x));
    expect(factor.every((v, at) => v === 0 || at % n <= Math.floor(at / n))).toBe(true);
  });

  test('solve: the residual is small', async () => {
    const b = drawn(2 * n, n + 1);
    const x = await listOf(solve(matrix(), tensor(b, { shape: [n, 2] })));
    expect(difference(product(values, x, n), b)).toBeLessThan(8 * n * unit * Math.max(1, largest(x)));
  });

  test('qr: q r is x, q is orthonormal, r is triangular', async () => {
    const [q, r] = await Promise.all(qr(matrix()).map(listOf));
    expect(difference(product(q as number[], r as number[], n), values)).toBeLessThan(8 * n * unit);
    const identity = Array.from({ length: n * n }, (_, at) => (at % (n + 1) === 0 ? 1 : 0));
    expect(difference(product(flipped(q as number[], n), q as number[], n), identity)).toBeLessThan(
      8 * n * unit,
    );
    expect((r as number[]).every((v, at) => v === 0 || at % n >= Math.floor(at / n))).toBe(true);
  });
});

describe('ill-conditioned matrices', () => {
  test.each([5, 8])('Hilbert matrix of %i: residuals stay small', async (n) => {
    const h = hilbert(n);
    const a = tensor(h, { shape: [n, n] });
    const b = drawn(n, 3);
    const x = await listOf(solve(a, tensor(b, { shape: [n, 1] })));
    expect(difference(product(h, x, n), b)).toBeLessThan(8 * n * unit * largest(x));
    const [q, r] = await Promise.all(qr(a).map(listOf));
    expect(difference(product(q as number[], r as number[], n), h)).toBeLessThan(8 * n * unit);
  });

  test('a triangular system that grows', async () => {
    const n = 30;
    const a = Array.from({ length: n * n }, (_, at) =>
      at % n === Math.floor(at / n) ? 1 : at % n < Math.floor(at / n) ? -1 : 0,
    );
    const b = drawn(n, 4);
    const x = await listOf(solveTriangular(tensor(a, { shape: [n, n] }), tensor(b, { shape: [n, 1] })));
    expect(difference(product(a, x, n), b)).toBeLessThan(2 * n * unit * largest(x));
  });

  test('columns that nearly agree', async () => {
    const a = [1, 1, 1e-4, 0, 0, 1e-4];
    const [q] = await Promise.all(qr(tensor(a, { shape: [3, 2] })).map(listOf));
    const gram = product(flipped(q as number[], 3), q as number[], 3);
    expect(difference(gram, [1, 0, 0, 1])).toBeLessThan(1e-6);
  });
});

describe('singular, indefinite and extreme matrices', () => {
  test('det of a singular matrix is 0, and the inverse is not finite', async () => {
    const a = () => tensor([1, 2, 2, 4], { shape: [2, 2] });
    expect(Math.abs((await listOf(det(a())))[0] as number)).toBe(0);
    expect((await listOf(inv(a()))).some((v) => Number.isFinite(v) && v !== 0)).toBe(false);
  });

  test('cholesky of a matrix that is not positive definite is NaN, without affecting the rest of the batch', async () => {
    const x = tensor([1, 2, 2, 1, 4, 0, 0, 9], { shape: [2, 2, 2] });
    expect(await listOf(cholesky(x))).toEqual([1, 0, 2, Number.NaN, 2, 0, 0, 3]);
  });

  test('qr of zeros, and of numbers whose squares overflow', async () => {
    const [q, r] = await Promise.all(qr(tensor([0, 0, 0, 0], { shape: [2, 2] })).map(listOf));
    expect([q, (r as number[]).map(Math.abs)]).toEqual([
      [1, 0, 0, 1],
      [0, 0, 0, 0],
    ]);
    const [, big] = await Promise.all(qr(tensor([3e30, 4e30], { shape: [2, 1] })).map(listOf));
    expect(Math.abs((big as number[])[0] as number) / 5e30).toBeCloseTo(1, 5);
  });

  test('many matrices at once', async () => {
    const values = drawn(300 * 9, 5);
    const a = tensor(values, { shape: [300, 3, 3] });
    const identity = await listOf(matMul(a, inv(a)));
    const conditions = await listOf(inv(a));
    for (let k = 0; k < 300; k++) {
      const part = identity.slice(9 * k, 9 * k + 9).map((v, i) => v - (i % 4 === 0 ? 1 : 0));
      expect(largest(part)).toBeLessThan(
        40 * unit * Math.max(1, largest(conditions.slice(9 * k, 9 * k + 9))),
      );
    }
  });
});
