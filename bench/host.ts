/** @file Arrays on the host: inputs and expected results of rows. */

export type Values = Float32Array<ArrayBuffer> | Int32Array<ArrayBuffer>;

export interface HostArray {
  readonly shape: readonly number[];
  readonly values: Values;
}

export const sizeOf = (shape: readonly number[]) => shape.reduce((size, n) => size * n, 1);

/** Returns a generator of numbers in [0, 1), the same on every run (the linear congruential generator of Numerical Recipes). */
export function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

/** Normally distributed values (Box–Muller transform). */
export function normal(shape: readonly number[], seed: number, deviation = 1): HostArray {
  const random = seeded(seed);
  const values = new Float32Array(sizeOf(shape));
  for (let i = 0; i < values.length; i += 2) {
    const radius = deviation * Math.sqrt(-2 * Math.log(1 - random()));
    const angle = 2 * Math.PI * random();
    values[i] = radius * Math.cos(angle);
    values[i + 1] = radius * Math.sin(angle);
  }
  return { shape, values };
}

export function filled(shape: readonly number[], value: number): HostArray {
  return { shape, values: new Float32Array(sizeOf(shape)).fill(value) };
}

/** Integers from 0 to below `limit`. */
export function integers(shape: readonly number[], limit: number, seed: number): HostArray {
  const random = seeded(seed);
  return { shape, values: Int32Array.from({ length: sizeOf(shape) }, () => Math.floor(random() * limit)) };
}

/** Integers that are mostly small: Zipf's law with exponent 1, by inverting its distribution function. */
export function zipf(shape: readonly number[], limit: number, seed: number): HostArray {
  const random = seeded(seed);
  const draw = () => Math.min(limit - 1, Math.floor(limit ** random()) - 1);
  return { shape, values: Int32Array.from({ length: sizeOf(shape) }, draw) };
}

export function permuted({ shape, values }: HostArray, permutation: readonly number[]): HostArray {
  const strides = shape.map((_, axis) => sizeOf(shape.slice(axis + 1)));
  const target = permutation.map((axis) => shape[axis] as number);
  const steps = permutation.map((axis) => strides[axis] as number);
  const result = new (values.constructor as Float32ArrayConstructor)(values.length);
  const position = target.map(() => 0);
  let from = 0;
  for (let to = 0; to < result.length; to++) {
    result[to] = values[from] as number;
    for (let axis = target.length - 1; axis >= 0; axis--) {
      from += steps[axis] as number;
      if (++(position[axis] as number) < (target[axis] as number)) break;
      from -= (steps[axis] as number) * (target[axis] as number);
      position[axis] = 0;
    }
  }
  return { shape: target, values: result };
}

/** Changes of layout for libraries whose convolutions expect channels first. */
export const toChannelsFirst = (x: HostArray) => permuted(x, [0, 3, 1, 2]);
export const fromChannelsFirst = (x: HostArray) => permuted(x, [0, 2, 3, 1]);
/** Filters: [height, width, in, out] to [out, in, height, width], and back. */
export const toFiltersFirst = (w: HostArray) => permuted(w, [3, 2, 0, 1]);
export const fromFiltersFirst = (w: HostArray) => permuted(w, [2, 3, 1, 0]);
