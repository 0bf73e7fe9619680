/** @file Gradients of elementwise functions far out and at their kinks, where formulas overflow and conventions differ. */
import { beforeAll, describe, expect, test } from 'vitest';
import * as ops from '../../src/index.ts';
import { GradientTape, init, type Tensor, tensor } from '../../src/index.ts';

beforeAll(async () => {
  await init();
});

type Unary = (x: Tensor, options?: object) => Tensor;

async function derivatives(op: string, xs: readonly number[], options?: object): Promise<number[]> {
  const x = tensor(Float32Array.from(xs));
  const tape = new GradientTape();
  tape.watch(x);
  const y = (ops as unknown as Record<string, Unary>)[op]?.(x, options) as Tensor;
  return Array.from(await (tape.gradient(y, x) as Tensor).data());
}

const far = [-1e30, -1e4, 1e4, 1e30];

describe('far out', () => {
  test.each<[string, number[], object?]>([
    ['tanh', [0, 0, 0, 0]],
    ['sigmoid', [0, 0, 0, 0]],
    ['logSigmoid', [1, 1, 0, 0]],
    ['softplus', [0, 0, 1, 1]],
    ['silu', [0, 0, 1, 1]],
    ['mish', [0, 0, 1, 1]],
    ['gelu', [0, 0, 1, 1]],
    ['gelu', [0, 0, 1, 1], { approximate: true }],
    ['erf', [0, 0, 0, 0]],
    ['elu', [0, 0, 1, 1]],
    ['hardSigmoid', [0, 0, 0, 0]],
    ['hardSwish', [0, 0, 1, 1]],
  ])('%s', async (op, expected, options) => {
    expect((await derivatives(op, far, options)).map((value) => value + 0)).toEqual(expected);
  });
});

describe('at kinks', () => {
  test.each<[string, number[], number[], object?]>([
    ['relu', [-0, 0], [0, 0]],
    ['relu6', [0, 6, 3], [0, 0, 1]],
    ['leakyRelu', [0], [0.25], { negativeSlope: 0.25 }],
    ['elu', [0], [0.5], { alpha: 0.5 }],
    ['abs', [0, -0], [0, 0]],
    ['sign', [0, 2], [0, 0]],
    ['floor', [1, 1.5], [0, 0]],
    ['clip', [0, 1, 2], [1, 1, 0], { min: 0, max: 1 }],
    ['sqrt', [0], [Number.POSITIVE_INFINITY]],
    ['log', [0], [Number.POSITIVE_INFINITY]],
  ])('%s', async (op, xs, expected, options) => {
    expect(await derivatives(op, xs, options)).toEqual(expected);
  });
});

test('a non-finite cotangent is ignored where the derivative is 0', async () => {
  const x = tensor([-1, 1]);
  const tape = new GradientTape();
  tape.watch(x);
  const y = ops.relu(x);
  const outputGradients = tensor([Number.NaN, Number.POSITIVE_INFINITY]);
  expect(await tape.gradient(y, x, { outputGradients })?.array()).toEqual([0, Number.POSITIVE_INFINITY]);
});
