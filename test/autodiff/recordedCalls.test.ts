/** @file Recordings: what a tape records and retains, when it ends, and which gradients its backward pass computes. */
import { beforeAll, describe, expect, test } from 'vitest';
import {
  add,
  cast,
  compile,
  customGradient,
  defineOp,
  exp,
  fill,
  gather,
  GradientTape,
  greater,
  identity,
  init,
  layerNorm,
  linearize,
  memory,
  mul,
  type Op,
  square,
  sum,
  type Tensor,
  tensor,
  tidy,
  topK,
  vjp,
} from '../../src/index.ts';
import { type GradientObserver, setGradientObserver } from '../../src/autodiff/gradientObserver.ts';
import { Cotangents } from '../../src/autodiff/cotangents.ts';
import { Tape } from '../../src/autodiff/recordedCalls.ts';
import { installNodeGpu } from '../support/gpu.ts';
import { ownDevice } from '../support/ownDevice.ts';

beforeAll(async () => {
  await installNodeGpu();
  await init();
});

/** Returns a function whose gradient notes `name` when it is computed. */
const noting = (visited: string[], name: string) =>
  customGradient((x) => ({
    value: mul(x, 2),
    gradient: (dy) => {
      visited.push(name);
      return mul(dy, 2);
    },
  }));

/** What the gradient of `splitting` receives. */
interface Incoming {
  readonly cotangents: readonly (Tensor | null)[];
  readonly inputs: readonly (Tensor | undefined)[];
  readonly outputs: readonly (Tensor | undefined)[];
  readonly needs: readonly boolean[];
}

type Splitting = Op<[x: Tensor, y: Tensor, n: Tensor], object, readonly [Tensor, Tensor, Tensor]>;

/** x · y, x + y, and the integers n. Its gradient passes what it receives to `onBackward`. */
function splitting(onBackward: (incoming: Incoming) => void, takesNull = false): Splitting {
  const op: Splitting = defineOp({
    name: 'splitting',
    inputs: ['x', 'y', 'n'],
    takesNull: takesNull as true,
    save: { inputs: [1], outputs: [0] },
    infer: ([x]) => [
      { shape: x.shape, dtype: 'float32' },
      { shape: x.shape, dtype: 'float32' },
      { shape: x.shape, dtype: 'int32' },
    ],
    forward: ([x, y, n]) => [mul(x, y), add(x, y), identity(n)],
    backward: (cotangents, { inputs, outputs, needs }) => {
      onBackward({ cotangents, inputs, outputs, needs });
      const dy = cotangents[0] ?? cotangents[1];
      return [dy && identity(dy), dy && identity(dy), null];
    },
  });
  return op;
}

