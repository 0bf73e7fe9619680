/** @file addLayerNorm against a sum and its layerNorm, which are tested against float64: results, gradients, launches. */
import { beforeAll, describe, expect, test } from 'vitest';
import {
  add,
  GradientTape,
  grad,
  init,
  layerNorm,
  mul,
  randomNormal,
  ShapeError,
  sum,
  square,
  type Tensor,
  vmap,
} from '../../src/index.ts';
import { addLayerNorm } from '../../src/ops/normalization/addLayerNorm.ts';
import { getDevice } from '../../src/webgpu/current.ts';
import { asAdapter } from '../support/adapterClass.ts';

beforeAll(async () => {
  await init();
});

type Both = [normalized: Tensor, total: Tensor];
type Norm = (x: Tensor, residual: Tensor | null, gamma: Tensor | null, beta: Tensor | null) => Both;

const dataOf = async (x: unknown) => Array.from(await (x as Tensor).data());

async function expectClose(found: Tensor | null, expected: Tensor | null, tolerance = 2e-6) {
  expect(found === null).toBe(expected === null);
  if (!found || !expected) return;
  const [values, wanted] = [await dataOf(found), await dataOf(expected)];
  expect(found.shape).toEqual(expected.shape);
  const largest = Math.max(1, ...wanted.map(Math.abs));
  for (const [i, value] of values.entries())
    expect(Math.abs(value - (wanted[i] as number)) / largest).toBeLessThan(tolerance);
}

// In registers, swept, and over axes that aren't adjacent, each with and without residual and parameters.
const cases = [
  { shape: [3, 5, 8], axis: -1, hasResidual: true, hasParameters: true },
  { shape: [2, 3001], axis: -1, hasResidual: true, hasParameters: true },
  { shape: [4, 7], axis: -1, hasResidual: true, hasParameters: false },
  { shape: [4, 12], axis: -1, hasResidual: false, hasParameters: true },
  { shape: [3, 4, 5], axis: [0, 2], hasResidual: true, hasParameters: true },
] as const;

describe.each(cases)('$shape over $axis, residual $hasResidual, parameters $hasParameters', (given) => {
  const { shape, axis, hasResidual, hasParameters } = given;
  const axes = [axis].flat().map((i) => (i < 0 ? i + shape.length : i));
  const sizes = axes.map((i) => shape[i] as number);
  const options = { axis, epsilon: 1e-5 };
  const drawn = (of: readonly number[], seed: number) => randomNormal([...of], { seed });
  const inputs = () =>
    [
      add(drawn(shape, 1), 3),
      hasResidual ? drawn(shape, 2) : null,
      hasParameters ? drawn(sizes, 3) : null,
      hasParameters ? drawn(sizes, 4) : null,
    ] as const;
  const fused: Norm = (...operands) => addLayerNorm(...operands, options);
  const plain: Norm = (x, residual, gamma, beta) => {
    const total = residual ? add(x, residual) : x;
    return [layerNorm(total, gamma, beta, options), total];
  };
  const loss = ([normalized, total]: Both) =>
    sum(add(mul(normalized, drawn(shape, 5)), mul(square(total), drawn(shape, 6))));

  test('results and gradients', async () => {
    const operands = inputs();
    const given = operands.filter((operand) => operand !== null);
    const [found, expected] = [fused, plain].map((norm) => {
      using tape = new GradientTape();
      for (const operand of given) tape.watch(operand);
      const both = norm(...operands);
      return [...both, ...(tape.gradient(loss(both), given) as Tensor[])];
    }) as [Tensor[], Tensor[]];
    for (const [i, value] of found.entries()) await expectClose(value, expected[i] as Tensor, 1e-5);
  });

  test('second derivatives, and over examples', async () => {
    const [x, ...others] = inputs();
    const second = (norm: Norm) =>
      grad((y: Tensor) => sum(square(grad((z: Tensor) => loss(norm(z, ...others)))(y))))(x);
    await expectClose(second(fused), second(plain), 1e-4);
    const [, gamma, beta] = others;
    const mapped = (norm: Norm) => vmap((row: Tensor) => norm(row, null, gamma, beta)[0])(x);
    if (axis === -1 && shape.length > 2) await expectClose(mapped(fused), mapped(plain));
  });
});

test('takes one launch, and one for the gradient of both uses', () =>
  asAdapter('gpu', () => {
    const [x, residual] = [randomNormal([4, 64], { seed: 1 }), randomNormal([4, 64], { seed: 2 })];
    const { statistics } = getDevice().stream;
    for (const other of [residual, null]) {
      using tape = new GradientTape();
      tape.watch(x);
      const before = statistics.launches;
      const both = addLayerNorm(x, other, null, null);
      expect(statistics.launches - before).toBe(1);
      tape.gradient(both as never, x, { outputGradients: [residual, residual] } as never);
      expect(statistics.launches - before).toBe(2);
    }
  }));

test('says what does not fit', () => {
  const x = randomNormal([2, 4], { seed: 1 });
  expect(() => addLayerNorm(x, randomNormal([4], { seed: 1 }), null, null)).toThrow(ShapeError);
  expect(() => addLayerNorm(x, null, randomNormal([2], { seed: 1 }), null)).toThrow(ShapeError);
  expect(() => addLayerNorm(x, x, null, null, { epsilon: -1 })).toThrow(/epsilon/);
});
