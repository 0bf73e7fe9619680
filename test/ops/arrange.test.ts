/**
 * @file Arrangement ops on random shapes and options, against index arithmetic on the host: one function for each op
 * says which element of x an element of the result is.
 */
import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import {
  concat,
  explainHistory,
  expandDims,
  flip,
  freshTensor,
  gatherOnHost,
  init,
  memory,
  pad,
  reshape,
  slice,
  split,
  squeeze,
  stack,
  stridedSlice,
  type Tensor,
  tensor,
  tidy,
  tile,
  transpose,
  unstack,
} from '../../src/index.ts';
import { sizeOf, stridesOf, unravel } from '../../src/core/shape.ts';
import { transposeKernel } from '../../src/kernels/copies/transpose.ts';
import { asAdapter } from '../support/adapterClass.ts';

beforeAll(async () => {
  await init();
});

/** Elements that tell their place: 1, 2, 3, … */
const numbered = (shape: readonly number[]) =>
  tensor(
    Float32Array.from({ length: sizeOf(shape) }, (_, i) => i + 1),
    { shape },
  ) as Tensor;

/** Returns the elements of a result whose element at `index` is that of `x` at `source(index)`, or 0 where that is null. */
function picked(
  x: readonly number[],
  out: readonly number[],
  source: (index: number[]) => readonly number[] | null,
): number[] {
  const strides = stridesOf(x);
  return Array.from({ length: sizeOf(out) }, (_, flat) => {
    const at = source(unravel(flat, out));
    return at ? at.reduce((sum, i, axis) => sum + i * (strides[axis] as number), 1) : 0;
  });
}

async function expectPicked(
  y: Tensor,
  x: readonly number[],
  shape: readonly number[],
  source: (index: number[]) => readonly number[] | null,
): Promise<void> {
  expect(y.shape).toEqual(shape);
  expect([...(await y.data())]).toEqual(picked(x, shape, source));
  y.dispose();
}

const runs = { numRuns: 60, seed: 20 };
const size = fc.constantFrom(0, 1, 2, 3, 4, 5, 8);
const shapes = (maxLength: number) => fc.array(size, { maxLength });

test('transpose', async () => {
  const cases = shapes(6).chain((shape) =>
    fc.tuple(fc.constant(shape), fc.shuffledSubarray([...shape.keys()], { minLength: shape.length })),
  );
  await fc.assert(
    fc.asyncProperty(cases, async ([shape, perm]) => {
      const out = perm.map((axis) => shape[axis] as number);
      await expectPicked(transpose(numbered(shape), { perm }), shape, out, (index) =>
        shape.map((_, axis) => index[perm.indexOf(axis)] as number),
      );
    }),
    runs,
  );
});

test.each([
  [
    [40, 33],
    [1, 0],
  ],
  [
    [3, 70, 9],
    [0, 2, 1],
  ],
  [
    [9, 3, 40],
    [2, 1, 0],
  ],
  [
    [2, 10, 3, 2, 33],
    [0, 4, 2, 3, 1],
  ],
  [
    [8, 32, 4],
    [1, 0, 2],
  ],
])('transpose of %j by %j, in tiles', async (shape, perm) => {
  const out = perm.map((axis) => shape[axis] as number);
  const x = numbered(shape);
  const y = await asAdapter('gpu', () => transposeKernel(x, perm, { shape: out, dtype: 'float32' }));
  await expectPicked(y, shape, out, (index) => shape.map((_, axis) => index[perm.indexOf(axis)] as number));
});

describe('many elements, several an invocation', () => {
  // Runs of eight, four and two, of which the last overlaps the one before; vectors; one element to a line.
  const large: [number[]][] = [
    [[67, 83]],
    [[3, 41, 45]],
    [[1500, 5]],
    [[3000, 3]],
    [[80, 64]],
    [[70, 90, 1]],
  ];

  test.each(large)('transposed %j', async (shape) => {
    const perm = [...shape.keys()].reverse();
    await expectPicked(transpose(numbered(shape), { perm }), shape, shape.toReversed(), (index) =>
      index.toReversed(),
    );
  });

  test.each(large)('turned round %j', async (shape) => {
    const axis = shape.length - 1;
    await expectPicked(flip(numbered(shape), { axis }), shape, shape, (index) =>
      index.with(axis, (shape[axis] as number) - 1 - (index[axis] as number)),
    );
  });

  test.each(large)('part of %j', async (shape) => {
    const begin = shape.map((n) => Math.min(1, n - 1));
    const out = shape.map((n, axis) => n - (begin[axis] as number));
    await expectPicked(slice(numbered(shape), { begin, size: out }), shape, out, (index) =>
      index.map((i, axis) => i + (begin[axis] as number)),
    );
  });

  test.each(large)('%j joined with itself', async (shape) => {
    const axis = shape.length - 1;
    const n = shape[axis] as number;
    const x = numbered(shape);
    await expectPicked(concat([x, x], { axis }), shape, shape.with(axis, 2 * n), (index) =>
      index.with(axis, (index[axis] as number) % n),
    );
  });

  test.each(['constant', 'reflect', 'symmetric'] as const)('padded, %s', async (mode) => {
    for (const [shape] of large) {
      const paddings = shape.map((n): [number, number] => (n > 2 ? [2, 1] : [0, 0]));
      const out = shape.map((n) => (n > 2 ? n + 3 : n));
      const edge = mode === 'symmetric' ? 1 : 0;
      const mirrored = (place: number, n: number) => {
        if (place < 0) return -place - edge;
        return place < n ? place : 2 * (n - 1) - place + edge;
      };
      await expectPicked(pad(numbered(shape), { paddings, mode }), shape, out, (index) => {
        const places = index.map((i, axis) => i - (paddings[axis]?.[0] as number));
        const isInside = places.every((place, axis) => place >= 0 && place < (shape[axis] as number));
        if (mode === 'constant') return isInside ? places : null;
        return places.map((place, axis) => mirrored(place, shape[axis] as number));
      });
    }
  });

  test.each(large)('%j twice', async (shape) => {
    const reps = shape.map((_, axis) => (axis === shape.length - 1 ? 2 : 1));
    const out = shape.map((n, axis) => n * (reps[axis] as number));
    await expectPicked(tile(numbered(shape), { reps }), shape, out, (index) =>
      index.map((i, axis) => i % (shape[axis] as number)),
    );
  });
});

