import { ShapeError, ValueError } from '../../../../src/core/errors.ts';
import type { BadLayerCase, InputSample, LayerCase, LayerSamples } from './types.ts';

const query: InputSample = { shape: [2, 4, 5] };
const value: InputSample = { shape: [2, 3, 6] };
const key: InputSample = { shape: [2, 3, 2] };

type Reference = NonNullable<LayerCase['reference']>;
type T = ReturnType<Parameters<Reference>[0]['zeros']>;

/** Multi-head attention by einsums, from query, value and an optional key, as in the paper. */
const manyHeads =
  (options: { keyDim: number; keyed?: boolean; masked?: boolean; shared?: number }): Reference =>
  (t, inputs, all) => {
    const [given, weights] = [inputs as T[], all as T[]];
    const [q, v, k = v] = given.slice(0, options.keyed ? 3 : 2) as [T, T, T?];
    const mask = options.masked ? given.at(-1) : null;
    const hasBias = weights.length === 8;
    const [wq, wk, wv, wo] = weights.filter((_, i) => !hasBias || i % 2 === 0) as [T, T, T, T];
    const biases = hasBias ? weights.filter((_, i) => i % 2 === 1) : [];
    const project = (x: T, w: T, i: number) => {
      const y = t.einsum('btd,dhk->bthk', x, w);
      return biases[i] ? t.add(y, biases[i]) : y;
    };
    // A key head serves `shared` neighbouring query heads.
    const forAll = (x: T) =>
      t.concat(
        t.split(x, x.shape[2] as number, 2).flatMap((head) => new Array(options.shared ?? 1).fill(head)),
        2,
      );
    const scores = t.mul(
      t.einsum('bthk,bshk->bhts', project(q, wq, 0), forAll(project(k as T, wk, 1))),
      1 / Math.sqrt(options.keyDim),
    );
    const seen = mask
      ? t.where(
          t.broadcastTo(t.expandDims(mask, 1), scores.shape as never),
          scores,
          t.fill(scores.shape, -1e9),
        )
      : scores;
    const heads = t.einsum('bhts,bshk->bthk', t.softmax(seen), forAll(project(v, wv, 2)));
    const output = t.einsum('bthk,hkd->btd', heads, wo);
    return biases[3] ? t.add(output, biases[3]) : output;
  };

const listRejections: BadLayerCase[] = [
  { why: 'a dropout above 1', options: { dropout: 2 }, error: ValueError },
  { why: 'a scale that is no boolean', options: { useScale: 1 }, error: ValueError, message: /useScale/ },
  { why: 'a seed that is none', options: { seed: -1 }, error: ValueError },
  { why: 'one tensor', options: {}, inputs: query, error: ValueError },
  { why: 'a list of one', options: {}, inputs: [query], error: ValueError },
  {
    why: 'images',
    options: {},
    inputs: [{ shape: [1, 2, 2, 2] }, { shape: [1, 2, 2, 2] }],
    error: ShapeError,
  },
  { why: 'keys of other features', options: {}, inputs: [query, value], error: ShapeError },
];

const grouped = { headDim: 3, numQueryHeads: 4, numKeyValueHeads: 2 };

