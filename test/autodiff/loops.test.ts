/** @file Loops and functions with custom gradients: which runs of their bodies happen, and which inputs get a gradient. */
import { beforeAll, describe, expect, test } from 'vitest';
import {
  add,
  cast,
  checkpoint,
  compile,
  customGradient,
  customJvp,
  dropout,
  GradientTape,
  grad,
  identity,
  init,
  memory,
  mul,
  resetPeakMemory,
  scan,
  square,
  sum,
  type Tensor,
  tensor,
  tidy,
  variable,
  vmap,
} from '../../src/index.ts';
import { installNodeGpu } from '../support/gpu.ts';

beforeAll(async () => {
  await installNodeGpu();
  await init();
});

describe('scan', () => {
  /** Returns the sum of xs by a loop, and how often its body ran. */
  const counted = () => {
    const state = { runs: 0 };
    const total = (xs: Tensor) =>
      scan(
        (carry: Tensor, x: Tensor) => {
          state.runs++;
          return [add(carry, x), null] as const;
        },
        tensor(0),
        xs,
      )[0];
    return { state, total };
  };
  const range = (n: number) => tensor(Array.from({ length: n }, (_, i) => i + 1));

  test('runs its body at each of up to three steps; of more steps, at two', async () => {
    const { state, total } = counted();
    const runs: number[] = [];
    for (const length of [1, 2, 3, 4, 5]) {
      const before = state.runs;
      expect(await total(range(length)).item()).toBe((length * (length + 1)) / 2);
      runs.push(state.runs - before);
    }
    expect(runs).toEqual([1, 2, 3, 2, 2]);
  });

  test('runs its body at each step inside compile and inside vmap', async () => {
    const { state, total } = counted();
    using compiled = compile(total);
    compiled(range(5));
    expect(state.runs).toBe(5);
    const xs = tensor([
      [1, 2, 3, 4, 5],
      [6, 7, 8, 9, 10],
    ]);
    expect(await vmap(total)(xs).array()).toEqual([15, 40]);
    expect(state.runs).toBe(10);
    // What is mapped comes from outside of the loop.
    let runs = 0;
    const scaled = (by: Tensor) =>
      scan(
        (carry: Tensor) => {
          runs++;
          return [mul(by, carry), null] as const;
        },
        tensor(1),
        null,
        { length: 5 },
      )[0];
    expect(await vmap(scaled)(tensor([1, 2])).array()).toEqual([1, 32]);
    expect(runs).toBe(5);
    // Also where only the results are mapped.
    const multiples = (by: Tensor) =>
      scan((n: Tensor) => [add(n, 1), mul(by, n)] as const, tensor(0), null, { length: 5 })[1];
    expect(await vmap(multiples)(tensor([1, 2])).array()).toEqual([
      [0, 1, 2, 3, 4],
      [0, 2, 4, 6, 8],
    ]);
  });

  test('gives floats a gradient, integers none, in carries, xs and results', async () => {
    const n = tensor(0, { dtype: 'int32' });
    const [x0, xs, ns] = [tensor(2), tensor([1, 2, 3]), tensor([5, 6, 7], { dtype: 'int32' })];
    using tape = new GradientTape({ persistent: true });
    tape.watch([x0, xs]);
    const [carry, ys] = scan(
      (before: { n: Tensor; x: Tensor }, given: { k: Tensor; x: Tensor }) => {
        const after = { n: add(before.n, given.k), x: mul(before.x, given.x) };
        return [after, { count: after.n, value: mul(after.x, cast(given.k, 'float32')) }] as const;
      },
      { n, x: x0 },
      { k: ns, x: xs },
    );
    expect([await carry.n.item(), await carry.x.item()]).toEqual([18, 12]);
    expect(await ys.count.array()).toEqual([5, 11, 18]);
    expect(await ys.value.array()).toEqual([10, 24, 84]);
    const gradients = tape.gradient(carry.x, [n, x0, xs, ns]);
    expect(await Promise.all(gradients.map((g) => g?.array()))).toEqual([
      undefined,
      6,
      [12, 6, 4],
      undefined,
    ]);
    const [dx0, dxs] = tape.gradient(ys.value, [x0, xs]);
    expect(await dx0?.array()).toBe(5 + 12 + 42);
    expect(await dxs?.array()).toEqual([10 + 24 + 84, 12 + 42, 28]);
    expect(tape.gradient(cast(carry.n, 'float32'), x0)).toBeNull();
  });

  test('gives tensors and variables from outside a gradient, each once', async () => {
    const [w, c, k] = [variable(tensor([2])), tensor([3]), tensor([1], { dtype: 'int32' })];
    using tape = new GradientTape();
    tape.watch(c);
    const [last] = scan(
      (carry: Tensor, x: Tensor) =>
        [add(mul(mul(carry, w), w), mul(mul(x, c), cast(k, 'float32'))), null] as const,
      tensor([1]),
      tensor([[1], [1]]),
    );
    // ((w² + c) w² + c), so that the derivatives are 4 w³ + 2 w c and w² + 1.
    expect(await last.array()).toEqual([31]);
    // The carry, the xs, w and c.
    expect(last.kerasHistory?.node.inputs).toHaveLength(4);
    const [dw, dc] = tape.gradient(last, [w, c]);
    expect([await dw?.array(), await dc?.array()]).toEqual([[44], [5]]);
  });

  test('of no step passes the gradient of the carry on, and zeros to xs and tensors from outside', async () => {
    const [x0, xs, w] = [tensor([1, 2]), tensor([], { shape: [0, 2] }), variable(tensor([3, 4]))];
    using tape = new GradientTape();
    tape.watch([x0, xs]);
    const [last] = scan((carry: Tensor, x: Tensor) => [add(mul(carry, w), x), null] as const, x0, xs);
    const [dx0, dxs, dw] = tape.gradient(sum(square(last)), [x0, xs, w]);
    expect(await dx0?.array()).toEqual([2, 4]);
    expect(dxs?.shape).toEqual([0, 2]);
    expect(await dw?.array()).toEqual([0, 0]);
  });

  test('without xs runs `length` steps, with results or without', async () => {
    const double = (carry: Tensor, x: null) => [mul(carry, 2), x === null ? carry : null] as const;
    const [last, all] = scan(double, tensor(1), null, { length: 4 });
    expect([await last.item(), await all?.array()]).toEqual([16, [1, 2, 4, 8]]);
    const [same, none] = scan((c: Tensor) => [c, undefined] as const, tensor(1), undefined, { length: 2 });
    expect([await same.item(), none]).toEqual([1, null]);
    expect(await scan(double, tensor(1), null, { length: 0 })[0].item()).toBe(1);
    expect(
      scan((c: Tensor, x: Tensor) => [c, x] as const, tensor(1), range(3), { length: 3 })[1].shape,
    ).toEqual([3]);
  });

  test('in reverse gives each result the place of its input', async () => {
    const [last, ys] = scan(
      (carry: Tensor, x: Tensor) => [x, carry] as const,
      tensor(0),
      tensor([1, 2, 3, 4, 5]),
      { reverse: true },
    );
    expect([await last.item(), await ys.array()]).toEqual([1, [2, 3, 4, 5, 0]]);
  });

  test('leaves nothing behind, whether or not a tape records', () => {
    const xs = range(5);
    const w = variable(tensor(2));
    const zero = tensor(0);
    const loop = () =>
      scan((carry: Tensor, x: Tensor) => [add(mul(carry, w), x), square(carry)] as const, zero, xs);
    const run = () =>
      tidy(() => {
        loop();
        using tape = new GradientTape();
        tape.gradient(loop()[0], w);
      });
    run();
    const before = memory();
    run();
    expect(memory()).toMatchObject({
      tensors: before.tensors,
      bytes: before.bytes,
      openTapes: before.openTapes,
    });
    // Nothing records: only the results are kept, not the carries.
    const [last, ys] = loop();
    expect(memory().tensors).toBe(before.tensors + 2);
    last.dispose();
    ys.dispose();
    // Nor does a tape that is closed leave handles on tensors from outside.
    {
      using _tape = new GradientTape();
      for (const result of loop()) result.dispose();
    }
    const by = tensor(2);
    const other = scan((carry: Tensor) => [mul(carry, by), null] as const, zero, null, { length: 2 });
    other[0].dispose();
    {
      using tape = new GradientTape();
      tape.watch(by);
      scan((carry: Tensor) => [mul(carry, by), null] as const, zero, null, { length: 2 })[0].dispose();
    }
    by.dispose();
    expect(memory().tensors).toBe(before.tensors);
  });

  test('holds one carry at a time where nothing records', () => {
    const init = tensor(new Float32Array(16384).fill(1));
    const { bytes } = memory();
    resetPeakMemory();
    tidy(() => void scan((c: Tensor) => [add(c, c), null] as const, init, null, { length: 32 }));
    expect(memory().peakBytes - bytes).toBeLessThan(16 * init.bytes);
  });

  test('keeps what its gradient reads, not the first carry', () => {
    const ones = tensor(new Float32Array(1024).fill(1));
    const { bytes } = memory();
    using tape = new GradientTape();
    const init = square(ones);
    tape.watch(init);
    scan((c: Tensor, n: Tensor) => [add(c, n), null] as const, init, tensor([2, 3]))[0].dispose();
    init.dispose();
    // The carries before each step.
    expect(memory().bytes).toBeLessThan(bytes + 3 * ones.bytes);
  });

  test('adds up gradients of tensors from outside step by step', () => {
    const w = variable(tensor(new Float32Array(4096).fill(1)));
    const last = () =>
      scan((c: Tensor) => [add(c, sum(mul(w, c))), null] as const, tensor(1), null, { length: 16 })[0];
    using step = compile(() => {
      using tape = new GradientTape();
      return tape.gradient(last(), w);
    });
    step();
    // The products of a step, and gradients of two steps, rather than of all.
    expect(step.explain()[0]?.minBytes).toBeLessThan(8 * w.bytes);
  });
});

