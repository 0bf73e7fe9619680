/** @file Recordings: when they end, and which calls the backward walk visits. */
import { beforeAll, expect, test } from 'vitest';
import {
  add,
  compile,
  customGradient,
  GradientTape,
  init,
  linearize,
  mul,
  square,
  type Tensor,
  tensor,
  vjp,
} from '../../src/index.ts';
import { installNodeGpu } from '../support/gpu.ts';

beforeAll(async () => {
  await installNodeGpu();
  await init();
});

test('the backward walk visits only calls between the target and the sources', async () => {
  const visited: string[] = [];
  const seen = (name: string) =>
    customGradient((x) => ({
      value: mul(x, 2),
      gradient: (dy) => {
        visited.push(name);
        return mul(dy, 2);
      },
    }));
  const [a, b] = [tensor([1]), tensor([3])];
  using tape = new GradientTape();
  tape.watch([a, b]);
  const [onTheWay, other, unused] = [seen('on the way')(b), seen('another branch')(a), seen('unused')(b)];
  const gradient = tape.gradient(square(add(onTheWay, other)), b);
  expect(await gradient?.array()).toEqual([32]);
  expect(visited).toEqual(['on the way']);
  expect(await unused.array()).toEqual([6]);
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
