/**
 * @file linearCrossEntropy: the loss of logits = hidden · weightsᵀ over a large vocabulary. Logits exist one block of the vocabulary at
 * a time, and are computed again for the gradient.
 */
import type { Tensor } from '../../tensor/tensor.ts';
import { add, mul, sub } from '../elementwise/arithmetic.ts';
import { equal, less } from '../elementwise/comparison.ts';
import { type LinearCrossEntropyOptions, type LossPlan, planLoss } from './linearCrossEntropyPlan.ts';
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
import { checkOptions, type OptionNames, rejectExtraArguments } from '../../core/options.ts';
import { sizeOf } from '../../core/shape.ts';
import { output, view } from '../../kernels/launch/output.ts';
import { checkIndicesKernel } from '../../kernels/indexing/rows.ts';
import {
  replaceByGradient,
  updateStatistics,
  vocabularyLossesKernel,
} from '../../kernels/vocabulary/vocabulary.ts';
import type { Cost } from '../define/cost.ts';
import { defineOp, type Op } from '../define/define.ts';
import { checkingOf } from '../define/indices.ts';
import type { TensorLike } from '../define/operands.ts';
import { activeRecorders, type SymbolicTensor } from '../define/recorders.ts';
import { eachBlock } from './vocabularyBlocks.ts';

// linearCrossEntropy composed of ops, with all logits: for derivatives of its gradient, and for vmap.

/** Where labels have a loss, and labels of which all exist. */
function labelled(labels: Tensor, { ignored }: LossPlan): { hidden: Tensor; known: Tensor } {
  const hidden = logicalOr(less(labels, 0), equal(labels, ignored));
  return { hidden, known: where(hidden, 0, labels) };
}

