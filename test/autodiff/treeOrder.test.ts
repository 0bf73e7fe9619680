/** @file Trees whose keys aren't sorted, and lists of more than ten tensors: each tensor stays at its place. */
import { beforeAll, expect, test } from 'vitest';
import {
  grad,
  init,
  jvp,
  matMul,
  mul,
  scan,
  sub,
  sum,
  type Tensor,
  tensor,
  vjp,
  vmap,
} from '../../src/index.ts';
import { input, layers, model } from '../../src/keras/index.ts';

beforeAll(async () => {
  await init();
});

interface Params {
  w: Tensor;
  b: Tensor;
}
const params = (): Params => ({ w: tensor([[1, 2, 3]]), b: tensor([4, 5, 6]) });
const f = ({ w, b }: Params) => sub(sum(mul(w, w)), sum(mul(b, 3)));

test('gradients, tangents and cotangents', async () => {
  const found = grad(f)(params());
  expect(await found.w.array()).toEqual([[2, 4, 6]]);
  expect(await found.b.array()).toEqual([-3, -3, -3]);
  const { tangent } = jvp(f, [params()], [{ b: tensor([1, 0, 0]), w: tensor([[0, 0, 1]]) }]);
  expect(await tangent.item()).toBe(6 - 3);
  const { pullback } = vjp((p: Params) => ({ z: mul(p.w, 2), a: mul(p.b, 5) }), [params()]);
  const [back] = pullback({ a: tensor([1, 2, 3]), z: tensor([[1, 1, 1]]) });
  expect(await back.w.array()).toEqual([[2, 2, 2]]);
  expect(await back.b.array()).toEqual([5, 10, 15]);
});

test('axes of vmap by key', async () => {
  const mapped = vmap(({ w, b }: Params) => ({ y: matMul(w, b), x: b }), {
    inAxes: [{ w: 0, b: null }],
  });
  const w = tensor([[[1, 0]], [[0, 1]], [[1, 1]]]);
  const { y, x } = mapped({ w, b: tensor([[10], [20]]) });
  expect(await y.array()).toEqual([[[10]], [[20]], [[30]]]);
  expect(x.shape).toEqual([3, 2, 1]);
});

test('a list of eleven tensors', async () => {
  const list = () => Array.from({ length: 11 }, (_, i) => tensor(new Array(i + 1).fill(i)));
  const { tangent } = jvp((all: Tensor[]) => all.map((x) => mul(x, 2)), [list()], [list()]);
  expect(await Promise.all(tangent.map((x) => x.array()))).toEqual(
    list().map((_, i) => new Array(i + 1).fill(2 * i)),
  );
  const [carry] = scan(
    (all: Tensor[], x: Tensor) => [all.map((y) => mul(y, x)), x] as const,
    list(),
    tensor([2, 3]),
  );
  expect(await Promise.all((carry as Tensor[]).map((x) => x.array()))).toEqual(
    list().map((_, i) => new Array(i + 1).fill(6 * i)),
  );
});

test('inputs and outputs of a model', async () => {
  const inputs = { wide: input({ shape: [3] }), b: input({ shape: [2] }) };
  const outputs = {
    z: layers.dense({ units: 1, useBias: false, kernelInitializer: 'ones' }).apply(inputs.wide),
    a: layers.dense({ units: 2, useBias: false, kernelInitializer: 'ones' }).apply(inputs.b),
  };
  const net = model({ inputs, outputs });
  net.compile({ optimizer: 'sgd', loss: { z: 'mse', a: 'mae' } });
  const x = { wide: tensor([[1, 2, 3]]), b: tensor([[4, 5]]) };
  const found = (await net.predict(x)) as unknown as Record<'z' | 'a', Tensor>;
  expect(await found.z.array()).toEqual([[6]]);
  expect(await found.a.array()).toEqual([[9, 9]]);
  const logs = await net.evaluate(x, { z: tensor([[5]]), a: tensor([[7, 7]]) });
  expect(logs.loss).toBe(1 + 2);
  await net.fit(x, { a: tensor([[7, 7]]), z: tensor([[5]]) }, { epochs: 1, verbose: 0 });
});
