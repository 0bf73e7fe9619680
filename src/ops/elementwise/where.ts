/** @file where */
import { promote, requireDType } from '../../core/dtype.ts';
import { broadcastShapes } from '../../core/shape.ts';
import { kernels } from '../../kernels/loading/loadKernels.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { perResult } from '../define/cost.ts';
import { defineOp, type Op } from '../define/define.ts';
import { converted } from './elementwise.ts';
import { sumToShape } from '../reductions/sum.ts';

/**
 * x where `condition` is true, y elsewhere. The three shapes broadcast; dtypes of x and y promote, any is accepted. Elements
 * that aren't chosen have no effect, and their gradient is 0.
 * Errors: DTypeError for a condition that isn't bool; ShapeError if the shapes don't broadcast.
 */
export const where: Op<[condition: Tensor, x: Tensor, y: Tensor], object, Tensor, 'chosen'> =
  /* @__PURE__ */ defineOp({
    name: 'where',
    inputs: ['condition:bool', 'x', 'y'],
    options: {},
    save: { inputs: [0] },
    infer: ([condition, x, y]) => {
      requireDType('where', 'condition', condition.dtype, ['bool']);
      const values = broadcastShapes('where', x.shape, y.shape);
      return {
        shape: broadcastShapes('where', condition.shape, values),
        dtype: promote('where', x.dtype, y.dtype),
      };
    },
    forward: ([condition, x, y], plan) => {
      const operands = [condition, converted(x, plan.dtype), converted(y, plan.dtype)];
      return kernels().elementwiseKernel('where', 'select(c, b, a != 0u)', operands, plan);
    },
    backward: ([dy], { inputs: [condition], inputSpecs: [, x, y], needs }) => [
      null,
      needs[1] ? sumToShape(where(condition, dy, 0), x.shape) : null,
      needs[2] ? sumToShape(where(condition, 0, dy), y.shape) : null,
    ],
    elementwise: true,
    cost: perResult,
  });
