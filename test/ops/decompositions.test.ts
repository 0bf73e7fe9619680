/** @file svd and eigh against JAX (test/fixtures/linalg/generate.py), and on matrices that are hard. */
import { beforeAll, describe, expect, test } from 'vitest';
import {
  add,
  eigh,
  grad,
  init,
  jvp,
  matMul,
  mul,
  slice,
  square,
  squeeze,
  sum,
  svd,
  type Tensor,
  tensor,
  transpose,
} from '../../src/index.ts';
import { random } from '../support/random.ts';
import cases from '../fixtures/linalg/decompositions.json' with { type: 'json' };

beforeAll(async () => {
  await init();
});

const listOf = async (x: Tensor) => Array.from(await x.data(), Number);
const unit = 2 ** -24;
const largest = (list: readonly number[]) => list.reduce((max, x) => Math.max(max, Math.abs(x)), 0);

interface Listed {
  shape: number[];
  values: number[];
}
const upload = ({ shape, values }: Listed) => tensor(values, { shape });

/** All elements with this index on an axis of the last two. */
function line(x: Tensor, axis: -1 | -2, index: number): Tensor {
  const at = x.rank + axis;
  const begin = x.shape.map((_, i) => (i === at ? index : 0));
  const size = x.shape.map((n, i) => (i === at ? 1 : n));
  return squeeze(slice(x, { begin, size }), { axis: at });
}

const losses = {
  svd: (x: Tensor, [a, b, c, d]: Tensor[]) => {
    const [u, s, vh] = svd(x, { fullMatrices: false });
    const pairs = mul(mul(line(u, -2, 0), line(vh, -1, 0)), d as Tensor);
    const squares = add(sum(mul(square(u), a as Tensor)), sum(mul(square(vh), c as Tensor)));
    return add(add(squares, sum(mul(s, b as Tensor))), sum(pairs));
  },
  eigh: (x: Tensor, [a, b, c]: Tensor[]) => {
    const [w, v] = eigh(x);
    const pairs = sum(mul(mul(line(v, -2, 0), line(v, -2, 1)), c as Tensor));
    return add(add(sum(mul(w, a as Tensor)), sum(mul(square(v), b as Tensor))), pairs);
  },
};
const valuesOf = { svd: (x: Tensor) => svd(x)[1], eigh: (x: Tensor) => eigh(x)[0] };

function expectNear(actual: readonly number[], wanted: readonly number[], within: number): void {
  expect(actual).toHaveLength(wanted.length);
  const error = largest(actual.map((x, i) => x - (wanted[i] as number)));
  expect(error).toBeLessThan(within * Math.max(1, largest(wanted)));
}

describe.each(['svd', 'eigh'] as const)('%s against JAX', (op) => {
  test.each(cases[op])('$x.shape', async (one) => {
    const x = upload(one.x);
    const weights = one.weights.map(upload);
    const loss = (y: Tensor) => losses[op](y, weights);
    expectNear(await listOf(valuesOf[op](x)), one.values.values, 1e-6);
    expectNear(await listOf(loss(x)), [one.loss], 1e-5);
    expectNear(await listOf(grad(loss)(x)), one.gradient.values, 1e-5);
    const { tangent } = jvp(grad(loss), [x], [upload(one.tangent)]);
    expectNear(await listOf(tangent), one.second.values, 1e-4);
  });
});

function drawn(count: number, seed: number): number[] {
  const dice = random(seed);
  return Array.from({ length: count }, () => Math.fround(2 * dice.next() - 1));
}

/** How far u diag(s) vh is from x, and u and vh from orthonormal, as multiples of the rounding unit. */
async function svdErrors(values: readonly number[], shape: [number, number], fullMatrices: boolean) {
  const x = tensor([...values], { shape });
  const [u, s, vh] = svd(x, { fullMatrices });
  const k = s.size;
  const part = (y: Tensor, size: number[]) => slice(y, { begin: [0, 0], size });
  const product = matMul(mul(part(u, [shape[0], k]), s), part(vh, [k, shape[1]]));
  const scale = Math.max(...(await listOf(s))) || 1;
  const [residual, left, right] = await Promise.all([
    listOf(product).then((list) => largest(list.map((y, i) => y - (values[i] as number))) / scale),
    farFromIdentity(matMul(u, u, { transposeA: true })),
    farFromIdentity(matMul(vh, vh, { transposeB: true })),
  ]);
  return { residual: residual / unit, left: left / unit, right: right / unit, s: await listOf(s) };
}

async function farFromIdentity(x: Tensor): Promise<number> {
  const [n] = x.shape as [number];
  return largest((await listOf(x)).map((v, i) => v - (i % (n + 1) === 0 ? 1 : 0)));
}

const isDescending = (list: readonly number[]) =>
  list.every((x, i) => x >= 0 && (i === 0 || x <= (list[i - 1] as number) * (1 + 4 * unit)));

