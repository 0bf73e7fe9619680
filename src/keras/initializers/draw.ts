/** @file Random values for initializers. */
import type { DType } from '../../core/dtype.ts';
import { type Shape, sizeOf } from '../../core/shape.ts';
import { tensor } from '../../tensor/create.ts';
import type { Tensor } from '../../tensor/tensor.ts';

interface Drawn {
  dtype?: DType;
  seed?: number | undefined;
}

function generator(seed = Math.floor(Math.random() * 2 ** 32)): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x9e3779b9) >>> 0;
    let x = state;
    x = Math.imul(x ^ (x >>> 16), 0x21f0aaad);
    x = Math.imul(x ^ (x >>> 15), 0x735a2d97);
    return ((x ^ (x >>> 15)) >>> 0) / 2 ** 32;
  };
}

export function randomUniform(
  shape: Shape,
  { minval = 0, maxval = 1, seed, dtype }: Drawn & { minval?: number; maxval?: number },
): Tensor {
  const next = generator(seed);
  const values = Float32Array.from({ length: sizeOf(shape) }, () => minval + (maxval - minval) * next());
  return tensor(values, { shape, dtype: dtype ?? 'float32' });
}

export function truncatedNormal(
  shape: Shape,
  { stddev = 1, seed, dtype }: Drawn & { stddev?: number },
): Tensor {
  const next = generator(seed);
  const draw = () => {
    for (;;) {
      const z = Math.sqrt(-2 * Math.log(1 - next())) * Math.cos(2 * Math.PI * next());
      if (Math.abs(z) < 2) return z * stddev;
    }
  };
  return tensor(Float32Array.from({ length: sizeOf(shape) }, draw), { shape, dtype: dtype ?? 'float32' });
}
