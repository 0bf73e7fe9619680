/** @file pickClass: selects the prediction for each sample's label. */
import { defineOp, type Op } from '../../ops/define/define.ts';
import {
  type GatherNames,
  gatherGradient,
  gatherRows,
  gatherTarget,
  planGather,
} from '../../ops/indexing/gather.ts';
import type { Tensor } from '../../tensor/tensor.ts';

/**
 * A gather along the last axis with one index per sample. Its error messages refer to predictions and labels.
 * Shapes: yPred [..samples, classes], yTrue [..samples] → [..samples].
 * Errors: IndexOutOfRangeError, raised when the result is read, for a label outside of the classes.
 */
export const pickClass: Op<[yPred: Tensor, yTrue: Tensor]> = /* @__PURE__ */ defineOp({
  name: 'sparseCategoricalCrossentropy',
  inputs: ['yPred', 'yTrue:int32'],
  save: { inputs: [1] },
  infer: ([yPred, yTrue]) => {
    const last = yPred.shape.length - 1;
    return planGather('sparseCategoricalCrossentropy', 'yPred', yPred, yTrue, {
      axis: last,
      batchDims: last,
    });
  },
  indexTarget: ([yPred], plan) => gatherTarget(names, yPred, plan),
  forward: ([yPred, yTrue], plan, call) => gatherRows(call, names, yPred, yTrue, plan),
  backward: ([dy], { inputs: [, yTrue], inputSpecs: [yPred], plan }) => [
    gatherGradient(dy, yPred, yTrue, plan),
    null,
  ],
});

const names: GatherNames = {
  x: 'yPred',
  indices: 'yTrue',
  hint: 'number the classes from 0 (-2147483648 stands for a fraction or NaN), or set ignoreClass to a label to skip.',
};