/** The losses composed of ops, with all logits. */
function composedLosses(hidden: Tensor, weights: Tensor, labels: Tensor, plan: LossPlan): [Tensor, Tensor] {
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
function composedGradients(
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

const op = 'linearCrossEntropy';

type Inputs = [hidden: Tensor, weights: Tensor, labels: Tensor];

/** Losses and log-sum-exps of all rows; the second is only for the gradient. */
const losses: Op<Inputs, LinearCrossEntropyOptions, [losses: Tensor, logSums: Tensor]> =
  /* @__PURE__ */ defineOp({
    name: op,
    inputs: ['hidden', 'weights', 'labels:int32'],
    save: { inputs: [0, 1, 2], outputs: [1] },
    infer: (specs, options) => {
      const plan = planLoss(specs, options);
      return [plan, { shape: [plan.rows], dtype: 'float32' }] as const;
    },
    forward: ([hidden, weights, labels], [plan], call) => {
      const { rows, size, vocabulary, block } = plan;
      const checking = checkingOf(
        call,
        labels,
        {},
        {
          input: 2,
          name: 'labels',
          of: `the vocabulary of \`weights\` [${vocabulary}, ${size}]`,
          axes: [0],
          limits: [vocabulary],
          hint: 'negative labels, and `ignoredLabel`, have no loss.',
          ignoresNegative: true,
        },
      );
      if (checking.check !== 'none') {
        const whole = { addressing: 'along', mode: 'outside', batch: 1, outer: 1 } as const;
        const indexing = { ...whole, rows: vocabulary, entries: rows, inner: 1, limit: vocabulary };
        checkIndicesKernel(labels, indexing, checking);
      }
      const statistics = output(hidden.device, { shape: [rows, 4], dtype: 'float32' }, op);
      if (rows === 0)
        return [view(statistics, plan, op), view(statistics, { shape: [0], dtype: 'float32' }, op)];
      const lines = reshape(hidden, { shape: [rows, size] });
      eachBlock(lines, weights, block, (logits, _, first) =>
        updateStatistics(logits, labels, statistics, first),
      );
      const [found, logSums] = vocabularyLossesKernel(op, statistics, labels, plan);
      return [view(found, plan, op), logSums];
    },
    formula: ([hidden, weights, labels], [plan]) => composedLosses(hidden, weights, labels, plan),
    backward: ([dy], { inputs: [hidden, weights, labels], outputs: [, logSums], needs, plan: [plan] }) => {
      // A recorded gradient must be composed of ops.
      if (activeRecorders().length > 0)
        return [...composedGradients(dy, hidden, weights, labels, plan), null];
      const options = { plan, needsWeights: needs[1] };
      const [dHidden, dWeights = null] = blockGradients(dy, hidden, weights, labels, logSums, options);
      return [dHidden as Tensor, dWeights, null];
    },
    cost: ([hidden], _, [{ vocabulary }]): Cost => ({ flops: 2 * vocabulary * sizeOf(hidden.shape) }),
  });

interface GradientOptions {
  plan: LossPlan;
  needsWeights: boolean;
}

const blockGradients: Op<
  [dy: Tensor, hidden: Tensor, weights: Tensor, labels: Tensor, logSums: Tensor],
  GradientOptions,
  readonly Tensor[]
> = /* @__PURE__ */ defineOp({
  name: 'linearCrossEntropyGradient',
  inputs: ['dy', 'hidden', 'weights', 'labels:int32', 'logSums'],
  infer: ([, hidden, weights], { needsWeights }) =>
    (needsWeights ? [hidden, weights] : [hidden]).map(({ shape, dtype }) => ({ shape, dtype })),
  forward: ([dy, hidden, weights, labels, logSums], _, { options: { plan, needsWeights } }) => {
    const { rows, size, block } = plan;
    const { device } = hidden;
    const lines = reshape(hidden, { shape: [rows, size] });
    const dWeights = needsWeights ? output(device, weights, op) : null;
    let dLines: Tensor | null = null;
    eachBlock(lines, weights, block, (logits, part, first) => {
      replaceByGradient(logits, { labels, logSums, dy }, first, plan);
      const share = matMul(logits, part);
      const before = dLines;
      dLines = before ? add(before, share) : share;
      if (before) {
        before.dispose();
        share.dispose();
      }
      if (!dWeights) return;
      const own = matMul(logits, lines, { transposeA: true });
      const bytes = 4 * own.size;
      const { buffer, offset } = dWeights.storage;
      device.copy(own.storage, { buffer, offset: offset + 4 * first * size, bytes }, bytes);
      own.dispose();
    });
    const dHidden = view(dLines as unknown as Tensor, hidden, op);
    return dWeights ? [dHidden, dWeights] : [dHidden];
  },
  formula: ([dy, hidden, weights, labels], _, { plan, needsWeights }) =>
    composedGradients(dy, hidden, weights, labels, plan).slice(0, needsWeights ? 2 : 1),
  backward: null,
});

const lossNames: OptionNames<LinearCrossEntropyOptions> = {
  labelSmoothing: false,
  zLoss: false,
  ignoredLabel: false,
  blockSize: false,
};

/**
 * The cross-entropy of each row's logits, hidden · weightsᵀ, and its label, without the logits in memory: they are computed one block
 * of the vocabulary at a time, and again for the gradient. float32. Shapes: hidden [..., size], weights [vocabulary, size], which
 * may be the table of an embedding, labels int32 [...] → [...]. Rows with a negative label, or `ignoredLabel`, have a loss of 0.
 * hidden and weights have gradients; for their second derivatives, all logits are in memory.
 *
 * Errors: ShapeError, DTypeError for tensors that don't fit, ValueError for options; IndexOutOfRangeError as for `gather`, for
 * a label beyond the vocabulary.
 */
export function linearCrossEntropy(
  hidden: TensorLike,
  weights: TensorLike,
  labels: TensorLike,
  options?: LinearCrossEntropyOptions,
): Tensor<'float32'>;
export function linearCrossEntropy(
  hidden: TensorLike | SymbolicTensor,
  weights: TensorLike | SymbolicTensor,
  labels: TensorLike | SymbolicTensor,
  options?: LinearCrossEntropyOptions,
): SymbolicTensor;
export function linearCrossEntropy(
  hidden: TensorLike | SymbolicTensor,
  weights: TensorLike | SymbolicTensor,
  labels: TensorLike | SymbolicTensor,
  options: LinearCrossEntropyOptions = {},
  ...extra: unknown[]
): Tensor | SymbolicTensor {
  rejectExtraArguments(op, extra, ['hidden', 'weights', 'labels', 'options']);
  checkOptions(op, options, lossNames);
  const [loss] = losses(hidden as TensorLike, weights as TensorLike, labels as TensorLike, options);
  return loss;
}
