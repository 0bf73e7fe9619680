/** @file Gradients of several parts of one tensor, which a tape computes together. */
import '@tensorflow/tfjs-backend-cpu';
import * as tf from '@tensorflow/tfjs-core';
import '@tensorflow/tfjs-core/dist/register_all_gradients';
import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import {
  add,
  checkpoint,
  compile,
  concat,
  defineOp,
  fill,
  gather,
  getDevice,
  grad,
  grads,
  GradientTape,
  init,
  jvp,
  matMul,
  memory,
  resetPeakMemory,
  mul,
  type Op,
  scan,
  sigmoid,
  slice,
  split,
  square,
  stridedSlice,
  sum,
  tanh,
  type Tensor,
  tensor,
  tidy,
  unstack,
  vmap,
  zeros,
} from '../../src/index.ts';
import { sizeOf, stridesOf, unravel } from '../../src/core/shape.ts';

beforeAll(async () => {
  await tf.setBackend('cpu');
  await init();
});

interface Block {
  readonly begin: readonly number[];
  readonly size: readonly number[];
}

/** Small integers, whose sums are exact in any order. */
const integers = (shape: readonly number[], seed = 1) =>
  tensor(
    Float32Array.from({ length: sizeOf(shape) }, (_, i) => ((i * 7 + seed * 13) % 11) - 5),
    { shape },
  ) as Tensor;

/** Zeros of `shape`, to which each block of values is added. */
function placed(
  shape: readonly number[],
  blocks: readonly (Block & { values: ArrayLike<number> })[],
): number[] {
  const strides = stridesOf(shape);
  const total = new Array<number>(sizeOf(shape)).fill(0);
  for (const { begin, size, values } of blocks) {
    for (let i = 0; i < values.length; i++) {
      const at = unravel(i, size).reduce(
        (sum, n, axis) => sum + (n + (begin[axis] as number)) * (strides[axis] as number),
        0,
      );
      total[at] = (total[at] as number) + (values[i] as number);
    }
  }
  return total;
}

function expectClose(values: ArrayLike<number>, expected: ArrayLike<number>): void {
  expect(values.length).toBe(expected.length);
  for (let i = 0; i < expected.length; i++) expect(values[i]).toBeCloseTo(expected[i] as number, 5);
}

/** Runs `f`, and returns its result with the number of launches. */
function counted<T>(f: () => T): { result: T; launches: number } {
  const before = getDevice().stream.statistics.launches;
  const result = f();
  return { result, launches: getDevice().stream.statistics.launches - before };
}

const sizes = fc.constantFrom(1, 2, 3, 4, 8, 12);
const blocksOf = (shape: readonly number[]) => {
  const axis = (n: number) =>
    fc
      .tuple(fc.nat(n), fc.nat(n))
      .map(([a, b]) => [Math.min(a, b), Math.max(a, b) - Math.min(a, b)] as const)
      .map(([begin, size]) =>
        n % 4 === 0 ? [begin & ~3, (size + 3) & ~3 & (n - (begin & ~3))] : [begin, size],
      );
  const block = fc
    .tuple(...shape.map(axis))
    .map(
      (axes): Block => ({ begin: axes.map(([b]) => b as number), size: axes.map(([, s]) => s as number) }),
    );
  return fc.array(block, { minLength: 1, maxLength: 20 });
};

