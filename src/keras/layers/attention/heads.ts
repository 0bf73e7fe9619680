/** @file Multi-head attention over any axes, as matmuls. */
import { ShapeError } from '../../../core/errors.ts';
import { formatSpec } from '../../../core/spec.ts';
import { broadcastTo } from '../../../ops/reductions/sum.ts';
import { dotProductAttention } from '../../../ops/attention/dotProductAttention.ts';
import { matMul } from '../../../ops/products/matMul.ts';
import { any } from '../../../ops/reductions/anyAll.ts';
import { mean } from '../../../ops/reductions/mean.ts';
import { reshape } from '../../../ops/arrangement/reshape.ts';
import { transpose } from '../../../ops/arrangement/transpose.ts';
import { where } from '../../../ops/elementwise/where.ts';
import type { Tensor } from '../../../tensor/tensor.ts';
import { allOf, causalMask, maskedSoftmax } from './attentionMasks.ts';

export interface Projected {
  /** [batch, …, heads, size]. */
  query: Tensor;
  key: Tensor;
  value: Tensor;
  /** The attended axes, between the batch and the heads. */
  axes: readonly number[];
}

/** Inputs of attention that returns its scores. The query is already scaled. */
export interface Attention extends Projected {
  /** [batch, …, ...queries, ...values]; missing axes are inserted right before the queries. */
  mask: Tensor | null;
  /** Applied to the scores before they are multiplied by the values: dropout. */
  drop(scores: Tensor): Tensor;
}

/** Masks of the values that a query sees, which needn't have the full shape of the scores. */
export interface Masks {
  /** [batch, queries]: where it is false, a query sees no key. */
  queryMask: Tensor | null;
  /** Whether later keys are hidden. */
  isCausal: boolean;
  /** [batch, …, ...queries or 1, ...values]. */
  mask: Tensor | null;
}

export interface FusedAttention extends Projected, Masks {
  scale: number;
  /** Whether a query that sees no key gets zeros, as from `attend`. Otherwise it attends to all keys equally. */
  clears: boolean;
}

/**
 * Whether the fused op applies: all axes between the batch and the heads are attended, and there is only one such axis where
 * queries are masked or attention is causal.
 */
export function isFusable({ query, axes, queryMask, isCausal }: Projected & Masks): boolean {
  const isAll = axes.length === query.rank - 3 && axes.every((axis, i) => axis === i + 1);
  return isAll && (axes.length === 1 || (queryMask === null && !isCausal));
}

/** Only the output, [batch, …, heads, size], for inputs that are fusable. */
export function attendFused({ query, key, value, axes, mask, ...rest }: FusedAttention): Tensor {
  const { queryMask, clears, ...options } = rest;
  const line = (x: Tensor) => {
    const length = x.shape.slice(1, -2).reduce((product, n) => product * n, 1);
    return axes.length === 1
      ? x
      : reshape(x, { shape: [...x.shape.slice(0, 1), length, ...x.shape.slice(-2)] });
  };
  const sizes = (x: Tensor) => x.shape.slice(1, -2);
  const seen = mask && flatMask(mask, 2, sizes(query), sizes(value));
  const found = dotProductAttention(line(query), line(key), line(value), null, seen, options);
  const sees = queryMask && reshape(queryMask, { shape: [...queryMask.shape, 1, 1] });
  let output = found;
  if (clears) {
    const isCausal = options.isCausal && (sees || seen) ? causalMask(...firsts(query, value)) : null;
    // [batch, heads or 1, queries or 1, values] to [batch, queries or 1, heads or 1, 1].
    const keys = allOf([sees && transpose(sees, { perm: [0, 3, 1, 2] }), isCausal, seen]);
    if (keys)
      output = where(transpose(any(keys, { axis: -1, keepDims: true }), { perm: [0, 2, 1, 3] }), found, 0);
  } else if (sees) output = where(sees, found, mean(line(value), { axis: 1, keepDims: true }));
  return reshape(output, { shape: [...query.shape.slice(0, -1), value.shape.at(-1) as number] });
}

const firsts = (query: Tensor, value: Tensor) => [query.shape[1], value.shape[1]] as [number, number];

/** The output [batch, …, heads, size], and the scores [batch, …, heads, ...queries, ...values]. */
export function attend(attention: Attention): { output: Tensor; scores: Tensor } {
  const { query, axes, mask, drop } = attention;
  const { rank } = query;
  const others = query.shape.map((_, axis) => axis).filter((axis) => axis < rank - 1 && !axes.includes(axis));
  const order = [...others, ...axes, rank - 1];
  const sizesOf = (x: Tensor, of: readonly number[]) => of.map((axis) => x.shape[axis] as number);
  const lines = (x: Tensor) => {
    const length = sizesOf(x, axes).reduce((product, n) => product * n, 1);
    const shape = [...sizesOf(x, others), length, x.shape[rank - 1] as number];
    return reshape(transpose(x, { perm: order }), { shape });
  };
  const queries = sizesOf(query, axes);
  const values = sizesOf(attention.value, axes);
  const flat = mask && flatMask(mask, others.length, queries, values);
  const masked = maskedSoftmax(matMul(lines(query), lines(attention.key), { transposeB: true }), flat);
  const scores = flat ? where(flat, masked, 0) : masked;
  const found = matMul(drop(scores), lines(attention.value));
  const unflattened = reshape(found, {
    shape: [...sizesOf(query, others), ...queries, found.shape.at(-1) as number],
  });
  const output = transpose(unflattened, { perm: order.map((_, axis) => order.indexOf(axis)) });
  return {
    output,
    scores:
      axes.length === 1
        ? scores
        : reshape(scores, { shape: [...sizesOf(query, others), ...queries, ...values] }),
  };
}

/** Returns the mask as [batch, …, heads, queries, values], with the attended axes merged into one. */
function flatMask(
  mask: Tensor,
  others: number,
  queries: readonly number[],
  values: readonly number[],
): Tensor {
  const attended = queries.length + values.length;
  const leading = mask.rank - attended;
  if (leading < 0 || leading > others) {
    throw new ShapeError({
      op: 'attention',
      rule: `a mask ends with the axes of queries and values, [${[...queries, ...values].join(', ')}], after those of the batch and the heads.`,
      received: formatSpec(mask),
      hint: 'pass [batch, queries, values].',
    });
  }
  const lead = mask.shape.slice(0, leading);
  const whole = queries.length === 1 ? mask : broadcastTo(mask, { shape: [...lead, ...queries, ...values] });
  const sizeOf = (sizes: readonly number[]) => sizes.reduce((product, n) => product * n, 1);
  const last = queries.length === 1 ? mask.shape.slice(-2) : [sizeOf(queries), sizeOf(values)];
  const missing = new Array<number>(others - leading).fill(1);
  return reshape(whole, { shape: [...lead, ...missing, ...last] });
}
