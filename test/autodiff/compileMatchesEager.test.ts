/** @file A compiled function returns the same as the original at every call: arguments, views, fills, app buffers, bits. */
import { beforeAll, describe, expect, it } from 'vitest';
import {
  add,
  batchNorm,
  cast,
  compile,
  div,
  expandDims,
  fill,
  fromBuffer,
  GradientTape,
  identity,
  init,
  mul,
  neg,
  randomUniform,
  reshape,
  sigmoid,
  square,
  squeeze,
  stopGradient,
  sub,
  sum,
  Tensor,
  tanh,
  tensor,
  variable,
  zeros,
} from '../../src/index.ts';
import type { Device } from '../../src/webgpu/device.ts';
import { installNodeGpu } from '../support/gpu.ts';

let device: Device;
beforeAll(async () => {
  await installNodeGpu();
  device = await init();
});

/** Reads a result: tensors are replaced by their values. */
async function read(result: unknown): Promise<unknown> {
  if (result instanceof Tensor) return [...(await result.data())];
  if (Array.isArray(result)) return Promise.all(result.map(read));
  if (typeof result !== 'object' || result === null) return result;
  const entries = Object.entries(result).map(async ([key, value]) => [key, await read(value)] as const);
  return Object.fromEntries(await Promise.all(entries));
}

/** Calls a compiled `fn` with each list of arguments, three rounds of them, and compares each result with `fn`'s own. */
async function expectSame<A extends readonly unknown[]>(fn: (...args: A) => unknown, calls: readonly A[]) {
  using compiled = compile(fn);
  for (let round = 0; round < 3; round++) {
    for (const args of calls) expect(await read(compiled(...args))).toEqual(await read(fn(...args)));
  }
}

describe('the signature of a call', () => {
  const [one, two] = [() => tensor([1, 2]), () => tensor([10, 20])];

  it('has the names of properties', async () => {
    const f = ({ a, b }: { a?: Tensor; b?: Tensor }) => (a ? mul(a, 2) : mul(b as Tensor, 3));
    await expectSame(f, [[{ a: one() }], [{ b: one() }]]);
  });

  it('has the names of flags', async () => {
    const f = (x: Tensor, { train, test }: { train?: boolean; test?: boolean }) =>
      train ? mul(x, 2) : test ? mul(x, 3) : x;
    await expectSame(f, [
      [one(), { train: true }],
      [one(), { test: true }],
      [one(), {}],
    ]);
  });

  it('has the nesting of lists', async () => {
    const f = (...args: (Tensor | Tensor[])[]) => {
      const [first, second] = args;
      if (Array.isArray(first))
        return add(
          first.reduce((x, y) => add(x, y)),
          second ? mul(second as Tensor, 2) : 1,
        );
      return Array.isArray(second) ? sub(first as Tensor, second[0] as Tensor) : (first as Tensor);
    };
    await expectSame(f, [[[one()], two()], [one(), [two()]], [[one(), two()]], [one(), two()]]);
  });

  it('has the order of properties', async () => {
    const f = (operands: { x: Tensor; y: Tensor }) => {
      const [first, second] = Object.values(operands) as [Tensor, Tensor];
      return [sub(first, second), sub(operands.x, operands.y)];
    };
    await expectSame(f, [[{ x: one(), y: two() }], [{ y: two(), x: one() }]]);
  });

  it('distinguishes empty lists, empty records, null and undefined', async () => {
    const f = (x: Tensor, ...rest: unknown[]) =>
      add(x, rest.length * 10 + (Array.isArray(rest[0]) ? 1 : rest[0] === null ? 2 : rest[0] ? 3 : 4));
    await expectSame(f, [[one(), []], [one(), {}], [one(), null], [one(), undefined], [one()]]);
  });

  it('distinguishes numbers, strings and booleans', async () => {
    const f = (x: Tensor, value: unknown) =>
      Object.is(value, -0) ? neg(x) : add(x, `${typeof value} ${String(value)}`.length);
    const values = [0, -0, '0', '', 'a', 'a, string b', 'a"', true, 'true', 1, 1n, Number.NaN, 'NaN'];
    await expectSame(
      f,
      values.map((value) => [one(), value] as [Tensor, unknown]),
    );
  });

  it('is not confused by separators in strings', async () => {
    const f = (x: Tensor, ...words: string[]) => add(x, words.length * 100 + (words[0] as string).length);
    await expectSame(f, [
      [one(), 'a', 'b'],
      [one(), 'a,b'],
      [one(), 'a","b'],
      [one(), 'a, string b'],
    ]);
  });

  it('distinguishes two tensors from one that is passed twice', async () => {
    const f = (x: Tensor, y: Tensor) => {
      using tape = new GradientTape();
      tape.watch(x);
      return tape.gradient(sum(mul(x, y)), x) as Tensor;
    };
    const shared = one();
    await expectSame(f, [
      [shared, shared],
      [one(), two()],
    ]);
  });

  it('has `this`', async () => {
    const double = { factor: 2, run: compile(scale) };
    const triple = { factor: 3, run: double.run };
    function scale(this: { factor: number }, x: Tensor) {
      return mul(x, this.factor);
    }
    for (let i = 0; i < 2; i++) {
      expect(await double.run(one()).array()).toEqual([2, 4]);
      expect(await triple.run(one()).array()).toEqual([3, 6]);
    }
  });

  it('leaves calls uncaptured whose arguments can change their contents', async () => {
    const f = compile((x: Tensor, options: Map<string, number>) => mul(x, options.get('by') as number));
    const options = new Map([['by', 2]]);
    expect(await f(one(), options).array()).toEqual([2, 4]);
    options.set('by', 3);
    expect(await f(one(), options).array()).toEqual([3, 6]);
    expect(f.explain()).toEqual([
      expect.objectContaining({ captured: false, reason: expect.stringContaining('a Map') }),
    ]);
    const values = new Float32Array([5, 6]);
    const g = compile((x: Tensor, y: Float32Array) => add(x, tensor(y)));
    expect(await g(one(), values).array()).toEqual([6, 8]);
    values[0] = 7;
    expect(await g(one(), values).array()).toEqual([8, 8]);
  });
});