describe('the gradient of several slices', () => {
  test('is the sum of the blocks in their places, for all shapes', async () => {
    const cases = fc
      .array(sizes, { minLength: 1, maxLength: 4 })
      .chain((shape) => fc.tuple(fc.constant(shape), blocksOf(shape)));
    await fc.assert(
      fc.asyncProperty(cases, async ([shape, blocks]) => {
        const x = integers(shape);
        const weights = blocks.map(({ size }, i) => integers(size, i));
        const f = (v: Tensor) =>
          blocks
            .map((block, i) => sum(mul(slice(v, block), weights[i] as Tensor)))
            .reduce((a, b) => add(a, b));
        const dx = grad(f)(x);
        const values = await Promise.all(weights.map((w) => w.data()));
        expect([...(await dx.data())]).toEqual(
          placed(
            shape,
            blocks.map((block, i) => ({ ...block, values: values[i] as Float32Array })),
          ),
        );
      }),
      { numRuns: 80, seed: 4 },
    );
  });

  test('takes a launch for every seven, and writes each element once', async () => {
    const x = integers([8, 70, 4]);
    const steps = (v: Tensor) =>
      Array.from({ length: 70 }, (_, t) => sum(slice(v, { begin: [0, t, 0], size: [8, 1, 4] })));
    const cotangents = Array.from({ length: 70 }, (_, t) => tensor(t));
    using tape = new GradientTape();
    tape.watch(x);
    const targets = steps(x);
    const alone = counted(() => grad((v: Tensor) => steps(v)[0] as Tensor)(x)).launches;
    const { result, launches } = counted(() => tape.gradient(targets, x, { outputGradients: cotangents }));
    expect(launches).toBeLessThan(70 + 10 + alone);
    const dx = (await result?.array()) as number[][][];
    expect(dx[7]?.map(([first]) => first)).toEqual(Array.from({ length: 70 }, (_, t) => t));
  });

  test('also where seven do not separate them: the same block many times, overlapping windows', async () => {
    const x = integers([40]);
    const windows = (v: Tensor) =>
      Array.from({ length: 31 }, (_, i) => sum(mul(slice(v, { begin: i, size: 10 }), i + 1)))
        .concat(Array.from({ length: 30 }, () => sum(slice(v, { begin: 5, size: 2 }))))
        .reduce((a, b) => add(a, b));
    const windowsOf = Array.from({ length: 31 }, (_, i) => ({
      begin: [i],
      size: [10],
      values: new Array<number>(10).fill(i + 1),
    }));
    const same = { begin: [5], size: [2], values: [30, 30] };
    expect(await grad(windows)(x).array()).toEqual(placed([40], [...windowsOf, same]));
  });

  test('keeps no more cotangents than twice the elements of the tensor', () => {
    const [x, count] = [zeros([1024]), 64];
    const f = (v: Tensor) =>
      Array.from({ length: count }, (_, i) => sum(square(slice(v, { begin: i % 2, size: 1023 })))).reduce(
        (a, b) => add(a, b),
      );
    using tape = new GradientTape();
    tape.watch(x);
    const y = tidy(() => f(x));
    resetPeakMemory();
    const before = memory().bytes;
    tape.gradient(y, x)?.dispose();
    expect(memory().peakBytes - before).toBeLessThan((count / 4) * 4096);
  });

  test('adds to a gradient of the whole tensor, and to that of other ops', async () => {
    const x = integers([4, 6]);
    const f = (v: Tensor) => {
      const [a, b, c] = split(v, { numOrSizeSplits: [1, 3, 2], axis: 1 }) as [Tensor, Tensor, Tensor];
      const rows = unstack(v);
      const column = stridedSlice(v, {
        begin: [0, 5],
        end: [0, 0],
        beginMask: 1,
        endMask: 1,
        shrinkAxisMask: 2,
      });
      const odd = stridedSlice(v, { begin: [0, 1], end: [4, 6], strides: [1, 2] });
      const parts = [
        mul(a, 2),
        mul(c, 3),
        mul(rows[1] as Tensor, 5),
        mul(column, 7),
        mul(odd, 11),
        mul(v, 13),
      ];
      return parts.map((part) => sum(part)).reduce((p, q) => add(p, q), sum(mul(b, 0)));
    };
    const expected = Array.from({ length: 24 }, (_, flat) => {
      const [row, column] = [Math.floor(flat / 6), flat % 6];
      return (
        (column === 0 ? 2 : column >= 4 ? 3 : 0) +
        (row === 1 ? 5 : 0) +
        (column === 5 ? 7 : 0) +
        (column % 2 === 1 ? 11 : 0) +
        13
      );
    });
    expect([...(await grad(f)(x).data())]).toEqual(expected);
  });

  test('of parts that nothing depends on is zero, without launches for them', async () => {
    const x = integers([64, 3]);
    const f = (v: Tensor) => sum(square(unstack(v)[63] as Tensor));
    const value = counted(() => f(x)).launches;
    const { result, launches } = counted(() => grad(f)(x));
    // The square and the sum have a gradient of at most two launches; the rest is one.
    expect(launches - value).toBeLessThanOrEqual(3);
    const dx = (await result.array()) as number[][];
    const last = (await x.array()) as number[][];
    expect(dx[63]).toEqual(last[63]?.map((v) => 2 * v));
    expect(
      dx
        .slice(0, 63)
        .flat()
        .every((v) => v === 0),
    ).toBe(true);
  });

  test('has derivatives of its own', async () => {
    const x = tensor([0.5, -1, 2, 1.5, 3, -2]);
    const cubes = (v: Tensor) => {
      const parts = [0, 1, 3].map((begin) => slice(v, { begin, size: 3 }));
      return parts.map((p) => sum(mul(mul(p, p), p))).reduce((a, b) => add(a, b));
    };
    const [v, times] = [
      [0.5, -1, 2, 1.5, 3, -2],
      [1, 2, 2, 2, 1, 1],
    ];
    const second = grad((y: Tensor) => sum(grad(cubes)(y)))(x);
    expect(await second.array()).toEqual(v.map((n, i) => 6 * n * (times[i] as number)));
    const { tangent } = jvp((y: Tensor) => grad(cubes)(y), [x], [fill([6], 1)]);
    expect(await (tangent as Tensor).array()).toEqual(v.map((n, i) => 6 * n * (times[i] as number)));
  });

  test('is mapped by vmap', async () => {
    const x = integers([5, 4, 6]);
    const f = (v: Tensor) => {
      const [a, , c] = split(v, { numOrSizeSplits: 3, axis: 1 }) as [Tensor, Tensor, Tensor];
      return sum(mul(mul(a, c), slice(v, { begin: [1, 2], size: [1, 2] })));
    };
    const mapped = (await vmap(grad(f))(x).array()) as number[][][];
    for (const [i, example] of unstack(x).entries())
      expect(await grad(f)(example).array()).toEqual(mapped[i]);
  });

  test('is the same in checkpoints, scans and compiled functions', async () => {
    const x = integers([6, 8]);
    const f = (v: Tensor) => {
      const rows = Array.from({ length: 6 }, (_, i) => slice(v, { begin: [i, 0], size: [1, 8] }));
      return sum(square(rows.map((row, i) => mul(row, i)).reduce((a, b) => add(a, b))));
    };
    const expected = await grad(f)(x).array();
    expect(await grad((v: Tensor) => checkpoint(f)(v))(x).array()).toEqual(expected);
    using compiled = compile(grad(f));
    for (let call = 0; call < 3; call++) expect(await compiled(x).array()).toEqual(expected);
    const scanned = (v: Tensor) => {
      const [total] = scan(
        (carry: Tensor, row: Tensor) => {
          const [a, b] = split(row, { numOrSizeSplits: 2, axis: 0 }) as [Tensor, Tensor];
          return [add(carry, sum(mul(a, slice(row, { begin: [2], size: [4] })))), b];
        },
        zeros([]),
        v,
      );
      return total as Tensor;
    };
    const loop = (v: Tensor) =>
      unstack(v)
        .map((row) => sum(mul(slice(row, { begin: 0, size: 4 }), slice(row, { begin: 2, size: 4 }))))
        .reduce((a, b) => add(a, b));
    expect(await grad(scanned)(x).array()).toEqual(await grad(loop)(x).array());
  });
});

