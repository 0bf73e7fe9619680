/** @file A fault is reported only by readbacks of values that depend on it, and is never lost. */
import { afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import {
  add,
  checkNumerics,
  compile,
  concat,
  div,
  gather,
  GradientTape,
  getDevice,
  IndexOutOfRangeError,
  init,
  mul,
  NonFiniteError,
  reshape,
  scatterAdd,
  sum,
  type Tensor,
  tensor,
  tidy,
  variable,
} from '../../src/index.ts';

beforeAll(async () => {
  await init();
});

const warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
beforeEach(() => void warn.mockClear());
// Faults left unread by a test must not be reported to the next one.
afterEach(() =>
  getDevice()
    .sync()
    .catch(() => {}),
);

const ints = (...values: number[]) => tensor(Int32Array.from(values)) as Tensor;
const table = () => tensor([1, 2, 3, 4]);
const bad = () => gather(table(), ints(0, 4));
const fault = (readback: Promise<unknown>) => expect(readback).rejects.toThrow(IndexOutOfRangeError);

describe('a reader of other values', () => {
  test('is not disturbed, and does not take the fault away', async () => {
    const wrong = bad();
    const good = mul(table(), 2);
    expect([...(await good.data())]).toEqual([2, 4, 6, 8]);
    expect([...(await gather(table(), ints(3)).data())]).toEqual([4]);
    await fault(wrong.data());
    expect([...(await wrong.data())]).toEqual([1, 0]);
    await getDevice().sync();
  });

  test('whether it asks before, with, or after the one concerned', async () => {
    const wrong = bad();
    const good = table();
    const [a, b, c] = await Promise.allSettled([good.data(), wrong.data(), add(good, 1).data()]);
    expect([a.status, b.status, c.status]).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  });

  test('even where both went through one validated op', async () => {
    const x = table();
    const wrong = gather(x, ints(9));
    const good = gather(x, ints(1));
    expect(await good.array()).toEqual([2]);
    await fault(wrong.data());
  });

  test('that reads the operands of the faulty op', async () => {
    const [x, indices] = [table(), ints(7)];
    const wrong = gather(x, indices);
    expect(await indices.array()).toEqual([7]);
    expect(await x.array()).toEqual([1, 2, 3, 4]);
    await fault(wrong.data());
  });
});

describe('a fault is reported', () => {
  test('to the reader of anything computed from it', async () => {
    const wrong = bad();
    const far = sum(concat([mul(reshape(wrong, { shape: [2, 1] }), 3), tensor([[1]])], { axis: 0 }));
    await table().data();
    await fault(far.data());
    expect(await far.item()).toBe(4);
  });

  test('to each tensor that was computed from it before', async () => {
    const wrong = bad();
    const doubled = mul(wrong, 2);
    await fault(wrong.data());
    await fault(doubled.data());
    expect(await doubled.array()).toEqual([2, 0]);
  });

  test('not to those that are computed from it once it is known', async () => {
    const wrong = bad();
    await fault(wrong.data());
    expect(await mul(wrong, 2).array()).toEqual([2, 0]);
    await getDevice().sync();
  });

  test('to a view, and through a variable', async () => {
    const v = variable(tensor([0, 0]), { trainable: false });
    v.assign(bad());
    await table().data();
    await fault(add(v, 1).data());
    v.assign(tensor([5, 6]));
    expect(await v.array()).toEqual([5, 6]);
  });

  test('by the gradient, whether or not that uses the values', async () => {
    for (const loss of [(y: Tensor) => sum(y), (y: Tensor) => sum(mul(y, y))]) {
      const x = table();
      const tape = new GradientTape();
      tape.watch(x);
      const dx = tape.gradient(loss(gather(x, ints(1, 4))), x) as Tensor;
      const unaffected = mul(x, 2);
      expect(await unaffected.array()).toEqual([2, 4, 6, 8]);
      await fault(dx.data());
      await dx.data();
    }
  });

  test('once, by the values or by the gradient', async () => {
    const x = table();
    const tape = new GradientTape();
    tape.watch(x);
    const y = gather(x, ints(1, 4));
    const dx = tape.gradient(sum(y), x) as Tensor;
    await fault(y.data());
    expect(await dx.array()).toEqual([0, 1, 0, 0]);
  });

  test('the first in launch order, with the others that the values depend on', async () => {
    const [x, y] = [gather(table(), ints(5)), gather(table(), ints(6))];
    const z = gather(table(), ints(7));
    const error = await add(y, x)
      .data()
      .catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ index: 5, others: [{ index: 6 }] });
    await expect(z.data()).rejects.toMatchObject({ index: 7, others: [] });
  });

  test('of a scatter, of empty results, and of checkNumerics', async () => {
    const scattered = scatterAdd(ints(9), tensor([1]), { shape: [2] });
    const empty = gather(tensor([], { shape: [4, 0] }), ints(4));
    checkNumerics();
    const infinite = div(tensor([1]), tensor([0]));
    checkNumerics(false);
    await table().data();
    await fault(scattered.data());
    await fault(empty.data());
    await expect(infinite.data()).rejects.toThrow(NonFiniteError);
  });

  test('where the slots of many launches were used up meanwhile', async () => {
    const wrong = bad();
    let good = gather(table(), ints(0));
    for (let i = 0; i < 600; i++) {
      good.dispose();
      good = gather(table(), ints(3));
    }
    expect(await good.array()).toEqual([4]);
    await fault(wrong.data());
  });

  test('though its buffer was used by others before, and will be afterwards', async () => {
    bad().dispose();
    const next = Array.from({ length: 20 }, () => mul(tensor([1, 2]), 3));
    for (const x of next) expect(await x.array()).toEqual([3, 6]);
    await fault(getDevice().sync());
  });
});