describe('results that share the values of a variable', () => {
  const views: Record<string, (x: Tensor) => Tensor> = {
    identity,
    reshape: (x) => reshape(x, { shape: [2, 1] }),
    expandDims: (x) => expandDims(x, { axis: 0 }),
    squeeze: (x) => squeeze(expandDims(x, { axis: 0 })),
    stopGradient,
    cast: (x) => cast(x, { dtype: 'float32' }),
    'identity of identity': (x) => identity(identity(x)),
  };

  it.each(Object.entries(views))('are those at the time of the call: %s', async (_, view) => {
    const counters = [0, 1].map(() => variable(tensor([1, 2])));
    const step = (v: ReturnType<typeof variable>) => () => {
      const before = view(v);
      v.assign(add(v, 1));
      return { before, again: view(v) };
    };
    const [plain, other] = counters.map(step) as [ReturnType<typeof step>, ReturnType<typeof step>];
    using compiled = compile(other);
    for (let i = 0; i < 4; i++) {
      const [expected, given] = [plain(), compiled()];
      expect(await read(given)).toEqual(await read(expected));
    }
    expect(compiled.explain()[0]?.captured).toBe(true);
  });

  it('replay where nothing is assigned, and follow assignments from outside', async () => {
    const v = variable(tensor([1, 2]));
    using compiled = compile(() => identity(v));
    const first = compiled();
    v.assign(tensor([3, 4]));
    const second = compiled();
    v.assign(tensor([5, 6]));
    expect(await first.array()).toEqual([1, 2]);
    expect(await second.array()).toEqual([3, 4]);
    expect(await compiled().array()).toEqual([5, 6]);
  });

  it('leave tensors from outside alone', async () => {
    const outside = tensor([1, 2]);
    using compiled = compile((x: Tensor) => [add(x, outside), outside, x] as const);
    const x = tensor([1, 1]);
    for (let i = 0; i < 3; i++) {
      const [total, given, back] = compiled(x);
      expect(await read([total, given, back])).toEqual([
        [2, 3],
        [1, 2],
        [1, 1],
      ]);
      given.dispose();
      back.dispose();
    }
    expect(await outside.array()).toEqual([1, 2]);
    expect(await x.array()).toEqual([1, 1]);
  });
});

