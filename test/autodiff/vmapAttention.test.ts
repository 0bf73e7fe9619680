/** @file Fused attention under vmap, which every profile but that of software adapters selects: as for each example alone. */
import { beforeAll, expect, test } from 'vitest';
import {
  dotProductAttention,
  type DotProductAttentionOptions,
  grad,
  greater,
  init,
  profile,
  sin,
  stack,
  sum,
  type Tensor,
  unstack,
  vmap,
  zeros,
} from '../../src/index.ts';
import { profileFor, withProfile } from '../support/adapterClass.ts';
import { distinctValues, expectClose, expectMapped, peakOf } from './mapped.ts';

beforeAll(async () => {
  await init();
});

/** Runs `body` where every attention is fused. */
const fused = <T>(body: () => Promise<T>) =>
  withProfile({ ...profileFor('cpu'), attention: { largestScores: 0 } }, body);

type Axes = readonly [query: 0 | null, key: 0 | null, value: 0 | null, scores: 0 | null];

const choices: readonly Axes[] = [
  [0, 0, 0, 0],
  [0, 0, 0, null],
  [0, null, null, null],
  [null, 0, 0, null],
  [null, null, 0, 0],
  [null, null, null, 0],
];

/** [batch, length, heads, size], where two heads of the queries share one of the keys. */
const shapes = [
  [2, 3, 4, 4],
  [2, 5, 2, 4],
  [2, 5, 2, 3],
] as const;

const given = (axis: 0 | null, shape: readonly number[]) =>
  distinctValues(axis === 0 ? [2, ...shape] : [...shape]);

const operands = ([query, key, value]: Axes) => [
  given(query, shapes[0]),
  given(key, shapes[1]),
  given(value, shapes[2]),
];

type Kind = 'bias' | 'mask';

/** The options with `scores`, a bias or what the mask is true for where it is positive. */
const optionsOf = (kind: Kind, scores: Tensor, isCausal: boolean): DotProductAttentionOptions => ({
  isCausal,
  ...(kind === 'bias' ? { bias: scores } : { mask: greater(scores, -0.7) }),
});

const attentionOf =
  (kind: Kind, isCausal = false) =>
  (query: Tensor, key: Tensor, value: Tensor, scores: Tensor) =>
    dotProductAttention(query, key, value, optionsOf(kind, scores, isCausal));

/** Shapes that broadcast to [2, 4, 3, 5]. */
const ofScores: readonly (readonly number[])[] = [[5], [3, 1], [4, 1, 5], [1, 1, 3, 5], [2, 1, 1, 5]];

test.each(choices)('mapped: query %s, key %s, value %s, bias or mask %s', (...axes) =>
  fused(async () => {
    for (const shape of ofScores) {
      const inputs = [...operands(axes), given(axes[3], shape)];
      await expectMapped(attentionOf('bias'), inputs, axes);
      await expectMapped(attentionOf('mask', true), inputs, axes);
    }
  }),
);

test.each(choices)('gradients of each example: query %s, key %s, value %s, bias or mask %s', (...axes) =>
  fused(async () => {
    const inputs = [...operands(axes), given(axes[3], [2, 1, 3, 5])];
    for (const kind of ['bias', 'mask'] as const) {
      const total = (...args: [Tensor, Tensor, Tensor, Tensor]) =>
        sum(sin(attentionOf(kind, kind === 'mask')(...args)));
      for (const argnums of kind === 'bias' ? [0, 1, 2, 3] : [0, 1, 2])
        await expectMapped(grad(total, { argnums }), inputs, axes);
    }
  }),
);

test('a bias and a mask, for each example', () =>
  fused(async () => {
    const inputs = [...operands([0, 0, 0, 0]), given(0, [4, 3, 5]), given(0, [2, 1, 1, 5])];
    const both = (q: Tensor, k: Tensor, v: Tensor, bias: Tensor, scores: Tensor) =>
      dotProductAttention(q, k, v, { bias, mask: greater(scores, -0.5), scale: 0.3 });
    await expectMapped(both, inputs, [0, 0, 0, 0, 0]);
  }));

test('gradients from outside of the map, and through gradients inside', () =>
  fused(async () => {
    const [queries, key, value] = operands([0, null, null, null]) as [Tensor, Tensor, Tensor];
    const attended = (q: Tensor, k: Tensor) => sum(sin(dotProductAttention(q, k, value, { isCausal: true })));
    const moved = (q: Tensor, k: Tensor) => sum(sin(grad(attended, { argnums: 0 })(q, k)));
    for (const f of [attended, moved]) {
      const mapped = (k: Tensor) => sum(vmap((q: Tensor) => f(q, k))(queries));
      const oneByOne = (k: Tensor) => sum(stack(unstack(queries).map((q) => f(q, k))));
      await expectClose(grad(mapped)(key), grad(oneByOne)(key));
    }
  }));

test('nested maps', () =>
  fused(async () => {
    const [q, k, v] = operands([0, 0, 0, null]) as [Tensor, Tensor, Tensor];
    const attention = (a: Tensor, b: Tensor, c: Tensor) => dotProductAttention(a, b, c);
    const found = vmap(vmap(attention, { inAxes: [0, null, null] }), { inAxes: [null, 0, 0] })(q, k, v);
    const rows = unstack(k).map((key, i) =>
      stack(unstack(q).map((query) => attention(query, key, unstack(v)[i] as Tensor))),
    );
    await expectClose(found, stack(rows));
  }));

test('all examples are one launch of each kernel', () =>
  fused(async () => {
    const inputs = operands([0, 0, 0, null]) as [Tensor, Tensor, Tensor];
    const attend = vmap((q: Tensor, k: Tensor, v: Tensor) => dotProductAttention(q, k, v));
    const step = vmap((q: Tensor, k: Tensor, v: Tensor) =>
      grad((x: Tensor) => sum(dotProductAttention(x, k, v)))(q),
    );
    const launched = async (f: () => Tensor) =>
      (await profile(f)).events
        .filter(({ kernel }) => kernel.startsWith('attention'))
        .map(({ kernel }) => kernel);
    expect(await launched(() => attend(...inputs))).toEqual(['attention']);
    // Those of keys and values are not asked for.
    expect(await launched(() => step(...inputs))).toEqual(['attention', 'attention query gradient']);
  }));

test('a bias or mask that all examples share is not repeated', () =>
  fused(async () => {
    const [queries, shared] = [distinctValues([4, 1, 128, 1, 4]), zeros([128, 128])];
    for (const kind of ['bias', 'mask'] as const) {
      const options = optionsOf(kind, shared, false);
      const attend = (q: Tensor) => dotProductAttention(q, q, q, options);
      // A mask has as many bytes: a bool takes 4.
      expect(peakOf(() => vmap(attend)(queries))).toBeLessThan(shared.bytes);
    }
  }));
