/**
 * @file GlobalMaxPooling and GlobalAveragePooling, 1D to 3D: one value for each channel of a sequence, an image or a
 * volume.
 */
import { div, mul } from '../../../ops/elementwise/arithmetic.ts';
import { cast } from '../../../ops/elementwise/cast.ts';
import { expandDims } from '../../../ops/arrangement/expandDims.ts';
import { max } from '../../../ops/reductions/extrema.ts';
import { globalAveragePool, globalMaxPool } from '../../../ops/pooling/globalPool.ts';
import { mean } from '../../../ops/reductions/mean.ts';
import { sum } from '../../../ops/reductions/sum.ts';
import type { Tensor } from '../../../tensor/tensor.ts';
import { type DataFormatOptions, dataFormat } from '../base/dataFormat.ts';
import {
  factoryOf,
  flag,
  layer,
  type CallOptions,
  type InputSpec,
  type LayerOptions,
} from '../base/declare.ts';

/** Options of the layers that pool whole images and sequences. */
export interface GlobalPoolingOptions extends LayerOptions, DataFormatOptions {
  /** Keeps the axes of steps or pixels, with size 1. Default false. */
  keepDims?: boolean;
}

const table = () => ({ dataFormat: dataFormat(), keepDims: flag(false) });

export class GlobalMaxPooling1D extends /* @__PURE__ */ layer<GlobalPoolingOptions>(
  'GlobalMaxPooling1D',
  table,
) {
  protected override inputSpec: readonly InputSpec[] = [{ rank: 3 }];

  override call(x: Tensor): Tensor {
    return max(x, { axis: 1, keepDims: this.keepDims });
  }
}

export class GlobalMaxPooling2D extends /* @__PURE__ */ layer<GlobalPoolingOptions>(
  'GlobalMaxPooling2D',
  table,
) {
  protected override inputSpec: readonly InputSpec[] = [{ rank: 4 }];

  override call(x: Tensor): Tensor {
    return globalMaxPool(x, { keepDims: this.keepDims });
  }
}

export class GlobalAveragePooling1D extends /* @__PURE__ */ layer<GlobalPoolingOptions>(
  'GlobalAveragePooling1D',
  table,
) {
  override readonly supportsMasking: boolean = true;
  protected override inputSpec: readonly InputSpec[] = [{ rank: 3 }];

  protected override get roundsResults(): boolean {
    return false;
  }

  override call(x: Tensor, { mask }: CallOptions): Tensor {
    const over = { axis: 1, keepDims: this.keepDims };
    if (!mask) return mean(x, over);
    const weights = expandDims(cast(mask as Tensor, 'float32'), { axis: 2 });
    return div(sum(mul(x, weights), over), sum(weights, over));
  }

  /** The steps are gone, and their mask with them. */
  override computeMask(): null {
    return null;
  }
}

export class GlobalAveragePooling2D extends /* @__PURE__ */ layer<GlobalPoolingOptions>(
  'GlobalAveragePooling2D',
  table,
) {
  protected override inputSpec: readonly InputSpec[] = [{ rank: 4 }];

  protected override get roundsResults(): boolean {
    return false;
  }

  override call(x: Tensor): Tensor {
    return globalAveragePool(x, { keepDims: this.keepDims });
  }
}

export class GlobalMaxPooling3D extends /* @__PURE__ */ layer<GlobalPoolingOptions>(
  'GlobalMaxPooling3D',
  table,
) {
  protected override inputSpec: readonly InputSpec[] = [{ rank: 5 }];

  override call(x: Tensor): Tensor {
    return max(x, { axis: [1, 2, 3], keepDims: this.keepDims });
  }
}

export class GlobalAveragePooling3D extends /* @__PURE__ */ layer<GlobalPoolingOptions>(
  'GlobalAveragePooling3D',
  table,
) {
  protected override inputSpec: readonly InputSpec[] = [{ rank: 5 }];

  protected override get roundsResults(): boolean {
    return false;
  }

  override call(x: Tensor): Tensor {
    return mean(x, { axis: [1, 2, 3], keepDims: this.keepDims });
  }
}

/**
 * The largest value of each channel of a sequence. Shapes: [batch, steps, channels] → [batch, channels], or [batch, 1,
 * channels] where `keepDims`. Errors: ValueError for invalid options; ShapeError for inputs of another rank.
 */
export const globalMaxPooling1d = /* @__PURE__ */ factoryOf(GlobalMaxPooling1D);

/**
 * The largest value of each channel of an image. Shapes: [batch, height, width, channels] → [batch, channels], or [batch,
 * 1, 1, channels] where `keepDims`. Errors: ValueError for invalid options; ShapeError for inputs of another rank.
 */
export const globalMaxPooling2d = /* @__PURE__ */ factoryOf(GlobalMaxPooling2D);

/**
 * The mean of each channel over the unmasked steps of a sequence. Shapes:
 * [batch, steps, channels] → [batch, channels], or [batch, 1, channels] where `keepDims`.
 * Errors: ValueError for invalid options; ShapeError for inputs of another rank.
 */
export const globalAveragePooling1d = /* @__PURE__ */ factoryOf(GlobalAveragePooling1D);

/**
 * The mean of each channel of an image. Shapes: [batch, height, width, channels] → [batch, channels], or [batch, 1, 1,
 * channels] where `keepDims`. Errors: ValueError for invalid options; ShapeError for inputs of another rank.
 */
export const globalAveragePooling2d = /* @__PURE__ */ factoryOf(GlobalAveragePooling2D);

/**
 * The largest value of each channel of a volume. Shapes: [batch, depth, height, width, channels] → [batch, channels], or [batch,
 * 1, 1, 1, channels] where `keepDims`. Errors: ValueError for invalid options; ShapeError for inputs of another rank.
 */
export const globalMaxPooling3d = /* @__PURE__ */ factoryOf(GlobalMaxPooling3D);

/**
 * The mean of each channel of a volume. Shapes: [batch, depth, height, width, channels] → [batch, channels], or [batch, 1, 1, 1,
 * channels] where `keepDims`. Errors: ValueError for invalid options; ShapeError for inputs of another rank.
 */
export const globalAveragePooling3d = /* @__PURE__ */ factoryOf(GlobalAveragePooling3D);