describe('fills', () => {
  it('are kept where a reader is not fused', async () => {
    const [m, v, b] = [tensor([0.1, 0.2, 0.3]), tensor([1, 2, 3]), tensor([4, 5, 6])];
    await expectSame(() => batchNorm(zeros([3, 8]), m, v, null, b, { axis: 0 }), [[]]);
  });
});

describe('buffers of the app', () => {
  it('are read again at every call', async () => {
    const buffer = device.gpu.createBuffer({
      size: 16,
      usage: GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_DST | GPUBufferUsage.COPY_SRC,
    });
    const write = (values: number[]) => device.gpu.queue.writeBuffer(buffer, 0, new Float32Array(values));
    write([1, 2, 3, 4]);
    const x = fromBuffer(buffer, { shape: [4] });
    const view = reshape(x, { shape: [2, 2] });
    using f = compile((t: Tensor) => mul(t, 2));
    for (const values of [
      [1, 2, 3, 4],
      [5, 6, 7, 8],
      [9, 9, 9, 9],
    ]) {
      write(values);
      expect(await f(x).array()).toEqual(values.map((n) => 2 * n));
      expect((await f(view).data()).join()).toEqual(values.map((n) => 2 * n).join());
    }
  });

  it('are read again where a tensor gave its own buffer away', async () => {
    const x = tensor([1, 2, 3, 4]);
    using f = compile((t: Tensor) => mul(t, 2));
    expect(await f(x).array()).toEqual([2, 4, 6, 8]);
    device.gpu.queue.writeBuffer(x.buffer, x.bufferOffset, new Float32Array([5, 6, 7, 8]));
    expect(await f(x).array()).toEqual([10, 12, 14, 16]);
  });
});

describe('replays have the bits of the recording', () => {
  const [a, b, c] = [1, 2, 3].map((seed) => () => randomUniform([1000], { seed, min: -1 }));
  const programs: Record<string, (a: Tensor, b: Tensor, c: Tensor) => Tensor> = {
    'products with a common factor': (a, b, c) => add(mul(a, c), mul(b, c)),
    'a product and a sum': (a, b, c) => add(mul(a, b), c),
    'a difference of products': (a, b, c) => sub(mul(a, b), mul(b, c)),
    'a sum and a difference that cancel': (a, b) => add(sub(a, b), b),
    'a quotient of a product': (a, b) => div(mul(a, b), b),
    'a quotient of quotients': (a, b, c) => div(div(a, b), c),
    'a negation of a difference': (a, b, c) => mul(neg(sub(a, b)), c),
    'a gate': (a, b, c) => add(mul(sigmoid(a), b), mul(sub(1, sigmoid(a)), c)),
    'a square of a sum': (a, b) => sub(square(add(a, b)), mul(a, b)),
    'constants in a row': (a) => add(mul(add(mul(a, 0.1), 0.2), 0.3), 0.7),
    'an activation of a gate': (a, b, c) => mul(tanh(add(mul(a, b), c)), sigmoid(sub(mul(a, c), b))),
  };

  it.each(Object.entries(programs))('%s', async (_, program) => {
    using compiled = compile(program);
    const eager = await program(a?.() as Tensor, b?.() as Tensor, c?.() as Tensor).data();
    for (let i = 0; i < 3; i++) {
      const data = await compiled(a?.() as Tensor, b?.() as Tensor, c?.() as Tensor).data();
      expect(data).toEqual(eager);
    }
  });

  it('of a constant that a fill made', async () => {
    await expectSame((x: Tensor) => add(mul(x, fill([1000], 0.1)), fill([1000], 0.3)), [[a?.() as Tensor]]);
  });
});
