/**
 * @file Data, noise and weights by formula, the same in every language: a program and its oracle in Keras start with the same numbers and
 * need no seeds.
 */
import { type Shape, type Tensor, tensor, type Variable } from 'retrograd';

/** Curves by name: what a program returns. */
export type Curves = Record<string, number[]>;

const modulus = 2147483647;

/** Numbers in [0, 1): the multiplicative generator of Lehmer, which doubles hold exactly. */
export function numbers(count: number, seed: number): number[] {
  let state = (seed * 69621 + 12345) % modulus;
  return Array.from({ length: count }, () => {
    state = (state * 48271) % modulus;
    return state / modulus;
  });
}

const sizeOf = (shape: Shape) => shape.reduce((product, size) => product * size, 1);

/** Uniform values between `low` and `high`. */
export function uniform(shape: Shape, seed: number, low = 0, high = 1): Tensor {
  const values = numbers(sizeOf(shape), seed).map((u) => low + (high - low) * u);
  return tensor(new Float32Array(values), { shape });
}

/** Values of mean 0 and variance 1: sums of four uniform ones. */
export function normal(shape: Shape, seed: number): Tensor {
  const count = sizeOf(shape);
  const parts = numbers(4 * count, seed);
  const values = Array.from({ length: count }, (_, i) => {
    const [a = 0, b = 0, c = 0, d = 0] = parts.slice(4 * i, 4 * i + 4);
    return (a + b + c + d - 2) * Math.sqrt(3);
  });
  return tensor(new Float32Array(values), { shape });
}

/** Integers in [0, bound). */
export function integers(shape: Shape, seed: number, bound: number): Tensor<'int32'> {
  const values = numbers(sizeOf(shape), seed).map((u) => Math.floor(u * bound));
  return tensor(new Int32Array(values), { shape });
}

/** Sets the kernels of models by formula; biases, scales and averages start as they are. */
export function setKernels(...models: { readonly weights: Variable[] }[]): void {
  const kernels = models.flatMap(({ weights }) => weights).filter(({ rank }) => rank >= 2);
  for (const [i, kernel] of kernels.entries()) {
    const limit = Math.sqrt(3 / sizeOf(kernel.shape.slice(0, -1)));
    kernel.assign(uniform(kernel.shape, 100 + i, -limit, limit));
  }
}
