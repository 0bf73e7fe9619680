/** @file The oracles of the benchmark, on correct and on wrong results. */
import { describe, expect, it } from 'vitest';
import { checkStep, expectedStep } from '../../bench/trainingStepCheck.ts';
import { convolveAndRectify, crossEntropy, dense, maxPool } from '../../bench/float64.ts';
import { normal, permuted, toFiltersFirst } from '../../bench/host.ts';
import { indicesOf, problem, sample } from '../../bench/oracle.ts';

describe('samples of results', () => {
  const right = { shape: [2, 3], at: (...[i, j]: number[]) => 10 * (i as number) + (j as number) };
  const values = Float32Array.of(0, 1, 2, 10, 11, 12);

  it('pass where they are right', () => {
    expect(problem({ shape: [2, 3], values }, right)).toBeNull();
  });

  it('say what is wrong, and where', () => {
    expect(problem({ shape: [3, 2], values }, right)).toBe('shape [3, 2] for [2, 3]');
    expect(problem({ shape: [2, 3], values: Float32Array.of(0, 1, 2, 10, 11, 13) }, right)).toBe(
      '13 for 12 at [1, 2]',
    );
    expect(problem({ shape: [2, 3], values: Float32Array.of(0, 1, Number.NaN, 10, 11, 12) }, right)).toMatch(
      /NaN for 2/,
    );
    expect(problem(undefined, right)).toBe('no result');
  });

  it('take in the corners of large results', () => {
    const positions = sample(1e6, 64);
    expect(positions).toHaveLength(64);
    expect(positions).toEqual(expect.arrayContaining([0, 999_999]));
    expect(indicesOf(999_999, [10, 100, 1000])).toEqual([9, 99, 999]);
  });
});

describe('steps of gradient descent', () => {
  const parameters = [normal([3], 1), normal([2], 2)];
  const [a, b] = parameters.map(({ values }) => values) as [Float32Array, Float32Array];
  const rate = 0.1;
  // Σ a² + Σ b³: its gradient is 2a and 3b².
  const lossAt = ([a = new Float64Array(), b = new Float64Array()]: readonly Float64Array[]) =>
    a.reduce((sum, v) => sum + v * v, 0) + b.reduce((sum, v) => sum + v ** 3, 0);
  const step = { parameters, batch: [], constants: [], rate, lossAt };
  const check = checkStep(step, expectedStep(step));
  const loss = { shape: [], values: Float32Array.of(lossAt([Float64Array.from(a), Float64Array.from(b)])) };
  const moved = (factor: number) => [
    { shape: [3], values: Float32Array.from(a, (v) => v - rate * 2 * v) },
    { shape: [2], values: Float32Array.from(b, (v) => v - rate * factor * v * v) },
  ];

  it('pass where loss and gradient are right', () => {
    expect(check([loss, ...moved(3)])).toBeNull();
  });

  it('are distinguished from steps along other gradients', () => {
    expect(check([{ shape: [], values: Float32Array.of(1) }, ...moved(3)])).toMatch(/^loss 1 for/);
    expect(check([loss, ...moved(3.5)])).toMatch(/parameter 1$/);
    expect(check([loss, ...moved(0)])).toMatch(/parameter 1$/);
    expect(check([loss])).toBe('parameter 0 is missing');
  });
});

describe('networks in float64', () => {
  it('multiply, and add the bias', () => {
    expect([...dense(Float64Array.of(1, 2, 3, 4), 2, [1, 0, 0, 1], [10, 20])]).toEqual([11, 22, 13, 24]);
  });

  it('convolve with padding, and rectify', () => {
    const image = {
      batch: 1,
      height: 3,
      width: 3,
      channels: 1,
      values: Float64Array.from([1, 2, 3, 4, 5, 6, 7, 8, 9]),
    };
    const ones = new Array(9).fill(1);
    expect([...convolveAndRectify(image, ones, [0]).values]).toEqual([12, 21, 16, 27, 45, 33, 24, 39, 28]);
    expect([...convolveAndRectify(image, ones, [-30]).values]).toEqual([0, 0, 0, 0, 15, 3, 0, 9, 0]);
  });

  it('pool, and weigh logits', () => {
    const image = {
      batch: 1,
      height: 2,
      width: 2,
      channels: 2,
      values: Float64Array.from([1, 8, 2, 7, 3, 6, 4, 5]),
    };
    expect([...maxPool(image).values]).toEqual([4, 8]);
    expect(crossEntropy(Float64Array.of(0, 0, 0, 0), [1, 0, 0, 1], 2)).toBeCloseTo(Math.log(2), 12);
  });
});

it('layouts are changed and changed back', () => {
  const x = normal([2, 3, 4, 5], 3);
  expect(permuted(permuted(x, [0, 3, 1, 2]), [0, 2, 3, 1])).toEqual(x);
  expect(toFiltersFirst({ shape: [1, 2, 1, 2], values: Float32Array.of(1, 2, 3, 4) })).toEqual({
    shape: [2, 1, 1, 2],
    values: Float32Array.of(1, 3, 2, 4),
  });
});