describe('svd', () => {
  // Odd and even counts of rows differ in their rounds.
  test.each([
    [1, 1],
    [7, 7],
    [40, 12],
    [5, 33],
    [33, 34],
  ] as const)('%i × %i: u diag(s) vh is x', async (m, n) => {
    const max = Math.max(m, n);
    const found = await svdErrors(drawn(m * n, m + n), [m, n], m < 50);
    expect(found.residual).toBeLessThan(8 * max);
    expect(Math.max(found.left, found.right)).toBeLessThan(8 * max);
    expect(isDescending(found.s)).toBe(true);
  });

  test('singular, zero, large and graded matrices', async () => {
    const rank1 = Array.from({ length: 20 }, (_, i) => ((i % 4) + 1) * (Math.floor(i / 4) - 2));
    const one = await svdErrors(rank1, [5, 4], true);
    expect(Math.max(one.residual, one.left, one.right)).toBeLessThan(60);
    expect(largest(one.s.slice(1))).toBeLessThan(8 * unit * (one.s[0] as number));
    const none = await svdErrors([0, 0, 0, 0, 0, 0], [3, 2], true);
    expect([none.s, none.left, none.right]).toEqual([[0, 0], 0, 0]);
    const big = await svdErrors([3e37, 0, 0, 4e37], [2, 2], true);
    expect(big.s.map((x) => x / 1e37)).toEqual([expect.closeTo(4, 5), expect.closeTo(3, 5)]);
    // Columns of very different size: small values keep their digits.
    const graded = await svdErrors([1, 1e-12, 1, -1e-12], [2, 2], true);
    expect(graded.s[1]).toBeCloseTo(Math.SQRT2 * 1e-12, 17);
  });

  test('Hilbert matrix of 8, of condition 2e10', async () => {
    const h = Array.from({ length: 64 }, (_, at) => 1 / (Math.floor(at / 8) + (at % 8) + 1));
    const found = await svdErrors(h.map(Math.fround), [8, 8], true);
    expect(Math.max(found.residual, found.left, found.right)).toBeLessThan(64);
    expect(found.s[0]).toBeCloseTo(1.6959389969, 5);
  });

  test('the gradient of values is finite where they repeat; full matrices of rectangles have none', async () => {
    const x = tensor([2, 0, 0, 2], { shape: [2, 2] });
    expect(await listOf(grad((y: Tensor) => sum(svd(y)[1]))(x))).toEqual([1, 0, 0, 1]);
    const wide = tensor([1, 2, 3, 4, 5, 7], { shape: [2, 3] });
    expect(await listOf(grad((y: Tensor) => sum(svd(y)[1]))(wide))).toHaveLength(6);
    expect(() => grad((y: Tensor) => sum(svd(y)[2]))(wide)).toThrow(/fullMatrices: false/);
  });
});

describe('eigh', () => {
  test.each([1, 2, 9, 33])('%i rows: x v is v w', async (n) => {
    const values = drawn(n * n, n);
    const x = values.map((v, at) => (v + (values[(at % n) * n + Math.floor(at / n)] as number)) / 2);
    const a = tensor(x, { shape: [n, n] });
    const [w, v] = eigh(a);
    const size = largest(await listOf(w));
    const [left, right] = await Promise.all([listOf(matMul(a, v)), listOf(mul(v, w))]);
    expect(largest(left.map((y, i) => y - (right[i] as number)))).toBeLessThan(8 * n * unit * size);
    expect(await farFromIdentity(matMul(v, v, { transposeA: true }))).toBeLessThan(8 * n * unit);
    const list = await listOf(w);
    expect(list.every((y, i) => i === 0 || y >= (list[i - 1] as number))).toBe(true);
  });

  test('values that repeat, of both signs, zeros and large ones', async () => {
    const of = (x: number[][]) => listOf(eigh(tensor(x))[0]);
    expect(
      await of([
        [0, 1],
        [1, 0],
      ]),
    ).toEqual([expect.closeTo(-1, 6), expect.closeTo(1, 6)]);
    expect(
      await of([
        [3, 0],
        [0, 3],
      ]),
    ).toEqual([3, 3]);
    expect(
      await of([
        [0, 0],
        [0, 0],
      ]),
    ).toEqual([0, 0]);
    expect(
      (
        await of([
          [1e37, 2e37],
          [2e37, 1e37],
        ])
      ).map((y) => y / 1e37),
    ).toEqual([expect.closeTo(-1, 5), expect.closeTo(3, 5)]);
    const cluster = await of([
      [1, 1e-4, 0],
      [1e-4, 1, 1e-4],
      [0, 1e-4, 1],
    ]);
    expect(largest(cluster.map((y, i) => y - (1 + Math.SQRT2 * 1e-4 * (i - 1))))).toBeLessThan(4e-7);
    const vectors = await listOf(
      transpose(
        eigh(
          tensor([
            [1, 5],
            [-1, 2],
          ]),
        )[1],
      ),
    );
    expect(
      await farFromIdentity(
        matMul(tensor(vectors, { shape: [2, 2] }), tensor(vectors, { shape: [2, 2] }), { transposeB: true }),
      ),
    ).toBeLessThan(8 * unit);
  });
});
