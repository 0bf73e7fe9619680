import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import {
  abs,
  add,
  cast,
  compile,
  div,
  fill,
  GradientTape,
  greater,
  init,
  leakyRelu,
  matMul,
  maximum,
  mul,
  neg,
  relu,
  reshape,
  sigmoid,
  sin,
  square,
  sub,
  sum,
  type Tensor,
  tanh,
  tensor,
  tidy,
  where,
} from '../../src/index.ts';
import { asAdapter } from '../support/adapterClass.ts';
import { installNodeGpu } from '../support/gpu.ts';

beforeAll(async () => {
  await installNodeGpu();
  await init();
});

/** Values that make results easy to compare: sums and products of them are exact in float32 for a few steps. */
const multiplesOfHalf = (count: number, seed: number) =>
  Float32Array.from({ length: count }, (_, i) => (((i * 7 + seed * 13) % 17) - 8) / 2);

type Step = (pool: Tensor[], pick: (n: number) => number) => Tensor;
const steps: Step[] = [
  (p, pick) => add(p[pick(p.length)] as Tensor, p[pick(p.length)] as Tensor),
  (p, pick) => sub(p[pick(p.length)] as Tensor, p[pick(p.length)] as Tensor),
  (p, pick) => mul(p[pick(p.length)] as Tensor, 0.5),
  (p, pick) => maximum(p[pick(p.length)] as Tensor, p[pick(p.length)] as Tensor),
  (p, pick) => relu(p[pick(p.length)] as Tensor),
  (p, pick) => leakyRelu(p[pick(p.length)] as Tensor, { negativeSlope: 0.25 }),
  (p, pick) => abs(p[pick(p.length)] as Tensor),
  (p, pick) => neg(p[pick(p.length)] as Tensor),
  (p, pick) => add(p[pick(p.length)] as Tensor, fill([], 3)),
  (p, pick) => where(greater(p[pick(p.length)] as Tensor, 0), p[pick(p.length)] as Tensor, 1),
  (p, pick) => cast(cast(p[pick(p.length)] as Tensor, { dtype: 'int32' }), { dtype: 'float32' }),
];

describe('fused chains', () => {
  it('compute what the maps compute, whatever is chained and broadcast', async () => {
    const program = fc.record({
      rows: fc.integer({ min: 1, max: 5 }),
      columns: fc.integer({ min: 1, max: 9 }),
      choices: fc.array(fc.tuple(fc.nat(steps.length - 1), fc.nat(1000), fc.nat(1000)), {
        minLength: 2,
        maxLength: 40,
      }),
    });
    await fc.assert(
      fc.asyncProperty(program, async ({ rows, columns, choices }) => {
        const run = (x: Tensor, row: Tensor, column: Tensor, one: Tensor) => {
          const pool = [x, row, column, one];
          for (const [kind, first, second] of choices) {
            const picks = [first, second];
            pool.push((steps[kind] as Step)(pool, (n) => (picks.shift() as number) % n));
          }
          return { last: pool.at(-1) as Tensor, middle: pool[pool.length >> 1] as Tensor };
        };
        using compiled = compile(run);
        for (let seed = 0; seed < 2; seed++) {
          const inputs = [
            tensor(multiplesOfHalf(rows * columns, seed), { shape: [rows, columns] }),
            tensor(multiplesOfHalf(columns, seed + 1), { shape: [columns] }),
            tensor(multiplesOfHalf(rows, seed + 2), { shape: [rows, 1] }),
            tensor(multiplesOfHalf(1, seed + 3), { shape: [] }),
          ] as [Tensor, Tensor, Tensor, Tensor];
          const expected = run(...inputs);
          const found = compiled(...inputs);
          expect(await found.last.array()).toEqual(await expected.last.array());
          expect(await found.middle.array()).toEqual(await expected.middle.array());
        }
        expect(compiled.explain()[0]?.captured).toBe(true);
      }),
      { numRuns: 60 },
    );
  });

  it('are one launch, forward and backward', async () => {
    const f = compile((x: Tensor) => {
      using tape = new GradientTape();
      tape.watch(x);
      const y = tanh(mul(sigmoid(add(square(x), 1)), 2));
      return { y, dx: tape.gradient(y, x) as Tensor };
    });
    const x = tensor([[0.5, -1, 2, 0.25, 1]]);
    const first = f(x);
    const second = f(tensor([[0.5, -1, 2, 0.25, 1]]));
    expect(await second.y.data()).toEqual(await first.y.data());
    expect(await second.dx.data()).toEqual(await first.dx.data());
    expect(f.explain()[0]?.launches).toBe(1);
  });

  it('store what others read', async () => {
    const f = compile((x: Tensor) => {
      const y = add(square(x), 1);
      const z = mul(y, 2);
      return {
        total: sum(y),
        product: matMul(reshape(z, { shape: [1, 3] }), reshape(y, { shape: [3, 1] })),
        z,
      };
    });
    for (const values of [
      [1, 2, 3],
      [0, 1, 2],
      [3, 1, 0],
    ]) {
      const { total, product, z } = f(tensor(values));
      const y = values.map((v) => v * v + 1);
      expect(await total.item()).toBe(y.reduce((a, b) => a + b));
      expect(await product.array()).toEqual([[y.reduce((a, b) => a + 2 * b * b, 0)]]);
      expect(await z.array()).toEqual(y.map((v) => 2 * v));
    }
  });

  it('stay within the buffers and scalars that a launch can have', async () => {
    const inputs = Array.from({ length: 14 }, (_, i) => tensor([i, i + 1]));
    const f = compile((...xs: Tensor[]) => {
      let total = xs[0] as Tensor;
      for (const [i, x] of xs.entries())
        total = add(mul(total, 1 + i / 16), leakyRelu(x, { negativeSlope: i / 64 }));
      return div(total, 2);
    });
    f(...inputs);
    const expected = inputs.reduce((total, _, i) => total * (1 + i / 16) + i, 0) / 2;
    expect((await f(...inputs).data())[0]).toBeCloseTo(expected, 3);
    expect(f.explain()[0]?.launches).toBeGreaterThan(1);
  });

  it('keep large maps whole', async () => {
    const f = compile((x: Tensor) => sum(add(mul(x, 2), 1), { axis: 1 }));
    const x = fill([70, 1001], 3);
    tidy(() => void f(x));
    expect(new Set(await f(fill([70, 1001], 4)).data())).toEqual(new Set([9 * 1001]));
  });

  // On software adapters the sine of many elements has a kernel that computes the rare large angles apart; a fused chain would reduce each angle
  // as if it were large.
  it.each([
    [1_000, 1],
    [50_000, 3],
  ])('with a sine of %i elements take %i launches', (size, launches) =>
    asAdapter('cpu', async () => {
      const x = tensor(multiplesOfHalf(size, 5));
      const chain = (x: Tensor) => mul(sin(mul(x, 2)), 3);
      const compiled = compile(chain);
      const expected = await chain(x).data();
      for (let call = 0; call < 2; call++) expect(await compiled(x).data()).toEqual(expected);
      expect(compiled.explain()[0]?.launches).toBe(launches);
    }),
  );
});