describe('checkpoint', () => {
  test('computes its function once forward and once backward, with the same random numbers', async () => {
    let runs = 0;
    const noisy = checkpoint((x: Tensor) => {
      runs++;
      return dropout(x, { rate: 0.5 });
    });
    const x = tensor(new Array(64).fill(1));
    using tape = new GradientTape();
    tape.watch(x);
    const y = noisy(x);
    expect(runs).toBe(1);
    expect(await tape.gradient(y, x)?.array()).toEqual(await y.array());
    expect(runs).toBe(2);
  });

  test('gives trainable variables that it uses a gradient, and inputs that are variables one', async () => {
    const [w, frozen] = [variable(tensor([2])), variable(tensor([5]), { trainable: false })];
    const f = checkpoint((x: Tensor) => mul(mul(mul(x, w), w), frozen));
    expect(checkpoint((x: Tensor) => square(x))(tensor([2])).origin).toMatchObject({ op: 'checkpoint' });
    using tape = new GradientTape();
    const y = f(w);
    const [dw, dFrozen] = tape.gradient(y, [w, frozen]);
    // 5 w³.
    expect([await dw?.array(), dFrozen]).toEqual([[60], null]);
    expect(y.kerasHistory).toMatchObject({
      operation: { name: 'checkpoint' },
      node: { inputs: [{ id: w.id }] },
    });
  });

  test('passes nothing to integers', async () => {
    const f = checkpoint((x: Tensor, n: Tensor) => mul(x, cast(n, 'float32')));
    const [x, n] = [tensor([2]), tensor([3], { dtype: 'int32' })];
    using tape = new GradientTape();
    tape.watch(x);
    const [dx, dn] = tape.gradient(f(x, n), [x, n]);
    expect([await dx?.array(), dn]).toEqual([[3], null]);
  });
});

