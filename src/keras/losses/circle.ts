/** @file circle */
import { ShapeError } from '../../core/errors.ts';
import { requireBoolean } from '../../core/shape.ts';
import { add, mul, sub } from '../../ops/elementwise/arithmetic.ts';
import { softplus } from '../../ops/activations/activations.ts';
import { equal, greater, notEqual } from '../../ops/elementwise/comparison.ts';
import { cumsum } from '../../ops/reductions/cumsum.ts';
import { expandDims } from '../../ops/arrangement/expandDims.ts';
import { onesLike } from '../../ops/creation/like.ts';
import { logicalAnd, logicalNot } from '../../ops/elementwise/logical.ts';
import { logSumExp } from '../../ops/reductions/logSumExp.ts';
import { matMul } from '../../ops/products/matMul.ts';
import { maximum } from '../../ops/elementwise/maximum.ts';
import { where } from '../../ops/elementwise/where.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { formatPair, requireNumber } from './lossChecks.ts';
import { defineLoss, type LossMaker } from './defineLoss.ts';
import { labelsOf } from './labels.ts';

export interface CircleOptions {
  /** Scale of the similarities; at least 0. Default 80. */
  gamma?: number;
  /** How far similarities of a pair may be from their optimum. Default 0.4. */
  margin?: number;
  /** Whether to exclude pairs of a sample with itself. Default true. */
  removeDiagonal?: boolean;
}

/** Low enough that its exponential is 0, but finite, so that gradients are finite. */
const low = -1e30;

/**
 * Pulls embeddings of one label together and pushes those of different labels apart, over all pairs of a batch. The force
 * grows with a pair's distance from its optimum. Shapes: yTrue [batch] labels, yPred [batch, features] of length 1 → [batch].
 * Means are taken over samples with a loss above 0.
 * Source: Sun et al., Circle loss: a unified perspective of pair similarity optimization, 2020.
 * Errors: ShapeError; ValueError for options.
 */
export const circle: LossMaker<CircleOptions> = /* @__PURE__ */ defineLoss<CircleOptions>({
  className: 'Circle',
  defaults: { gamma: 80, margin: 0.4, removeDiagonal: true },
  check: ({ gamma, margin, removeDiagonal }, op) => {
    requireNumber(op, 'gamma', gamma, { min: 0 });
    requireNumber(op, 'margin', margin);
    requireBoolean(op, 'removeDiagonal', removeDiagonal);
  },
  shapes: 'own',
  targets: 'int32',
  values: (yTrue, yPred, { gamma, margin, removeDiagonal }, op) => {
    if (yPred.shape.length !== 2) throwRank(op, yTrue, yPred);
    const labels = labelsOf(op, yTrue, yPred, -1);
    const distances = maximum(sub(1, matMul(yPred, yPred, { transposeB: true })), 0);
    const alike = pairs(labels, equal);
    const positive = removeDiagonal ? logicalAnd(alike, pairs(positions(labels), notEqual)) : alike;
    // The attraction of a pair grows with its distance, the repulsion with its similarity.
    const pull = mul(maximum(add(distances, margin), 0), sub(distances, margin));
    const push = mul(maximum(sub(1 + margin, distances), 0), sub(1 - margin, distances));
    const over = (which: Tensor, pairwise: Tensor) =>
      logSumExp(where(which, mul(pairwise, gamma), low), { axis: 1 });
    return softplus(add(over(positive, pull), over(logicalNot(alike), push)));
  },
  mask: (values) => greater(values, 0),
});

type Comparison = (x: Tensor, y: Tensor) => Tensor;

/** Every entry of a vector compared to every other. */
function pairs(x: Tensor, compare: Comparison): Tensor {
  return compare(expandDims(x, { axis: 1 }), expandDims(x, { axis: 0 }));
}

/** 1, 2, … along a vector whose length may be open. */
function positions(x: Tensor): Tensor {
  return cumsum(onesLike(x), { axis: 0 });
}

function throwRank(op: string, yTrue: Tensor, yPred: Tensor): never {
  throw new ShapeError({
    op,
    rule: '`yPred` must have one embedding per sample: [batch, features].',
    received: formatPair(['`yTrue`', yTrue], ['`yPred`', yPred]),
    hint: 'flatten the embeddings, and normalize them with unitNormalization.',
  });
}
