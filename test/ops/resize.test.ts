import { beforeAll, describe, expect, test } from 'vitest';
import {
  GradientTape,
  init,
  resizeBilinear,
  resizeNearest,
  type Tensor,
  tensor,
  upSampling2d,
} from '../../src/index.ts';
import { adapterClasses, onAdapter } from '../support/adapterClass.ts';

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

/** The pixels that position `to` of an axis lies between, and the weight of the second. */
function between(to: number, input: number, output: number): [number, number, number] {
  const place = Math.min(Math.max(((to + 0.5) * input) / output - 0.5, 0), input - 1);
  const low = Math.floor(place);
  return [low, Math.min(low + 1, input - 1), place - low];
}

// Few channels are computed by one invocation on software adapters, others in groups if these divide them.
describe.each(adapterClasses)('%s', (kind) => {
  test.each([1, 2, 3, 5, 7, 11, 14, 16, 32, 36, 40])('images of %i channels', async (channels) => {
    const [height, width, rows, columns] = [7, 9, 61, 83];
    const values = Float32Array.from({ length: height * width * channels }, (_, i) => (i * 37) % 101);
    const x = tensor(values, { shape: [1, height, width, channels] });
    const at = (r: number, c: number, channel: number) =>
      values[(r * width + c) * channels + channel] as number;
    const [linear, nearest] = onAdapter(kind, () => [
      resizeBilinear(x, { size: [rows, columns] }),
      resizeNearest(x, { size: [rows, columns] }),
    ]);
    const [smooth, exact] = [await linear.data(), await nearest.data()];
    let worst = 0;
    let wrong = 0;
    for (let i = 0; i < smooth.length; i++) {
      const [row, column, channel] = [
        Math.floor(i / channels / columns),
        Math.floor(i / channels) % columns,
        i % channels,
      ];
      const [top, bottom, down] = between(row, height, rows);
      const [left, right, across] = between(column, width, columns);
      const blended = (r: number) => at(r, left, channel) * (1 - across) + at(r, right, channel) * across;
      worst = Math.max(
        worst,
        Math.abs((smooth[i] as number) - blended(top) * (1 - down) - blended(bottom) * down),
      );
      const source = [
        Math.floor(((row + 0.5) * height) / rows),
        Math.floor(((column + 0.5) * width) / columns),
      ] as const;
      if (exact[i] !== at(...source, channel)) wrong++;
    }
    expect(worst).toBeLessThan(1e-4);
    expect(wrong).toBe(0);
  });
});
