import { beforeAll, describe, expect, test } from 'vitest';
import {
  add,
  DisposedError,
  GradientTape,
  getDevice,
  init,
  keep,
  memory,
  mul,
  ones,
  RetrogradError,
  resetPeakMemory,
  scope,
  sum,
  type Tensor,
  tensor,
  tidy,
  variable,
} from '../../src/index.ts';
import { collectAll, collectUntil } from '../support/collectGarbage.ts';

beforeAll(async () => {
  await init();
});

const alive = () => memory().tensors;

test('tidy frees what was made inside, but for what is returned, at any depth', () => {
  const before = alive();
  const result = tidy(() => {
    const x = ones([4]);
    const y = add(x, x);
    return { list: [y, 7], deep: { z: mul(y, y) }, none: null };
  });
  expect(alive()).toBe(before + 2);
  (result.list[0] as Tensor).dispose();
  result.deep.z.dispose();
  expect(alive()).toBe(before);
});

test('what leaves an inner scope belongs to the outer one', () => {
  const before = alive();
  tidy(() => {
    const inner = tidy(() => ones([2]));
    expect(inner.disposed).toBe(false);
    return null;
  });
  expect(alive()).toBe(before);
});

test('what is kept lives on', () => {
  const before = alive();
  const kept: Tensor[] = [];
  tidy(() => tidy(() => void kept.push(keep(ones([2])))));
  expect(kept[0]?.disposed).toBe(false);
  kept[0]?.dispose();
  expect(alive()).toBe(before);
});

test('an error inside frees everything, and closes the scope', () => {
  const before = alive();
  const fail = () =>
    tidy(() => {
      ones([2]);
      throw new Error('stop');
    });
  expect(fail).toThrow('stop');
  expect(alive()).toBe(before);
  const after = ones([2]);
  expect(after.disposed).toBe(false);
  after.dispose();
});

test('a function that waits has no place in tidy', async () => {
  const before = alive();
  let running: Promise<void> | undefined;
  const call = () =>
    tidy(() => {
      ones([2]);
      running = Promise.resolve();
      return running;
    });
  expect(call).toThrow(RetrogradError);
  expect(call).toThrow(/synchronous[\s\S]*hint: await/);
  await running;
  expect(alive()).toBe(before);
});

test('using frees a tensor, and a scope frees all of its', () => {
  const before = alive();
  {
    using step = scope();
    using own = ones([2]);
    const kept = step.keep(add(own, 1));
    add(kept, 1);
    expect(alive()).toBe(before + 3);
    kept.dispose();
  }
  expect(alive()).toBe(before);
});

describe('scopes of several tasks', () => {
  const turn = () => new Promise<void>((resolve) => setTimeout(resolve, 1));
  const microtask = () => Promise.resolve();

  test.each([
    ['microtasks', [microtask, microtask]],
    ['timers', [turn, turn]],
    ['a microtask and a timer', [microtask, turn]],
    ['a timer and a microtask', [turn, microtask]],
  ])('leave each other alone across %s', async (_, waits) => {
    const ended: string[] = [];
    const task = async (name: string, value: number, rounds: number) => {
      const outside = tensor([value]);
      let result: Tensor;
      {
        using own = scope();
        let x: Tensor = add(outside, 0);
        for (let i = 0; i < rounds; i++) {
          await (waits[i % 2] as () => Promise<void>)();
          x = add(x, mul(outside, 1));
          expect(await x.array()).toEqual([value * (i + 2)]);
        }
        result = own.keep(x);
      }
      ended.push(name);
      expect(await add(result, outside).array()).toEqual([value * (rounds + 2)]);
    };
    await Promise.all([task('first', 1, 7), task('second', 10, 2), task('third', 100, 4)]);
    expect(ended).toEqual(['second', 'third', 'first']);
  });

  test('leave a task alone that has no scope', async () => {
    const wait = async () => {
      using _ = scope();
      ones([2]);
      await turn();
    };
    const first = wait();
    const made = ones([3]);
    await microtask();
    const later = ones([4]);
    await first;
    expect([made.disposed, later.disposed]).toEqual([false, false]);
  });

  test('free what they were given, whatever was awaited and in whichever order they end', async () => {
    const before = alive();
    const task = async (rounds: number) => {
      using own = scope();
      const x = own.track(tensor([rounds]));
      const tensors: Tensor[] = [x];
      for (let i = 0; i < rounds; i++) {
        await turn();
        tensors.push(own.run(() => add(mul(x, 2), 1)));
        expect(tensors.every(({ disposed }) => !disposed)).toBe(true);
      }
      return tensors;
    };
    const made = await Promise.all([task(4), task(1), task(2)]);
    expect(made.flat().every(({ disposed }) => disposed)).toBe(true);
    expect(alive()).toBe(before);
  });

  test('what is kept leaves them', async () => {
    const before = alive();
    let kept: Tensor;
    {
      using own = scope();
      kept = own.run(() => keep(ones([2])));
      const other = own.run(() => ones([2]));
      own.keep(other).dispose();
      await turn();
    }
    expect(kept.disposed).toBe(false);
    kept.dispose();
    expect(alive()).toBe(before);
  });

  test('an async body has no place in run', async () => {
    using own = scope();
    expect(() => own.run(async () => {})).toThrow(/synchronous[\s\S]*hint: await/);
    await microtask();
  });

  test('tidy and inner scopes are exact while an outer scope waits', async () => {
    using _ = scope();
    await turn();
    const before = alive();
    tidy(() => void ones([2]));
    {
      using inner = scope();
      add(inner.track(ones([2])), 1);
    }
    expect(alive()).toBe(before);
  });
});

