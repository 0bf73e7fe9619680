/** @file linearTopK: the best entries of logits over a large vocabulary, which exist one block at a time. */
import { ValueError } from '../../core/errors.ts';
import { describe, sizeOf } from '../../core/shape.ts';
import { view } from '../../kernels/launch/output.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { add } from '../elementwise/arithmetic.ts';
import { cast } from '../elementwise/cast.ts';
import { concat } from '../arrangement/concat.ts';
import { defineOp, type Op } from '../define/define.ts';
import { matMul } from '../products/matMul.ts';
import { reshape } from '../arrangement/reshape.ts';
import { takeAlongAxis } from '../indexing/takeAlongAxis.ts';
import { topK } from '../sorting/topK.ts';
import { blockOf, eachBlock, requireLogits } from './vocabularyBlocks.ts';

export interface LinearTopKOptions {
  /** How many entries. Default 1. */
  k?: number;
}

/**
 * The `k` largest logits of each row, hidden · weightsᵀ, and their entries of the vocabulary, without the logits in memory. Shapes:
 * hidden [..., size], weights [vocabulary, size] → float32 and int32 [..., k], the largest first. No gradient.
 * Errors: ShapeError, DTypeError for tensors that don't fit, ValueError for k.
 */
export const linearTopK: Op<
  [hidden: Tensor, weights: Tensor],
  LinearTopKOptions,
  [values: Tensor<'float32'>, indices: Tensor<'int32'>]
> = /* @__PURE__ */ defineOp({
  name: 'linearTopK',
  inputs: ['hidden', 'weights'],
  options: { k: false },
  infer: ([hidden, weights], { k = 1 }) => {
    requireLogits('linearTopK', hidden, weights);
    const vocabulary = weights.shape[0] as number;
    if (!Number.isSafeInteger(k) || k < 1 || k > vocabulary) {
      throw new ValueError({
        op: 'linearTopK',
        rule: `\`k\` is an integer from 1 to ${vocabulary}, the size of the vocabulary.`,
        received: `k: ${describe(k)}`,
        hint: 'leave it out for the largest logit.',
      });
    }
    const shape = [...hidden.shape.slice(0, -1), k];
    return [
      { shape, dtype: 'float32' },
      { shape, dtype: 'int32' },
    ] as const;
  },
  forward: ([hidden, weights], [{ shape }, indexSpec]) => {
    const size = hidden.shape.at(-1) as number;
    const k = shape.at(-1) as number;
    const rows = sizeOf(shape.slice(0, -1));
    const lines = reshape(hidden, { shape: [rows, size] });
    let best: readonly [values: Tensor, indices: Tensor] | null = null;
    eachBlock(lines, weights, Math.max(blockOf(rows, size), k), (logits, _, first) => {
      const found = topK(logits, { k: Math.min(k, logits.shape[1] as number) });
      const own = [found[0], add(found[1], first)] as const;
      best = best ? merged(best, own, k) : own;
    });
    const [values, indices] = best as unknown as readonly [Tensor, Tensor];
    return [
      view(values, { shape, dtype: 'float32' }, 'linearTopK'),
      view(cast(indices, 'int32'), indexSpec, 'linearTopK'),
    ] as [Tensor<'float32'>, Tensor<'int32'>];
  },
  formula: ([hidden, weights], [{ shape }]) =>
    topK(matMul(hidden, weights, { transposeB: true }), { k: shape.at(-1) as number }) as [
      Tensor<'float32'>,
      Tensor<'int32'>,
    ],
  backward: null,
});

/** The best of two lists; of equal values, those of the first. */
function merged(
  [values, indices]: readonly [Tensor, Tensor],
  [more, others]: readonly [Tensor, Tensor],
  k: number,
): readonly [Tensor, Tensor] {
  const all = concat([values, more], { axis: -1 });
  const places = concat([indices, others], { axis: -1 });
  const [best, at] = topK(all, { k: Math.min(k, all.shape[1] as number) });
  return [best, takeAlongAxis(places, at, { axis: -1 })];
}
