/** @file Faults and repeated indices of segment ops and updates; cumulative ops on long axes. */
import { beforeAll, expect, test } from 'vitest';
import {
  cumprod,
  cummax,
  GradientTape,
  IndexOutOfRangeError,
  init,
  mul,
  segmentMax,
  slice,
  squeeze,
  sum,
  type Tensor,
  tensor,
  tensorScatterUpdate,
  vmap,
} from '../../src/index.ts';

beforeAll(async () => {
  await init();
});

const listOf = async (x: Tensor) => Array.from(await x.data(), Number);
const ints = (values: number[], shape = [values.length]) => tensor(values, { shape, dtype: 'int32' });

test('an id beyond the segments is a fault, unless validation is off', async () => {
  const x = tensor([5, 1, 7]);
  const ids = ints([0, 2, 0]);
  await expect(segmentMax(x, ids, { numSegments: 2 }).data()).rejects.toThrow(
    /segmentMax: index 2 at position \[1\]/,
  );
  const found = segmentMax(x, ids, { numSegments: 2, validateIndices: false });
  expect(await listOf(found)).toEqual([7, Number.NEGATIVE_INFINITY]);
});

test('an update outside is a fault that names its axis, and is dropped', async () => {
  const x = tensor([1, 2, 3, 4], { shape: [2, 2] });
  // Position 3 in row-major order, were it not outside.
  const indices = ints([0, 3, 1, 0], [2, 2]);
  const faulty = tensorScatterUpdate(x, indices, tensor([8, 9]));
  await expect(faulty.data()).rejects.toBeInstanceOf(IndexOutOfRangeError);
  const unchecked = tensorScatterUpdate(x, indices, tensor([8, 9]), { validateIndices: false });
  expect(await listOf(unchecked)).toEqual([1, 2, 9, 4]);
});

test('of updates of one slice the last one stays, and takes the gradient', async () => {
  const updates = tensor([5, 6, 7]);
  using tape = new GradientTape();
  tape.watch(updates);
  const y = tensorScatterUpdate(tensor([1, Number.NaN, 3]), ints([1, 0, 1], [3, 1]), updates);
  const [gradient] = tape.gradient(sum(y), [updates]);
  expect(await listOf(y)).toEqual([6, 7, 3]);
  expect(await listOf(gradient as Tensor)).toEqual([0, 1, 1]);
});

/** Replaces rows one after another. */
function replaced(x: number[], rows: number[], updates: number[], inner: number): number[] {
  const result = [...x];
  for (const [i, row] of rows.entries())
    for (let j = 0; j < inner; j++) result[row * inner + j] = updates[i * inner + j] as number;
  return result;
}

const numbers = (count: number, step: number) => Array.from({ length: count }, (_, i) => step * i);
/** Indices with repetitions. */
const picked = (count: number, rows: number) =>
  Array.from({ length: count }, (_, i) => (i * i * 7 + 3) % rows);

test.each([
  { rows: 4099, inner: 1, count: 600 },
  { rows: 10, inner: 1, count: 3 },
  { rows: 37, inner: 8, count: 50 },
  { rows: 41, inner: 3, count: 20 },
  { rows: 5, inner: 2, count: 0 },
])('$count updates of $rows rows of $inner', async ({ rows, inner, count }) => {
  const [x, updates, at] = [numbers(rows * inner, 0.5), numbers(count * inner, -1), picked(count, rows)];
  for (const [shape, indices] of [
    [[rows, inner], ints(at, [count, 1])],
    [
      [1, rows, inner],
      ints(
        at.flatMap((row) => [0, row]),
        [count, 2],
      ),
    ],
  ] as const) {
    const found = tensorScatterUpdate(
      tensor(x, { shape: [...shape] }),
      indices,
      tensor(updates, { shape: [count, inner] }),
    );
    expect(await listOf(found)).toEqual(replaced(x, at, updates, inner));
  }
});

test('vmap replaces rows of each example, and their gradients are those of single calls', async () => {
  const [batch, rows, inner, count] = [3, 5, 2, 4];
  const x = tensor(numbers(batch * rows * inner, 1), { shape: [batch, rows, inner] });
  const at = picked(batch * count, rows);
  const indices = ints(at, [batch, count, 1]);
  const updates = tensor(numbers(batch * count * inner, -1), { shape: [batch, count, inner] });
  const weights = tensor(numbers(rows * inner, 1), { shape: [rows, inner] });
  const update = (...[table, where, values]: Tensor[]) =>
    tensorScatterUpdate(table as Tensor, where as Tensor, values as Tensor);
  const loss = (...given: Tensor[]) => sum(mul(update(...given), weights));
  using tape = new GradientTape();
  tape.watch([x, updates]);
  const found = vmap(update)(x, indices, updates);
  const [dx, dUpdates] = tape.gradient(sum(vmap(loss)(x, indices, updates)), [x, updates]);
  for (let i = 0; i < batch; i++) {
    const example = (of: Tensor) =>
      squeeze(slice(of, { begin: [i, 0, 0], size: [1, ...of.shape.slice(1)] }), { axis: 0 });
    const own = [example(x), example(indices), example(updates)] as const;
    expect(await listOf(example(found))).toEqual(await listOf(update(...own)));
    const single = gradAll(own, loss);
    expect(await listOf(example(dx as Tensor))).toEqual(await listOf(single[0]));
    expect(await listOf(example(dUpdates as Tensor))).toEqual(await listOf(single[1]));
  }
});

/** The gradients of `loss` with respect to the table and the updates. */
function gradAll(
  own: readonly [Tensor, Tensor, Tensor],
  loss: (...given: Tensor[]) => Tensor,
): [Tensor, Tensor] {
  using tape = new GradientTape();
  tape.watch([own[0], own[2]]);
  return tape.gradient(loss(...own), [own[0], own[2]]) as [Tensor, Tensor];
}

test('long axes', async () => {
  const values = Array.from({ length: 1000 }, (_, i) => Math.fround(1 + 0.01 * Math.sin(i * i)));
  const running = (fold: (a: number, b: number) => number) =>
    values.map((_, i) => values.slice(0, i + 1).reduce(fold));
  const products = running((a, b) => a * b);
  const found = await listOf(cumprod(tensor(values)));
  for (const [i, value] of found.entries())
    expect(Math.abs(value / (products[i] as number) - 1)).toBeLessThan(1e-5);
  expect(await listOf(cummax(tensor(values)))).toEqual(running((a, b) => Math.max(a, b)));
});
