/** @file Random layers: how much they change, from which seeds, and only in training. */
import { beforeAll, describe, expect, test } from 'vitest';
import { compile, init, ones, type Tensor, tensor } from '../../../../src/index.ts';
import { layers } from '../../../../src/keras/index.ts';
import type { AnyLayer } from '../../../../src/keras/layers/base/layer.ts';

beforeAll(async () => {
  await init();
});

const training = { training: true };
const asAny = (layer: unknown) => layer as AnyLayer;
const draw = async (layer: AnyLayer, x: Tensor = ones([4, 25, 40])) =>
  Array.from((await (layer.apply(x, training) as Tensor).data()) as Float32Array);

const meanOf = (values: readonly number[]) => values.reduce((a, b) => a + b, 0) / values.length;
const deviationOf = (values: readonly number[]) =>
  Math.sqrt(meanOf(values.map((value) => (value - meanOf(values)) ** 2)));

describe('random layers', () => {
  test('dropout clears its rate of values, and scales the others', async () => {
    const values = await draw(layers.dropout({ rate: 0.3, seed: 1 }));
    const kept = values.filter((value) => value !== 0);
    expect(kept.length / values.length).toBeCloseTo(0.7, 1);
    for (const value of new Set(kept)) expect(value).toBeCloseTo(1 / 0.7, 5);
  });

  test('spatial dropout clears whole channels', async () => {
    const values = await draw(layers.spatialDropout1d({ rate: 0.5, seed: 1 }));
    const steps = Array.from({ length: 25 }, (_, step) => values.slice(step * 40, (step + 1) * 40));
    for (const step of steps) expect(step).toEqual(steps[0]);
    expect(new Set(steps[0]).size).toBe(2);
  });

  test('a noise shape clears whole samples', async () => {
    const values = await draw(
      layers.dropout({ rate: 0.5, noiseShape: [null, 1, 1, 1], seed: 4 }),
      ones([8, 2, 2, 2]),
    );
    const samples = Array.from({ length: 8 }, (_, i) => new Set(values.slice(i * 8, (i + 1) * 8)));
    for (const sample of samples) expect(sample.size).toBe(1);
  });

  test('Gaussian noise has its deviation, and its mean', async () => {
    const added = await draw(layers.gaussianNoise({ stddev: 0.5, seed: 1 }));
    expect(meanOf(added)).toBeCloseTo(1, 1);
    expect(deviationOf(added)).toBeCloseTo(0.5, 1);
    const multiplied = await draw(layers.gaussianDropout({ rate: 0.2, seed: 1 }));
    expect(meanOf(multiplied)).toBeCloseTo(1, 1);
    expect(deviationOf(multiplied)).toBeCloseTo(0.5, 1);
  });

  const seeded = (seed?: number) => (seed === undefined ? {} : { seed });
  const makers: [string, (seed?: number) => AnyLayer][] = [
    ['dropout', (seed?: number) => asAny(layers.dropout({ rate: 0.5, ...seeded(seed) }))],
    ['gaussianNoise', (seed?: number) => asAny(layers.gaussianNoise({ stddev: 0.5, ...seeded(seed) }))],
    ['gaussianDropout', (seed?: number) => asAny(layers.gaussianDropout({ rate: 0.5, ...seeded(seed) }))],
  ];

  test.each(makers)('%s draws again at every call; the same from one seed', async (_, make) => {
    const [one, same, other, none] = [make(1), make(1), make(2), make()];
    const first = await draw(one);
    const second = await draw(one);
    expect(second).not.toEqual(first);
    expect(await draw(same)).toEqual(first);
    expect(await draw(same)).toEqual(second);
    expect(await draw(other)).not.toEqual(first);
    expect(await draw(none)).not.toEqual(await draw(none));
  });

  test.each(makers)('%s draws again at every replay of captured work', async (_, make) => {
    const [plain, captured, unseeded] = [make(7), make(7), make()];
    const x = ones([2, 50]);
    const step = compile((given: Tensor) => captured.apply(given, training) as Tensor);
    const free = compile((given: Tensor) => unseeded.apply(given, training) as Tensor);
    const seen = new Set<string>();
    for (let i = 0; i < 4; i++) {
      expect(await step(x).array()).toEqual(await (plain.apply(x, training) as Tensor).array());
      seen.add(String(await free(x).array()));
    }
    expect(seen.size).toBe(4);
  });

  test('outside of training all of them return their input', async () => {
    const x = tensor([1, 2, 3], { shape: [1, 3] });
    for (const [, make] of makers) expect(await (make(1).apply(x) as Tensor).array()).toEqual([[1, 2, 3]]);
  });
});
