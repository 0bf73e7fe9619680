/** @file A transformer's forward pass in float64 on the host: layer normalization, causal attention, GELU. Row-major. */
import { dense } from './float64.ts';

export const epsilon = 1e-5;

/** Parameters of a block, in this order. */
export const blockParameters = 12;

export interface Sizes {
  batch: number;
  length: number;
  width: number;
  heads: number;
}

export function layerNorm(
  x: Float64Array,
  width: number,
  [gamma, beta]: readonly ArrayLike<number>[],
): Float64Array {
  const result = new Float64Array(x.length);
  for (let from = 0; from < x.length; from += width) {
    const line = x.subarray(from, from + width);
    const mean = line.reduce((a, b) => a + b) / width;
    const scale = 1 / Math.sqrt(line.reduce((sum, v) => sum + (v - mean) ** 2, 0) / width + epsilon);
    for (let j = 0; j < width; j++)
      result[from + j] =
        ((line[j] as number) - mean) * scale * (gamma?.[j] as number) + (beta?.[j] as number);
  }
  return result;
}

/** The approximation with tanh. */
export const gelu = (v: number) =>
  0.5 * v * (1 + Math.tanh(Math.sqrt(2 / Math.PI) * (v + 0.044715 * v ** 3)));

/** Causal attention of concatenated queries, keys and values: [batch · length, 3 · width]. */
export function attend(qkv: Float64Array, { batch, length, width, heads }: Sizes): Float64Array {
  const size = width / heads;
  const result = new Float64Array(batch * length * width);
  const at = (b: number, t: number, part: number, channel: number) =>
    qkv[(b * length + t) * 3 * width + part * width + channel] as number;
  for (let b = 0; b < batch; b++)
    for (let head = 0; head < heads; head++)
      for (let t = 0; t < length; t++) {
        const first = head * size;
        const scores = Array.from({ length: t + 1 }, (_, s) => {
          let score = 0;
          for (let d = first; d < first + size; d++) score += at(b, t, 0, d) * at(b, s, 1, d);
          return score / Math.sqrt(size);
        });
        const largest = Math.max(...scores);
        const weights = scores.map((score) => Math.exp(score - largest));
        const total = weights.reduce((sum, weight) => sum + weight);
        for (let d = first; d < first + size; d++) {
          const sum = weights.reduce((all, weight, s) => all + weight * at(b, s, 2, d), 0);
          result[(b * length + t) * width + d] = sum / total;
        }
      }
  return result;
}

/** Normalization, attention, normalization, and two dense layers, with a residual connection around each half. */
export function block(x: Float64Array, parameters: readonly Float64Array[], sizes: Sizes): Float64Array {
  const rows = sizes.batch * sizes.length;
  const { width } = sizes;
  const of = (i: number) => parameters[i] as Float64Array;
  const plus = (a: Float64Array, b: Float64Array) => a.map((v, i) => v + (b[i] as number));
  const qkv = dense(layerNorm(x, width, [of(0), of(1)]), rows, of(2), of(3));
  const middle = plus(x, dense(attend(qkv, sizes), rows, of(4), of(5)));
  const expanded = dense(layerNorm(middle, width, [of(6), of(7)]), rows, of(8), of(9)).map(gelu);
  return plus(middle, dense(expanded, rows, of(10), of(11)));
}
