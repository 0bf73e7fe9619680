/**
 * @file linearCrossEntropy: the loss of logits = hidden · weightsᵀ over a large vocabulary, and linearTopK, its best entries. Logits
 * exist one block of the vocabulary at a time, and are computed again for the gradient.
 */
import { requireDType } from '../core/dtype.ts';
import { ShapeError, ValueError } from '../core/errors.ts';
import { checkOptions, type OptionNames, rejectExtraArguments } from '../core/options.ts';
import { describe, sameShape, sizeOf } from '../core/shape.ts';
import { formatSpec, type TensorSpec } from '../core/spec.ts';
import { output, view } from '../kernels/output.ts';
import { checkIndicesKernel } from '../kernels/rows.ts';
import {
  replaceByGradient,
  updateStatistics,
  type VocabularyLoss,
  vocabularyLossesKernel,
} from '../kernels/vocabulary.ts';
import type { Tensor } from '../tensor/tensor.ts';
import { add, mul, sub } from './arithmetic.ts';
import { cast } from './cast.ts';
import { equal, less } from './comparison.ts';
import { concat } from './concat.ts';
import type { Cost } from './cost.ts';
import { defineOp, type Op } from './define.ts';
import { checkIndices, checkingOf } from './indices.ts';
import { logicalOr } from './logical.ts';
import { logSumExp } from './logSumExp.ts';
import { matMul } from './matMul.ts';
import { mean } from './mean.ts';
import { oneHot } from './oneHot.ts';
import type { TensorLike } from './operands.ts';
import { activeRecorders, type SymbolicTensor } from './recorders.ts';
import { reshape } from './reshape.ts';
import { slice } from './slice.ts';
import { softmax } from './softmax.ts';
import { sum } from './sum.ts';
import { takeAlongAxis } from './takeAlongAxis.ts';
import { topK } from './topK.ts';
import { square } from './unary.ts';
import { where } from './where.ts';

/** Options of `linearCrossEntropy`. */
export interface LinearCrossEntropyOptions {
  /** The share of the target that is spread over the whole vocabulary. Default 0. */
  labelSmoothing?: number;
  /** The factor of the squared log-sum-exp of the logits, which keeps them from drifting. Default 0. */
  zLoss?: number;
  /** A label of rows without a loss, such as that of padding. Negative labels have none either. Default: none. */
  ignoredLabel?: number | null;
  /** How many logits of a row exist at a time. Default: as many as take 4 MiB for all rows. */
  blockSize?: number;
}

const op = 'linearCrossEntropy';

/** What is computed, in the shape of the labels. */
interface LossPlan extends TensorSpec, VocabularyLoss {
  readonly rows: number;
  readonly size: number;
  readonly block: number;
}

/** The logits that exist at a time by default. */
const blockElements = 2 ** 20;

/** Blocks whose number of columns is a multiple of 64 fill the tiles of a matmul. */
function blockOf(rows: number, size: number): number {
  return Math.max(64, 64 * Math.floor(blockElements / (64 * Math.max(rows, size, 1))));
}

function planLoss(
  [hidden, weights, labels]: readonly [TensorSpec, TensorSpec, TensorSpec],
  options: LinearCrossEntropyOptions,
): LossPlan {
  const { labelSmoothing = 0, zLoss = 0, ignoredLabel = null } = options;
  requireOperands(op, hidden, weights);
  checkIndices(op, 'labels', labels, {});
  requireDType(op, 'labels', labels.dtype, ['int32']);
  const lead = hidden.shape.slice(0, -1);
  if (!sameShape(lead, labels.shape)) {
    throw new ShapeError({
      op,
      rule: 'there is a label for each row of `hidden`.',
      received: `hidden ${formatSpec(hidden)}, labels ${formatSpec(labels)}`,
      hint: 'hidden is [..., size], labels are [...].',
    });
  }
  requireWithin('labelSmoothing', labelSmoothing, 0, 1);
  requireWithin('zLoss', zLoss, 0, Number.MAX_VALUE);
  if (ignoredLabel !== null) requireWhole('ignoredLabel', ignoredLabel, -(2 ** 31));
  const [vocabulary, size] = weights.shape as [number, number];
  const rows = sizeOf(lead);
  const { blockSize = blockOf(rows, size) } = options;
  requireWhole('blockSize', blockSize, 1);
  return {
    shape: lead,
    dtype: 'float32',
    vocabulary,
    smoothing: labelSmoothing,
    z: zLoss,
    ignored: ignoredLabel ?? -1,
    rows,
    size,
    block: blockSize,
  };
}

function requireOperands(by: string, hidden: TensorSpec, weights: TensorSpec): void {
  requireDType(by, 'hidden', hidden.dtype, ['float32']);
  requireDType(by, 'weights', weights.dtype, ['float32']);
  const fits =
    hidden.shape.length > 0 && weights.shape.length === 2 && hidden.shape.at(-1) === weights.shape[1];
  if (fits && (weights.shape[0] as number) > 0) return;
  throw new ShapeError({
    op: by,
    rule: '`hidden` is [..., size], and `weights` are [vocabulary, size], as an embedding.',
    received: `hidden ${formatSpec(hidden)}, weights ${formatSpec(weights)}`,
    hint: 'transpose the kernel of a dense layer.',
  });
}

function requireWithin(name: string, value: unknown, least: number, greatest: number): void {
  if (typeof value === 'number' && value >= least && value <= greatest) return;
  throw new ValueError({
    op,
    rule: `\`${name}\` is a number ${greatest === 1 ? 'from 0 to 1' : 'of at least 0'}.`,
    received: `${name}: ${describe(value)}`,
    hint: 'leave it out for 0.',
  });
}

function requireWhole(name: string, value: unknown, least: number): void {
  if (Number.isSafeInteger(value) && (value as number) >= least && (value as number) < 2 ** 31) return;
  throw new ValueError({
    op,
    rule: `\`${name}\` is an integer${least === 1 ? ' of at least 1' : ''}.`,
    received: `${name}: ${describe(value)}`,
    hint: 'leave it out for the default.',
  });
}

/** Calls `body` with the logits of each block of the vocabulary, the block's weights, and its first entry. */
function eachBlock(
  rows: Tensor,
  weights: Tensor,
  block: number,
  body: (logits: Tensor, part: Tensor, first: number) => void,
): void {
  const [vocabulary, size] = weights.shape as [number, number];
  for (let first = 0; first < vocabulary; first += block) {
    const n = Math.min(block, vocabulary - first);
    const part = slice(weights, { begin: [first, 0], size: [n, size] });
    const logits = matMul(rows, part, { transposeB: true });
    body(logits, part, first);
    logits.dispose();
    part.dispose();
  }
}

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

/** Options of `linearTopK`. */
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
    requireOperands('linearTopK', hidden, weights);
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