describe('customGradient', () => {
  test('records none of the ops in its function, and has its own history', async () => {
    const f = customGradient((x) => ({ value: x, gradient: (dy) => mul(dy, 7) }));
    const x = tensor([2]);
    using tape = new GradientTape();
    tape.watch(x);
    const y = f(x);
    expect(y.id).not.toBe(x.id);
    expect(tape.trace.map(({ op }) => op.name)).toEqual(['customGradient']);
    expect(y.kerasHistory?.operation.name).toBe('customGradient');
    expect(await tape.gradient(y, x)?.array()).toEqual([7]);
  });

  test('leaves nothing behind where no tape records', () => {
    const f = customGradient((x) => ({ value: square(mul(x, 2)), gradient: (dy) => dy }));
    const x = tensor([2]);
    const run = () => tidy(() => void vmap((row: Tensor) => f(row))(x));
    run();
    const before = memory();
    run();
    expect(memory()).toMatchObject({ tensors: before.tensors, bytes: before.bytes });
  });

  test('saves none of its inputs for the gradient', () => {
    const f = customGradient((x) => ({ value: sum(x), gradient: (dy) => mul(dy, ones) }));
    const ones = tensor(new Float32Array(1024).fill(1));
    const { bytes } = memory();
    using tape = new GradientTape();
    const x = square(ones);
    tape.watch(x);
    f(x);
    x.dispose();
    expect(memory().bytes).toBeLessThan(bytes + ones.bytes);
  });

  test('takes a list of gradients, with null for inputs that get none', async () => {
    const f = customGradient((x, y) => ({ value: mul(x, y), gradient: (dy) => [null, mul(dy, x)] }));
    const [x, y] = [tensor([2]), tensor([3])];
    using tape = new GradientTape();
    tape.watch([x, y]);
    const [dx, dy] = tape.gradient(f(x, y), [x, y]);
    expect([dx, await dy?.array()]).toEqual([null, [2]]);
  });

  test.each<[string, (dy: Tensor) => unknown, RegExp]>([
    ['one gradient for two inputs', (dy) => dy, /one tensor for each input.*1 gradients/s],
    ['another shape', (dy) => [dy, tensor([1, 2])], /2 gradients/],
    ['a number', (dy) => [dy, 3], /2 gradients: .*3/],
    ['nothing', () => undefined, /undefined.*return a list of 2/s],
  ])('rejects %s', (_, gradient, message) => {
    const f = customGradient((x, y) => ({ value: add(x, y), gradient: gradient as never }));
    const x = tensor([1]);
    const derivative = () => grad((given: Tensor) => f(given, tensor([1])))(x);
    expect(derivative).toThrow(/^customGradient: /);
    expect(derivative).toThrow(message);
  });

  test('a shared input of a map gets the sum over examples, also of gradients that are the same for all', async () => {
    const [xs, s] = [tensor([[1], [2], [4]]), tensor([10])];
    const f = customGradient((x, shared) => ({
      value: mul(x, shared),
      gradient: (dy) => [mul(dy, shared), tensor([100])],
    }));
    const g = customGradient((x, shared) => ({
      value: mul(x, shared),
      gradient: (dy) => [mul(dy, shared), mul(dy, x)],
    }));
    const total = (h: typeof f) => (shared: Tensor) => sum(vmap((x: Tensor) => h(x, shared))(xs));
    expect(await grad(total(f))(s).array()).toEqual([300]);
    expect(await grad(total(g))(s).array()).toEqual([7]);
  });

  test('is mapped twice, and differentiated between the maps', async () => {
    const f = customGradient((x, y) => ({
      value: mul(x, y),
      gradient: (dy) => [mul(dy, mul(y, 10)), mul(dy, x)],
    }));
    const derivative = (x: Tensor, y: Tensor) => grad((given: Tensor) => f(given, y))(x);
    const [xs, ys] = [tensor([1, 2]), tensor([3, 4, 5])];
    const table = vmap((x: Tensor) => vmap((y: Tensor) => derivative(x, y))(ys))(xs);
    expect(await table.array()).toEqual([
      [30, 40, 50],
      [30, 40, 50],
    ]);
    const inner = (y: Tensor) => sum(vmap((x: Tensor) => f(x, y))(xs));
    expect(await vmap(grad(inner))(ys).array()).toEqual([3, 3, 3]);
  });
});

