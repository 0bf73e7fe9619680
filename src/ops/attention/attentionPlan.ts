/** @file What a call of dotProductAttention computes: its sizes, the shape of its result, and the checks of its operands. */
import { requireDType } from '../../core/dtype.ts';
import { ShapeError } from '../../core/errors.ts';
import { requireBoolean, requireFinite, requireRank, sameShape } from '../../core/shape.ts';
import { formatSpec, type TensorSpec } from '../../core/spec.ts';
import type { AttentionSizes } from '../../kernels/attention/attention.ts';
import type { Cost } from '../define/cost.ts';

export const name = 'dotProductAttention';

export interface ScoreOptions {
  /** The factor of the products of queries and keys. Default: 1 / √(size of a query). */
  scale?: number | null;
  /** Whether later keys are hidden: query i sees keys 0 to i. Default false. */
  isCausal?: boolean;
}

/** The spec of the result, and how it is computed. */
export interface AttentionPlan extends TensorSpec {
  readonly sizes: AttentionSizes;
  readonly scale: number;
  readonly isCausal: boolean;
}

export type AttentionSpecs = readonly [
  query: TensorSpec,
  key: TensorSpec,
  value: TensorSpec,
  bias: TensorSpec | null,
  mask: TensorSpec | null,
];

export function planAttention(
  [query, key, value, bias, mask]: AttentionSpecs,
  options: ScoreOptions,
): AttentionPlan {
  const { isCausal = false } = options;
  requireBoolean(name, 'isCausal', isCausal);
  for (const [what, spec] of Object.entries({ query, key, value })) {
    requireRank(name, what, spec.shape, 4);
    requireDType(name, what, spec.dtype, ['float32']);
  }
  const sizes = sizesOf(query, key, value);
  const scale = options.scale ?? (sizes.size > 0 ? 1 / Math.sqrt(sizes.size) : 1);
  requireFinite(name, 'scale', scale);
  if (bias) requireScores('bias', bias, 'float32', sizes);
  if (mask) requireScores('mask', mask, 'bool', sizes);
  const { batch, queries, heads, valueSize } = sizes;
  return { shape: [batch, queries, heads, valueSize], dtype: 'float32', sizes, scale, isCausal };
}

function sizesOf(query: TensorSpec, key: TensorSpec, value: TensorSpec): AttentionSizes {
  const [batch, queries, heads, size] = query.shape as [number, number, number, number];
  const [keyBatch, keys, keyHeads, keySize] = key.shape as [number, number, number, number];
  const [valueSize] = value.shape.slice(-1) as [number];
  const received = Object.entries({ query, key, value }).map(([what, spec]) => `${what} ${formatSpec(spec)}`);
  const reject = (rule: string, hint: string) => {
    throw new ShapeError({ op: name, rule, received: received.join(', '), hint });
  };
  if (!sameShape(key.shape.slice(0, 3), value.shape.slice(0, 3))) {
    reject('key and value have the same batch, length and heads.', 'check the order: query, key, value.');
  }
  if (batch !== keyBatch || size !== keySize) {
    reject('query and key have the same batch and size.', 'shapes are [batch, length, heads, size].');
  }
  if (keyHeads === 0 ? heads > 0 : heads % keyHeads !== 0) {
    reject('the heads of key and value divide those of the query.', 'repeat or project the keys.');
  }
  return { batch, queries, keys, heads, keyHeads, size, valueSize };
}

function requireScores(
  what: string,
  spec: TensorSpec,
  dtype: 'float32' | 'bool',
  { batch, heads, queries, keys }: AttentionSizes,
): void {
  requireDType(name, what, spec.dtype, [dtype]);
  const scores = [batch, heads, queries, keys];
  const { shape } = spec;
  const fits = shape.length <= 4 && shape.every((n, i) => n === 1 || n === scores[4 - shape.length + i]);
  if (fits) return;
  throw new ShapeError({
    op: name,
    rule: `\`${what}\` broadcasts to [batch, heads, queries, keys], here [${scores.join(', ')}].`,
    received: `${what} ${formatSpec(spec)}`,
    hint: `insert axes of size 1: a padding mask is [${batch}, 1, 1, ${keys}].`,
  });
}

/** Two operations for each multiply-add of queries with keys, and of weights with values. */
export function attentionCost({ sizes }: AttentionPlan): Cost {
  const { batch, heads, queries, keys, size, valueSize } = sizes;
  return { flops: 2 * batch * heads * queries * keys * (size + valueSize) };
}
