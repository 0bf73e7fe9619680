/**
 * @file The fused kernels of attention, which a software adapter selects only for many scores, against attention in
 * float64 on the host: results, and gradients by central differences of the float64 values.
 */
import { beforeAll, describe, expect, test } from 'vitest';
import {
  dotProductAttention,
  GradientTape,
  init,
  mul,
  profile,
  sum,
  type Tensor,
  tensor,
} from '../../src/index.ts';
import { generator } from '../ops/samples/draw.ts';
import { profileFor, withProfile } from '../support/adapterClass.ts';
import { ownDevice } from '../support/ownDevice.ts';

beforeAll(async () => {
  await init();
});

/** Runs `body` where every attention is fused. */
const fused = <T>(body: () => T | Promise<T>) =>
  withProfile({ ...profileFor('cpu'), attention: { largestScores: 0 } }, body);

interface Sizes {
  batch: number;
  queries: number;
  keys: number;
  heads: number;
  keyHeads: number;
  size: number;
  valueSize: number;
}

interface Case extends Partial<Sizes> {
  why: string;
  /** Shapes that broadcast to [batch, heads, queries, keys]. */
  mask?: readonly number[];
  bias?: readonly number[];
  isCausal?: boolean;
  scale?: number;
  constantBias?: boolean;
  /** Whether the first query of the first sample sees no key. */
  blind?: boolean;
}

/** Few variants, since each takes seconds to compile: vectors or not, a mask or bias or not, head sizes from 32 to 256. */
const cases: readonly Case[] = [
  { why: 'several tiles', queries: 70, keys: 67, size: 40, valueSize: 36 },
  { why: 'causal', queries: 70, keys: 70, size: 40, valueSize: 36, isCausal: true },
  { why: 'causal, fewer keys than queries', queries: 67, keys: 5, size: 40, valueSize: 36, isCausal: true },
  { why: 'causal, more keys than queries', queries: 5, keys: 70, size: 40, valueSize: 36, isCausal: true },
  { why: 'one query of grouped heads', heads: 6, keyHeads: 2, queries: 1, keys: 67, size: 64, valueSize: 64 },
  { why: 'heads of 100', size: 100, valueSize: 72, queries: 33, keys: 65, scale: 0.2 },
  { why: 'a padding mask', batch: 2, mask: [2, 1, 1, 40], keys: 40, size: 3, valueSize: 5 },
  {
    why: 'grouped queries, a causal mask, and a query that sees nothing',
    ...{ batch: 2, heads: 4, keyHeads: 2, queries: 40, keys: 40, size: 3, valueSize: 5 },
    ...{ mask: [2, 1, 40, 40], isCausal: true, blind: true },
  },
  { why: 'a mask of heads', heads: 2, mask: [2, 1, 40], keys: 40, size: 3, valueSize: 5 },
  { why: 'a constant bias', heads: 2, bias: [2, 1, 12], constantBias: true, size: 3, valueSize: 5 },
];

const biased: readonly Case[] = [
  { why: 'a bias', bias: [2, 9, 1], heads: 2, keyHeads: 1, queries: 9, keys: 40, size: 3, valueSize: 5 },
  {
    why: 'a bias and a mask',
    bias: [1, 40],
    mask: [9, 40],
    queries: 9,
    keys: 40,
    blind: true,
    size: 3,
    valueSize: 5,
  },
];

const defaults: Sizes = { batch: 1, queries: 10, keys: 12, heads: 2, keyHeads: 2, size: 8, valueSize: 8 };
const count = (shape: readonly number[]) => shape.reduce((a, b) => a * b, 1);

type Host = { shape: readonly number[]; values: Float64Array };

