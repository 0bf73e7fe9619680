/**
 * @file Fused gradients: the cotangent times the derivative of an elementwise op, in one kernel. They are ops themselves, so
 * that gradients can be differentiated again; only the `gradient` of an elementwise op calls them.
 */
import { broadcastShapes } from '../../core/shape.ts';
import type { Scalars } from '../../kernels/elementwise/elementwise.ts';
import { kernels } from '../../kernels/loading/loadKernels.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { mul } from './arithmetic.ts';
import { perResult } from '../define/cost.ts';
import { defineOp, type Op } from '../define/define.ts';
import type { TensorLike } from '../define/operands.ts';

export interface DerivativeDefinition<O extends object> {
  name: string;
  /** WGSL expression of the cotangent `a` and of `b`, the op's input or output; linear in `a`. */
  expression: string | ((options: O) => string);
  scalars?: (options: O) => Scalars;
  /**
   * The derivative of the factor of `a` with respect to `b`, written with ops; null if the factor is constant almost
   * everywhere.
   */
  secondDerivative: ((b: Tensor, options: O) => TensorLike) | null;
}

export type Derivative<O extends object> = Op<[dy: Tensor, b: Tensor], O>;

/** dy · f'(b), from dy and b of one shape. */
/* @__NO_SIDE_EFFECTS__ */
export function defineDerivative<O extends object = object>({
  name,
  expression,
  scalars,
  secondDerivative,
}: DerivativeDefinition<O>): Derivative<O> {
  const derivative: Derivative<O> = defineOp({
    name,
    inputs: ['dy', 'b'],
    save: { inputs: secondDerivative ? ([0, 1] as const) : ([1] as const) },
    infer: ([dy]) => ({ shape: dy.shape, dtype: dy.dtype }),
    forward: ([dy, b], plan, { options }) => {
      const text = typeof expression === 'string' ? expression : expression(options);
      return kernels().elementwiseKernel(name, text, [dy, b], plan, scalars?.(options));
    },
    backward: ([g], { inputs: [dy, b], needs, options }) => [
      needs[0] ? derivative(g, b, options) : null,
      needs[1] && secondDerivative && dy ? mul(mul(g, dy), secondDerivative(b, options)) : null,
    ],
    elementwise: true,
    cost: perResult,
  });
  return derivative;
}

export type Choice = Op<[dy: Tensor, x: Tensor, y: Tensor]>;

/**
 * dy where a condition on x and y holds, and 0 elsewhere: the gradient of ops that choose between operands. `condition` is
 * a WGSL expression of `b` and `c`, the broadcast values of x and y; dy has their common shape.
 */
/* @__NO_SIDE_EFFECTS__ */
export function defineChoice(name: string, condition: string): Choice {
  const choice: Choice = defineOp({
    name,
    inputs: ['dy', 'x', 'y'],
    save: { inputs: [1, 2] },
    infer: ([dy, x, y]) => ({ shape: broadcastShapes(name, x.shape, y.shape), dtype: dy.dtype }),
    forward: (operands, plan) =>
      kernels().elementwiseKernel(name, `select(0.0, a, ${condition})`, operands, plan),
    backward: ([g], { inputs: [, x, y], needs }) => [needs[0] ? choice(g, x, y) : null, null, null],
    elementwise: true,
    cost: perResult,
  });
  return choice;
}
