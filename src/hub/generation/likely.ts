/** @file Which tokens are drawn from: the probable ones, and the typical ones. As transformers' logits warpers. */
import { softmax, logSoftmax } from '../../ops/activations/softmax.ts';
import { add, div, mul, neg, sub } from '../../ops/elementwise/arithmetic.ts';
import { greater, less } from '../../ops/elementwise/comparison.ts';
import { abs } from '../../ops/elementwise/rounding.ts';
import { where } from '../../ops/elementwise/where.ts';
import { takeAlongAxis } from '../../ops/indexing/takeAlongAxis.ts';
import { cumsum } from '../../ops/reductions/cumsum.ts';
import { max } from '../../ops/reductions/extrema.ts';
import { sum } from '../../ops/reductions/sum.ts';
import { topK } from '../../ops/sorting/topK.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { never } from './adjustments.ts';

/** The logits of tokens that are at least `minP` times as probable as the most probable one; others are never drawn. */
export function probable(logits: Tensor, minP: number, temperature: number): Tensor {
  const least = add(max(logits, { axis: -1, keepDims: true }), temperature * Math.log(minP));
  return where(less(logits, least), never, logits);
}

/**
 * The logits of tokens that are as surprising as is to be expected: those nearest to the entropy that have the probability `typicalP`
 * together; others are never drawn. As transformers' TypicalLogitsWarper.
 */
export function typical(logits: Tensor, typicalP: number, temperature: number): Tensor {
  const logs = logSoftmax(div(logits, temperature));
  const probabilities = softmax(div(logits, temperature));
  const entropy = sum(mul(probabilities, logs), { axis: -1, keepDims: true });
  const distances = abs(sub(logs, entropy));
  // The nearest come first.
  const [negated, indices] = topK(neg(distances), { k: logits.shape.at(-1) as number });
  const ordered = takeAlongAxis(probabilities, indices, { axis: -1 });
  const before = cumsum(ordered, { axis: -1, exclusive: true });
  const farthest = max(where(less(before, typicalP), neg(negated), 0), { axis: -1, keepDims: true });
  return where(greater(distances, farthest), never, logits);
}
