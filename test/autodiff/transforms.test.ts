/** @file Transforms of functions of trees against JAX, their higher derivatives, errors, and memory. */
import { beforeAll, describe, expect, test } from 'vitest';
import {
  add,
  cast,
  compile,
  customGradient,
  customJvp,
  div,
  exp,
  grad,
  grads,
  hessian,
  hvp,
  identity,
  init,
  jacfwd,
  jacobian,
  jvp,
  linearize,
  log,
  matMul,
  mean,
  memory,
  mul,
  onesLike,
  pow,
  prod,
  ShapeError,
  sin,
  slice,
  square,
  sub,
  sum,
  TapeError,
  type Tensor,
  tanh,
  tensor,
  tidy,
  valueAndGrad,
  valueAndGrads,
  ValueError,
  vjp,
} from '../../src/index.ts';
import { expectJax, inputsOf } from './jaxCases.ts';

interface Dense {
  kernel: Tensor;
  bias: Tensor;
}
interface Params {
  layers: [Dense, Dense];
  scale: Tensor;
}
interface Wave {
  w: Tensor;
  b: Tensor;
}

beforeAll(async () => {
  await init();
});

function predict({ layers: [first, second], scale }: Params, x: Tensor): Tensor {
  const h = tanh(add(matMul(x, first.kernel), first.bias));
  return mul(scale, add(matMul(h, second.kernel), second.bias));
}

const loss = (p: Params, x: Tensor, y: Tensor) => mean(square(sub(predict(p, x), y)));
const wave = ({ w, b }: Wave, x: Tensor) => ({ sum: add(sin(matMul(w, x)), b), dot: mul(sum(mul(w, w)), x) });
const energy = (v: Tensor) => (p: Wave) =>
  add(sum(mul(sin(matMul(p.w, v)), p.b)), sum(mul(square(p.b), p.b)));
const mixed = (v: Tensor) => add(prod(v), sum(exp(mul(v, slice(v, { begin: [0], size: [1] })))));

describe('against JAX', () => {
  test('grad of a tree', async () => {
    const [params, x, y] = inputsOf<[Params, Tensor, Tensor]>('grad of a tree');
    const both = valueAndGrad((p: Params) => loss(p, x, y))(params);
    await expectJax('grad of a tree', [both.value, both.grad]);
    const listed = valueAndGrads((p: Params) => loss(p, x, y))([params]);
    await expectJax('grad of a tree', [listed.value, listed.grads[0]]);
  });

  test('argnums', async () => {
    const [params, x, y] = inputsOf<[Params, Tensor, Tensor]>('argnums');
    await expectJax('argnums', grad(loss, { argnums: [0, 2] })(params, x, y));
  });

  test('hasAux', async () => {
    const [params, x, y] = inputsOf<[Params, Tensor, Tensor]>('hasAux');
    const withAux = (p: Params) => {
      const prediction = predict(p, x);
      return [mean(square(sub(prediction, y))), { prediction }] as const;
    };
    const { grad: gradient, aux } = grad(withAux, { hasAux: true })(params);
    await expectJax('hasAux', [gradient, aux]);
    const listed = grads(withAux, { hasAux: true })([params]);
    await expectJax('hasAux', [listed.grads[0], listed.aux]);
    const all = vjp(withAux, [params], { hasAux: true });
    await expectJax('hasAux', [all.pullback(onesLike(all.value))[0], all.aux]);
    all.pullback.dispose();
  });

  test('vjp', async () => {
    const [p, x, dy] = inputsOf<[Wave, Tensor, { sum: Tensor; dot: Tensor }]>('vjp');
    const { pullback } = vjp(wave, [p, x]);
    await expectJax('vjp', pullback(dy));
    // Again, with keys in another order.
    await expectJax('vjp', pullback({ dot: dy.dot, sum: dy.sum }));
    pullback.dispose();
    expect(() => pullback(dy)).toThrow(TapeError);
  });

  test('jvp and linearize', async () => {
    const [p, x, dp, dx] = inputsOf<[Wave, Tensor, Wave, Tensor]>('jvp');
    const { value, tangent } = jvp(wave, [p, x], [dp, dx]);
    await expectJax('jvp', [value, tangent]);
    const { value: same, pushforward } = linearize(wave, [p, x]);
    await expectJax('jvp', [same, pushforward([dp, dx])]);
    await expectJax('jvp', [same, pushforward([dp, dx])]);
    pushforward.dispose();
  });

  test('Jacobians', async () => {
    const [p, v] = inputsOf<[Wave, Tensor]>('jacobian');
    await expectJax('jacobian', jacobian((q: Wave) => wave(q, v))(p));
    await expectJax('jacobian', jacfwd((q: Wave) => wave(q, v))(p));
    await expectJax('jacfwd', jacfwd((x: Tensor) => wave(p, x))(v));
    await expectJax('jacfwd', jacobian((x: Tensor) => wave(p, x))(v));
  });

  test('Hessians', async () => {
    const [p, v] = inputsOf<[Wave, Tensor]>('hessian of a tree');
    await expectJax('hessian of a tree', hessian(energy(v))(p));
    const [x] = inputsOf<[Tensor]>('hessian');
    await expectJax('hessian', hessian(mixed)(x));
    await expectJax('hessian', jacfwd(grad(mixed))(x));
    await expectJax('hessian', jacobian(grad(mixed))(x));
  });
});

