/**
 * @file sum and broadcastTo. Each is the gradient of the other, so they share a file.
 */
import { ShapeError } from '../../core/errors.ts';
import {
  broadcastAxes,
  broadcastShapes,
  checkShape,
  formatShape,
  sameShape,
  type Shape,
} from '../../core/shape.ts';
import { formatSpec } from '../../core/spec.ts';
import { kernels } from '../../kernels/loading/loadKernels.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { noFlops } from '../define/cost.ts';
import { defineOp, type Op } from '../define/define.ts';
import { defineReduction, numbers, type ReductionOp, type ReductionPlan, restoreAxes } from './reduction.ts';
import { reshape } from '../arrangement/reshape.ts';

/**
 * The sum of elements along `axis`. Shape: x without the reduced axes, or with size 1 where `keepDims`. An empty sum is 0.
 * Errors: ShapeError for an axis that x lacks, DTypeError for bools.
 */
export const sum: ReductionOp = /* @__PURE__ */ defineReduction({
  name: 'sum',
  dtypes: numbers,
  reduction: () => ({ combine: 'a + b' }),
  save: { inputs: [] },
  gradient: (dy, { plan }) => spread(dy, plan),
});

/**
 * `x` repeated to `shape` by NumPy's rule. Any dtype.
 * Errors: ShapeError if x doesn't broadcast to it.
 */
export const broadcastTo: Op<[x: Tensor], { shape: Shape }, Tensor, 'first', ['shape']> =
  /* @__PURE__ */ defineOp({
    name: 'broadcastTo',
    inputs: ['x'],
    options: { shape: true },
    save: { inputs: [] },
    infer: ([x], { shape }) => {
      checkShape('broadcastTo', shape);
      if (!sameShape(broadcastShapes('broadcastTo', x.shape, shape), shape)) {
        throw new ShapeError({
          op: 'broadcastTo',
          rule: 'only axes of size 1 can be repeated, and new axes go in front.',
          received: `${formatSpec(x)} to ${formatShape(shape)}`,
          hint: 'expandDims or reshape x first.',
        });
      }
      return { shape: [...shape], dtype: x.dtype };
    },
    forward: ([x], plan) => kernels().elementwiseKernel('broadcastTo', 'a', [x], plan),
    backward: ([dy], { inputSpecs: [x] }) => [sumToShape(dy, x.shape)],
    cost: noFlops,
  });

/** The adjoint of a broadcast: sums over the axes along which a tensor of `shape` was repeated. */
export function sumToShape(x: Tensor, shape: Shape): Tensor {
  const axes = broadcastAxes(shape, x.shape);
  const summed = axes.length > 0 ? sum(x, { axis: axes }) : x;
  return sameShape(summed.shape, shape) ? summed : reshape(summed, { shape });
}

/** Broadcasts the cotangent of a reduction to the shape of its input. */
export function spread(dy: Tensor, plan: ReductionPlan): Tensor {
  return broadcastTo(restoreAxes(dy, plan), { shape: plan.from });
}
