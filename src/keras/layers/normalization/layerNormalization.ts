/** @file LayerNormalization: normalizes the features of each sample to mean 0 and variance 1. */
import { ScaledNormalization, type ScaledNormalizationOptions, scaleTable } from './baseNormalization.ts';
import { normalizeAxes, type OpenShape } from '../../../core/shape.ts';
import { add, mul } from '../../../ops/elementwise/arithmetic.ts';
import { layerNorm } from '../../../ops/normalization/layerNorm.ts';
import { reshape } from '../../../ops/arrangement/reshape.ts';
import { rsqrt } from '../../../ops/elementwise/unary.ts';
import { variance } from '../../../ops/reductions/variance.ts';
import type { Tensor } from '../../../tensor/tensor.ts';
import { requireSize } from '../base/inputSpec.ts';
import { axes } from './unitNormalization.ts';
import { factoryOf, flag, layer } from '../base/declare.ts';

export interface LayerNormalizationOptions extends ScaledNormalizationOptions {
  /** The axes to normalize over. Default -1. */
  axis?: number | readonly number[];
  /** Whether to compute only x · gamma / √(variance + epsilon), without mean and beta. Default false. */
  rmsScaling?: boolean;
}

export class LayerNormalization extends /* @__PURE__ */ layer<LayerNormalizationOptions, ScaledNormalization>(
  'LayerNormalization',
  () => ({ axis: axes(-1), ...scaleTable(), rmsScaling: flag(false) }),
  ScaledNormalization,
) {
  override build(inputShape: OpenShape): void {
    const rank = inputShape.length;
    const axes = normalizeAxes(this.name, this.axis, rank);
    const shape = axes.map((axis) => requireSize(this.name, inputShape, axis));
    if (!this.rmsScaling) this.addScale(shape);
    else this.gamma = this.addWeight('gamma', { shape, ...this.weightRules('gamma') });
    this.inputSpec = [{ rank, axes: Object.fromEntries(axes.map((axis, i) => [axis, shape[i] as number])) }];
  }

  override call(x: Tensor): Tensor {
    const { epsilon } = this;
    const axis = normalizeAxes(this.name, this.axis, x.shape.length);
    if (this.rmsScaling) {
      const spread = rsqrt(add(variance(x, { axis, keepDims: true }), epsilon));
      const shape = x.shape.map((size, i) => (axis.includes(i) ? size : 1));
      return mul(mul(x, spread), reshape(this.gamma as Tensor, { shape }));
    }
    // Weights follow the order of `axis`, the op follows that of the input.
    const shape = axis.map((i) => x.shape[i] as number);
    const ordered = (weight: Tensor | null) => weight && reshape(weight, { shape });
    return layerNorm(x, ordered(this.gamma), ordered(this.beta), { axis, epsilon });
  }
}

/**
 * (x - mean) / √(variance + epsilon) · gamma + beta, with the moments of each sample over `axis`. Shape: that of the
 * input. float32. Weights: gamma and beta, of the sizes of `axis`. Ba, Kiros and Hinton, Layer normalization, 2016.
 * Errors: ValueError for invalid options; ShapeError for axes that the input lacks, or whose sizes are open.
 */
export const layerNormalization = /* @__PURE__ */ factoryOf(LayerNormalization, ['axis', 'epsilon']);
