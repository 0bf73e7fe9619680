/** @file logAddExp */
import { broadcastShapes } from '../core/shape.ts';
import type { Tensor } from '../tensor/tensor.ts';
import { type CompositeOp, defineComposite } from './composite.ts';
import { logSumExp } from './logSumExp.ts';
import { stack } from './stack.ts';
import { broadcastTo } from './sum.ts';

/**
 * log(exp x + exp y), without overflow. float32. Shapes broadcast.
 * Errors: ShapeError where they don't, DTypeError for integers and bools.
 */
export const logAddExp: CompositeOp<[x: Tensor, y: Tensor]> = /* @__PURE__ */ defineComposite({
  name: 'logAddExp',
  inputs: ['x', 'y'],
  options: {},
  compose: ([x, y]) => {
    const shape = broadcastShapes('logAddExp', x.shape, y.shape);
    return logSumExp(stack([broadcastTo(x, { shape }), broadcastTo(y, { shape })]), { axis: 0 });
  },
});
