/**
 * @file Draws the values of samples: seeded, so that a failure can be looked at again.
 */
import { sizeOf } from '../../../src/core/shape.ts';
import { type Tensor, tensor } from '../../../src/index.ts';
import type { InputSample } from './types.ts';

/** Uniform numbers in [0, 1): the generator mulberry32. */
export function generator(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

export function drawValues(sample: InputSample, random: () => number): number[] {
  const { shape, dtype = 'float32', high = 1, values, apart } = sample;
  const { low = dtype === 'uint32' ? 0 : -1 } = sample;
  if (values) return [...values];
  const size = sizeOf(shape);
  if (apart) {
    // A shuffled ladder: neighbours in value are `apart` from one another.
    const ladder = Array.from({ length: size }, (_, i) => (low + high) / 2 + apart * (i - (size - 1) / 2));
    for (let i = size - 1; i > 0; i--) {
      const j = Math.floor(random() * (i + 1));
      [ladder[i], ladder[j]] = [ladder[j] as number, ladder[i] as number];
    }
    return ladder;
  }
  return Array.from({ length: size }, () => {
    const value = low + (high - low) * random();
    return dtype === 'float32'
      ? value
      : dtype === 'bool'
        ? Number(value > (low + high) / 2)
        : Math.floor(value);
  });
}

export function upload(sample: InputSample, values: readonly number[]): Tensor {
  return tensor(Float64Array.from(values), {
    shape: sample.shape,
    dtype: sample.dtype ?? 'float32',
  }) as Tensor;
}
