/** @file ctcLoss */
import { requireInteger, requireRank } from '../../core/shape.ts';
import { concat } from '../../ops/arrangement/concat.ts';
import { expandDims } from '../../ops/arrangement/expandDims.ts';
import { slice } from '../../ops/arrangement/slice.ts';
import { range } from '../../ops/creation/range.ts';
import { type CompositeOp, defineComposite } from '../../ops/define/composite.ts';
import { add } from '../../ops/elementwise/arithmetic.ts';
import { less } from '../../ops/elementwise/comparison.ts';
import { where } from '../../ops/elementwise/where.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { alignmentLoss, checkedLabels } from '../losses/ctc.ts';

export interface CtcLossOptions {
  /** The class of blanks. Default 0. */
  maskIndex?: number;
}

/**
 * Minus log(p) of sequences of labels, summed over all their alignments to the steps of longer sequences of logits. Shapes: target
 * [batch, labels] of which the first `targetLength` [batch] count, output [batch, steps, classes] of which the first `outputLength`
 * [batch] count → [batch]. float32. See `losses.ctc`, whose labels are padded with zeros.
 * Errors: ShapeError, DTypeError, ValueError; IndexOutOfRangeError, raised when the result is read, for a label outside of the classes.
 */
export const ctcLoss: CompositeOp<
  [target: Tensor, output: Tensor, targetLength: Tensor, outputLength: Tensor],
  CtcLossOptions,
  Tensor,
  ['maskIndex']
> = /* @__PURE__ */ defineComposite({
  name: 'ctcLoss',
  inputs: ['target:int32', 'output', 'targetLength:int32', 'outputLength:int32'],
  options: { maskIndex: true },
  compose: ([target, output, targetLength, outputLength], { maskIndex = 0 }) => {
    const op = 'ctcLoss';
    checkedLabels(op, target, output);
    requireRank(op, 'targetLength', targetLength.shape, 1);
    requireRank(op, 'outputLength', outputLength.shape, 1);
    requireInteger(op, 'maskIndex', maskIndex, 0);
    const labels = maskIndex === 0 ? target : where(less(target, maskIndex), add(target, 1), target);
    const places = range(0, target.shape[1] as number, { dtype: 'int32' });
    const padded = where(less(places, expandDims(targetLength, { axis: 1 })), labels, 0);
    return alignmentLoss(padded, blankFirst(output, maskIndex), outputLength);
  },
});

/** Moves the class of blanks to the front; classes before it move up by one. */
function blankFirst(logits: Tensor, blank: number): Tensor {
  if (blank === 0) return logits;
  const classes = (first: number, count: number) =>
    slice(logits, { begin: [0, 0, first], size: [-1, -1, count] });
  const after = (logits.shape[2] as number) - blank - 1;
  return concat([classes(blank, 1), classes(0, blank), classes(blank + 1, after)], { axis: 2 });
}