test('customJvp replaces the derivative, in both modes and of every order', async () => {
  const softplus = customJvp(
    (x) => log(add(1, exp(x))),
    ([x], [dx]) => mul(sub(1, div(1, add(1, exp(x as Tensor)))), dx as Tensor),
  );
  // Naively, the gradient at 100 would be NaN.
  const [x] = [tensor([0, 100])];
  expect(await grad(softplus)(x).array()).toEqual([0.5, 1]);
  expect(await jvp(softplus, [x], [tensor([2, 3])]).tangent.array()).toEqual([1, 3]);
  expect((await grad(grad(softplus))(tensor([0])).array()) as number[]).toEqual([0.25]);
  const third = (await grad(grad(grad(softplus)))(tensor([1])).array()) as number[];
  const s = 1 / (1 + Math.exp(-1));
  expect(third[0]).toBeCloseTo(s * (1 - s) * (1 - 2 * s), 5);
  const product = customJvp(
    (a, b) => mul(a, b),
    ([a, b], [da, db]) => add(mul(da as Tensor, b as Tensor), mul(a as Tensor, mul(db as Tensor, 10))),
  );
  const [da, db] = grads(product)([tensor([2]), tensor([3])]);
  expect([await da?.array(), await db?.array()]).toEqual([[3], [20]]);
  const wrong = customJvp(square, () => tensor([1, 2, 3]));
  expect(() => grad(wrong)(x)).toThrow(/one tensor in its shape/);
  expect(() => customJvp(square, 3 as never)).toThrow(/`rule` is a function/);
});

test('work inside compile, with one recording', async () => {
  const step = compile((p: Wave, v: Tensor) => {
    const { value, pullback } = vjp((q: Wave) => wave(q, v).sum, [p]);
    return { pulled: pullback(onesLike(value))[0], second: hessian(energy(v))(p).w.b };
  });
  const [p, v] = inputsOf<[Wave, Tensor]>('hessian of a tree');
  const first = await step(p, v).second.data();
  expect(Array.from(await step(p, v).second.data())).toEqual(Array.from(first));
  expect(step.explain()).toMatchObject([{ captured: true, reason: null }]);
  step.dispose();
});

test('leave nothing behind but their results', async () => {
  const [p, v] = inputsOf<[Wave, Tensor]>('hessian of a tree');
  const useAll = () =>
    tidy(() => {
      const { pullback } = vjp(wave, [p, v]);
      pullback(wave(p, v));
      linearize(wave, [p, v]).pushforward([p, v]);
      hessian(energy(v))(p);
      jacfwd(square)(v);
      // A pullback that leaves the scope lives on.
      return vjp(square, [v]).pullback;
    });
  // Scalars among the operands are cached at their first use.
  useAll().dispose();
  await v.data();
  const before = memory();
  const kept = useAll();
  const [pulled] = kept(v);
  expect(await pulled.data()).toHaveLength(3);
  pulled.dispose();
  kept.dispose();
  expect(memory().openTapes).toBe(before.openTapes);
  expect(memory().tensors).toBe(before.tensors);
  expect(memory().bytes).toBe(before.bytes);
});

