/** @file Hinge losses: hinge, squaredHinge and categoricalHinge. */
import { all } from '../../ops/reductions/anyAll.ts';
import { add, mul, sub } from '../../ops/elementwise/arithmetic.ts';
import { equal } from '../../ops/elementwise/comparison.ts';
import { max } from '../../ops/reductions/extrema.ts';
import { logicalOr } from '../../ops/elementwise/logical.ts';
import { maximum } from '../../ops/elementwise/maximum.ts';
import { mean } from '../../ops/reductions/mean.ts';
import { sum } from '../../ops/reductions/sum.ts';
import { square } from '../../ops/elementwise/unary.ts';
import { where } from '../../ops/elementwise/where.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { defineLoss, type LossMaker } from './defineLoss.ts';

/**
 * The mean over the last axis of max(1 - yTrue·yPred, 0). Targets are -1 or 1; where all are 0 or 1, they are taken for
 * -1 and 1. Shapes broadcast.
 */
export const hinge: LossMaker = /* @__PURE__ */ defineLoss({
  className: 'Hinge',
  defaults: {},
  shapes: 'broadcast',
  values: (yTrue, yPred) => mean(margin(yTrue, yPred), { axis: -1 }),
});

/**
 * The mean over the last axis of max(1 - yTrue·yPred, 0)². Targets are -1 or 1; where all are 0 or 1, they are taken for
 * -1 and 1. Shapes broadcast.
 */
export const squaredHinge: LossMaker = /* @__PURE__ */ defineLoss({
  className: 'SquaredHinge',
  defaults: {},
  shapes: 'broadcast',
  values: (yTrue, yPred) => mean(square(margin(yTrue, yPred)), { axis: -1 }),
});

/** The amount by which predictions fall short of a margin of 1. */
function margin(yTrue: Tensor, yPred: Tensor): Tensor {
  return maximum(sub(1, mul(signs(yTrue), yPred)), 0);
}

/** The device decides whether the targets are 0 and 1: nothing is read back. */
function signs(yTrue: Tensor): Tensor {
  const isBinary = all(logicalOr(equal(yTrue, 0), equal(yTrue, 1)));
  return where(isBinary, sub(mul(yTrue, 2), 1), yTrue);
}

/**
 * max(wrong - right + 1, 0): right is the sum over the last axis of yTrue·yPred, wrong the maximum of (1 - yTrue)·yPred,
 * for targets of 0 and 1. Shapes broadcast.
 */
export const categoricalHinge: LossMaker = /* @__PURE__ */ defineLoss({
  className: 'CategoricalHinge',
  defaults: {},
  shapes: 'broadcast',
  values: (yTrue, yPred) => {
    const right = sum(mul(yTrue, yPred), { axis: -1 });
    const wrong = max(mul(sub(1, yTrue), yPred), { axis: -1 });
    return maximum(add(sub(wrong, right), 1), 0);
  },
});
