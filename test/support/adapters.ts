/** @file What tests of adapters share: values of tensors, comparisons, and trained weights by formula. */
import { expect } from 'vitest';
import { type Tensor, tidy } from '../../src/index.ts';
import { peftValues } from './peftNet.ts';

export const dataOf = async (x: unknown) => Array.from(await (x as Tensor).data());

export function expectClose(values: readonly number[], expected: readonly number[], digits = 4) {
  expect(values).toHaveLength(expected.length);
  for (const [i, value] of values.entries()) expect(value).toBeCloseTo(expected[i] as number, digits);
}

/** Sets the weights that are trained. */
export function setTrained(net: {
  trainableWeights: readonly { shape: readonly number[]; assign(x: Tensor): unknown }[];
}) {
  for (const [i, weight] of net.trainableWeights.entries())
    weight.assign(tidy(() => peftValues(weight.shape, i)));
}