test('a disposed tensor says so', async () => {
  const x = tensor([1, 2], { name: 'gone' });
  x.dispose();
  x.dispose();
  expect(x.disposed).toBe(true);
  expect(() => add(x, 1)).toThrow(DisposedError);
  await expect(x.data()).rejects.toThrow(/disposed float32\[2\] 'gone'/);
  expect(() => x.buffer).toThrow(DisposedError);
});

test('a readback under way survives the disposal of its tensor', async () => {
  const x = ones([1000]);
  const reading = x.data();
  x.dispose();
  tensor(new Float32Array(1000)).dispose();
  expect(await reading).toEqual(new Float32Array(1000).fill(1));
});

test('memory counts bytes in use, their peak, and what lies ready', () => {
  resetPeakMemory();
  const before = memory();
  const x = ones([1024]);
  const y = add(x, x);
  expect(memory().bytes).toBe(before.bytes + 2 * 4096);
  x.dispose();
  expect(memory()).toMatchObject({ bytes: before.bytes + 4096, peakBytes: before.bytes + 2 * 4096 });
  expect(memory().pooledBytes).toBeGreaterThanOrEqual(4096);
  y.dispose();
  resetPeakMemory();
  expect(memory()).toMatchObject({ bytes: before.bytes, peakBytes: before.bytes });
});

test('a tape holds what a disposed tensor shared with it, and releases it', () => {
  const before = memory();
  const x = ones([1024]);
  const tape = new GradientTape();
  tape.watch(x);
  const y = mul(x, x);
  const loss = sum(y);
  y.dispose();
  x.dispose();
  // The tape saved x for the gradient of the product, and nothing else.
  expect(memory().bytes).toBe(before.bytes + 4096 + 256);
  tape.gradient(loss, x)?.dispose();
  loss.dispose();
  expect(memory().bytes).toBe(before.bytes);
});

test('memory is flat over 1,000 steps of training', async () => {
  const w = variable(ones([16, 16]));
  const x = ones([16, 16]);
  const step = () =>
    tidy(() => {
      const tape = new GradientTape();
      const loss = sum(mul(mul(x, w), w));
      const dw = tape.gradient(loss, w) as Tensor;
      w.assign(add(w, mul(dw, -1e-3)));
    });
  // An uploaded fill needs a buffer that no unsubmitted launch uses: their number grows until submissions have their full length.
  for (let i = 0; i < 200; i++) step();
  await getDevice().sync();
  const { tensors, bytes, allocations } = memory();
  for (let i = 0; i < 1000; i++) step();
  await getDevice().sync();
  const after = memory();
  expect(after).toMatchObject({ tensors, bytes, allocations });
  w.dispose();
  x.dispose();
});

test('tensors that were dropped are freed by the garbage collector', async () => {
  const before = await collectAll();
  (() => {
    for (let i = 0; i < 50; i++) ones([1024]);
  })();
  expect(memory().tensors).toBe(before.tensors + 50);
  expect(memory().bytes).toBe(before.bytes + 50 * 4096);
  const after = await collectUntil(before);
  expect(after.tensors).toBeLessThanOrEqual(before.tensors);
  expect(after.bytes).toBeLessThanOrEqual(before.bytes);
});