describe('the backward walk', () => {
  test('visits only calls between the target and the sources', async () => {
    const visited: string[] = [];
    const [a, b] = [tensor([1]), tensor([3])];
    using tape = new GradientTape();
    tape.watch([a, b]);
    const onTheWay = noting(visited, 'on the way')(b);
    const other = noting(visited, 'another branch')(square(a));
    const unused = noting(visited, 'unused')(b);
    const gradient = tape.gradient(square(add(onTheWay, other)), b);
    expect(await gradient?.array()).toEqual([32]);
    expect(visited).toEqual(['on the way']);
    expect(await unused.array()).toEqual([6]);
  });

  test('gives an op zeros for results that nothing depends on, null for integers, and what it saved', async () => {
    const seen: Incoming[] = [];
    const op = splitting((incoming) =>
      seen.push({ ...incoming, cotangents: incoming.cotangents.map((d) => d && identity(d)) }),
    );
    const [x, y, n] = [tensor([2]), tensor([3]), tensor([7], { dtype: 'int32' })];
    using tape = new GradientTape({ persistent: true });
    tape.watch(x);
    const [product, total, count] = op(x, y, n);
    expect(await tape.gradient(product, x)?.array()).toEqual([1]);
    const [{ cotangents, inputs, outputs, needs } = {} as Incoming] = seen;
    expect(needs).toEqual([true, false, false]);
    expect(cotangents[2]).toBeNull();
    expect(inputs.map((input) => input?.dtype)).toEqual([undefined, 'float32', undefined]);
    expect(outputs.map((output) => output?.dtype)).toEqual(['float32', undefined, undefined]);
    expect(tape.gradient(count, x)).toBeNull();
    expect(tape.gradient(cast(count, 'float32'), x)).toBeNull();
    expect(seen).toHaveLength(1);
    expect(await tape.gradient(total, x)?.array()).toEqual([0]);
  });

  test('gives null for such results to an op that takes it', async () => {
    const seen: Incoming[] = [];
    const op = splitting((incoming) => seen.push(incoming), true);
    const [x, n] = [tensor([2]), tensor([7], { dtype: 'int32' })];
    using tape = new GradientTape();
    tape.watch(x);
    const [, total] = op(x, x, n);
    expect(await tape.gradient(total, x)?.array()).toEqual([2]);
    expect(seen[0]?.cotangents[0]).toBeNull();
    expect(seen[0]?.needs).toEqual([true, true, false]);
  });

  test('does not pass a source, nor go on through integers made of one', () => {
    const visited: string[] = [];
    const seen: Incoming[] = [];
    const x = tensor([2, 3]);
    using tape = new GradientTape({ persistent: true });
    tape.watch(x);
    const y = noting(visited, 'before the source')(x);
    expect(tape.gradient(square(y), y)).not.toBeNull();
    expect(visited).toEqual([]);
    const [, places] = topK(x, { k: 2 });
    const [product] = splitting((incoming) => seen.push(incoming))(x, x, places);
    expect(tape.gradient(product, x)).not.toBeNull();
    expect(seen[0]?.needs).toEqual([true, true, false]);
  });

  test('frees what a call saved before it goes on', () => {
    const x = fill([4096], 1);
    const tape = new GradientTape();
    tape.watch(x);
    let bytesAtFirst = Infinity;
    const first = customGradient((given) => ({
      value: mul(given, 2),
      gradient: (dy) => {
        bytesAtFirst = memory().bytes;
        return mul(dy, 2);
      },
    }));
    const loss = tidy(() => {
      let h = first(x);
      for (let i = 0; i < 6; i++) h = square(h);
      return sum(h);
    });
    const atStart = memory().bytes;
    tape.gradient(loss, x);
    // What six calls saved is gone; the cotangent is there.
    expect(bytesAtFirst).toBeLessThanOrEqual(atStart - 4 * x.bytes);
  });

  test('leaves alone the gradients of inputs that need none', async () => {
    const unneeded = fill([5], 1);
    const op: Op<[x: Tensor, y: Tensor]> = defineOp({
      name: 'generous',
      inputs: ['x', 'y'],
      infer: ([x]) => ({ shape: x.shape, dtype: x.dtype }),
      forward: ([x, y]) => add(x, y),
      // Only the gradients that are needed are checked.
      backward: ([dy]) => [identity(dy), unneeded],
    });
    const [x, y] = [tensor([1]), tensor([2])];
    using tape = new GradientTape();
    tape.watch(x);
    const [dx, dy] = tape.gradient(op(x, y), [x, y]);
    expect([await dx?.array(), dy]).toEqual([[1], null]);
  });

  test('reports rows that a gather read out of range in its gradient, too', async () => {
    const table = tensor([[1], [2]]);
    using tape = new GradientTape();
    tape.watch(table);
    const rows = gather(table, tensor([0, 5], { dtype: 'int32' }));
    const gradient = tape.gradient(sum(mul(rows, 0)), table) as Tensor;
    await expect(gradient.data()).rejects.toThrow(/index 5/);
    await expect(rows.data()).rejects.toThrow(/index 5/);
  });

  test('passes an observer the cotangents of each call, and the gradients', async () => {
    const received: unknown[] = [];
    const observer: GradientObserver = {
      cotangents: ({ operation }, ids, cotangents) =>
        received.push([operation.name, ids.length, cotangents.map((cotangent) => cotangent?.shape)]),
      gradients: (tape, targets, sources, found) =>
        received.push([tape, targets, sources, found.map((g) => g?.shape)]),
    };
    const [x, other] = [tensor([1, 2]), tensor([1])];
    const tape = new GradientTape();
    tape.watch(x);
    const y = sum(square(x));
    setGradientObserver(observer);
    try {
      tape.gradient(y, [x, other]);
    } finally {
      setGradientObserver(null);
    }
    expect(received).toEqual([
      ['sum', 1, [[]]],
      ['square', 1, [[2]]],
      [tape, [y], [x, other], [[2], undefined]],
    ]);
  });

  test('runs on the device of the target', async () => {
    const x = tensor([3]);
    const tape = new GradientTape();
    tape.watch(x);
    const y = square(x);
    await using own = await ownDevice();
    const [dx, none] = tape.gradient(y, [x, tensor([1])], { unconnectedGradients: 'zero' });
    expect([dx.device, none.device]).toEqual([x.device, x.device]);
    expect(own.device).not.toBe(x.device);
    expect(await dx.array()).toEqual([6]);
  });
});