function drawn(given: Case) {
  const sizes = { ...defaults, ...(given.heads ? { keyHeads: given.heads } : {}), ...given };
  const { batch, queries, keys, heads, keyHeads, size, valueSize, mask, bias, blind } = sizes;
  const random = generator(5);
  const draw = (...shape: number[]): Host => ({
    shape,
    // Exact in float32, so that host and device start with the same values.
    values: Float64Array.from({ length: count(shape) }, () => Math.fround(2 * random() - 1)),
  });
  const seen = mask && {
    shape: mask,
    values: Float64Array.from({ length: count(mask) }, (_, i) =>
      Number(random() < 0.6 && !(blind && i < keys)),
    ),
  };
  return {
    sizes,
    inputs: [
      draw(batch, queries, heads, size),
      draw(batch, keys, keyHeads, size),
      draw(batch, keys, keyHeads, valueSize),
    ] as [Host, Host, Host],
    cotangent: draw(batch, queries, heads, valueSize),
    seen: seen ?? null,
    bias: bias ? draw(...bias) : null,
  };
}

/** Returns the value of `x` at [batch, head, query, key], to which it broadcasts. */
function valueAt({ shape, values }: Host, place: readonly number[]): number {
  const at = shape.reduce(
    (index, n, i) => index * n + (n === 1 ? 0 : (place[4 - shape.length + i] as number)),
    0,
  );
  return values[at] as number;
}

/** Returns element [b, t, n, d] of inputs and results. */
function elementAt({ shape, values }: Host, b: number, t: number, n: number, d: number): number {
  const [, length, count, width] = shape as [number, number, number, number];
  return values[((b * length + t) * count + n) * width + d] as number;
}

/** A query of one head, with the weights of all keys. */
interface Row {
  readonly b: number;
  readonly n: number;
  readonly t: number;
  /** The head of keys and values. */
  readonly own: number;
  readonly weights: readonly number[];
  readonly isSeen: readonly boolean[];
}

function* rowsOf(
  given: Case,
  [query, key]: readonly Host[],
  bias: Host | null,
  seen: Host | null,
): Generator<Row> {
  const { sizes } = drawn(given);
  const { batch, queries, keys, heads, keyHeads, size, isCausal = false } = sizes;
  const scale = given.scale ?? 1 / Math.sqrt(size);
  for (let b = 0; b < batch; b++)
    for (let n = 0; n < heads; n++)
      for (let t = 0; t < queries; t++) {
        const own = Math.floor(n / (heads / keyHeads));
        const isSeen = Array.from(
          { length: keys },
          (_, s) => (!seen || valueAt(seen, [b, n, t, s]) !== 0) && (!isCausal || s <= t),
        );
        const scores = isSeen.map((isSeen, s) => {
          if (!isSeen) return -1e30;
          let dot = 0;
          for (let d = 0; d < size; d++)
            dot += elementAt(query as Host, b, t, n, d) * elementAt(key as Host, b, s, own, d);
          return dot * scale + (bias ? valueAt(bias, [b, n, t, s]) : 0);
        });
        const largest = Math.max(...scores);
        const exponentials = scores.map((score) => Math.exp(score - largest));
        const total = exponentials.reduce((a, e) => a + e, 0);
        yield { b, n, t, own, weights: exponentials.map((e) => e / total), isSeen };
      }
}

function reference(given: Case, inputs: readonly Host[], bias: Host | null, seen: Host | null) {
  const { batch, queries, heads, valueSize } = drawn(given).sizes;
  const out = new Float64Array(batch * queries * heads * valueSize);
  for (const { b, n, t, own, weights } of rowsOf(given, inputs, bias, seen))
    for (let d = 0; d < valueSize; d++) {
      let result = 0;
      weights.forEach((w, s) => {
        result += w * elementAt(inputs[2] as Host, b, s, own, d);
      });
      out[((b * queries + t) * heads + n) * valueSize + d] = result;
    }
  return out;
}

/**
 * The gradient of the bias as sums of terms, w · dw and -w · Σ(w · dw) for each score, where dw is the gradient of its weight.
 * Returns the sums and, as they may cancel, limits of their rounding errors in float32: n · eps · Σ|terms|, with n roundings
 * on the way of a term (N. Higham, "Accuracy and Stability of Numerical Algorithms", 2002, section 3.1).
 */
