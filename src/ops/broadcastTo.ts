/** @file broadcastTo */
import { ShapeError } from '../core/errors.ts';
import { broadcastShapes, checkShape, formatShape, sameShape, type Shape } from '../core/shape.ts';
import { formatSpec, type TensorSpec } from '../core/spec.ts';
import { core } from '../kernels/loadCore.ts';
import type { Tensor } from '../tensor/tensor.ts';
import { noFlops } from './cost.ts';
import { defineOp, type Op } from './define.ts';
import { sumToShape } from './elementwise.ts';

/**
 * `x` repeated to `shape` by NumPy's rule. Any dtype.
 * Errors: ShapeError where x doesn't broadcast to it.
 */
export const broadcastTo: Op<[x: Tensor], { shape: Shape }, Tensor> = /* @__PURE__ */ defineOp<
  [x: Tensor],
  { shape: Shape }
>({
  name: 'broadcastTo',
  inputs: ['x'],
  infer: ([input], { shape }) => {
    const x = input as TensorSpec;
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
  forward: ([x], _, { outputs: [spec] }) =>
    core().elementwiseKernel('broadcastTo', 'a', [x as Tensor], spec as TensorSpec),
  backward: ([dy], { inputSpecs: [x] }) => [sumToShape(dy as Tensor, (x as TensorSpec).shape)],
  save: { inputs: [] },
  cost: noFlops,
});