describe('each gradient is a separate tensor', () => {
  test('for a source that is named twice, and for one that is the target', async () => {
    const x = tensor([1, 2]);
    using tape = new GradientTape({ persistent: true });
    tape.watch(x);
    const [first, second] = tape.gradient(square(x), [x, x]);
    first?.dispose();
    expect(await second?.array()).toEqual([2, 4]);
    const seed = tensor([5, 6]);
    tape.gradient(x, x, { outputGradients: seed })?.dispose();
    tape.gradient([x, x], x, { outputGradients: [seed, null] })?.dispose();
    expect(await seed.array()).toEqual([5, 6]);
  });

  test('where a gradient is the target itself', async () => {
    const x = tensor([3]);
    using tape = new GradientTape();
    tape.watch(x);
    let value = x;
    const same = customGradient((given) => {
      value = exp(given);
      return { value, gradient: () => value };
    });
    const y = same(x);
    tape.gradient(y, x)?.dispose();
    expect(await y.array()).toEqual([Math.fround(await y.item())]);
  });

  test('where the gradient is the seed: another tape that watches it watches no number', async () => {
    const x = tensor(3);
    using tape = new GradientTape();
    tape.watch(x);
    const seed = tape.gradient(x, x) as Tensor;
    using other = new GradientTape();
    other.watch(seed);
    expect(other.gradient(mul(x, 1), seed)).toBeNull();
    expect(await seed.item()).toBe(1);
  });

  test('where the source has a mask', async () => {
    const x = tensor([3]);
    x.attachment = tensor([true]);
    using tape = new GradientTape();
    tape.watch(x);
    expect(await tape.gradient(square(x), x)?.array()).toEqual([6]);
  });

  test('where an operand was left out', async () => {
    const x = tensor([[1, 3]]);
    using tape = new GradientTape();
    tape.watch(x);
    const dx = tape.gradient(layerNorm(x, null, null), x) as Tensor;
    for (const value of await dx.data()) expect(value).toBeCloseTo(0, 3);
  });

  test('and unconnected ones have the shape and dtype of their source', async () => {
    const x = tensor([1]);
    using tape = new GradientTape();
    tape.watch(x);
    const sources = [tensor([[1, 2]]), tensor([1, 2], { dtype: 'int32' })] as const;
    const zeros = tape.gradient(square(x), sources, { unconnectedGradients: 'zero' });
    expect(zeros.map(({ shape, dtype }) => [shape, dtype])).toEqual([
      [[1, 2], 'float32'],
      [[2], 'int32'],
    ]);
    expect(await zeros[0].array()).toEqual([[0, 0]]);
  });
});

