/** @file sampleTokens: which tokens can be drawn, against float64, and how often they are. */
import { beforeAll, describe, expect, test } from 'vitest';
import { init, sampleTokens, type SampleTokensOptions, tensor } from '../../src/index.ts';
import { getDevice } from '../../src/webgpu/current.ts';
import { adapterClasses, asAdapter } from '../support/adapterClass.ts';
import { generator } from './samples/draw.ts';

beforeAll(async () => {
  await init();
});

/** The probabilities of all tokens, in float64. */
function probabilities(
  logits: ArrayLike<number>,
  previous: readonly number[],
  { temperature = 1, topK = null, topP = 1, repetitionPenalty = 1 }: SampleTokensOptions,
): number[] {
  const scaled = Array.from(logits, (logit, k) => {
    if (!previous.includes(k)) return logit / temperature;
    return (logit > 0 ? logit / repetitionPenalty : logit * repetitionPenalty) / temperature;
  });
  const order = scaled.map((_, k) => k).sort((a, b) => (scaled[b] as number) - (scaled[a] as number));
  const kept = order.slice(0, topK ?? order.length);
  const masses = kept.map((k) => Math.exp((scaled[k] as number) - (scaled[order[0] as number] as number)));
  const whole = masses.reduce((a, b) => a + b, 0);
  let [sum, count] = [0, 0];
  while (count < kept.length && (count === 0 || sum < topP * whole)) sum += masses[count++] as number;
  const found = scaled.map(() => 0);
  for (let i = 0; i < count; i++) found[kept[i] as number] = (masses[i] as number) / sum;
  return found;
}

function draw(n: number, seed: number): Float32Array {
  const random = generator(seed);
  return Float32Array.from({ length: n }, () => 6 * random() - 3);
}

describe.each(adapterClasses)('as on a %s', (kind) => {
  test.each<[n: number, previous: number[], options: SampleTokensOptions]>([
    [1, [], {}],
    [7, [], { temperature: 0.7 }],
    [40, [], { topK: 5, temperature: 2 }],
    [40, [], { topP: 0.6 }],
    [300, [], { topK: 20, topP: 0.8, temperature: 1.5 }],
    [40, [3, 7, 7, -1, 21], { repetitionPenalty: 1.8, topK: 6 }],
    [40, [0, 1, 2, 3], { repetitionPenalty: 0.5, topP: 0.9 }],
  ])('%d tokens after %j with %j', (n, previous, options) =>
    asAdapter(kind, async () => {
      // A software adapter takes long for the barriers of a workgroup.
      const rows = kind === 'gpu' ? 25 : 250;
      const logits = draw(n, n);
      const repeated = new Float32Array(rows * n);
      const earlier = new Int32Array(rows * previous.length);
      for (let row = 0; row < rows; row++) {
        repeated.set(logits, row * n);
        earlier.set(previous, row * previous.length);
      }
      const given =
        previous.length > 0 ? tensor(earlier, { shape: [rows, previous.length], dtype: 'int32' }) : null;
      const found = await sampleTokens(tensor(repeated, { shape: [rows, n] }), given, {
        ...options,
        seed: 5,
      }).data();
      const expected = probabilities(logits, previous, options);
      const counts = expected.map(() => 0);
      for (const token of found) counts[token] = (counts[token] as number) + 1;
      for (const [k, p] of expected.entries()) {
        const count = counts[k] as number;
        if (p === 0) expect(count).toBe(0);
        // Five standard deviations.
        expect(Math.abs(count - rows * p)).toBeLessThanOrEqual(5 * Math.sqrt(rows * p * (1 - p)) + 1);
      }
    }),
  );

  test('temperature 0 takes the largest logit after the penalty', () =>
    asAdapter(kind, async () => {
      const logits = tensor([
        [1, 5, 4.9, -2],
        [3, 3, 2, 1],
      ]);
      const greedy = { temperature: 0 };
      expect(Array.from(await sampleTokens(logits, null, greedy).data())).toEqual([1, 0]);
      const previous = tensor(
        [
          [1, 1],
          [0, -1],
        ],
        { dtype: 'int32' },
      );
      const found = sampleTokens(logits, previous, { ...greedy, repetitionPenalty: 1.5 });
      expect(Array.from(await found.data())).toEqual([2, 1]);
    }));

  test('equal seeds give equal tokens, others don’t', () =>
    asAdapter(kind, async () => {
      const logits = tensor(draw(4 * 500, 1), { shape: [2, 2, 500] });
      const of = async (seed?: number) =>
        Array.from(await sampleTokens(logits, null, { seed, temperature: 3 }).data());
      expect(await of(1)).toEqual(await of(1));
      expect(await of(1)).not.toEqual(await of(2));
      expect(await of()).not.toEqual(await of());
    }));

  test('a large vocabulary, in at most three launches', () =>
    asAdapter(kind, async () => {
      const logits = draw(50_257, 3);
      const { statistics } = getDevice().stream;
      const input = tensor(logits, { shape: [1, 50_257] });
      const previous = tensor([[4, 9]], { dtype: 'int32' });
      const options = { topK: 3, topP: 0.9, repetitionPenalty: 1.2 };
      const before = statistics.launches;
      const token = sampleTokens(input, previous, options);
      expect(statistics.launches - before).toBeLessThanOrEqual(3);
      expect(probabilities(logits, [4, 9], options)[await token.item()]).toBeGreaterThan(0);
    }));
});
