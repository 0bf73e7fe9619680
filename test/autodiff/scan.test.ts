/** @file scan against JAX: values, gradients, second derivatives, captures, errors, and memory. */
import { beforeAll, describe, expect, test } from 'vitest';
import {
  add,
  cast,
  compile,
  dropout,
  GradientTape,
  grad,
  init,
  jvp,
  matMul,
  memory,
  mul,
  range,
  reshape,
  ShapeError,
  scan,
  square,
  sum,
  TapeError,
  type Tensor,
  tanh,
  tensor,
  tidy,
  ValueError,
  variable,
  vmap,
} from '../../src/index.ts';
import { expectJax, inputsOf } from './jaxCases.ts';

beforeAll(async () => {
  await init();
});

type Weights = [w: Tensor, u: Tensor, init: Tensor, xs: Tensor];

const cell = (w: Tensor, u: Tensor) => (h: Tensor, x: Tensor) => {
  const next = tanh(add(matMul(h, w), matMul(x, u)));
  return [next, sum(mul(next, next), { axis: -1 })] as const;
};

const loss =
  (options = {}) =>
  (w: Tensor, u: Tensor, start: Tensor, xs: Tensor) => {
    const [last, ys] = scan(cell(w, u), start, xs, options);
    return add(sum(last), sum(mul(ys, reshape(range(1, 7), { shape: [6, 1] }))));
  };
const every = [0, 1, 2, 3] as const;

describe('against JAX', () => {
  test('values', async () => {
    const [w, u, start, xs] = inputsOf<Weights>('scan');
    await expectJax('scan', scan(cell(w, u), start, xs));
    await expectJax('scan in reverse', scan(cell(w, u), start, xs, { reverse: true }));
    const sums = scan(
      ({ a, b }: { a: Tensor; b: Tensor }) => [{ b: add(a, b), a: b }, b] as const,
      { a: tensor(0, { dtype: 'int32' }), b: tensor(1, { dtype: 'int32' }) },
      null,
      { length: 8 },
    );
    await expectJax('scan of a tree', sums);
  });

  test('gradients, of tensors from outside too', async () => {
    const all = inputsOf<Weights>('grad of scan');
    await expectJax('grad of scan', grad(loss(), { argnums: every })(...all));
    await expectJax('grad of scan in reverse', grad(loss({ reverse: true }), { argnums: every })(...all));
    const [w, u] = [variable(all[0]), variable(all[1])];
    using tape = new GradientTape();
    const value = loss()(w, u, all[2], all[3]);
    const [dw, du] = tape.gradient(value, [w, u]);
    const wanted = grad(loss(), { argnums: [0, 1] })(...all);
    expect([await dw?.array(), await du?.array()]).toEqual([
      await wanted[0].array(),
      await wanted[1].array(),
    ]);
  });

  test('second derivatives', async () => {
    const [all, tangents] = inputsOf<[Weights, Weights]>('hvp of scan');
    const gradients = (w: Tensor, u: Tensor, start: Tensor, xs: Tensor) =>
      grad(loss(), { argnums: every })(w, u, start, xs);
    await expectJax('hvp of scan', jvp(gradients, all, tangents).tangent);
  });

  test('inside vmap', async () => {
    const [w, u, starts, sequences] = inputsOf<Weights>('vmap of scan');
    const ofOne = (start: Tensor, xs: Tensor) => grad((t: Tensor) => loss()(t, u, start, xs))(w);
    await expectJax('vmap of scan', vmap(ofOne, { inAxes: [0, 1] })(starts, sequences));
    const total = (t: Tensor) =>
      sum(
        vmap((start: Tensor, xs: Tensor) => loss()(t, u, start, xs), { inAxes: [0, 1] })(starts, sequences),
      );
    const summed = sum(vmap(ofOne, { inAxes: [0, 1] })(starts, sequences), { axis: 0 });
    const [found, wanted] = [await grad(total)(w).data(), await summed.data()];
    for (const [i, v] of found.entries()) expect(v).toBeCloseTo(wanted[i] as number, 4);
  });
});

test('the body runs twice, whatever the number of steps', async () => {
  let runs = 0;
  const xs = range(0, 100);
  const accumulate = (carry: Tensor, x: Tensor) => {
    runs++;
    const next = add(carry, x);
    return [next, next] as const;
  };
  const [last, all] = scan(accumulate, tensor(0), xs);
  expect(runs).toBe(2);
  expect(await last.item()).toBe(4950);
  expect(Array.from(await all.data()).slice(0, 5)).toEqual([0, 1, 3, 6, 10]);
  // Twice forward and twice backward.
  const dx = grad((t: Tensor) => scan(accumulate, tensor(0), t)[0])(xs);
  expect(runs).toBe(6);
  expect(new Set(await dx.data())).toEqual(new Set([1]));
});

