/** @file RMSNormalization: features divided by their root mean square. */
import { normalizeAxes, type OpenShape } from '../../../core/shape.ts';
import { reshape } from '../../../ops/arrangement/reshape.ts';
import { rmsNorm } from '../../../ops/normalization/rmsNorm.ts';
import type { Tensor } from '../../../tensor/tensor.ts';
import type { Variable } from '../../../tensor/variable.ts';
import { ones } from '../../initializers/index.ts';
import { requireSize } from '../base/inputSpec.ts';
import { addend } from './baseNormalization.ts';
import { axes } from './unitNormalization.ts';
import { factoryOf, layer, type LayerOptions } from '../base/declare.ts';

export interface RMSNormalizationOptions extends LayerOptions {
  /** The axes to normalize over. Default -1. */
  axis?: number | readonly number[];
  /** Added to the mean of the squares. Default 1e-6. */
  epsilon?: number;
}

export class RMSNormalization extends /* @__PURE__ */ layer<RMSNormalizationOptions>(
  'RMSNormalization',
  () => ({ axis: axes(-1), epsilon: addend(1e-6) }),
) {
  scale: Variable | null = null;

  /** @internal */
  override needsFloats(): boolean {
    return true;
  }

  override build(inputShape: OpenShape): void {
    const axis = normalizeAxes(this.name, this.axis, inputShape.length);
    const shape = axis.map((i) => requireSize(this.name, inputShape, i));
    this.scale = this.addWeight('scale', { shape, initializer: ones() });
    const sizes = Object.fromEntries(axis.map((at, i) => [at, shape[i] as number]));
    this.inputSpec = [{ rank: inputShape.length, axes: sizes }];
  }

  override call(x: Tensor): Tensor {
    const axis = normalizeAxes(this.name, this.axis, x.rank);
    // The weight follows the order of `axis`, the op follows that of the input.
    const scale = reshape(this.scale as Tensor, { shape: axis.map((i) => x.shape[i] as number) });
    return rmsNorm(x, scale, { axis, epsilon: this.epsilon });
  }
}

/**
 * x / √(mean of x² + epsilon) · scale, with the mean of each sample over `axis`. Shape: that of the input. float32. Weights:
 * scale, of the sizes of `axis` in ascending order. Zhang and Sennrich, Root mean square layer normalization, NeurIPS 2019.
 * Errors: ValueError for invalid options; ShapeError for axes that the input lacks, or whose sizes are open.
 */
export const rmsNormalization = /* @__PURE__ */ factoryOf(RMSNormalization, ['axis', 'epsilon']);
