/** @file Attention of many heads, over any axes, by products of matrices. */
import { ShapeError } from '../../../core/errors.ts';
import { formatSpec } from '../../../core/spec.ts';
import { broadcastTo } from '../../../ops/sum.ts';
import { matMul } from '../../../ops/matMul.ts';
import { reshape } from '../../../ops/reshape.ts';
import { transpose } from '../../../ops/transpose.ts';
import type { Tensor } from '../../../tensor/tensor.ts';
import { maskedSoftmax } from './attentionMasks.ts';

export interface Attention {
  /** [batch, …, heads, size]; scaled. */
  query: Tensor;
  key: Tensor;
  value: Tensor;
  /** Between the batch and the heads. */
  axes: readonly number[];
  /** [batch, …, ...queries, ...values]; missing axes are inserted right before the queries. */
  mask: Tensor | null;
  /** What becomes of the scores before they meet the values. */
  drop(scores: Tensor): Tensor;
}

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
  const scores = maskedSoftmax(matMul(lines(query), lines(attention.key), { transposeB: true }), flat);
  const found = matMul(drop(scores), lines(attention.value));
  const apart = reshape(found, {
    shape: [...sizesOf(query, others), ...queries, found.shape.at(-1) as number],
  });
  const output = transpose(apart, { perm: order.map((_, axis) => order.indexOf(axis)) });
  return {
    output,
    scores:
      axes.length === 1
        ? scores
        : reshape(scores, { shape: [...sizesOf(query, others), ...queries, ...values] }),
  };
}

/** The mask over [batch, …, heads, queries, values], where several axes that are attended over are one. */
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
