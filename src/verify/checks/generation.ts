/** @file Checks of a generation: attention with a cache, and tokens that are drawn where only one can be. */
import { cachedAttention } from '../../ops/attention/cachedAttention.ts';
import { keyValueCache } from '../../ops/attention/keyValueCache.ts';
import { sampleTokens } from '../../ops/vocabulary/sampleTokens.ts';
import { slice } from '../../ops/arrangement/slice.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { type Check, spec, type Values } from '../check.ts';

interface Sizes {
  readonly dtype: 'float32' | 'float16';
  /** Rows of the prompt, of which all but the last are written before. */
  readonly rows: number;
  readonly maxLength: number;
  readonly heads: number;
  readonly keyHeads: number;
  readonly size: number;
  readonly window: number;
}

/** A prompt, then a step of one row, whose keys all workgroups of its head must see. */
function cached({ dtype, rows, maxLength, heads, keyHeads, size, window }: Sizes): Check {
  const shapes = [heads, keyHeads, keyHeads].map((n) => [1, rows, n, size]);
  const sharing = heads / keyHeads;
  return {
    name: `cachedAttention of ${rows} rows in ${maxLength}, ${heads} heads of ${size}, ${dtype}`,
    inputs: shapes.map((shape) => spec(shape)),
    tolerance: dtype === 'float16' ? 2e-3 : 2e-5,
    run: (inputs) => {
      const cache = keyValueCache({ layers: 1, batch: 1, maxLength, heads: keyHeads, size, dtype });
      try {
        const step = (begin: number, count: number) => {
          const [query, key, value] = inputs.map((x) =>
            slice(x, { begin: [0, begin, 0, 0], size: [1, count, x.shape[2] as number, size] }),
          ) as [Tensor, Tensor, Tensor];
          const [layer] = cache.layers as [(typeof cache.layers)[0]];
          return cachedAttention(query, key, value, cache.advance(count), layer, { window });
        };
        return [step(0, rows - 1), step(rows - 1, 1)];
      } finally {
        cache.dispose();
      }
    },
    expected: ([query, key, value]) => {
      const all = new Float64Array(rows * heads * size);
      const at = (x: Values, n: number, row: number, head: number, i: number) =>
        x[(row * n + head) * size + i] as number;
      for (let row = 0; row < rows; row++)
        for (let head = 0; head < heads; head++) {
          const group = Math.floor(head / sharing);
          const first = Math.max(0, row + 1 - window);
          const weights = Array.from({ length: row + 1 - first }, (_, j) => {
            let score = 0;
            for (let i = 0; i < size; i++)
              score +=
                at(query as Values, heads, row, head, i) * at(key as Values, keyHeads, first + j, group, i);
            return Math.exp(score / Math.sqrt(size));
          });
          const total = weights.reduce((a, b) => a + b);
          for (let i = 0; i < size; i++)
            all[(row * heads + head) * size + i] = weights.reduce(
              (sum, weight, j) => sum + (weight / total) * at(value as Values, keyHeads, first + j, group, i),
              0,
            );
        }
      const prompt = (rows - 1) * heads * size;
      return [all.subarray(0, prompt), all.subarray(prompt)];
    },
  };
}

/** The largest logit of each row, without randomness and as the only one that is left to draw. */
function sampled(rows: number, vocabulary: number): Check {
  return {
    name: `sampleTokens of ${rows} rows of ${vocabulary}`,
    inputs: [spec([rows, vocabulary])],
    tolerance: 1e-6,
    run: ([logits]) => {
      const given = logits as Tensor;
      return [
        sampleTokens(given, null, { temperature: 0 }),
        sampleTokens(given, null, { temperature: 0.5, topK: 1, seed: 1 }),
        sampleTokens(given, null, { topP: 1e-6, seed: 2 }),
      ];
    },
    expected: ([logits]) => {
      const largest = Array.from({ length: rows }, (_, row) => {
        const line = (logits as Values).subarray(row * vocabulary, (row + 1) * vocabulary);
        return line.indexOf(Math.max(...line));
      });
      return [largest, largest, largest];
    },
  };
}

export const generationChecks = (): Check[] => [
  cached({ dtype: 'float32', rows: 9, maxLength: 9, heads: 3, keyHeads: 1, size: 5, window: 100 }),
  cached({ dtype: 'float16', rows: 40, maxLength: 1024, heads: 2, keyHeads: 1, size: 32, window: 30 }),
  sampled(3, 301),
];