test('flip', async () => {
  const cases = shapes(6).chain((shape) => fc.tuple(fc.constant(shape), fc.subarray([...shape.keys()])));
  await fc.assert(
    fc.asyncProperty(cases, async ([shape, axis]) => {
      await expectPicked(flip(numbered(shape), { axis }), shape, shape, (index) =>
        index.map((i, k) => (axis.includes(k) ? (shape[k] as number) - 1 - i : i)),
      );
    }),
    runs,
  );
});

test('slice', async () => {
  const axis = size.chain((n) =>
    fc.nat(n).chain((begin) => fc.tuple(fc.constant(n), fc.constant(begin), fc.nat(n - begin))),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(axis, { maxLength: 6 }), async (axes) => {
      const [shape, begin, count] = [0, 1, 2].map((k) => axes.map((a) => a[k] as number)) as [
        number[],
        number[],
        number[],
      ];
      await expectPicked(slice(numbered(shape), { begin, size: count }), shape, count, (index) =>
        index.map((i, k) => i + (begin[k] as number)),
      );
    }),
    runs,
  );
});

test('stridedSlice', async () => {
  const axis = fc.record({
    n: size,
    begin: fc.integer({ min: -6, max: 9 }),
    end: fc.integer({ min: -6, max: 9 }),
    stride: fc.constantFrom(-3, -2, -1, 1, 2, 4),
    openBegin: fc.boolean(),
    openEnd: fc.boolean(),
  });
  /** The elements that Python's x[begin:end:stride] gives, walked one by one. */
  const walked = (a: {
    n: number;
    begin: number;
    end: number;
    stride: number;
    openBegin: boolean;
    openEnd: boolean;
  }) => {
    const within = (at: number, low: number, high: number) =>
      Math.min(Math.max(at < 0 ? at + a.n : at, low), high);
    const [low, high] = a.stride > 0 ? [0, a.n] : [-1, a.n - 1];
    const list: number[] = [];
    const stop = a.openEnd ? (a.stride > 0 ? high : low) : within(a.end, low, high);
    let at = a.openBegin ? (a.stride > 0 ? low : high) : within(a.begin, low, high);
    for (; a.stride > 0 ? at < stop : at > stop; at += a.stride) list.push(at);
    return list;
  };
  const bits = (flags: boolean[]) => flags.reduce((mask, flag, i) => mask + (flag ? 2 ** i : 0), 0);
  await fc.assert(
    fc.asyncProperty(fc.array(axis, { maxLength: 6 }), async (axes) => {
      const lists = axes.map(walked);
      const y = stridedSlice(numbered(axes.map((a) => a.n)), {
        begin: axes.map((a) => a.begin),
        end: axes.map((a) => a.end),
        strides: axes.map((a) => a.stride),
        beginMask: bits(axes.map((a) => a.openBegin)),
        endMask: bits(axes.map((a) => a.openEnd)),
      });
      await expectPicked(
        y,
        axes.map((a) => a.n),
        lists.map((list) => list.length),
        (index) => index.map((i, k) => lists[k]?.[i] as number),
      );
    }),
    runs,
  );
});

