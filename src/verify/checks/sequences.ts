/** @file Checks of attention and recurrent layers, with gradients by central differences: they are small. */
import { dotProductAttention } from '../../ops/attention/dotProductAttention.ts';
import { gruSteps } from '../../ops/recurrent/gruSteps.ts';
import { joinedAttention } from '../../ops/attention/joinedAttention.ts';
import { lstmSteps } from '../../ops/recurrent/lstmSteps.ts';
import { rotaryEmbedding } from '../../ops/attention/rotaryEmbedding.ts';
import { type Check, differentiable, spec, type Values } from '../check.ts';
import { byDifferences, linear } from '../reference.ts';

/** Sizes of attention. */
interface Sizes {
  readonly queries: number;
  readonly keys: number;
  readonly heads: number;
  readonly size: number;
  readonly isCausal: boolean;
}

/** Where an element of a tensor is. */
type At = (position: number, head: number, i: number) => number;

/** Attention in float64: the elements of queries, keys and values are `q`, `k` and `v`. */
function attended({ queries, keys, heads, size, isCausal }: Sizes, q: At, k: At, v: At): Float64Array {
  const y = new Float64Array(queries * heads * size);
  for (let head = 0; head < heads; head++)
    for (let row = 0; row < queries; row++) {
      const weights = Array.from({ length: isCausal ? Math.min(row + 1, keys) : keys }, (_, key) => {
        let score = 0;
        for (let i = 0; i < size; i++) score += q(row, head, i) * k(key, head, i);
        return Math.exp(score / Math.sqrt(size));
      });
      const all = weights.reduce((a, b) => a + b, 0);
      for (let i = 0; i < size; i++)
        y[(row * heads + head) * size + i] = weights.reduce(
          (sum, weight, key) => sum + (weight / all) * v(key, head, i),
          0,
        );
    }
  return y;
}

function attention(queries: number, keys: number, heads: number, size: number, isCausal: boolean): Check {
  const shapes = [
    [1, queries, heads, size],
    [1, keys, heads, size],
    [1, keys, heads, size],
    [1, queries, heads, size],
  ];
  const at =
    (x: Values): At =>
    (position, head, i) =>
      x[(position * heads + head) * size + i] as number;
  const forward = (q: Values, k: Values, v: Values) =>
    attended({ queries, keys, heads, size, isCausal }, at(q), at(k), at(v));
  return differentiable(
    `attention of ${queries} queries, ${keys} keys, ${heads} heads of ${size}${isCausal ? ', causal' : ''}`,
    shapes.map((shape) => spec(shape)),
    5e-5,
    (q, k, v) =>
      dotProductAttention(q as never, k as never, v as never, null as never, null as never, { isCausal }),
    byDifferences(forward),
  );
}

/** One tensor of queries, keys and values, where a head of keys serves all heads of queries. */
function joined(length: number, heads: number, size: number, isCausal: boolean): Check {
  const all = heads + 2;
  const at =
    (x: Values, head: (own: number) => number): At =>
    (position, own, i) =>
      x[(position * all + head(own)) * size + i] as number;
  const forward = (x: Values) =>
    attended(
      { queries: length, keys: length, heads, size, isCausal },
      at(x, (own) => own),
      at(x, () => heads),
      at(x, () => heads + 1),
    );
  return differentiable(
    `attention in one tensor of ${length} positions, ${heads} heads of ${size}${isCausal ? ', causal' : ''}`,
    [spec([1, length, all, size]), spec([1, length, heads, size])],
    5e-5,
    (x) => joinedAttention(x as never, null, { keyHeads: 1, isCausal }),
    byDifferences(forward),
  );
}

