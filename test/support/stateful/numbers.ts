/** @file The numbers that stateful programs compute with. */
import * as rg from '../../../src/index.ts';
import type { Tensor } from '../../../src/index.ts';

/** Numbers in [0, 1) from a seed (mulberry32). */
export function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Numbers of some variety, whose products round. */
export function numbers(count: number, seed: number): Float32Array<ArrayBuffer> {
  const random = randomFrom(seed + 77);
  return Float32Array.from({ length: count }, () => random() * 4 - 2);
}

export function values(shape: number[], seed: number): Tensor {
  return rg.tensor(
    numbers(
      shape.reduce((a, b) => a * b, 1),
      seed,
    ),
    { shape },
  );
}

/** Returns an item of a list; `n` may be any integer. */
export const pick = <T>(list: readonly T[], n: number): T => list[n % list.length] as T;
