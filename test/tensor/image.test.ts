import { beforeAll, expect, test } from 'vitest';
import {
  DTypeError,
  fromImage,
  init,
  type Pixels,
  type RetrogradError,
  ShapeError,
  tensor,
  toCanvas,
  toPixels,
  ValueError,
} from '../../src/index.ts';

beforeAll(async () => {
  await init();
});

/** Two adjacent pixels: an opaque orange and a translucent blue. */
const pixels: Pixels = { width: 2, height: 1, data: new Uint8Array([255, 128, 0, 255, 10, 20, 200, 64]) };

test('pixels become [h, w, c] with values from 0 to 255', async () => {
  const image = fromImage(pixels, { name: 'photo' });
  expect(image.shape).toEqual([1, 2, 3]);
  expect([image.dtype, image.name]).toEqual(['float32', 'photo']);
  expect([...(await image.data())]).toEqual([255, 128, 0, 10, 20, 200]);
});

test('four channels keep alpha, one is the luminance', async () => {
  expect([...(await fromImage(pixels, { channels: 4 }).data())]).toEqual([...pixels.data]);
  // 0.299 · 255 + 0.587 · 128 and 0.299 · 10 + 0.587 · 20 + 0.114 · 200, rounded.
  expect([...(await fromImage(pixels, { channels: 1 }).data())]).toEqual([151, 38]);
});

test('integers where they are asked for', async () => {
  const image = fromImage(pixels, { dtype: 'int32' });
  expect(await image.data()).toEqual(new Int32Array([255, 128, 0, 10, 20, 200]));
});

test('an image survives the way to the device and back', async () => {
  const back = await toPixels(fromImage(pixels, { channels: 4 }));
  expect(back).toEqual({ ...pixels, data: new Uint8ClampedArray(pixels.data) });
});

test('values are scaled from their range, rounded and clamped', async () => {
  const values = tensor([-1, 0, 0.5, 1, 2, Number.NaN], { shape: [2, 3] });
  const { width, height, data } = await toPixels(values, { range: [0, 1] });
  expect([width, height]).toEqual([3, 2]);
  const grey = Array.from({ length: 6 }, (_, i) => [...data.slice(4 * i, 4 * i + 4)]);
  expect(grey).toEqual([0, 0, 128, 255, 255, 0].map((g) => [g, g, g, 255]));
});

test('bools are black and white', async () => {
  const { data } = await toPixels(tensor([[true, false]]));
  expect([...data]).toEqual([255, 255, 255, 255, 0, 0, 0, 255]);
});

/** What toCanvas uses of a canvas. */
class FakeCanvas {
  width = 7;
  height = 7;
  shown: Pixels | null = null;

  getContext(kind: string) {
    expect(kind).toBe('2d');
    return {
      createImageData: (width: number, height: number) => ({
        width,
        height,
        data: new Uint8ClampedArray(4 * width * height),
      }),
      putImageData: (image: Pixels, x: number, y: number) => {
        expect([x, y]).toEqual([0, 0]);
        this.shown = image;
      },
    };
  }
}

test('a canvas takes the size of the image', async () => {
  const canvas = new FakeCanvas();
  await toCanvas(fromImage(pixels), canvas as unknown as HTMLCanvasElement);
  expect([canvas.width, canvas.height]).toEqual([2, 1]);
  expect([...(canvas.shown as unknown as Pixels).data]).toEqual([255, 128, 0, 255, 10, 20, 200, 255]);
});

type Rejection = [why: string, call: () => unknown, type: new (...args: never[]) => RetrogradError];

const square = (n: number) => tensor(new Float32Array(n), { shape: [n] });
const from = (source: unknown, options = {}) => fromImage(source as Pixels, options);
const canvas = (value: unknown) => value as HTMLCanvasElement;

test.each<Rejection>([
  ['nothing', () => from(null), ValueError],
  ['a string', () => from('photo.png'), ValueError],
  ['floats', () => from({ width: 1, height: 1, data: new Float32Array(4) }), ValueError],
  ['no width', () => from({ height: 1, data: new Uint8Array(4) }), ValueError],
  ['a fractional size', () => from({ width: 0.5, height: 2, data: new Uint8Array(4) }), ValueError],
  ['no pixels', () => from({ width: 0, height: 2, data: new Uint8Array(0) }), ValueError],
  ['three bytes a pixel', () => from({ width: 1, height: 2, data: new Uint8Array(6) }), ShapeError],
  ['two channels', () => from(pixels, { channels: 2 }), ValueError],
  ['bools', () => from(pixels, { dtype: 'bool' }), DTypeError],
  ['an unknown dtype', () => from(pixels, { dtype: 'float64' }), DTypeError],
  ['a vector as image', () => toPixels(square(3)), ShapeError],
  ['a batch', () => toPixels(tensor(new Float32Array(12), { shape: [1, 2, 2, 3] })), ShapeError],
  ['five channels', () => toPixels(tensor(new Float32Array(5), { shape: [1, 1, 5] })), ShapeError],
  ['an image without pixels', () => toPixels(tensor([], { shape: [0, 2, 3] })), ShapeError],
  ['an array as image', () => toPixels([[1]] as never), ValueError],
  ['a range upside down', () => toPixels(tensor([[1]]), { range: [1, 0] }), ValueError],
  ['an infinite range', () => toPixels(tensor([[1]]), { range: [0, Number.POSITIVE_INFINITY] }), ValueError],
  ['a range of one number', () => toPixels(tensor([[1]]), { range: 255 as never }), ValueError],
  ['no canvas', () => toCanvas(tensor([[1]]), canvas(undefined)), ValueError],
  ['a canvas of WebGL', () => toCanvas(tensor([[1]]), canvas({ getContext: () => null })), ValueError],
])('rejects %s', async (_, call, type) => {
  const error = await (async () => call())().then(
    () => null,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(type);
  const { rule, received, hint } = error as RetrogradError;
  expect(Boolean(rule && received && hint)).toBe(true);
});