test('works inside compile', async () => {
  const [w, u, start, xs] = inputsOf<Weights>('grad of scan');
  using step = compile((...all: Weights) => grad(loss(), { argnums: every })(...all));
  await expectJax('grad of scan', step(w, u, start, xs));
  await expectJax('grad of scan', step(w, u, start, xs));
  expect(step.explain()).toMatchObject([{ captured: true, reason: null, frozen: [] }]);
});

test('steps draw their own random numbers, and the gradient draws them again', async () => {
  const xs = tensor(new Float32Array(5 * 64).fill(1), { shape: [5, 64] });
  const f = (t: Tensor) =>
    scan((c: Tensor, x: Tensor) => [c, dropout(x, { rate: 0.5 })] as const, tensor(0), t)[1];
  using tape = new GradientTape();
  tape.watch(xs);
  const ys = f(xs);
  const dx = tape.gradient(ys, xs);
  const dropped = await ys.array();
  expect(await dx?.array()).toEqual(dropped);
  expect(new Set((dropped as number[][]).map(String)).size).toBe(5);
});

test('loops of no step, and of bodies that return what they get', async () => {
  const start = tensor([1, 2]);
  const [same, ys] = scan(
    (c: Tensor, x: Tensor) => [c, mul(c, x)] as const,
    start,
    tensor([], { shape: [0, 2] }),
  );
  expect(ys.shape).toEqual([0, 2]);
  expect(await same.array()).toEqual([1, 2]);
  const counts = tensor([], { shape: [0], dtype: 'int32' });
  const counted = scan(
    (c: Tensor, n: Tensor) => [add(c, n), n] as const,
    tensor(5, { dtype: 'int32' }),
    counts,
  );
  expect(counted.map(({ dtype }) => dtype)).toEqual(['int32', 'int32']);
  const echo = (c: Tensor, x: Tensor) => [c, { c, x, start }] as const;
  const [last, all] = scan(echo, start, tensor([[3], [4]]));
  expect(await last.array()).toEqual([1, 2]);
  expect(await all.c.array()).toEqual([
    [1, 2],
    [1, 2],
  ]);
  expect(await all.x.array()).toEqual([[3], [4]]);
  expect(await all.start.array()).toEqual([
    [1, 2],
    [1, 2],
  ]);
  expect(scan((c: Tensor) => [square(c), null] as const, start, null, { length: 2 })[1]).toBeNull();
});

test('leaves nothing behind', async () => {
  const [w, u, start, xs] = inputsOf<Weights>('grad of scan');
  const run = () =>
    tidy(() => {
      grad(loss(), { argnums: every })(w, u, start, xs);
      scan(cell(w, u), start, xs);
    });
  run();
  await w.data();
  const before = memory();
  run();
  await w.data();
  expect(memory().tensors).toBe(before.tensors);
  expect(memory().bytes).toBe(before.bytes);
  expect(memory().openTapes).toBe(before.openTapes);
});

test('error messages', () => {
  const [c, xs] = [
    tensor([1, 2]),
    tensor([
      [1, 2],
      [3, 4],
    ]),
  ];
  const grows = (t: Tensor, x: Tensor) => [reshape(add(t, x), { shape: [1, 2] }), null] as const;
  expect(() => scan(grows, c, xs)).toThrow(/keeps its structure, shapes and dtypes[\s\S]*float32\[1, 2\]/);
  expect(() => scan((t: Tensor) => [cast(t, 'int32'), null], c, xs)).toThrow(/int32\[2\]/);
  expect(() => scan((t: Tensor) => [[t, t] as never, null], c, xs)).toThrow(/\[\*, \*\]/);
  expect(() => scan((t: Tensor) => t as never, c, xs)).toThrow(/returns a pair/);
  expect(() => scan((t: Tensor) => [t, 3], c, xs)).toThrow(/y: 3/);
  expect(() => scan((t: Tensor) => [t, t], c, { a: xs, b: c } as never)).not.toThrow();
  expect(() => scan((t: Tensor) => [t, t], c, [xs, tensor([1])])).toThrow(ShapeError);
  expect(() => scan((t: Tensor) => [t, t], c, tensor(1))).toThrow(/first axis/);
  expect(() => scan((t: Tensor) => [t, t], c, xs, { length: 3 })).toThrow(/length: 3/);
  expect(() => scan((t: Tensor) => [t, t], c, null)).toThrow(ValueError);
  expect(() => scan((t: Tensor) => [t, t], 1 as never, xs)).toThrow(TapeError);
  expect(() => scan(3 as never, c, xs)).toThrow(TapeError);
  expect(() => scan((t: Tensor) => [t, t], c, xs, { reversed: true } as never)).toThrow(
    /^scan: .*did you mean/s,
  );
});
