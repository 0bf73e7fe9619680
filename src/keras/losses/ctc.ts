/** @file ctc */
import { ShapeError } from '../../core/errors.ts';
import { formatPair } from './lossChecks.ts';
import { add, neg, sub } from '../../ops/elementwise/arithmetic.ts';
import { cast } from '../../ops/elementwise/cast.ts';
import { greater, notEqual } from '../../ops/elementwise/comparison.ts';
import { expandDims } from '../../ops/arrangement/expandDims.ts';
import { gather } from '../../ops/indexing/gather.ts';
import { logSumExp } from '../../ops/reductions/logSumExp.ts';
import { pad } from '../../ops/arrangement/pad.ts';
import { slice } from '../../ops/arrangement/slice.ts';
import { reshape } from '../../ops/arrangement/reshape.ts';
import { logSoftmax } from '../../ops/activations/softmax.ts';
import { stack } from '../../ops/arrangement/stack.ts';
import { unstack } from '../../ops/arrangement/unstack.ts';
import { sum } from '../../ops/reductions/sum.ts';
import { where } from '../../ops/elementwise/where.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { defineLoss, type LossMaker } from './defineLoss.ts';

/** Low enough that its exponential is 0, but finite, so that gradients are finite. */
const low = -1e30;

/**
 * Minus log(p) of a sequence of labels, summed over all its alignments to the steps of a longer sequence: labels may
 * repeat, and blanks (class 0) lie between them. Shapes: yTrue [batch, labels], each row padded with zeros at its end,
 * yPred [batch, steps, classes] logits → [batch]. Infinity if there are too few steps.
 * Source: Graves et al., Connectionist temporal classification, 2006, section 4.1.
 * Errors: ShapeError; IndexOutOfRangeError, raised when the result is read, for a label outside of the classes.
 */
export const ctc: LossMaker = /* @__PURE__ */ defineLoss({
  className: 'CTC',
  defaults: {},
  shapes: 'own',
  targets: 'int32',
  values: (yTrue, yPred, _, op) => {
    return alignmentLoss(checkedLabels(op, yTrue, yPred), yPred, null);
  },
});

/**
 * Returns minus log(p) of labels [batch, labels], padded with zeros, in logits [batch, steps, classes]: in all steps, or in the first
 * `lengths` [batch].
 */
export function alignmentLoss(labels: Tensor, logits: Tensor, lengths: Tensor | null): Tensor {
  const states = statesOf(labels);
  const emissions = gather(logSoftmax(logits), states, { axis: 2, batchDims: 1 });
  return neg(endings(forwardVariables(states, emissions, lengths), labels));
}

/**
 * Returns the logarithms of the forward variables after the last step: the probability of all prefixes of alignments that end
 * in a state.
 * An alignment stays in its state, moves on to the next, or skips a blank between two different labels.
 */
function forwardVariables(states: Tensor, emissions: Tensor, lengths: Tensor | null): Tensor {
  const [first, ...rest] = unstack(emissions, { axis: 1 }) as [Tensor, ...Tensor[]];
  const passes = where(notEqual(states, shifted(states, 2, 0)), 0, low);
  const count = states.shape[1] as number;
  const starts = slice(first, { begin: [0, 0], size: [-1, 2] });
  let alpha = pad(starts, {
    paddings: [
      [0, 0],
      [0, count - 2],
    ],
    constantValue: low,
  });
  for (const [i, emission] of rest.entries()) {
    const ways = stack([alpha, shifted(alpha, 1, low), add(shifted(alpha, 2, low), passes)]);
    const next = add(logSumExp(ways, { axis: 0 }), emission);
    alpha = lengths ? where(greater(expandDims(lengths, { axis: 1 }), i + 1), next, alpha) : next;
  }
  return alpha;
}

/** Returns the logarithms of the two ways to end: in the last label, or in the blank after it. */
function endings(alpha: Tensor, labels: Tensor): Tensor {
  const length = sum(cast(notEqual(labels, 0), 'int32'), { axis: 1, keepDims: true });
  const blank = add(length, length);
  const isSpoken = notEqual(length, 0);
  const ends = [blank, where(isSpoken, sub(blank, 1), blank)].map((state) =>
    gather(alpha, state, { axis: 1, batchDims: 1 }),
  );
  const [inBlank, inLabel] = ends as [Tensor, Tensor];
  const both = logSumExp(stack([inBlank, where(isSpoken, inLabel, low)]), { axis: 0 });
  const total = reshape(both, { shape: [-1] });
  return where(greater(total, low / 2), total, Number.NEGATIVE_INFINITY);
}

/** Returns the labels with a blank before each, and one at the end. */
function statesOf(labels: Tensor): Tensor {
  const pairs = pad(expandDims(labels, { axis: 2 }), {
    paddings: [
      [0, 0],
      [0, 0],
      [1, 0],
    ],
  });
  const flat = reshape(pairs, { shape: [-1, 2 * (labels.shape[1] as number)] });
  return pad(flat, {
    paddings: [
      [0, 0],
      [0, 1],
    ],
  });
}

/** Every row shifted right by `by`, with `fill` at its start. */
function shifted(x: Tensor, by: number, fill: number): Tensor {
  const kept = slice(x, { begin: [0, 0], size: [-1, (x.shape[1] as number) - by] });
  return pad(kept, {
    paddings: [
      [0, 0],
      [by, 0],
    ],
    constantValue: fill,
  });
}

/** Errors: ShapeError unless labels and logits fit together. */
export function checkedLabels(op: string, yTrue: Tensor, yPred: Tensor): Tensor {
  const [batch, steps] = yPred.shape;
  if (yTrue.shape.length === 2 && yPred.shape.length === 3 && yTrue.shape[0] === batch) {
    if (typeof steps === 'number' && steps > 0 && (yTrue.shape[1] as number) > 0) return yTrue;
  }
  throw new ShapeError({
    op,
    rule: '`yTrue` is [batch, labels] and `yPred` is [batch, steps, classes], with at least one label and one step.',
    received: formatPair(['`yTrue`', yTrue], ['`yPred`', yPred]),
    hint: 'pad rows of labels with zeros, the blank.',
  });
}
