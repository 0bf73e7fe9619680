/**
 * @file Makers of fused gradients: dy times the derivative of an elementwise op, in one kernel. They are ops, so that
 * gradients can be differentiated again; no one calls them but the `gradient` of their op.
 */
import { broadcastShapes } from '../core/shape.ts';
import type { TensorSpec } from '../core/spec.ts';
import type { Scalars } from '../kernels/elementwise.ts';
import { core } from '../kernels/loadCore.ts';
import type { Tensor } from '../tensor/tensor.ts';
import { mul } from './arithmetic.ts';
import { perResult } from './cost.ts';
import { defineOp, type Op } from './define.ts';
import type { TensorLike } from './operands.ts';

export interface SlopeDefinition<O extends object> {
  name: string;
  /** WGSL expression of the cotangent `a` and of `b`, the op's input or output; linear in `a`. */
  expression: string | ((options: O) => string);
  scalars?: (options: O) => Scalars;
  /**
   * The derivative of the slope with respect to `b`, written with ops; null where the slope is constant almost everywhere.
   */
  curve: ((b: Tensor, options: O) => TensorLike) | null;
}

export type Slope<O extends object> = Op<[dy: Tensor, b: Tensor], O, Tensor>;

/** dy · f'(b), from dy and b of one shape. */
/* @__NO_SIDE_EFFECTS__ */
export function defineSlope<O extends object = object>({
  name,
  expression,
  scalars,
  curve,
}: SlopeDefinition<O>): Slope<O> {
  const slope: Slope<O> = defineOp<[dy: Tensor, b: Tensor], O>({
    name,
    inputs: ['dy', 'b'],
    infer: ([dy]) => ({ shape: (dy as TensorSpec).shape, dtype: (dy as TensorSpec).dtype }),
    forward: ([dy, b], options, { outputs: [spec] }) => {
      const text = typeof expression === 'string' ? expression : expression(options);
      return core().elementwiseKernel(
        name,
        text,
        [dy as Tensor, b as Tensor],
        spec as TensorSpec,
        scalars?.(options),
      );
    },
    backward: ([g], { inputs: [dy, b], needs }, options) => [
      needs[0] ? slope(g as Tensor, b as Tensor, options) : null,
      needs[1] && curve ? mul(mul(g as Tensor, dy as Tensor), curve(b as Tensor, options)) : null,
    ],
    save: { inputs: curve ? [0, 1] : [1] },
    cost: perResult,
  });
  return slope;
}

export type Choice = Op<[dy: Tensor, x: Tensor, y: Tensor], object, Tensor>;

/**
 * dy where a condition on x and y holds, and 0 elsewhere: how ops that choose between operands pass their gradient on.
 * `condition` is a WGSL expression of `b` and `c`, the broadcast values of x and y; dy has their common shape.
 */
/* @__NO_SIDE_EFFECTS__ */
export function defineChoice(name: string, condition: string): Choice {
  const choice: Choice = defineOp<[dy: Tensor, x: Tensor, y: Tensor]>({
    name,
    inputs: ['dy', 'x', 'y'],
    infer: (specs) => {
      const [dy, x, y] = specs as [TensorSpec, TensorSpec, TensorSpec];
      return { shape: broadcastShapes(name, x.shape, y.shape), dtype: dy.dtype };
    },
    forward: (operands, _, { outputs: [spec] }) =>
      core().elementwiseKernel(
        name,
        `select(0.0, a, ${condition})`,
        operands as [Tensor, Tensor, Tensor],
        spec as TensorSpec,
      ),
    backward: ([g], { inputs: [, x, y], needs }) => [
      needs[0] ? choice(g as Tensor, x as Tensor, y as Tensor) : null,
      null,
      null,
    ],
    save: { inputs: [1, 2] },
    cost: perResult,
  });
  return choice;
}