describe('customJvp', () => {
  test('has the transpose of its rule as gradient, by each input, and its own history', async () => {
    const f = customJvp(
      (x, y) => identity(mul(x, y)),
      ([x, y], [dx, dy]) => add(mul(mul(dx as Tensor, y as Tensor), 10), mul(dy as Tensor, x as Tensor)),
    );
    const [x, y] = [tensor([2]), tensor([3])];
    using tape = new GradientTape();
    tape.watch([x, y]);
    const value = f(x, y);
    expect(value.kerasHistory?.operation.name).toBe('customJvp');
    expect(tape.trace.map(({ op }) => op.name)).toEqual(['customJvp']);
    const [dx, dy] = tape.gradient(value, [x, y]);
    expect([await dx?.array(), await dy?.array()]).toEqual([[30], [2]]);
  });

  test('has second derivatives by the ops of its rule', async () => {
    const f = customJvp(
      (x) => square(x),
      ([x], [dx]) => mul(mul(square(x as Tensor), dx as Tensor), 3),
    );
    const derivative = (x: Tensor) => grad((given: Tensor) => f(given))(x);
    expect(await derivative(tensor([2])).array()).toEqual([12]);
    expect(await grad(derivative)(tensor([2])).array()).toEqual([12]);
  });

  test.each<[string, unknown, RegExp]>([
    ['another shape', tensor.bind(null, [1, 2]), /one tensor in its shape.*\[2\] for a value float32\[1\]/s],
    ['a number', () => 3, /3 for a value/],
  ])('rejects a tangent of %s', (_, rule, message) => {
    const f = customJvp((x) => square(x), (() => (rule as () => Tensor)()) as never);
    const derivative = () => grad((x: Tensor) => f(x))(tensor([1]));
    expect(derivative).toThrow(/^customJvp: /);
    expect(derivative).toThrow(message);
  });
});
