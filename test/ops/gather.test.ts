/**
 * @file Gather and its gradient on random shapes, axes, batch axes, modes and indices, against loops on the host in
 * float64.
 */
import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { sizeOf } from '../../src/core/shape.ts';
import { gather, GradientTape, init, mul, takeAlongAxis, type Tensor, tensor } from '../../src/index.ts';
import { generator } from './samples/draw.ts';

beforeAll(async () => {
  await init();
});

type Mode = 'clip' | 'wrap' | 'fill' | undefined;

/** Returns the row that an index means, or null. */
function rowOf(index: number, n: number, mode: Mode): number | null {
  if (n === 0) return null;
  if (mode === 'clip') return Math.min(Math.max(index, 0), n - 1);
  if (mode === 'wrap') return ((index % n) + n) % n;
  return index >= 0 && index < n ? index : null;
}

const cases = fc
  .record({
    batch: fc.array(fc.constantFrom(1, 2, 3), { maxLength: 2 }),
    outer: fc.array(fc.constantFrom(1, 2, 3), { maxLength: 1 }),
    n: fc.constantFrom(0, 1, 2, 5, 40),
    inner: fc.array(fc.constantFrom(0, 1, 3, 4, 8), { maxLength: 1 }),
    rest: fc.array(fc.constantFrom(0, 1, 2, 7), { maxLength: 2 }),
    mode: fc.constantFrom<Mode>(undefined, undefined, 'clip', 'wrap', 'fill'),
    fromTheEnd: fc.boolean(),
    unsigned: fc.boolean(),
    seed: fc.nat(),
  })
  .map((parts) => {
    const random = generator(parts.seed);
    const { batch, outer, n, inner, rest, unsigned } = parts;
    const draw = () => {
      if (random() < 0.05) return unsigned ? 4294967295 : -2147483648;
      return Math.floor(random() * (n + 4)) - (unsigned ? 0 : 2);
    };
    const indices = Array.from({ length: sizeOf([...batch, ...rest]) }, draw);
    return { ...parts, indices, shape: [...batch, ...outer, n, ...inner] };
  });

test('gather and its gradient', async () => {
  await fc.assert(
    fc.asyncProperty(cases, async ({ batch, outer, n, inner, rest, mode, indices, shape, ...given }) => {
      const random = generator(given.seed);
      const draw = (length: number) => Float32Array.from({ length }, () => 2 * random() - 1);
      const [b, o, i, k] = [batch, outer, inner, rest].map(sizeOf) as [number, number, number, number];
      const out = [...batch, ...outer, ...rest, ...inner];
      const values = draw(sizeOf(shape));
      const cotangent = draw(sizeOf(out));
      const gathered = new Float64Array(sizeOf(out)).fill(mode === 'fill' ? -3 : 0);
      const gradient = new Float64Array(sizeOf(shape));
      for (let run = 0; run < b * o * k; run++) {
        const block = Math.floor(run / k);
        const row = rowOf(indices[Math.floor(block / o) * k + (run % k)] as number, n, mode);
        if (row === null) continue;
        for (let e = 0; e < i; e++) {
          const at = (block * n + row) * i + e;
          gathered[run * i + e] = values[at] as number;
          gradient[at] = (gradient[at] as number) + (cotangent[run * i + e] as number);
        }
      }

      const x = tensor(values, { shape }) as Tensor;
      const axis = batch.length + outer.length;
      const host = given.unsigned ? Uint32Array.from(indices) : Int32Array.from(indices);
      const tape = new GradientTape();
      tape.watch(x);
      const y = gather(x, tensor(host, { shape: [...batch, ...rest] }) as Tensor, {
        axis: given.fromTheEnd ? axis - shape.length : axis,
        batchDims: batch.length,
        validateIndices: false,
        ...(mode ? { mode } : {}),
        ...(mode === 'fill' ? { fillValue: -3 } : {}),
      });
      const weighted = mul(y, tensor(cotangent, { shape: out }) as Tensor);
      const dx = tape.gradient(weighted, x) as Tensor;
      expect(y.shape).toEqual(out);
      expect([...(await y.data())]).toEqual([...gathered]);
      const error = (await dx.data()).map((value, at) => Math.abs(value - (gradient[at] as number)));
      expect(Math.max(0, ...error)).toBeLessThan(1e-5);
    }),
    { numRuns: 150, seed: 3 },
  );
});

describe('many single elements, several an invocation', () => {
  const numbered = (shape: readonly number[]) =>
    tensor(
      Float32Array.from({ length: sizeOf(shape) }, (_, i) => i),
      { shape },
    ) as Tensor;
  /** Indices of which some lie outside [0, n). */
  const drawn = (length: number, n: number) => {
    const random = generator(length);
    return Int32Array.from({ length }, () => Math.floor(random() * (n + 2)) - 1);
  };

  // Entries of a block: multiples of eight, four, two, and odd.
  test.each([
    [1, 512],
    [1, 510],
    [3, 260],
    [2, 501],
  ])('%i batches, %i entries along the inner axis', async (batch, entries) => {
    const [outer, n] = [9, 37];
    const indices = drawn(batch * entries, n);
    const y = gather(
      numbered([batch, outer, n]),
      tensor(indices, { shape: [batch, entries] }) as unknown as Tensor<'int32'>,
      { axis: 2, batchDims: 1, mode: 'fill', fillValue: -1 },
    );
    const expected = Array.from({ length: batch * outer * entries }, (_, i) => {
      const block = Math.floor(i / entries);
      const row = rowOf(indices[Math.floor(block / outer) * entries + (i % entries)] as number, n, 'fill');
      return row === null ? -1 : block * n + row;
    });
    expect(y.shape).toEqual([batch, outer, entries]);
    expect([...(await y.data())]).toEqual(expected);
  });

  // [outer, k, inner]: slabs shorter than a run, no multiples of it, and lines of one, of fewer than a run, and of more.
  test.each([
    [5000, 1, 1],
    [900, 5, 1],
    [300, 17, 1],
    [70, 20, 3],
    [31, 13, 11],
    [3, 40, 64],
  ])('along an axis, [%i, %i, %i]', async (outer, k, inner) => {
    const n = 23;
    const indices = drawn(outer * k * inner, n);
    const y = takeAlongAxis(
      numbered([outer, n, inner]),
      tensor(indices, { shape: [outer, k, inner] }) as unknown as Tensor<'int32'>,
      { axis: 1, mode: 'fill', fillValue: -1 },
    );
    const expected = Array.from(indices, (index, i) => {
      const block = Math.floor(i / (k * inner));
      const row = rowOf(index, n, 'fill');
      return row === null ? -1 : (block * n + row) * inner + (i % inner);
    });
    expect([...(await y.data())]).toEqual(expected);
  });
});
