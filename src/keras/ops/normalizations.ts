/** @file The normalizations of keras.ops: the library's, with Keras's operands. */
import { sameShape } from '../../core/shape.ts';
import { mul } from '../../ops/elementwise/arithmetic.ts';
import { batchNorm } from '../../ops/normalization/batchNorm.ts';
import type { CompositeOp } from '../../ops/define/composite.ts';
import { layerNorm } from '../../ops/normalization/layerNorm.ts';
import { axesTogether, sizesAlong } from '../../ops/normalization/normalization.ts';
import { rmsNorm } from '../../ops/normalization/rmsNorm.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { epsilon as smallest } from '../epsilon.ts';
import { composeFloats } from './composites.ts';
import { likeFirst } from './promotion.ts';

/** Options of `layerNormalization` and `rmsNormalization`. */
export interface NormalizationAxisOptions {
  /** The axes that are normalized together. Default -1. */
  axis?: number | readonly number[];
  /** Added to the variance, or the mean of squares. Default 1e-7. */
  epsilon?: number;
}

export interface BatchNormalizationOptions {
  /** The axis of the channels. */
  axis: number;
  /** Added to the variance. Default 1e-3. */
  epsilon?: number;
}

/** As `layerNorm`, with an epsilon of 1e-7. float32; float16 where x is. Shape: that of x. Errors: ShapeError, ValueError, DTypeError. */
export const layerNormalization: CompositeOp<
  [x: Tensor, gamma: Tensor | null, beta: Tensor | null],
  NormalizationAxisOptions,
  Tensor,
  ['axis', 'epsilon']
> = /* @__PURE__ */ likeFirst(
  /* @__PURE__ */ composeFloats({
    name: 'layerNormalization',
    inputs: ['x', 'gamma?', 'beta?'],
    options: { axis: true, epsilon: true },
    compose: ([x, gamma, beta], { axis = -1, epsilon = smallest }) =>
      layerNorm(x, gamma, beta, { axis, epsilon }),
  }),
);

/**
 * x / √(mean of x² + epsilon) · scale over `axis`. float32; float16 where x is. Shapes: that of x; scale broadcasts to it. Errors: ShapeError,
 * ValueError, DTypeError.
 */
export const rmsNormalization: CompositeOp<
  [x: Tensor, scale: Tensor | null],
  NormalizationAxisOptions,
  Tensor,
  ['axis', 'epsilon']
> = /* @__PURE__ */ likeFirst(
  /* @__PURE__ */ composeFloats({
    name: 'rmsNormalization',
    inputs: ['x', 'scale?'],
    options: { axis: true, epsilon: true },
    compose: ([x, scale], { axis = -1, epsilon = smallest }) => {
      const axes = axesTogether('rmsNormalization', axis, x.shape.length);
      const isGamma = scale !== null && sameShape(scale.shape, sizesAlong(x.shape, axes));
      // Only a scale of the last axes broadcasts as it is.
      if (isGamma && axes[0] === x.shape.length - axes.length)
        return rmsNorm(x, scale, { axis: axes, epsilon });
      const normalized = rmsNorm(x, null, { axis: axes, epsilon });
      return scale ? mul(normalized, scale) : normalized;
    },
  }),
);

/**
 * (x - mean) / √(variance + epsilon) · scale + offset, with values for each channel. float32. Shapes: that of x; the others
 * have one value for each channel. Errors: ShapeError, ValueError, DTypeError.
 */
export const batchNormalization: CompositeOp<
  [x: Tensor, mean: Tensor, variance: Tensor, offset: Tensor | null, scale: Tensor | null],
  BatchNormalizationOptions,
  Tensor,
  ['axis', 'epsilon']
> = /* @__PURE__ */ composeFloats({
  name: 'batchNormalization',
  inputs: ['x', 'mean', 'variance', 'offset?', 'scale?'],
  options: { axis: true, epsilon: true },
  compose: ([x, mean, variance, offset, scale], { axis, epsilon = 1e-3 }) =>
    batchNorm(x, mean, variance, scale, offset, { axis, epsilon }),
});
