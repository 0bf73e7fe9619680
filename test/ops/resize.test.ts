import { beforeAll, expect, test } from 'vitest';
import {
  GradientTape,
  init,
  resizeBilinear,
  resizeNearest,
  type Tensor,
  tensor,
  upSampling2d,
} from '../../src/index.ts';

beforeAll(async () => {
  await init();
});

const row = (...values: number[]) => tensor(values, { shape: [1, 1, values.length, 1] });

test('bilinear samples lie at half-pixel centres and stay inside of the image', async () => {
  const y = resizeBilinear(row(0, 4), { size: [1, 4] });
  expect([...(await y.data())]).toEqual([0, 1, 3, 4]);
});

test('corners are kept where they are aligned', async () => {
  const y = resizeBilinear(row(0, 4), { size: [1, 5], alignCorners: true });
  expect([...(await y.data())]).toEqual([0, 1, 2, 3, 4]);
  const nearest = resizeNearest(row(0, 1, 2), { size: [1, 5], alignCorners: true });
  // Ties round up.
  expect([...(await nearest.data())]).toEqual([0, 1, 1, 2, 2]);
});

test('a pixel that is hit exactly takes nothing from its neighbours', async () => {
  const x = row(1, Number.NaN, 3, Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY);
  const y = resizeBilinear(x, { size: [1, 5] });
  expect(await y.data()).toEqual(await x.data());
});

test('the gradient of an enlargement sums what a pixel was copied to', async () => {
  const x = row(1, 2, 3);
  const tape = new GradientTape();
  tape.watch(x);
  const y = upSampling2d(x, { size: [4, 2] });
  const dx = tape.gradient(y, x) as Tensor;
  expect(y.shape).toEqual([1, 4, 6, 1]);
  expect([...(await dx.data())]).toEqual([8, 8, 8]);
});

test('a whole image shrunk to one pixel sends its gradient to the middle', async () => {
  const x = tensor(new Float32Array(9), { shape: [1, 3, 3, 1] });
  const tape = new GradientTape();
  tape.watch(x);
  const dx = tape.gradient(resizeBilinear(x, { size: 1 }), x) as Tensor;
  expect([...(await dx.data())]).toEqual([0, 0, 0, 0, 1, 0, 0, 0, 0]);
});
