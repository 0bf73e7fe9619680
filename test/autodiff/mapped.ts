/** @file Functions under vmap, compared with the same functions on one example at a time. */
import { expect } from 'vitest';
import {
  memory,
  resetPeakMemory,
  reshape,
  stack,
  type Tensor,
  tensor,
  tidy,
  unstack,
  vmap,
} from '../../src/index.ts';

export async function expectClose(actual: Tensor, wanted: Tensor): Promise<void> {
  const [a, b] = [Array.from(await actual.data()), Array.from(await wanted.data())];
  const scale = Math.max(1, ...b.map((v) => (Number.isFinite(v) ? Math.abs(v) : 0)));
  const wrong = b.findIndex(
    (v, i) => !(Object.is(v, a[i]) || Math.abs(v - (a[i] as number)) <= 2e-5 * scale),
  );
  expect(wrong < 0 ? null : { at: wrong, found: a[wrong], wanted: b[wrong] }).toBeNull();
}

/** `f` under vmap, with the examples of each input where `axes` says 0, is the stack of its results for each example. */
export async function expectMapped(
  f: (...inputs: Tensor[]) => Tensor,
  inputs: readonly Tensor[],
  axes: readonly (0 | null)[],
): Promise<void> {
  const example = (e: number) => inputs.map((x, i) => (axes[i] === 0 ? (unstack(x)[e] as Tensor) : x));
  const wanted = stack([f(...example(0)), f(...example(1))]);
  const found = vmap(f, { inAxes: [...axes] })(...inputs);
  expect(found.shape).toEqual(wanted.shape);
  await expectClose(found, wanted);
}

/** Values that differ everywhere. */
export function distinctValues(shape: readonly number[]): Tensor {
  const size = shape.reduce((product, n) => product * n, 1);
  return reshape(tensor(Array.from({ length: size }, (_, i) => Math.sin(1 + 1.7 * i))), { shape });
}

/** Returns the maximum of the bytes that `run` holds at a time, besides those that were held before. */
export function peakOf(run: () => unknown): number {
  const { bytes } = memory();
  resetPeakMemory();
  tidy(() => void run());
  return memory().peakBytes - bytes;
}