export const samples: LayerSamples[] = [
  {
    layer: 'groupQueryAttention',
    cases: [
      {
        options: grouped,
        inputs: [query, value],
        open: [1],
        reference: manyHeads({ keyDim: 3, shared: 2 }),
      },
      {
        options: { headDim: 2, numQueryHeads: 3, numKeyValueHeads: 1, useBias: false },
        inputs: [query, value, key],
        reference: manyHeads({ keyDim: 2, keyed: true, shared: 3 }),
      },
      { options: { ...grouped, useGate: true, slidingWindow: 2 }, inputs: [query, query] },
      { options: { ...grouped, dropout: 0.4, seed: 5 }, inputs: [query, value], training: true },
    ],
    bad: [
      {
        why: 'no size',
        options: { numQueryHeads: 2, numKeyValueHeads: 1 },
        error: ValueError,
        message: /headDim/,
      },
      {
        why: 'heads that do not divide',
        options: { headDim: 2, numQueryHeads: 3, numKeyValueHeads: 2 },
        error: ValueError,
        message: /divisible/,
      },
      {
        why: 'no heads of keys',
        options: { headDim: 2, numQueryHeads: 3, numKeyValueHeads: 0 },
        error: ValueError,
      },
      { why: 'a negative dropout', options: { ...grouped, dropout: -1 }, error: ValueError },
      {
        why: 'a vector',
        options: grouped,
        inputs: [{ shape: [2, 3] }, { shape: [2, 3] }],
        error: ShapeError,
      },
    ],
  },
  {
    layer: 'multiHeadAttention',
    cases: [
      {
        options: { numHeads: 2, keyDim: 3 },
        inputs: [query, value],
        open: [1],
        reference: manyHeads({ keyDim: 3 }),
      },
      {
        options: { numHeads: 3, keyDim: 2, valueDim: 4, useBias: false },
        inputs: [query, value, key],
        reference: manyHeads({ keyDim: 2, keyed: true }),
      },
      {
        options: { numHeads: 1, keyDim: 2 },
        inputs: [query, value],
        kwargs: {
          attentionMask: {
            shape: [2, 4, 3],
            dtype: 'bool',
            values: [1, 0, 1, 0, 1, 1, 1, 1, 1, 0, 0, 1, 1, 0, 0, 0, 0, 1, 0, 1, 0, 1, 1, 0],
          },
        },
        reference: manyHeads({ keyDim: 2, masked: true }),
      },
      { options: { numHeads: 2, keyDim: 2, outputShape: [3, 2], useGate: true }, inputs: [query, value] },
      { options: { numHeads: 2, keyDim: 2, slidingWindow: 2 }, inputs: [query, query] },
      // Over both inner axes, over the first, over the second.
      { options: { numHeads: 2, keyDim: 2 }, inputs: [{ shape: [2, 2, 3, 4] }, { shape: [2, 3, 2, 4] }] },
      {
        options: { numHeads: 2, keyDim: 2, attentionAxes: [1] },
        inputs: [{ shape: [2, 2, 3, 4] }, { shape: [2, 4, 3, 4] }],
      },
      {
        options: { numHeads: 2, keyDim: 2, attentionAxes: [-2] },
        inputs: [{ shape: [2, 2, 3, 4] }, { shape: [2, 2, 1, 4] }],
      },
      {
        options: { numHeads: 2, keyDim: 2, dropout: 0.4, seed: 5 },
        inputs: [query, value],
        training: true,
      },
    ],
    bad: [
      { why: 'no heads', options: { numHeads: 0, keyDim: 2 }, error: ValueError, message: /numHeads/ },
      { why: 'no size', options: { numHeads: 2 }, error: ValueError, message: /keyDim/ },
      { why: 'half a value', options: { numHeads: 2, keyDim: 2, valueDim: 0.5 }, error: ValueError },
      { why: 'a negative dropout', options: { numHeads: 2, keyDim: 2, dropout: -1 }, error: ValueError },
      {
        why: 'an output of no size',
        options: { numHeads: 2, keyDim: 2, outputShape: [] },
        error: ValueError,
      },
      {
        why: 'a fractional axis',
        options: { numHeads: 2, keyDim: 2, attentionAxes: 0.5 },
        error: ValueError,
      },
      {
        why: 'a window of nothing',
        options: { numHeads: 2, keyDim: 2, slidingWindow: 0 },
        error: ValueError,
      },
      {
        why: 'a bias that is no boolean',
        options: { numHeads: 2, keyDim: 2, useBias: 'no' },
        error: ValueError,
      },
      {
        why: 'the batch as an axis',
        options: { numHeads: 2, keyDim: 2, attentionAxes: 0 },
        inputs: [query, value],
        error: ShapeError,
        message: /attentionAxes/,
      },
      {
        why: 'keys of another length',
        options: { numHeads: 2, keyDim: 2 },
        inputs: [query, value, query],
        error: ShapeError,
      },
      {
        why: 'values of another rank',
        options: { numHeads: 2, keyDim: 2 },
        inputs: [query, { shape: [2, 3, 3, 3] }],
        error: ShapeError,
      },
      {
        why: 'a mask of another rank',
        options: { numHeads: 2, keyDim: 2 },
        inputs: [query, value],
        kwargs: { attentionMask: { shape: [4], dtype: 'bool', values: [1, 1, 1, 1] } },
        error: ShapeError,
      },
    ],
  },
  {
    layer: 'attention',
    cases: [
      {
        options: {},
        inputs: [query, { shape: [2, 3, 5] }],
        open: [1],
        reference: (t, [q, v]) =>
          t.matMul(t.softmax(t.matMul(q as never, v as never, false, true)), v as never),
      },
      {
        options: { useScale: true },
        inputs: [query, value, { shape: [2, 3, 5] }],
        reference: (t, [q, v, k], [scale]) => {
          const scores = t.mul(t.matMul(q as never, k as never, false, true), scale as never);
          return t.matMul(t.softmax(scores), v as never);
        },
      },
      {
        options: { scoreMode: 'concat', useScale: true },
        inputs: [query, { shape: [2, 3, 5] }],
        reference: (t, [q, v], [scale, weight]) => {
          const sums = t.add(t.expandDims(q as never, 2), t.expandDims(v as never, 1));
          const scores = t.mul(t.sum(t.tanh(t.mul(sums, scale as never)), -1), weight as never);
          return t.matMul(t.softmax(scores), v as never);
        },
      },
      { options: { dropout: 0.5, seed: 2 }, inputs: [query, query], training: true },
    ],
    bad: [
      ...listRejections,
      { why: 'an unknown score', options: { scoreMode: 'max' }, error: ValueError, message: /scoreMode/ },
    ],
  },
  {
    layer: 'additiveAttention',
    cases: [
      {
        options: {},
        inputs: [query, { shape: [2, 3, 5] }],
        open: [1],
        reference: (t, [q, v], [scale]) => {
          const sums = t.add(t.expandDims(q as never, 2), t.expandDims(v as never, 1));
          return t.matMul(t.softmax(t.sum(t.mul(t.tanh(sums), scale as never), -1)), v as never);
        },
      },
      { options: { useScale: false }, inputs: [query, value, { shape: [2, 3, 5] }] },
    ],
    bad: listRejections,
  },
  {
    layer: 'einsumDense',
    cases: [
      {
        options: { equation: 'abc,cd->abd', outputShape: [null, 3], biasAxes: 'd', activation: 'tanh' },
        inputs: query,
        open: [1],
        reference: (t, [x], [kernel, bias]) =>
          t.tanh(t.add(t.einsum('abc,cd->abd', x as never, kernel as never), bias as never)),
      },
      {
        options: { equation: '...x,xyz->...yz', outputShape: [2, 3], biasAxes: 'yz' },
        inputs: query,
        open: [1],
        reference: (t, [x], [kernel, bias]) =>
          t.add(t.einsum('abx,xyz->abyz', x as never, kernel as never), bias as never),
      },
      {
        options: { equation: 'abc,bcd->ad', outputShape: [2] },
        inputs: query,
        reference: (t, [x], [kernel]) => t.einsum('abc,bcd->ad', x as never, kernel as never),
      },
      {
        options: { equation: 'ab...,bc->ac...', outputShape: [2], biasAxes: 'c' },
        inputs: query,
        reference: (t, [x], [kernel, bias]) =>
          t.add(t.einsum('abx,bc->acx', x as never, kernel as never), bias as never),
      },
      {
        options: { equation: 'abc,bd->acbd', outputShape: [null, null, 2] },
        inputs: query,
        reference: (t, [x], [kernel]) => t.einsum('abc,bd->acbd', x as never, kernel as never),
      },
      {
        options: { equation: 'abc,bde->ade', outputShape: [2, 3] },
        inputs: query,
        reference: (t, [x], [kernel]) => t.einsum('abc,bde->ade', x as never, kernel as never),
      },
    ],
    bad: [
      { why: 'no equation', options: { outputShape: 2 }, error: ValueError, message: /equation/ },
      { why: 'an equation without arrow', options: { equation: 'ab,bc', outputShape: 2 }, error: ValueError },
      { why: 'a letter twice', options: { equation: 'aa,ab->ab', outputShape: 2 }, error: ValueError },
      { why: 'too many sizes', options: { equation: 'ab,bc->ac', outputShape: [2, 2] }, error: ValueError },
      { why: 'a size of nothing', options: { equation: 'ab,bc->ac', outputShape: 0 }, error: ValueError },
      {
        why: 'a bias for another letter',
        options: { equation: 'ab,bc->ac', outputShape: 2, biasAxes: 'b' },
        error: ValueError,
        message: /biasAxes/,
      },
      {
        why: 'another rank',
        options: { equation: 'ab,bc->ac', outputShape: 2 },
        inputs: query,
        error: ShapeError,
      },
      {
        why: 'a size that the input hasn’t',
        options: { equation: 'abc,cd->abd', outputShape: [3, 2] },
        inputs: query,
        error: ShapeError,
      },
    ],
  },
];
