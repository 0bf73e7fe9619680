/** @file pickClass: selects the prediction for each sample's label. */
import type { TensorSpec } from '../../core/spec.ts';
import { defineOp, type Op } from '../../ops/define.ts';
import {
  type GatherNames,
  type GatherOptions,
  gatherGradient,
  gatherRows,
  gatherSpec,
} from '../../ops/gather.ts';
import type { Tensor } from '../../tensor/tensor.ts';

/**
 * A gather along the last axis with one index per sample, whose messages speak of predictions and labels.
 * Shapes: yPred [..samples, classes], yTrue [..samples] → [..samples].
 * Errors: IndexOutOfRangeError, raised when the result is read, for a label outside of the classes.
 */
export const pickClass: Op<[yPred: Tensor, yTrue: Tensor], object, Tensor> = /* @__PURE__ */ defineOp<
  [yPred: Tensor, yTrue: Tensor]
>({
  name: 'sparseCategoricalCrossentropy',
  inputs: ['yPred', 'yTrue:int32'],
  infer: ([yPred, yTrue]) =>
    gatherSpec(
      'sparseCategoricalCrossentropy',
      'yPred',
      yPred as TensorSpec,
      yTrue as TensorSpec,
      alongLast(yPred as TensorSpec),
    ),
  forward: ([yPred, yTrue], _, call) =>
    gatherRows(call, names, yPred as Tensor, yTrue as Tensor, alongLast(yPred as TensorSpec)),
  backward: ([dy], { inputs: [, yTrue], inputSpecs: [yPred] }) => [
    gatherGradient(dy as Tensor, yPred as TensorSpec, yTrue as Tensor, alongLast(yPred as TensorSpec)),
    null,
  ],
  save: { inputs: [1] },
});

const names: GatherNames = {
  x: 'yPred',
  indices: 'yTrue',
  hint: 'number the classes from 0, or set ignoreClass to the label to ignore.',
};

function alongLast({ shape }: TensorSpec): GatherOptions {
  return { axis: shape.length - 1, batchDims: shape.length - 1 };
}
