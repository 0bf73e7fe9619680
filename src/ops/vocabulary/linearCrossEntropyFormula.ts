/** @file linearCrossEntropy composed of ops, with all logits: for derivatives of its gradient, and for vmap. */
import type { Tensor } from '../../tensor/tensor.ts';
import { add, mul, sub } from '../elementwise/arithmetic.ts';
import { equal, less } from '../elementwise/comparison.ts';
import type { LossPlan } from './linearCrossEntropyPlan.ts';
import { logicalOr } from '../elementwise/logical.ts';
import { logSumExp } from '../reductions/logSumExp.ts';
import { matMul } from '../products/matMul.ts';
import { mean } from '../reductions/mean.ts';
import { oneHot } from '../indexing/oneHot.ts';
import { reshape } from '../arrangement/reshape.ts';
import { softmax } from '../activations/softmax.ts';
import { sum } from '../reductions/sum.ts';
import { square } from '../elementwise/unary.ts';
import { where } from '../elementwise/where.ts';

/** Where labels have a loss, and labels of which all exist. */
function labelled(labels: Tensor, { ignored }: LossPlan): { hidden: Tensor; known: Tensor } {
  const hidden = logicalOr(less(labels, 0), equal(labels, ignored));
  return { hidden, known: where(hidden, 0, labels) };
}

/** The losses composed of ops, with all logits. */
export function composedLosses(
  hidden: Tensor,
  weights: Tensor,
  labels: Tensor,
  plan: LossPlan,
): [Tensor, Tensor] {
  const { smoothing, z, vocabulary } = plan;
  const logits = matMul(hidden, weights, { transposeB: true });
  const logSums = logSumExp(logits, { axis: -1 });
  const { hidden: without, known } = labelled(labels, plan);
  const chosen = sum(mul(logits, oneHot(known, { depth: vocabulary })), { axis: -1 });
  const smoothed = add(mul(chosen, 1 - smoothing), mul(mean(logits, { axis: -1 }), smoothing));
  const loss = add(sub(logSums, smoothed), mul(square(logSums), z));
  return [where(without, 0, loss), reshape(logSums, { shape: [plan.rows] })];
}

/** The gradients of hidden and weights composed of ops, with all logits. */
export function composedGradients(
  dy: Tensor,
  hidden: Tensor,
  weights: Tensor,
  labels: Tensor,
  plan: LossPlan,
): [dHidden: Tensor, dWeights: Tensor] {
  const { smoothing, z, vocabulary, size } = plan;
  const logits = matMul(hidden, weights, { transposeB: true });
  const logSums = logSumExp(logits, { axis: -1, keepDims: true });
  const { hidden: without, known } = labelled(labels, plan);
  const target = add(mul(oneHot(known, { depth: vocabulary }), 1 - smoothing), smoothing / vocabulary);
  const own = sub(mul(softmax(logits), add(mul(logSums, 2 * z), 1)), target);
  const spread = reshape(where(without, 0, dy), { shape: [...labels.shape, 1] });
  const dLogits = mul(own, spread);
  const flat = (x: Tensor, last: number) => reshape(x, { shape: [-1, last] });
  return [
    matMul(dLogits, weights),
    matMul(flat(dLogits, vocabulary), flat(hidden, size), { transposeA: true }),
  ];
}