function rotary(rows: number, heads: number, size: number, interleaved: boolean): Check {
  const shape = [rows, heads, size];
  const first = 3;
  return differentiable(
    `rotaryEmbedding of ${shape.join(' × ')}${interleaved ? ', interleaved' : ''}`,
    [spec(shape), spec(shape)],
    2e-5,
    (x) => rotaryEmbedding(x as never, first as never, null as never, { interleaved }),
    linear((visit) => {
      const half = size / 2;
      for (let line = 0; line < rows * heads; line++)
        for (let j = 0; j < half; j++) {
          const [a, b] = interleaved ? [2 * j, 2 * j + 1] : [j, half + j];
          const angle = (first + Math.floor(line / heads)) / 10_000 ** (j / half);
          const [at, to] = [line * size + a, line * size + b];
          visit(at, at, Math.cos(angle));
          visit(to, at, -Math.sin(angle));
          visit(at, to, Math.sin(angle));
          visit(to, to, Math.cos(angle));
        }
    }),
  );
}

export const attentions = (): Check[] => [
  attention(5, 7, 2, 4, false),
  attention(6, 6, 1, 8, true),
  joined(6, 2, 4, true),
  rotary(3, 2, 16, false),
  rotary(3, 1, 6, true),
];

function lstm(batch: number, time: number, units: number): Check {
  const sigmoid = (x: number) => 1 / (1 + Math.exp(-x));
  const forward = (gates: Values, kernel: Values) => {
    const y = new Float64Array(batch * time * units);
    for (let b = 0; b < batch; b++) {
      let h = new Float64Array(units);
      const c = new Float64Array(units);
      for (let t = 0; t < time; t++) {
        const gate = (which: number, unit: number) => {
          const column = which * units + unit;
          const own = gates[(b * time + t) * 4 * units + column] as number;
          return h.reduce((sum, value, j) => sum + value * (kernel[j * 4 * units + column] as number), own);
        };
        const next = new Float64Array(units);
        for (let u = 0; u < units; u++) {
          c[u] = sigmoid(gate(1, u)) * (c[u] as number) + sigmoid(gate(0, u)) * Math.tanh(gate(2, u));
          next[u] = sigmoid(gate(3, u)) * Math.tanh(c[u] as number);
        }
        h = next;
        y.set(h, (b * time + t) * units);
      }
    }
    return y;
  };
  return differentiable(
    `LSTM, batch ${batch}, ${time} steps, ${units} units`,
    [spec([batch, time, 4 * units]), spec([units, 4 * units]), spec([batch, time, units])],
    5e-5,
    (gates, kernel) =>
      lstmSteps(gates as never, kernel as never, null as never, null as never, null as never)[0],
    byDifferences(forward),
  );
}

function gru(batch: number, time: number, units: number): Check {
  const sigmoid = (x: number) => 1 / (1 + Math.exp(-x));
  const forward = (gates: Values, kernel: Values) => {
    const y = new Float64Array(batch * time * units);
    for (let b = 0; b < batch; b++) {
      let h = new Float64Array(units);
      for (let t = 0; t < time; t++) {
        const input = (which: number, unit: number) =>
          gates[(b * time + t) * 3 * units + which * units + unit] as number;
        const product = (which: number, unit: number) =>
          h.reduce(
            (sum, value, j) => sum + value * (kernel[j * 3 * units + which * units + unit] as number),
            0,
          );
        h = h.map((value, u) => {
          const z = sigmoid(input(0, u) + product(0, u));
          const r = sigmoid(input(1, u) + product(1, u));
          return z * value + (1 - z) * Math.tanh(input(2, u) + r * product(2, u));
        });
        y.set(h, (b * time + t) * units);
      }
    }
    return y;
  };
  return differentiable(
    `GRU, batch ${batch}, ${time} steps, ${units} units`,
    [spec([batch, time, 3 * units]), spec([units, 3 * units]), spec([batch, time, units])],
    5e-5,
    (gates, kernel) =>
      gruSteps(gates as never, kernel as never, null as never, null as never, null as never)[0],
    byDifferences(forward),
  );
}

export const recurrences = (): Check[] => [lstm(2, 3, 4), lstm(1, 4, 5), gru(2, 3, 4)];
