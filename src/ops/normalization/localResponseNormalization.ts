/** @file localResponseNormalization */
import { requireFinite, requireInteger, requireRank, sizeOf } from '../../core/shape.ts';
import { tensor } from '../../tensor/create.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { add, div, mul } from '../elementwise/arithmetic.ts';
import { avgPool1d } from '../pooling/avgPool.ts';
import { type CompositeOp, defineComposite } from '../define/composite.ts';
import { pow } from '../elementwise/pow.ts';
import { reshape } from '../arrangement/reshape.ts';
import { square } from '../elementwise/unary.ts';

export interface LocalResponseNormalizationOptions {
  /** The number of channels on each side that are included. Default 5. */
  depthRadius?: number;
  /** Added to the sum of squares, to avoid division by zero. Default 1. */
  bias?: number;
  /** Factor of the sum of squares. Default 1. */
  alpha?: number;
  /** Exponent of the divisor. Default 0.5. */
  beta?: number;
}

/**
 * x / (bias + alpha Σ x²)^beta, the sum over the channels within `depthRadius`. float32. Shape: that of x [n, h, w, c].
 * Source: Krizhevsky et al., ImageNet classification with deep convolutional neural networks, 2012, section 3.3, with
 * TensorFlow's options.
 * Errors: ShapeError for other ranks, ValueError for options.
 */
export const localResponseNormalization: CompositeOp<
  [x: Tensor],
  LocalResponseNormalizationOptions,
  Tensor,
  ['depthRadius', 'bias', 'alpha', 'beta']
> = /* @__PURE__ */ defineComposite({
  name: 'localResponseNormalization',
  inputs: ['x'],
  options: { depthRadius: true, bias: true, alpha: true, beta: true },
  acceptsFloat16: false,
  compose: ([x], { depthRadius = 5, bias = 1, alpha = 1, beta = 0.5 }) => {
    const op = 'localResponseNormalization';
    requireRank(op, 'x', x.shape, 4);
    requireInteger(op, 'depthRadius', depthRadius, 0);
    for (const [name, value] of Object.entries({ bias, alpha, beta })) requireFinite(op, name, value);
    const channels = x.shape[3] as number;
    const radius = Math.min(depthRadius, Math.max(0, channels - 1));
    const poolSize = 2 * radius + 1;
    // A mean over the channels, without those that don't exist, times their number.
    const sequences = reshape(square(x), { shape: [sizeOf(x.shape.slice(0, 3)), channels, 1] });
    const means = avgPool1d(sequences, { poolSize, strides: 1, padding: 'same' });
    const factors = Float32Array.from(
      { length: channels },
      (_, i) => alpha * (Math.min(channels - 1, i + radius) - Math.max(0, i - radius) + 1),
    );
    const sums = mul(reshape(means, { shape: x.shape }), tensor(factors));
    return div(x, pow(add(bias, sums), beta));
  },
});
