/** @file Attention over one tensor of queries, keys and values: that of its parts, to the bit, in as few launches as can be. */
import { beforeAll, describe, expect, test } from 'vitest';
import {
  concat,
  dotProductAttention,
  GradientTape,
  grad,
  init,
  randomNormal,
  split,
  square,
  sum,
  type Tensor,
  tensor,
  vmap,
} from '../../src/index.ts';
import { getDevice } from '../../src/webgpu/current.ts';
import { joinedAttention } from '../../src/ops/attention/joinedAttention.ts';
import { profileFor, withProfile } from '../support/adapterClass.ts';

beforeAll(async () => {
  await init();
});

/** Runs `body` where every attention is fused. */
const fused = <T>(body: () => T | Promise<T>) =>
  withProfile({ ...profileFor('cpu'), attention: { largestScores: 0 } }, body);

const dataOf = async (x: unknown) => Array.from(await (x as Tensor).data());

interface Case {
  readonly why: string;
  readonly shape: readonly [batch: number, length: number, heads: number, size: number];
  readonly keyHeads: number;
  readonly isCausal: boolean;
  readonly masked: boolean;
}

const cases: readonly Case[] = [
  { why: 'causal, in vectors', shape: [2, 70, 6, 8], keyHeads: 2, isCausal: true, masked: false },
  {
    why: 'grouped heads of an odd size, masked',
    shape: [2, 9, 6, 3],
    keyHeads: 1,
    isCausal: false,
    masked: true,
  },
];

describe.each(cases)('$why', ({ shape, keyHeads, isCausal, masked }) => {
  const [batch, length, all] = shape;
  const joined = () => randomNormal([...shape], { seed: 3 });
  const shown = () =>
    masked
      ? tensor(
          Array.from({ length: batch * length }, (_, i) => i % 4 !== 1),
          { shape: [batch, 1, 1, length], dtype: 'bool' },
        )
      : null;
  const byParts = (x: Tensor) => {
    const parts = split(x, { numOrSizeSplits: [all - 2 * keyHeads, keyHeads, keyHeads], axis: 2 });
    return dotProductAttention(...(parts as [Tensor, Tensor, Tensor]), null, shown(), { isCausal });
  };
  const asOne = (x: Tensor) => joinedAttention(x, shown(), { keyHeads, isCausal });

  test('gives the result and the gradient of its parts', () =>
    fused(async () => {
      const x = joined();
      const dy = randomNormal([batch, length, all - 2 * keyHeads, shape[3]], { seed: 4 });
      const [one, parts] = [asOne, byParts].map((attend) => {
        using tape = new GradientTape();
        tape.watch(x);
        const y = attend(x);
        return [y, tape.gradient(y, x, { outputGradients: dy })];
      }) as [Tensor[], Tensor[]];
      for (const [i, value] of one.entries()) expect(await dataOf(value)).toEqual(await dataOf(parts[i]));
    }));

  test('takes one launch, and two for the gradient', () =>
    fused(() => {
      const x = joined();
      const mask = shown();
      const { statistics } = getDevice().stream;
      using tape = new GradientTape();
      tape.watch(x);
      const before = statistics.launches;
      const y = joinedAttention(x, mask, { keyHeads, isCausal });
      expect(statistics.launches - before).toBe(1);
      tape.gradient(y, x, { outputGradients: y });
      expect(statistics.launches - before).toBe(3);
    }));

  test('has second derivatives, and maps over examples', () =>
    fused(async () => {
      const x = joined();
      const second = (attend: (x: Tensor) => Tensor) =>
        grad((given: Tensor) => sum(square(grad((inner: Tensor) => sum(square(attend(inner))))(given))))(x);
      const [one, other] = [await dataOf(second(asOne)), await dataOf(second(byParts))];
      const largest = Math.max(...other.map(Math.abs));
      for (const [i, value] of one.entries())
        expect(Math.abs(value - (other[i] as number)) / largest).toBeLessThan(1e-5);
      const two = concat([x, randomNormal([...shape], { seed: 9 })], { axis: 0 });
      const examples = split(two, { numOrSizeSplits: 2, axis: 0 }) as Tensor[];
      const mapped = vmap((example: Tensor) => joinedAttention(example, null, { keyHeads, isCausal }))(
        tensor(await two.data(), { shape: [2, ...shape] }),
      );
      const each = await Promise.all(
        examples.map((example) => dataOf(joinedAttention(example, null, { keyHeads, isCausal }))),
      );
      expect(await dataOf(mapped)).toEqual(each.flat());
    }));
});

test('where attention stores its scores, it is that of the parts', async () => {
  const x = randomNormal([1, 5, 4, 4], { seed: 1 });
  const [query, key, value] = split(x, { numOrSizeSplits: [2, 1, 1], axis: 2 }) as [Tensor, Tensor, Tensor];
  expect(await dataOf(joinedAttention(x, null, { keyHeads: 1, isCausal: true }))).toEqual(
    await dataOf(dotProductAttention(query, key, value, null, null, { isCausal: true })),
  );
  expect(() => joinedAttention(x, null, { keyHeads: 2 })).toThrow();
});
