/**
 * @file More rows, matrices and images than one dimension of a grid has workgroups: kernels that take one for each. The
 * results equal those for two parts, each of which fits in one dimension.
 */
import { beforeAll, describe, expect, test } from 'vitest';
import {
  argMax,
  concat,
  conv2d,
  cumsum,
  depthwiseConv2d,
  dotProductAttention,
  flip,
  gather,
  grad,
  init,
  layerNorm,
  matMul,
  maxPool,
  mean,
  mul,
  ones,
  pad,
  reshape,
  resizeBilinear,
  slice,
  softmax,
  sort,
  square,
  sum,
  type Tensor,
  tensor,
  tidy,
  topK,
  transpose,
} from '../../src/index.ts';
import { adapterClasses, onAdapter } from '../support/adapterClass.ts';

beforeAll(async () => {
  await init();
});

/** A dimension of a grid has at most 65,535 workgroups. */
const count = 65_537;
const split = 40_000;

/** `count` items of a shape, with values that lie apart from each other within an item. */
const items = (...shape: number[]) => {
  const size = shape.reduce((a, b) => a * b, 1);
  return tensor(
    Float32Array.from({ length: count * size }, (_, i) => ((i * 7) % 13) - 6 + (i % size) / 4),
    { shape: [count, ...shape] },
  );
};

const paddings: [number, number][] = [
  [0, 0],
  [1, 2],
];

type Op = (x: Tensor) => Tensor;
/** Tiles of a GPU in workgroup memory take a software adapter minutes. */
const tiled: Record<string, { shape: number[]; op: Op }> = {
  matMul: { shape: [2, 3], op: (x) => matMul(x, transpose(x, { perm: [0, 2, 1] })) },
  attention: {
    shape: [1, 1, 4],
    op: (x) => dotProductAttention(x as never, x as never, x as never, null, null),
  },
  conv2d: { shape: [2, 1, 2], op: (x) => conv2d(x as never, ones([2, 1, 2, 3])) },
};

const ops: Record<string, { shape: number[]; op: Op }> = {
  transpose: { shape: [2, 3], op: (x) => transpose(x, { perm: [0, 2, 1] }) },
  depthwiseConv2d: { shape: [2, 2, 1], op: (x) => depthwiseConv2d(x as never, ones([2, 2, 1, 1])) },
  maxPool: { shape: [2, 2, 1], op: (x) => maxPool(x as never, { poolSize: 2 }) },
  resizeBilinear: { shape: [1, 2, 1], op: (x) => resizeBilinear(x as never, { size: [1, 3] }) },
  sum: { shape: [3], op: (x) => sum(x, { axis: 1 }) },
  mean: { shape: [2, 2], op: (x) => mean(x, { axis: [1, 2] }) },
  argMax: { shape: [3], op: (x) => argMax(x, { axis: 1 }) },
  softmax: { shape: [3], op: (x) => softmax(x) },
  // Four: means and variances are exact, in whichever order they are summed.
  layerNorm: { shape: [4], op: (x) => layerNorm(x as never, null, null) },
  cumsum: { shape: [3], op: (x) => cumsum(x, { axis: 1 }) },
  sort: { shape: [3], op: (x) => sort(x) },
  topK: { shape: [3], op: (x) => topK(x, { k: 2 })[0] },
  pad: { shape: [2], op: (x) => pad(x, { paddings }) },
  gradients: { shape: [2], op: (x) => grad((v: Tensor) => sum(mul(softmax(v), square(v))))(x) },
};

/** `toEqual` takes seconds for arrays of this length. */
const firstDifference = (a: ArrayLike<number>, b: ArrayLike<number>) =>
  Array.prototype.findIndex.call(a, (value: number, i: number) => !Object.is(value, b[i]));

describe.each(adapterClasses)('on a %s', (kind) => {
  test.each(Object.entries(kind === 'cpu' ? { ...tiled, ...ops } : ops))('%s', async (_, { shape, op }) => {
    const x = items(...shape);
    const part = (from: number, size: number) =>
      slice(x, { begin: [from, ...shape.map(() => 0)], size: [size, ...shape] });
    const [whole, parts] = onAdapter(kind, () =>
      tidy(() => [op(x), concat([op(part(0, split)), op(part(split, count - split))], { axis: 0 })]),
    ) as [Tensor, Tensor];
    expect(whole.shape).toEqual(parts.shape);
    expect(firstDifference(await whole.data(), await parts.data())).toBe(-1);
    for (const made of [x, whole, parts]) made.dispose();
  });

  test('rows that are read at indices', async () => {
    const x = items(2);
    const indices = tensor(Int32Array.from({ length: count }, (_, i) => count - 1 - i));
    const [gathered, flipped] = onAdapter(kind, () =>
      tidy(() => [gather(x, indices), flip(x, { axis: 0 })]),
    ) as [Tensor, Tensor];
    expect(firstDifference(await gathered.data(), await flipped.data())).toBe(-1);
    for (const made of [x, indices, gathered, flipped]) made.dispose();
  });

  test('columns of one matrix', async () => {
    const x = reshape(items(3), { shape: [3, count] });
    const sums = onAdapter(kind, () => tidy(() => sum(x, { axis: 0 })));
    const [values, found] = [await x.data(), await sums.data()];
    const wrong = found.findIndex(
      (value, i) =>
        value !== (values[i] as number) + (values[count + i] as number) + (values[2 * count + i] as number),
    );
    expect(wrong).toBe(-1);
    sums.dispose();
    x.dispose();
  });
});