function biasGradient(given: Case, inputs: readonly Host[], bias: Host, seen: Host | null, cotangent: Host) {
  const { keys, size, valueSize, batch, heads, queries } = drawn(given).sizes;
  const sums = new Float64Array(count(bias.shape));
  const magnitudes = new Float64Array(count(bias.shape));
  const positions = { ...bias, values: Float64Array.from(bias.values, (_, i) => i) };
  for (const { b, n, t, own, weights, isSeen } of rowsOf(given, inputs, bias, seen)) {
    const products = (s: number) =>
      Array.from(
        { length: valueSize },
        (_, d) => elementAt(cotangent, b, t, n, d) * elementAt(inputs[2] as Host, b, s, own, d),
      );
    const derivatives = weights.map((_, s) => products(s).reduce((a, p) => a + p, 0));
    const absolute = weights.map((_, s) => products(s).reduce((a, p) => a + Math.abs(p), 0));
    const mean = dot(weights, derivatives);
    const absoluteMean = dot(weights, absolute);
    weights.forEach((w, s) => {
      // A score that a mask replaces has no gradient.
      if (!isSeen[s]) return;
      const i = valueAt(positions, [b, n, t, s]);
      sums[i] = (sums[i] as number) + w * ((derivatives[s] as number) - mean);
      magnitudes[i] = (magnitudes[i] as number) + w * ((absolute[s] as number) + absoluteMean);
    });
  }
  const terms = (batch * heads * queries * keys) / count(bias.shape);
  // Dot products of queries and of values, the sums of a softmax and of its gradient, and about ten single operations.
  const roundings = size + valueSize + 2 * keys + terms + 10;
  return { sums, limits: magnitudes.map((magnitude) => roundings * 2 ** -24 * magnitude) };
}

const uploaded = ({ shape, values }: Host, dtype: 'float32' | 'bool' = 'float32') =>
  tensor(Array.from(values), { shape, dtype });

const dot = (a: ArrayLike<number>, b: ArrayLike<number>) =>
  Array.from(a).reduce((total, x, i) => total + x * (b[i] as number), 0);

async function check(given: Case): Promise<void> {
  const { inputs, bias, seen, cotangent } = drawn(given);
  const { isCausal = false, scale } = given;
  const tensors = inputs.map((x) => uploaded(x));
  const biasTensor = bias && uploaded(bias);
  const moves = bias && !given.constantBias;
  const differentiated = [...tensors, ...(biasTensor && moves ? [biasTensor] : [])];
  const tape = new GradientTape();
  tape.watch(differentiated);
  const [query, key, value] = tensors as [Tensor, Tensor, Tensor];
  const out = dotProductAttention(query, key, value, {
    ...(biasTensor ? { bias: biasTensor } : {}),
    ...(seen ? { mask: uploaded(seen, 'bool') } : {}),
    ...(scale ? { scale } : {}),
    isCausal,
  });
  const gradients = tape.gradient(sum(mul(out, uploaded(cotangent))), differentiated) as Tensor[];
  const expected = reference(given, inputs, bias, seen);
  (await out.data()).forEach((found, i) => {
    expect(Math.abs(found - (expected[i] as number))).toBeLessThan(3e-6);
  });
  // Along one random direction for each input: its gradient against a central difference in float64.
  const random = generator(11);
  const hosts = [...inputs, ...(bias && moves ? [bias] : [])];
  for (const [k, gradient] of gradients.entries()) {
    const direction = (hosts[k] as Host).values.map(() => 2 * random() - 1);
    const loss = (step: number) => {
      const moved = hosts.map((x, i) =>
        i === k ? { ...x, values: x.values.map((v, j) => v + step * (direction[j] as number)) } : x,
      );
      const result = reference(given, moved.slice(0, 3), moves ? (moved[3] as Host) : bias, seen);
      return dot(result, cotangent.values);
    };
    const rise = (loss(1e-4) - loss(-1e-4)) / 2e-4;
    const values = await gradient.data();
    if (k === 3 && bias) {
      const { sums, limits } = biasGradient(given, inputs, bias, seen, cotangent);
      values.forEach((found, i) => {
        expect(Math.abs(found - (sums[i] as number)), `bias ${i}`).toBeLessThanOrEqual(limits[i] as number);
      });
      // Where the terms cancel, nothing is left to compare a direction with.
      if (sums.every((sum, i) => Math.abs(sum) < (limits[i] as number))) continue;
    }
    const scaleOf = Math.sqrt(dot(values, values)) + 1e-3;
    expect(Math.abs(dot(values, direction) - rise), `gradient ${k}`).toBeLessThan(2e-5 * scaleOf);
  }
}