describe('pad', () => {
  const mirrored = (mode: 'reflect' | 'symmetric') => (place: number, n: number) => {
    const edge = mode === 'reflect' ? 0 : 1;
    if (place < 0) return -place - edge;
    return place >= n ? 2 * n - 2 + edge - place : place;
  };
  const sources = {
    constant: (place: number, n: number) => (place >= 0 && place < n ? place : null),
    reflect: mirrored('reflect'),
    symmetric: mirrored('symmetric'),
    edge: (place: number, n: number) => Math.max(0, Math.min(n - 1, place)),
    wrap: (place: number, n: number) => ((place % n) + n) % n,
  };
  test.each(['constant', 'reflect', 'symmetric', 'edge', 'wrap'] as const)('%s', async (mode) => {
    const reach = (n: number) => {
      if (mode === 'reflect') return Math.max(0, n - 1);
      return mode === 'symmetric' || (n === 0 && mode !== 'constant') ? n : 9;
    };
    const axis = size.chain((n) =>
      fc.tuple(
        fc.constant(n),
        fc.oneof(fc.constant(0), fc.nat(reach(n))),
        fc.oneof(fc.constant(0), fc.nat(reach(n))),
      ),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(axis, { maxLength: 5 }), async (axes) => {
        const shape = axes.map(([n]) => n);
        const paddings = axes.map(([, before, after]) => [before, after] as const);
        const out = axes.map(([n, before, after]) => n + before + after);
        await expectPicked(pad(numbered(shape), { paddings, mode }), shape, out, (index) => {
          const at = index.map((i, k) => sources[mode](i - (paddings[k]?.[0] as number), shape[k] as number));
          return at.includes(null) ? null : (at as number[]);
        });
      }),
      runs,
    );
  });
});

test('tile', async () => {
  const axes = fc.array(fc.tuple(fc.constantFrom(0, 1, 2, 3, 4), fc.constantFrom(0, 1, 1, 2, 3)), {
    maxLength: 6,
  });
  await fc.assert(
    fc.asyncProperty(axes, async (list) => {
      const shape = list.map(([n]) => n);
      const reps = list.map(([, count]) => count);
      const out = list.map(([n, count]) => n * count);
      await expectPicked(tile(numbered(shape), { reps }), shape, out, (index) =>
        index.map((i, k) => i % (shape[k] as number)),
      );
    }),
    runs,
  );
});

test('concat undoes split, and stack undoes unstack', async () => {
  const cases = fc
    .array(fc.constantFrom(1, 2, 3, 4, 8), { minLength: 1, maxLength: 5 })
    .chain((shape) =>
      fc.tuple(
        fc.constant(shape),
        fc.nat(shape.length - 1),
        fc.array(fc.constantFrom(0, 1, 3, 4), { minLength: 1, maxLength: 5 }),
      ),
    );
  await fc.assert(
    fc.asyncProperty(cases, async ([shape, axis, sizes]) => {
      const joined = shape.map((n, i) => (i === axis ? sizes.reduce<number>((a, b) => a + b, 0) : n));
      const x = numbered(joined);
      const parts = split(x, { numOrSizeSplits: sizes, axis });
      let first = 0;
      for (const [k, part] of parts.entries()) {
        const begin = first;
        expect([...(await part.data())]).toEqual(
          picked(joined, part.shape, (index) => index.map((i, a) => (a === axis ? i + begin : i))),
        );
        first += sizes[k] as number;
      }
      expect(await concat(parts, { axis }).data()).toEqual(await x.data());
      const slices = unstack(x, { axis });
      if (slices.length > 0) expect(await stack(slices, { axis }).data()).toEqual(await x.data());
    }),
    runs,
  );
});

test('any number of tensors can be joined', async () => {
  const parts = Array.from({ length: 300 }, (_, i) => tensor([i, -i]));
  const y = await concat(parts).data();
  expect(y.length).toBe(600);
  expect([...y.slice(-4)]).toEqual([298, -298, 299, -299]);
});

test('reshape, expandDims and squeeze copy nothing', () => {
  const x = numbered([4, 1, 64]);
  const before = memory().bytes;
  tidy(() => {
    expandDims(x, { axis: 1 });
    squeeze(x);
    reshape(x, { shape: [-1] });
    expect(memory().bytes).toBe(before);
  });
});

test('the bits of a value stay as they are', async () => {
  const patterns = Uint32Array.of(0x7fc01234, 0x7f800001, 0x80000000, 0x00000001, 0xffffffff);
  const x = tensor(new Float32Array(patterns.buffer)) as Tensor;
  const y = await flip(flip(pad(x, { paddings: [[1, 0]] }))).data();
  expect([...new Uint32Array(y.buffer, 4, 5)]).toEqual([...patterns]);
});

describe('gatherOnHost', () => {
  test('gathers what gather does, into a fresh tensor', async () => {
    const x = numbered([2, 3, 5, 2]);
    const indices = tensor(Int32Array.of(4, 0, 1, 3), { shape: [2, 2] }) as Tensor;
    const data = await gatherOnHost(x, indices, { axis: 2, batchDims: 1 });
    const y = freshTensor(data) as Tensor;
    await expectPicked(y, x.shape, [2, 3, 2, 2], ([b = 0, o = 0, k = 0, i = 0]) => [
      b,
      o,
      [4, 0, 1, 3][2 * b + k] as number,
      i,
    ]);
    expect(y.kerasHistory).toBeNull();
    expect(explainHistory(y).why).toContain('read back');
  });

  test('rejects an index outside', async () => {
    await expect(gatherOnHost(numbered([3]), [0, 3])).rejects.toMatchObject({
      position: [1],
      index: 3,
      limit: 3,
    });
    await expect(gatherOnHost(numbered([3]), tensor(Int32Array.of(-1)) as Tensor)).rejects.toMatchObject({
      index: -1,
    });
  });
});