describe('compiled functions', () => {
  test('pass faults on to the results that depend on them', async () => {
    const rows = table();
    const f = compile((indices: Tensor, x: Tensor) => ({ wrong: gather(rows, indices), good: mul(x, 2) }));
    const x = tensor([1, 2]);
    for (let i = 0; i < 4; i++) {
      const { wrong, good } = f(ints(0, 4 + i), x);
      expect(await good.array()).toEqual([2, 4]);
      await expect(wrong.data()).rejects.toMatchObject({ index: 4 + i, others: [] });
      expect(await f(ints(0, 1), x).wrong.array()).toEqual([1, 2]);
    }
    expect(f.explain()[0]?.captured).toBe(true);
  });

  test('pass on the faults of their inputs', async () => {
    const f = compile((x: Tensor, y: Tensor) => ({ a: mul(x, 2), b: mul(y, 2) }));
    for (let i = 0; i < 4; i++) {
      const { a, b } = f(bad(), tensor([1, 2]));
      expect(await b.array()).toEqual([2, 4]);
      await fault(a.data());
    }
  });

  test('pass them on through their variables', async () => {
    const v = variable(tensor([0, 0]), { trainable: false });
    const other = variable(tensor([0, 0]), { trainable: false });
    const f = compile((indices: Tensor) => {
      v.assign(add(v, gather(tensor([1, 2, 3]), indices)));
      other.assign(add(other, 1));
    });
    for (let i = 0; i < 3; i++) f(ints(0, 1));
    expect(await v.array()).toEqual([3, 6]);
    f(ints(0, 3));
    expect(await other.array()).toEqual([4, 4]);
    await fault(v.data());
    f(ints(0, 1));
    expect(await v.array()).toEqual([5, 8]);
  });

  test('pass them on with gradients', async () => {
    const x = table();
    const f = compile((indices: Tensor) => {
      using tape = new GradientTape();
      tape.watch(x);
      return tape.gradient(sum(gather(x, indices)), x) as Tensor;
    });
    for (let i = 0; i < 4; i++) {
      expect(await f(ints(0)).array()).toEqual([1, 0, 0, 0]);
      await fault(f(ints(4)).data());
    }
  });

  test('large results carry them as well', async () => {
    const rows = tensor(new Float32Array(2 ** 16), { shape: [4, 2 ** 14] });
    const f = compile((indices: Tensor) => mul(gather(rows, indices), 2));
    for (let i = 0; i < 4; i++) {
      expect((await f(ints(0, 1)).data()).length).toBe(2 ** 15);
      await fault(f(ints(0, 4)).data());
    }
  });
});

describe('a fault that is never read', () => {
  test('is thrown by sync, once', async () => {
    tidy(() => void bad());
    await table().data();
    await fault(getDevice().sync());
    await getDevice().sync();
  });

  test('is thrown by sync while its tensor is held, and not again by that', async () => {
    const wrong = bad();
    await fault(getDevice().sync());
    expect(await wrong.array()).toEqual([1, 0]);
  });

  test('is not taken from a reader who waits for it already', async () => {
    const reading = bad().data();
    const [read, synced] = await Promise.allSettled([reading, getDevice().sync()]);
    expect([read.status, synced.status]).toContain('rejected');
    expect(read.status).toBe('rejected');
  });

  test('is announced where no sync comes, and kept for one', async () => {
    const heard: unknown[] = [];
    await init({ onFault: (error) => heard.push(error) });
    bad().dispose();
    await table().data();
    await vi.waitFor(() => expect(heard).toHaveLength(1), { timeout: 3000 });
    expect(heard[0]).toBeInstanceOf(IndexOutOfRangeError);
    await init({ onFault: (error) => console.warn(error) });
    bad().dispose();
    await table().data();
    await vi.waitFor(() => expect(warn).toHaveBeenCalledTimes(1), { timeout: 3000 });
    await fault(getDevice().sync());
  });

  test('is not announced while someone may read it', async () => {
    const wrong = bad();
    await table().data();
    await new Promise((resolve) => setTimeout(resolve, 1200));
    expect(warn).not.toHaveBeenCalled();
    await fault(wrong.data());
  });
});