describe('fused attention', () => {
  test.each(cases.map((given) => [given.why, given] as const))('%s', (_, given) => fused(() => check(given)));
  test.each(biased.map((given) => [given.why, given] as const))('%s', (_, given) =>
    fused(() => check(given)),
  );
});

test.each([...cases.slice(7), ...biased].map((given) => [given.why, given] as const))(
  'attention by GEMMs: %s',
  (_, given) => check(given),
);

test('heads of 132', () =>
  fused(async () => {
    const given = { why: '', size: 132, valueSize: 132, queries: 3, keys: 65 };
    const { inputs } = drawn(given);
    const [query, key, value] = inputs.map((x) => uploaded(x)) as [Tensor, Tensor, Tensor];
    const found = await dotProductAttention(query, key, value).data();
    const expected = reference(given, inputs, null, null);
    found.forEach((v, i) => {
      expect(Math.abs(v - (expected[i] as number))).toBeLessThan(3e-6);
    });
  }));

test('launches one kernel forward and two backward, and takes memory that is linear in the length', () =>
  fused(async () => {
    const bytesFor = async (length: number) => {
      const x = tensor(new Float32Array(length * 3), { shape: [1, length, 1, 3] });
      const mask = tensor(new Uint8Array(length).fill(1), { shape: [length], dtype: 'bool' });
      const tape = new GradientTape();
      tape.watch(x);
      const forward = await profile(() => dotProductAttention(x, x, x, { mask, isCausal: true }));
      expect(forward.events.length).toBeLessThanOrEqual(2);
      const out = forward.result as Tensor;
      const backward = await profile(() => tape.gradient(out, x));
      // The tape adds the three gradients of x in another.
      expect(backward.events.filter(({ kernel }) => kernel.startsWith('attention')).length).toBe(2);
      return [...forward.events, ...backward.events].reduce((total, { bytes }) => total + bytes, 0);
    };
    const [once, twice] = [await bytesFor(128), await bytesFor(256)];
    expect(twice).toBeLessThan(2.2 * once);
  }));

test('a device that binds eight buffers at most has a launch of its own for sums, which gives the same bits', async () => {
  const gradients = () =>
    fused(async () => {
      const [query, key, value] = drawn({ why: '', size: 3, valueSize: 5 }).inputs.map((x) => uploaded(x));
      const mask = tensor(new Uint8Array(12).fill(1, 3), { shape: [12], dtype: 'bool' });
      const inputs = [query, key, value] as [Tensor, Tensor, Tensor];
      const tape = new GradientTape();
      tape.watch(inputs);
      const out = dotProductAttention(...inputs, { mask });
      const { result, events } = await profile(() => tape.gradient(out, inputs, { outputGradients: out }));
      return {
        kernels: events.map(({ kernel }) => kernel).filter((kernel) => kernel.startsWith('attention')),
        values: await Promise.all((result as Tensor[]).map((gradient) => gradient.data())),
      };
    });
  const joined = await gradients();
  await using _ = await ownDevice();
  const apart = await gradients();
  expect(joined.kernels).toEqual(['attention query gradient', 'attention key gradient']);
  expect(apart.kernels).toEqual(['attention sums', ...joined.kernels]);
  expect(apart.values).toEqual(joined.values);
});
