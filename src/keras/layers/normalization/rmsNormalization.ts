/** @file RMSNormalization: features divided by their root mean square. */
import type { OptionNames } from '../../../core/options.ts';
import { normalizeAxes, type OpenShape } from '../../../core/shape.ts';
import { requireEpsilon } from '../../../ops/normalization.ts';
import { reshape } from '../../../ops/reshape.ts';
import { rmsNorm } from '../../../ops/rmsNorm.ts';
import type { Tensor } from '../../../tensor/tensor.ts';
import type { Variable } from '../../../tensor/variable.ts';
import { ones } from '../../initializers/index.ts';
import { requireSize } from '../base/inputSpec.ts';
import { Layer, type LayerOptions } from '../base/layer.ts';
import { layerOptionNames } from '../base/layerOptions.ts';
import { axisOrAxes } from './unitNormalization.ts';
import { factoryOf } from '../../options/factory.ts';

/** Options of `rmsNormalization`. */
export interface RMSNormalizationOptions extends LayerOptions {
  /** The axes to normalize over. Default -1. */
  axis?: number | readonly number[];
  /** Added to the mean of the squares. Default 1e-6. */
  epsilon?: number;
}

/** The class of layers created by `rmsNormalization`, which documents shapes, weights and errors. */
export class RMSNormalization extends Layer {
  static override readonly className: string = 'RMSNormalization';

  static get knownOptions(): readonly string[] {
    return Object.keys({
      axis: true,
      epsilon: true,
      ...layerOptionNames,
    } satisfies OptionNames<RMSNormalizationOptions>);
  }

  scale: Variable | null = null;
  readonly axis: readonly number[];
  readonly epsilon: number;

  constructor(options: RMSNormalizationOptions = {}) {
    super(options);
    const { axis = -1, epsilon = 1e-6 } = options;
    requireEpsilon(this.name, epsilon);
    this.axis = [axisOrAxes(this.name, 'axis', axis)].flat();
    this.epsilon = epsilon;
  }

  override build(inputShape: OpenShape): void {
    const axes = normalizeAxes(this.name, this.axis, inputShape.length);
    const shape = axes.map((axis) => requireSize(this.name, inputShape, axis));
    this.scale = this.addWeight('scale', { shape, initializer: ones() });
    const sizes = Object.fromEntries(axes.map((axis, i) => [axis, shape[i] as number]));
    this.inputSpec = [{ rank: inputShape.length, axes: sizes }];
  }

  override call(x: Tensor): Tensor {
    const axis = normalizeAxes(this.name, this.axis, x.rank);
    // The weight follows the order of `axis`, the op follows that of the input.
    const scale = reshape(this.scale as Tensor, { shape: axis.map((i) => x.shape[i] as number) });
    return rmsNorm(x, scale, { axis, epsilon: this.epsilon });
  }

  override getConfig(): Record<string, unknown> {
    const { axis, epsilon } = this;
    return { ...super.getConfig(), axis, epsilon };
  }
}

/**
 * x / √(mean of x² + epsilon) · scale, with the mean of each sample over `axis`. Shape: that of the input. float32. Weights:
 * scale, of the sizes of `axis` in ascending order. Zhang and Sennrich, Root mean square layer normalization, NeurIPS 2019.
 * Errors: ValueError for invalid options; ShapeError for axes that the input lacks, or whose sizes are open.
 */
export const rmsNormalization = /* @__PURE__ */ factoryOf(RMSNormalization, ['axis', 'epsilon']);