test('linear maps that are disposed of leave nothing behind outside a scope, also of an input given twice', () => {
  const x = tensor([1, 2]);
  const product = (a: Tensor, b: Tensor) => mul(square(a), b);
  const useAll = () => {
    const back = vjp(product, [x, x]);
    const forward = linearize(product, [x, x]);
    const results = [...back.pullback(x), forward.pushforward([x, x]), back.value, forward.value];
    back.pullback.dispose();
    forward.pushforward.dispose();
    for (const result of results) result.dispose();
  };
  useAll();
  const { tensors, bytes, openTapes } = memory();
  useAll();
  expect(memory()).toMatchObject({ tensors, bytes, openTapes });
});

test('values are freed as the backward passes read them', () => {
  const x = tensor(new Float32Array(16384).fill(0.5));
  const held: number[] = [];
  const noted = customGradient((given) => ({
    value: identity(given),
    gradient: (dy) => {
      held.push(memory().bytes - before);
      return identity(dy);
    },
  }));
  const deep = (given: Tensor) =>
    tidy(() => {
      let h = noted(given);
      for (let i = 0; i < 16; i++) h = square(h);
      return sum(h);
    });
  const before = memory().bytes;
  tidy(() => void grad(deep)(x));
  expect(held[0]).toBeLessThan(8 * x.bytes);
});

test('error messages', () => {
  const [x, n] = [tensor([1, 2]), tensor([1, 2], { dtype: 'int32' })];
  expect(() => hessian(square)(x)).toThrow(/returns a scalar[\s\S]*float32\[2\][\s\S]*sum or mean/);
  expect(() => grad((p: { a: Tensor }) => sum(cast(p.a, 'float32')))({ a: n })).toThrow(
    /input 0\.a: int32\[2\][\s\S]*argnums/,
  );
  expect(() => vjp(square, [n])).toThrow(/inputs\[0\]: int32/);
  expect(() => grad((p: { a: [Tensor, number] }) => p.a[0])({ a: [x, 3] })).toThrow(/input 0\.a\[1\]: 3/);
  expect(() => grad((_: object) => sum(square(x)))({} as never)).toThrow(/input 0: \{\}/);
  const { pullback } = vjp((p: { a: Tensor; b: Tensor }) => ({ y: mul(p.a, p.b) }), [{ a: x, b: x }]);
  expect(() => pullback({ z: x } as never)).toThrow(/same structure[\s\S]*\{z: \*\} for \{y: \*\}/);
  expect(() => pullback({ y: tensor([1]) })).toThrow(ShapeError);
  pullback.dispose();
  expect(() => jvp(square, [x], [])).toThrow(TapeError);
  expect(() => jvp(square, x as never, [x])).toThrow(/one list/);
  expect(() => hvp(square, [x], [n, n])).toThrow(/same structure/);
  expect(() => linearize(() => 3 as never, [x])).toThrow(/the value: 3/);
  expect(() => grad(loss, { argnums: 3 })({} as never, x, x)).toThrow(/input 3: undefined/);
  expect(() => grad(square, { hasAux: true } as never)(x)).toThrow(/with hasAux a pair/);
  expect(() => grad(square, { hasaux: true } as never)(x)).toThrow(ValueError);
  expect(() => vjp(square, [x], { aux: true } as never)).toThrow(ValueError);
  const cyclic: { a?: object } = {};
  cyclic.a = cyclic;
  expect(() => grad(() => x)(cyclic as never)).toThrow(ValueError);
});

test('inputs without influence', async () => {
  const [x, y] = [tensor([1, 2]), tensor([3])];
  const onlyX = (a: Tensor, _: Tensor) => sum(pow(a, 2));
  expect(() => grads(onlyX)([x, y])).toThrow(/no gradient for input 1/);
  const [, dy] = grads(onlyX, { unconnectedGradients: 'zero' })([x, y]);
  expect(await dy?.array()).toEqual([0]);
  const { pullback } = vjp(onlyX, [x, y]);
  expect(await pullback(tensor(1))[1].array()).toEqual([0]);
  pullback.dispose();
  const second = hessian(({ a }: { a: Tensor; b: Tensor }) => sum(square(a)))({ a: x, b: y });
  expect([await second.a.a.array(), await second.b.b.array()]).toEqual([
    [
      [2, 0],
      [0, 2],
    ],
    [[0]],
  ]);
});
