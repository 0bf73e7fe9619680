/** @file Edges of ops on images. The expected values follow from the images, or are those of TensorFlow 2.21. */
import { beforeAll, describe, expect, test } from 'vitest';
import { commandsOf } from '../../src/autotune/survey.ts';
import {
  cropAndResize,
  getDevice,
  GradientTape,
  hsvToRgb,
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

  test.each(['int32', 'uint32'] as const)(
    'a crop of a nonexistent image is zeros if indices of dtype %s are not validated',
    async (dtype) => {
      const images = tensor([5, 6], { shape: [2, 1, 1, 1] });
      const boxes = tensor([0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 1, 1], { shape: [4, 4] });
      const which = tensor(dtype === 'int32' ? [1, 2, -1, 0] : [1, 2, 4294967295, 0], { dtype });
      const tape = new GradientTape();
      tape.watch(images);
      const crops = cropAndResize(images, boxes, which, { size: 1, fillValue: 7, validateIndices: false });
      expect(await listOf(crops)).toEqual([6, 0, 0, 5]);
      expect(await listOf(tape.gradient(crops, images) as Tensor)).toEqual([1, 1]);
    },
  );
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

describe('samples', () => {
  const [n, height, width] = [2, 5, 7];
  const interpolations = ['bilinear', 'nearest'] as const;
  /** Some more than an invocation computes, some not a multiple of it, some read in fours. */
  const channelCounts = [1, 3, 4, 5, 6, 12, 16, 36];

  const imagesOf = (channels: number) =>
    Float32Array.from({ length: n * height * width * channels }, (_, i) => Math.sin(1 + 1.7 * i));

  /** The pixel at integer coordinates, some of which are outside; null where that is the fill value. */
  type Extension = (i: number, size: number) => number | null;
  const remainder = (i: number, period: number) => i - period * Math.floor(i / period);
  const folded = (i: number, last: number) => Math.min(i, last - i);
  const extensions: Record<'constant' | 'nearest' | 'reflect' | 'mirror', Extension> = {
    constant: (i, size) => (i >= 0 && i < size ? i : null),
    nearest: (i, size) => Math.min(Math.max(i, 0), size - 1),
    reflect: (i, size) => folded(remainder(i, 2 * size), 2 * size - 1),
    mirror: (i, size) => folded(remainder(i, 2 * size - 2), 2 * size - 2),
  };

  interface Sampling {
    channels: number;
    interpolation: (typeof interpolations)[number];
    extension: Extension;
    fillValue: number;
  }

  /** All channels of image `image` at (y, x), in float64. */
  function sampled(values: Float32Array, image: number, y: number, x: number, options: Sampling): number[] {
    const { channels, interpolation, extension, fillValue } = options;
    const read = (row: number, column: number, channel: number) => {
      const [i, j] = [extension(row, height), extension(column, width)];
      if (i === null || j === null) return fillValue;
      return values[((image * height + i) * width + j) * channels + channel] as number;
    };
    const [top, left] = [Math.floor(y), Math.floor(x)];
    return Array.from({ length: channels }, (_, c) => {
      if (interpolation === 'nearest') return read(Math.round(y), Math.round(x), c);
      const row = (i: number) => read(i, left, c) * (1 - x + left) + read(i, left + 1, c) * (x - left);
      return row(top) * (1 - y + top) + row(top + 1) * (y - top);
    });
  }

  async function expectSamples(y: Tensor, wanted: readonly number[]): Promise<void> {
    const found = await listOf(y);
    const wrong = wanted.findIndex((value, i) => !(Math.abs(value - (found[i] as number)) <= 1e-5));
    expect(found.length).toBe(wanted.length);
    expect(wrong < 0 ? null : { at: wrong, found: found[wrong], wanted: wanted[wrong] }).toBeNull();
  }

  test.each(interpolations)('of crops, interpolation %s', async (interpolation) => {
    const boxes = [0.07, 0.11, 0.93, 0.71, 0.8, 1.21, 0.13, -0.17, -0.4, 0.3, 0.6, 0.37];
    const which = [1, 0, 1];
    const [rows, columns] = [11, 13];
    const along = (first: number, last: number, i: number, count: number, size: number) =>
      (first + ((last - first) * i) / (count - 1)) * (size - 1);
    for (const channels of channelCounts) {
      const values = imagesOf(channels);
      const fillValue = -3;
      const options = { channels, interpolation, extension: extensions.nearest, fillValue };
      const wanted = which.flatMap((image, k) => {
        const [top, left, bottom, right] = boxes.slice(4 * k) as [number, number, number, number];
        return Array.from({ length: rows * columns }, (_, i) => {
          const y = along(top, bottom, Math.floor(i / columns), rows, height);
          const x = along(left, right, i % columns, columns, width);
          const isInside = y >= 0 && x >= 0 && y <= height - 1 && x <= width - 1;
          return isInside
            ? sampled(values, image, y, x, options)
            : new Array<number>(channels).fill(fillValue);
        }).flat();
      });
      const images = tensor(values, { shape: [n, height, width, channels] });
      const size = [rows, columns];
      const crops = cropAndResize(images, tensor(boxes, { shape: [3, 4] }), which, {
        size,
        interpolation,
        fillValue,
      });
      await expectSamples(crops, wanted);
    }
  });

  const modes = Object.keys(extensions) as (keyof typeof extensions)[];
  test.each(modes.flatMap((mode) => interpolations.map((interpolation) => [mode, interpolation] as const)))(
    'of transforms, fillMode %s, interpolation %s',
    async (fillMode, interpolation) => {
      // No position is half-way between pixels: which of them is the nearest would depend on rounding.
      const maps = [
        [1.31, -0.27, -3.3, 0.41, 0.83, -4.073, 0.011, 0.013],
        [-0.93, 0.21, 11.707, 0.17, -1.3, 9.903, 0, 0],
      ];
      const [rows, columns] = [17, 19];
      for (const channels of channelCounts) {
        for (const transforms of [maps, maps.slice(1)]) {
          const values = imagesOf(channels);
          const fillValue = 0.5;
          const options = { channels, interpolation, extension: extensions[fillMode], fillValue };
          const wanted = Array.from({ length: n * rows * columns }, (_, i) => {
            const image = Math.floor(i / columns / rows);
            const map = transforms[transforms.length === 1 ? 0 : image] as number[];
            const [a0, a1, a2, b0, b1, b2, c0, c1] = map as [number, ...number[]] & number[];
            const [x, y] = [i % columns, Math.floor(i / columns) % rows];
            const scale = (c0 as number) * x + (c1 as number) * y + 1;
            const sourceX = (a0 * x + (a1 as number) * y + (a2 as number)) / scale;
            const sourceY = ((b0 as number) * x + (b1 as number) * y + (b2 as number)) / scale;
            for (const position of [sourceX, sourceY])
              expect(Math.abs(position - Math.floor(position) - 0.5)).toBeGreaterThan(1e-5);
            return sampled(values, image, sourceY, sourceX, options);
          }).flat();
          const images = tensor(values, { shape: [n, height, width, channels] });
          const size = { outputSize: [rows, columns], interpolation, fillMode, fillValue };
          await expectSamples(transformImages(images, tensor(transforms), size), wanted);
        }
      }
    },
  );

  test('take one launch', () => {
    const images = tensor(imagesOf(3), { shape: [n, height, width, 3] });
    const [boxes, map] = [tensor([0, 0, 1, 1], { shape: [1, 4] }), tensor([[1, 0, 0, 0, 1, 0, 0, 0]])];
    const kernels = (body: () => unknown) =>
      commandsOf(getDevice(), body).map((one) => (one.kind === 'launch' ? one.kernel.name : one.kind));
    expect(kernels(() => transformImages(images, map))).toEqual(['sampleImages']);
    // The others check the number of the image.
    const crops = kernels(() => cropAndResize(images, boxes, [0], { size: 3 }));
    expect(crops.filter((name) => name === 'sampleImages')).toHaveLength(1);
    expect(crops.length).toBeLessThan(5);
  });
});

/** Hue, saturation and value as Python's colorsys computes them. */
function hsvOf(red: number, green: number, blue: number): number[] {
  const [value, lowest] = [Math.max(red, green, blue), Math.min(red, green, blue)];
  if (value === lowest) return [0, 0, value];
  const [r, g, b] = [red, green, blue].map((v) => (value - v) / (value - lowest)) as [number, number, number];
  const sixths = red === value ? b - g : green === value ? 2 + r - b : 4 + g - r;
  return [(((sixths / 6) % 1) + 1) % 1, (value - lowest) / value, value];
}

describe('conversions of colours', () => {
  const levels = [0, 0.125, 0.25, 0.6875, 1];
  const values = levels.flatMap((red) =>
    levels.flatMap((green) => levels.flatMap((blue) => [red, green, blue])),
  );
  const expected = Array.from({ length: values.length / 3 }, (_, i) =>
    hsvOf(...(values.slice(3 * i, 3 * i + 3) as [number, number, number])),
  ).flat();
  const rgb = () => tensor(values, { shape: [5, 25, 3] });
  const hsv = () => tensor(expected, { shape: [5, 25, 3] });

  /** The values of a conversion, in one launch and, for a tape, op by op. */
  async function bothWays(convert: (images: Tensor) => Tensor, images: Tensor): Promise<number[][]> {
    const direct = convert(images);
    using tape = new GradientTape();
    tape.watch(images);
    return [await listOf(direct), await listOf(convert(images))];
  }

  test('rgbToHsv is that of colorsys', async () => {
    for (const found of await bothWays(rgbToHsv, rgb()))
      for (const [i, value] of found.entries()) expect(value).toBeCloseTo(expected[i] as number, 6);
  });

  test('hsvToRgb inverts it', async () => {
    for (const found of await bothWays(hsvToRgb, hsv()))
      for (const [i, value] of found.entries()) expect(value).toBeCloseTo(values[i] as number, 6);
  });

  test('a NaN, and colours out of range, are the same with and without a tape', async () => {
    const odd = [
      Number.NaN,
      0.5,
      0.25,
      0.5,
      Number.NaN,
      0.25,
      0.5,
      0.25,
      Number.NaN,
      -1,
      2,
      3,
      1.5,
      -0.5,
      7,
      -1,
      -2,
      -3,
    ];
    for (const convert of [rgbToHsv, hsvToRgb]) {
      const [direct, composed] = await bothWays(convert, tensor(odd, { shape: [6, 3] }));
      direct?.forEach((value, i) => {
        const other = composed?.[i] as number;
        if (Number.isNaN(other)) expect(value).toBeNaN();
        else expect(value).toBeCloseTo(other, 6);
      });
    }
  });

  test('without a tape it is one launch', () => {
    const images = rgb();
    for (const convert of [rgbToHsv, hsvToRgb])
      expect(commandsOf(getDevice(), () => convert(images)).map(({ kind }) => kind)).toEqual(['launch']);
  });
});

test('rgbToHsv: colours that are not above 0 have no saturation', async () => {
  const colours = tensor([-1, -2, -3, 0, -0.5, -0.25, 0, 0, 0, 0.5, 0.25, 0.25], { shape: [4, 3] });
  const values = await listOf(rgbToHsv(colours));
  expect([1, 4, 7, 10].map((at) => values[at])).toEqual([0, 0, 0, 0.5]);
});
