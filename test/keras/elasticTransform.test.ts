/** @file ops.image.elasticTransform: its noise is random, so that its statistics are checked, on images whose pixels say where they are. */
import { beforeAll, expect, test } from 'vitest';
import { init, type Tensor, tensor } from '../../src/index.ts';
import { input, ops } from '../../src/keras/index.ts';

const { elasticTransform } = ops.image;
const size = 24;
const ramp = (channels: number) =>
  Float32Array.from({ length: size * size * channels }, (_, i) => Math.floor(i / channels) % size);
let image: Tensor;

beforeAll(async () => {
  await init();
  image = tensor(ramp(1), { shape: [size, size, 1] });
});

test('pixels move by alpha times smoothed noise', async () => {
  const [alpha, sigma] = [0.5, 1];
  const batch = tensor(new Float32Array([...ramp(1), ...ramp(1)]), { shape: [2, size, size, 1] });
  const y = await elasticTransform(batch, { alpha, sigma, fillMode: 'nearest', seed: 3 }).data();
  // Far from the border, a pixel of the ramp says how far it moved.
  const inner = [...y].flatMap((value, i) => {
    const [row, column] = [Math.floor(i / size) % size, i % size];
    return [row, column].every((place) => place >= 5 && place < size - 5) ? [value - column] : [];
  });
  const window = [-3, -2, -1, 0, 1, 2, 3].map((place) => Math.exp((-place * place) / (2 * sigma ** 2)));
  const total = window.reduce((sum, weight) => sum + weight, 0);
  const squares = window.reduce((sum, weight) => sum + (weight / total) ** 2, 0);
  const deviation = Math.sqrt(inner.reduce((sum, shift) => sum + shift ** 2, 0) / inner.length);
  expect(deviation / (alpha * sigma * squares)).toBeGreaterThan(0.8);
  expect(deviation / (alpha * sigma * squares)).toBeLessThan(1.2);
  expect(Math.abs(inner.reduce((sum, shift) => sum + shift, 0) / inner.length)).toBeLessThan(0.2 * alpha);
});

test('a seed repeats the noise, without strength nothing moves, and channels may come first', async () => {
  const once = await elasticTransform(image, { seed: 7 }).data();
  expect(await elasticTransform(image, { seed: 7 }).data()).toEqual(once);
  expect(await elasticTransform(image, { seed: 8 }).data()).not.toEqual(once);
  expect(await elasticTransform(image, { alpha: 0 }).data()).toEqual(await image.data());
  const planes = ops.transpose(image, { perm: [2, 0, 1] });
  const first = elasticTransform(planes, { seed: 7, dataFormat: 'channelsFirst' });
  expect(first.shape).toEqual([1, size, size]);
  expect(await first.data()).toEqual(once);
});

test('bad options, other shapes and graphs are errors', () => {
  expect(() => elasticTransform(image, { sigma: -1 })).toThrow(/sigma/);
  expect(() => elasticTransform(image, { alpha: Number.NaN })).toThrow(/alpha/);
  expect(() => elasticTransform(image, { interpolation: 'cubic' as never })).toThrow(/interpolation/);
  expect(() => elasticTransform(image, { fillMode: 'black' as never })).toThrow(/fillMode/);
  expect(() => elasticTransform(image, { dataFormat: 'first' as never })).toThrow(/dataFormat/);
  expect(() => elasticTransform(tensor([1, 2]))).toThrow(/images/);
  const symbol = input({ shape: [4, 4, 1] }) as unknown as Tensor;
  expect(() => elasticTransform(symbol)).toThrow(/randomElasticTransform/);
});
