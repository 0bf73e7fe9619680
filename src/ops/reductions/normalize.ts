/** @file normalize */
import { normalizeAxes, requireFinite } from '../../core/shape.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { div } from '../elementwise/arithmetic.ts';
import { type CompositeOp, defineComposite } from '../define/composite.ts';
import { maximum } from '../elementwise/maximum.ts';
import { requireVectorOrder, vectorNorm } from './vectorNorm.ts';

export interface NormalizeOptions {
  /** The axis along which the norm becomes 1. Default -1. */
  axis?: number;
  /** The exponent of the norm. Default 2. */
  order?: number;
  /** The lower bound of the divisor. Default 1e-12. */
  epsilon?: number;
}

/**
 * `x` divided by its norm along `axis`, so that the norm becomes 1, or less if it was below `epsilon`. float32. Shape: that
 * of x.
 * Errors: ShapeError for an axis that x lacks; ValueError for an `order` or `epsilon` that is no number.
 */
export const normalize: CompositeOp<[x: Tensor], NormalizeOptions, Tensor, ['axis', 'order', 'epsilon']> =
  /* @__PURE__ */ defineComposite({
    name: 'normalize',
    inputs: ['x'],
    options: { axis: true, order: true, epsilon: true },
    compose: ([x], { axis = -1, order = 2, epsilon = 1e-12 }) => {
      requireFinite('normalize', 'epsilon', epsilon);
      requireVectorOrder('normalize', 'order', order);
      const axes = normalizeAxes('normalize', axis, x.shape.length);
      const length = vectorNorm(x, order, { axis: axes, keepDims: true });
      return div(x, maximum(length, epsilon));
    },
  });