test('an LSTM by hand has the gradients of TensorFlow.js', async () => {
  const [batch, time, features, units] = [3, 9, 5, 4];
  const values = (shape: readonly number[], seed: number) =>
    Float32Array.from({ length: sizeOf(shape) }, (_, i) => Math.sin(seed + 1.7 * i) / 2);
  const shapes = [
    [batch, time, features],
    [features + units, 4 * units],
  ] as const;
  const given = shapes.map((shape, i) => ({ shape, values: values(shape, i) }));
  const ours = (x: Tensor, w: Tensor) => {
    let [h, c] = [zeros([batch, units]), zeros([batch, units])];
    for (let t = 0; t < time; t++) {
      const step = gather(x, t, { axis: 1 });
      const z = matMul(concat([step, h], { axis: 1 }), w);
      const gate = (i: number) => slice(z, { begin: [0, i * units], size: [batch, units] });
      c = add(mul(sigmoid(gate(1)), c), mul(sigmoid(gate(0)), tanh(gate(2))));
      h = mul(sigmoid(gate(3)), tanh(c));
    }
    return sum(square(h));
  };
  const theirs = (x: tf.Tensor, w: tf.Tensor) => {
    let [h, c] = [tf.zeros([batch, units]), tf.zeros([batch, units])];
    for (let t = 0; t < time; t++) {
      const step = tf.reshape(tf.slice(x, [0, t, 0], [batch, 1, features]), [batch, features]);
      const z = tf.matMul(tf.concat([step, h], 1) as tf.Tensor2D, w as tf.Tensor2D);
      const gate = (i: number) => tf.slice(z, [0, i * units], [batch, units]);
      c = tf.add(tf.mul(tf.sigmoid(gate(1)), c), tf.mul(tf.sigmoid(gate(0)), tf.tanh(gate(2))));
      h = tf.mul(tf.sigmoid(gate(3)), tf.tanh(c));
    }
    return tf.sum(tf.square(h)) as tf.Scalar;
  };
  const inputs = given.map(({ shape, values: v }) => tensor(v, { shape })) as unknown as [Tensor, Tensor];
  const gradients = grads(ours)(inputs);
  const expected = tf.grads(theirs as never)(
    given.map(({ shape, values }) => tf.tensor(values, [...shape])),
  ) as tf.Tensor[];
  for (const [i, gradient] of gradients.entries())
    expectClose(await gradient.data(), (await expected[i]?.data()) as Float32Array);
});

