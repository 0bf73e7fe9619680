/** @file Transforms return trees of the types of their inputs. */
import { beforeAll, expect, expectTypeOf, test } from 'vitest';
import {
  grad,
  grads,
  hessian,
  init,
  jacfwd,
  jvp,
  linearize,
  mul,
  sum,
  type Tensor,
  tensor,
  valueAndGrad,
  variable,
  vjp,
} from '../../src/index.ts';

type Gradient = Tensor<'float32'>;
interface Params {
  w: Tensor;
  layers: [Tensor, { b: Tensor }];
}
interface Gradients {
  w: Gradient;
  layers: [Gradient, { b: Gradient }];
}

beforeAll(async () => {
  await init();
});

const loss = (p: Params) => sum(mul(mul(p.w, p.layers[0]), p.layers[1].b));
const withRate = (p: Params, rate: number, x: Tensor) => sum(mul(mul(loss(p), rate), x));

test('gradients have the tree of what they are taken of', async () => {
  const x = tensor([1, 2]);
  const params: Params = { w: x, layers: [variable(x), { b: x }] };
  const all = grad(loss)(params);
  expectTypeOf(all).toEqualTypeOf<Gradients>();
  expect(await all.layers[1].b.array()).toEqual([1, 4]);
  expectTypeOf(grad((t) => sum(t))(x)).toEqualTypeOf<Gradient>();
  expectTypeOf(valueAndGrad(loss)(params)).toEqualTypeOf<{ value: Tensor; grad: Gradients }>();
  expectTypeOf(grads((p: Params, t: Tensor) => mul(loss(p), t))([params, x])).toEqualTypeOf<
    [Gradients, Gradient]
  >();
  // @ts-expect-error: w is a tensor.
  expect(() => grad(loss)({ ...params, w: 3 })).toThrow(/input 0\.w: 3/);
});

test('argnums name what is differentiated', async () => {
  const x = tensor([1, 2]);
  const params: Params = { w: x, layers: [x, { b: x }] };
  expectTypeOf(grad(withRate, { argnums: 0 })(params, 2, x)).toEqualTypeOf<Gradients>();
  const [dp, dx] = grad(withRate, { argnums: [0, 2] })(params, 2, x);
  expectTypeOf(dp).toEqualTypeOf<Gradients>();
  expectTypeOf(dx).toEqualTypeOf<Gradient>();
  expect(await dx.array()).toEqual([18, 18]);
  // @ts-expect-error: all arguments are given.
  expect(() => grad(withRate, { argnums: 0 })(params)).toThrow();
});

test('what hasAux hands on keeps its type', () => {
  const x = tensor([1, 2]);
  const { grad: g, aux } = grad((t: Tensor) => [sum(t), { n: 3, t }] as const, { hasAux: true })(x);
  expectTypeOf(g).toEqualTypeOf<Gradient>();
  expectTypeOf(aux).toEqualTypeOf<{ readonly n: 3; readonly t: Tensor }>();
  expect(aux.n).toBe(3);
});

test('linear maps take and give trees', () => {
  const x = tensor([1, 2]);
  const f = (p: { a: Tensor }, t: Tensor) => ({ y: mul(p.a, t) });
  const { value, pullback } = vjp(f, [{ a: x }, x]);
  expectTypeOf(value).toEqualTypeOf<{ y: Tensor }>();
  expectTypeOf(pullback(value)).toEqualTypeOf<[{ a: Gradient }, Gradient]>();
  const { pushforward } = linearize(f, [{ a: x }, x]);
  expectTypeOf(pushforward([{ a: x }, x])).toEqualTypeOf<{ y: Gradient }>();
  const { tangent } = jvp(f, [{ a: x }, x], [{ a: x }, x]);
  expectTypeOf(tangent).toEqualTypeOf<{ y: Gradient }>();
  expectTypeOf(vjp((a, b) => mul(a, b), [x, x]).pullback(x)).toEqualTypeOf<[Gradient, Gradient]>();
  expect(pushforward([{ a: x }, x]).y.shape).toEqual([2]);
  pullback.dispose();
  pushforward.dispose();
});

test('Jacobians and Hessians are trees of trees', () => {
  const x = tensor([1, 2]);
  const f = (p: { a: Tensor }) => sum(mul(p.a, p.a));
  expectTypeOf(hessian(f)({ a: x })).toEqualTypeOf<{ a: { a: Gradient } }>();
  expectTypeOf(jacfwd((p: { a: Tensor }) => [p.a, mul(p.a, 2)])({ a: x })).toEqualTypeOf<{ a: Gradient }[]>();
  expect(hessian(f)({ a: x }).a.a.shape).toEqual([2, 2]);
});
