/** @file Edges of ops on images. The expected values follow from the images, or are those of TensorFlow 2.21. */
import { beforeAll, describe, expect, test } from 'vitest';
import {
  cropAndResize,
  GradientTape,
  init,
  rgbToHsv,
  type Tensor,
  tensor,
  transformImages,
} from '../../src/index.ts';

beforeAll(async () => {
  await init();
});

const listOf = async (x: Tensor) => Array.from(await x.data(), Number);
const image = (values: number[], height: number) =>
  tensor(values, { shape: [1, height, values.length / height, 1] });

describe('cropAndResize', () => {
  test('a crop of the whole image has its first and its last rows, for all sizes', async () => {
    const lost: string[] = [];
    for (const height of [7, 29]) {
      const column = image(
        Array.from({ length: height }, (_, i) => i + 1),
        height,
      );
      // Upright, and upside down.
      const boxes = tensor([0, 0, 1, 1, 1, 1, 0, 0], { shape: [2, 4] });
      for (let size = 2; size < 60; size++) {
        const crops = cropAndResize(column, boxes, [0, 0], { size: [size, 1], fillValue: -1 });
        const values = await listOf(crops);
        const ends = [values[0], values[size - 1], values[size], values[2 * size - 1]];
        if (String(ends) !== String([1, height, height, 1])) lost.push(`${height} to ${size}: ${ends}`);
      }
    }
    expect(lost).toEqual([]);
  });
});

describe('transformImages', () => {
  const turned = (x: Tensor, map: number[], options: object) => transformImages(x, tensor([map]), options);

  test.each(['constant', 'nearest', 'wrap', 'reflect', 'mirror'] as const)(
    'a pixel infinitely far away is fillValue, with fillMode %s',
    async (fillMode) => {
      const x = image([1, 2, 3, 4, 5, 6], 1);
      for (const interpolation of ['bilinear', 'nearest'] as const) {
        const tape = new GradientTape();
        tape.watch(x);
        // The divisor is 1 - x / 4.
        const options = { fillMode, interpolation, fillValue: -3 };
        const y = turned(x, [1, 0, 0, 0, 1, 0, -0.25, 0], options);
        const values = await listOf(y);
        expect(values[4]).toBe(-3);
        expect(values.every(Number.isFinite)).toBe(true);
        const gradient = await listOf(tape.gradient(y, x) as Tensor);
        expect(gradient.every(Number.isFinite)).toBe(true);
      }
    },
  );

  test('nearest pixels of positions half-way are those away from 0', async () => {
    const x = image([1, 2, 3, 4], 1);
    const options = { interpolation: 'nearest', fillValue: -3 };
    expect(await listOf(turned(x, [1, 0, -0.5, 0, 1, 0, 0, 0], options))).toEqual([-3, 2, 3, 4]);
    expect(await listOf(turned(x, [1, 0, 0.5, 0, 1, 0, 0, 0], options))).toEqual([2, 3, 4, -3]);
  });
});

test('rgbToHsv: colours that are not above 0 have no saturation', async () => {
  const colours = tensor([-1, -2, -3, 0, -0.5, -0.25, 0, 0, 0, 0.5, 0.25, 0.25], { shape: [4, 3] });
  const values = await listOf(rgbToHsv(colours));
  expect([1, 4, 7, 10].map((at) => values[at])).toEqual([0, 0, 0, 0.5]);
});