describe('an op with joinedBackward', () => {
  type Half = Op<[x: Tensor], { last: boolean }>;
  const calls: number[] = [];
  const half: Half = defineOp({
    name: 'half',
    inputs: ['x'],
    save: { inputs: [] },
    infer: ([x], { last }: { last: boolean }) => ({
      shape: [(x.shape[0] as number) / 2],
      dtype: x.dtype,
      last,
    }),
    forward: ([x], { shape: [n], last }) => slice(x, { begin: last ? (n as number) : 0, size: n as number }),
    backward: ([dy], { plan: { last } }) => {
      calls.push(1);
      return [concat(last ? [zeros(dy.shape), dy] : [dy, zeros(dy.shape)])];
    },
    joinedBackward: (joined, { shape: [n] }) => {
      calls.push(joined.length);
      const sides = joined.map(({ cotangents: [dy], plan }) => {
        const empty = zeros([(n as number) / 2]);
        return concat(
          (plan as unknown as { last: boolean }).last ? [empty, dy as Tensor] : [dy as Tensor, empty],
        );
      });
      return sides.reduce((a, b) => add(a, b));
    },
  });

  test('computes the gradient of all its calls on one tensor in one call', async () => {
    calls.length = 0;
    const x = tensor([1, 2, 3, 4]);
    const f = (v: Tensor) => add(sum(square(half(v, { last: true }))), sum(half(v, { last: false })));
    expect(await grad(f)(x).array()).toEqual([1, 1, 6, 8]);
    expect(calls).toEqual([2]);
  });

  test('computes the gradient of one call with backward', async () => {
    calls.length = 0;
    expect(await grad((v: Tensor) => sum(half(v, { last: true })))(tensor([1, 2])).array()).toEqual([0, 1]);
    expect(calls).toEqual([1]);
  });

  test('frees all that it made', () => {
    const x = tensor([1, 2, 3, 4]);
    const before = memory().tensors;
    tidy(() => void grad((v: Tensor) => add(sum(half(v, { last: true })), sum(half(v, { last: false }))))(x));
    expect(memory().tensors).toBe(before);
  });
});
