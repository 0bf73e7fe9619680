/** @file where */
import { promote, requireDType } from '../core/dtype.ts';
import { broadcastShapes } from '../core/shape.ts';
import type { TensorSpec } from '../core/spec.ts';
import { core } from '../kernels/loadCore.ts';
import type { Tensor } from '../tensor/tensor.ts';
import { perResult } from './cost.ts';
import { defineOp, type Op } from './define.ts';
import { converted, sumToShape } from './elementwise.ts';

/**
 * x where `condition` holds, y elsewhere. The three shapes broadcast; dtypes of x and y promote, any is taken. What isn't
 * chosen has no influence, on the gradient neither: it is 0 there.
 * Errors: DTypeError for a condition that isn't bool; ShapeError where the shapes don't broadcast.
 */
export const where: Op<[condition: Tensor, x: Tensor, y: Tensor], object, Tensor> = /* @__PURE__ */ defineOp<
  [condition: Tensor, x: Tensor, y: Tensor]
>({
  name: 'where',
  inputs: ['condition:bool', 'x', 'y'],
  infer: (specs) => {
    const [condition, x, y] = specs as [TensorSpec, TensorSpec, TensorSpec];
    requireDType('where', 'condition', condition.dtype, ['bool']);
    const values = broadcastShapes('where', x.shape, y.shape);
    return {
      shape: broadcastShapes('where', condition.shape, values),
      dtype: promote('where', x.dtype, y.dtype),
    };
  },
  forward: (inputs, _, { outputs: [spec] }) => {
    const [condition, x, y] = inputs as [Tensor, Tensor, Tensor];
    const { dtype } = spec as TensorSpec;
    const operands = [condition, converted(x, dtype), converted(y, dtype)];
    return core().elementwiseKernel('where', 'select(c, b, a != 0u)', operands, spec as TensorSpec);
  },
  backward: ([dy], { inputs: [condition], inputSpecs: [, x, y], needs }) => [
    null,
    needs[1] ? sumToShape(where(condition as Tensor, dy as Tensor, 0), (x as TensorSpec).shape) : null,
    needs[2] ? sumToShape(where(condition as Tensor, 0, dy as Tensor), (y as TensorSpec).shape) : null,
  ],
  save: { inputs: [0] },
  cost: perResult,
});