describe('what is recorded', () => {
  test('calls at which gradients of watched tensors end are listed', () => {
    const x = tensor([1, 2]);
    using tape = new GradientTape({ persistent: true });
    greater(x, 1);
    tape.watch(x);
    const isAbove = greater(square(x), 1);
    const names = () => tape.disconnections.map(({ operation }) => operation.name);
    cast(isAbove, 'float32');
    greater(tensor([1]), 1);
    expect(names()).toEqual(['greater']);
    cast(x, 'int32');
    expect(names()).toEqual(['greater', 'cast']);
    tape.reset();
    expect(names()).toEqual([]);
  });

  test('gradients pass through the float results of a call, not through its integers', async () => {
    const x = tensor([3, 1]);
    using tape = new GradientTape({ persistent: true });
    tape.watch(x);
    const [top, indices] = topK(x, { k: 1 });
    expect(await tape.gradient(top, x)?.array()).toEqual([1, 0]);
    expect(tape.gradient(cast(indices, 'float32'), x)).toBeNull();
    expect(tape.disconnections.map(({ operation }) => operation.name)).toEqual([]);
  });

  test('record says to which inputs the gradient passes', () => {
    const said: boolean[] = [];
    class Telling extends Tape {
      override record(call: Parameters<Tape['record']>[0]) {
        const ids = super.record(call);
        said.push(ids.some((id) => id !== null));
        return ids;
      }
    }
    const x = tensor([1]);
    using tape = new Telling(true);
    square(x);
    tape.watch(x);
    greater(square(x), 1);
    const [, places] = topK(x, { k: 1 });
    cast(places, 'float32');
    expect(said).toEqual([false, true, false, true, false]);
  });

  test('a recording that ended keeps what it saved; one that was disposed of has nothing', async () => {
    const x = tensor([3]);
    using tape = new GradientTape({ persistent: true });
    tape.watch(x);
    const y = square(x);
    tape.endRecording();
    expect(tape.isRecording).toBe(false);
    const unseen = square(x);
    expect(await tape.gradient(y, x)?.array()).toEqual([6]);
    expect(tape.gradient(unseen, x)).toBeNull();
    tape.dispose();
    expect(() => tape.gradient(y, x)).toThrow(/used up/);
    tape.reset();
    expect(tape.isRecording).toBe(true);
    tape.reset();
    tape.watch(x);
    square(x);
    expect(tape.trace).toHaveLength(1);
    expect(await tape.gradient(square(x), x)?.array()).toEqual([6]);
  });

  test('a tape that is stopped stops no other', async () => {
    const x = tensor([3]);
    using tape = new GradientTape();
    using other = new GradientTape();
    for (const each of [tape, other]) each.watch(x);
    const y = tape.stopRecording(() => square(x));
    expect(tape.gradient(y, x)).toBeNull();
    expect(await other.gradient(y, x)?.array()).toEqual([6]);
  });

  test('a persistent tape records on after a gradient, and keeps its values', async () => {
    const x = tensor([3]);
    using tape = new GradientTape({ persistent: true });
    tape.watch(x);
    const y = exp(square(x));
    const first = await tape.gradient(y, x)?.array();
    expect(tape.isRecording).toBe(true);
    expect(await tape.gradient(y, x)?.array()).toEqual(first);
  });

  test('a tape that isn’t persistent frees inputs and results that it saved', () => {
    const x = tensor([1]);
    const before = memory().bytes;
    tidy(() => {
      const tape = new GradientTape();
      tape.watch(x);
      tape.gradient(sum(exp(square(mul(x, 2)))), x);
    });
    expect(memory().bytes).toBe(before);
  });

  test('a reset tape forgets what it watched, and frees what it saved', () => {
    const x = tensor([1]);
    using tape = new GradientTape({ persistent: true });
    const before = memory().bytes;
    tape.watch(x);
    tidy(() => void exp(square(mul(x, 2))));
    expect(memory().bytes).toBeGreaterThan(before);
    tape.reset();
    expect(memory().bytes).toBe(before);
    expect(tape.gradient(square(x), x)).toBeNull();
  });
});

describe('cotangents', () => {
  test('are freed when no id needs them any more', () => {
    const cotangents = new Cotangents();
    const [a, b, borrowed] = [tensor([1]), tensor([2]), tensor([3])];
    const isGone = (given: Tensor) => given.disposed;
    cotangents.add(1, a);
    cotangents.add(2, a);
    cotangents.drop(1);
    expect([cotangents.has(1), cotangents.get(2), isGone(a)]).toEqual([false, a, false]);
    cotangents.drop(1);
    expect(isGone(a)).toBe(false);
    cotangents.drop(2);
    expect(isGone(a)).toBe(true);
    cotangents.addBorrowed(3, borrowed);
    cotangents.drop(3);
    expect([cotangents.has(3), isGone(borrowed)]).toEqual([false, false]);
    cotangents.add(4, b);
    cotangents.drop(4);
    expect(isGone(b)).toBe(true);
  });

  test('of one id are added, and the parts freed unless another id or the caller has them', async () => {
    const cotangents = new Cotangents();
    const [a, b, shared, borrowed] = [tensor([1]), tensor([2]), tensor([4]), tensor([8])];
    cotangents.add(1, a);
    cotangents.add(1, b);
    cotangents.add(2, shared);
    cotangents.add(1, shared);
    cotangents.addBorrowed(1, borrowed);
    expect(await cotangents.get(1)?.array()).toEqual([15]);
    expect([a, b, shared, borrowed].map(({ disposed }) => disposed)).toEqual([true, true, false, false]);
    cotangents.drop(2);
    expect(shared.disposed).toBe(true);
  });
});

// A tape that records keeps compiled functions from being captured.
test('linearize and vjp record nothing after the function', async () => {
  const { pushforward } = linearize(square, [tensor([3])]);
  const { pullback } = vjp(square, [tensor([3])]);
  using double = compile((x: Tensor) => mul(x, 2));
  double(tensor([1]));
  expect(double.explain()[0]).toMatchObject({ captured: true });
  expect(await pushforward([tensor([1])]).array()).toEqual([6]);
  expect(await pullback(tensor([1]))[0].array()).toEqual([6]);
  pushforward.dispose();
  pullback.dispose();
});
