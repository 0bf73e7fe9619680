/**
 * @file GlobalMaxPooling and GlobalAveragePooling, 1D to 3D: one value for each channel of a sequence, an image or a
 * volume.
 */
import type { OptionNames } from '../../../core/options.ts';
import { layerOptionNames, make } from '../base/layerOptions.ts';
import { requireBoolean } from '../../../core/shape.ts';
import { div, mul } from '../../../ops/arithmetic.ts';
import { cast } from '../../../ops/cast.ts';
import { expandDims } from '../../../ops/expandDims.ts';
import { max } from '../../../ops/extrema.ts';
import { globalAveragePool, globalMaxPool } from '../../../ops/globalPool.ts';
import { mean } from '../../../ops/mean.ts';
import { sum } from '../../../ops/sum.ts';
import type { Tensor } from '../../../tensor/tensor.ts';
import { type CallOptions, Layer, type LayerOptions } from '../base/layer.ts';
import { type DataFormatOptions, requireChannelsLast } from '../base/dataFormat.ts';

/** Options of the layers that pool whole images and sequences. */
export interface GlobalPoolingOptions extends LayerOptions, DataFormatOptions {
  /** Keeps the axes of steps or pixels, with size 1. Default false. */
  keepDims?: boolean;
}

abstract class GlobalPooling extends Layer {
  readonly keepDims: boolean;
  readonly dataFormat = 'channelsLast';

  constructor(rank: 1 | 2 | 3, options: GlobalPoolingOptions = {}) {
    super(options);
    const { keepDims = false } = options;
    requireBoolean(this.name, 'keepDims', keepDims);
    requireChannelsLast(this.name, options.dataFormat);
    this.keepDims = keepDims;
    this.inputSpec = [{ rank: rank + 2 }];
  }

  override getConfig(): Record<string, unknown> {
    const { dataFormat, keepDims } = this;
    return { ...super.getConfig(), dataFormat, keepDims };
  }
}

/** The class of layers created by `globalMaxPooling1d`, which documents shapes, weights and errors. */
export class GlobalMaxPooling1D extends GlobalPooling {
  static override readonly className: string = 'GlobalMaxPooling1D';

  static override get optionNames(): OptionNames<GlobalPoolingOptions> {
    return { dataFormat: false, keepDims: false, ...layerOptionNames };
  }

  constructor(options?: GlobalPoolingOptions) {
    super(1, options);
  }

  override call(x: Tensor): Tensor {
    return max(x, { axis: 1, keepDims: this.keepDims });
  }
}

/** The class of layers created by `globalMaxPooling2d`, which documents shapes, weights and errors. */
export class GlobalMaxPooling2D extends GlobalPooling {
  static override readonly className: string = 'GlobalMaxPooling2D';

  static override get optionNames(): OptionNames<GlobalPoolingOptions> {
    return { dataFormat: false, keepDims: false, ...layerOptionNames };
  }

  constructor(options?: GlobalPoolingOptions) {
    super(2, options);
  }

  override call(x: Tensor): Tensor {
    return globalMaxPool(x, { keepDims: this.keepDims });
  }
}

/** The class of layers created by `globalAveragePooling1d`, which documents shapes, weights and errors. */
export class GlobalAveragePooling1D extends GlobalPooling {
  static override readonly className: string = 'GlobalAveragePooling1D';

  static override get optionNames(): OptionNames<GlobalPoolingOptions> {
    return { dataFormat: false, keepDims: false, ...layerOptionNames };
  }

  override readonly supportsMasking: boolean = true;

  constructor(options?: GlobalPoolingOptions) {
    super(1, options);
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

/** The class of layers created by `globalAveragePooling2d`, which documents shapes, weights and errors. */
export class GlobalAveragePooling2D extends GlobalPooling {
  static override readonly className: string = 'GlobalAveragePooling2D';

  static override get optionNames(): OptionNames<GlobalPoolingOptions> {
    return { dataFormat: false, keepDims: false, ...layerOptionNames };
  }

  constructor(options?: GlobalPoolingOptions) {
    super(2, options);
  }

  override call(x: Tensor): Tensor {
    return globalAveragePool(x, { keepDims: this.keepDims });
  }
}

/** The class of layers created by `globalMaxPooling3d`, which documents shapes and errors. */
export class GlobalMaxPooling3D extends GlobalPooling {
  static override readonly className: string = 'GlobalMaxPooling3D';

  static override get optionNames(): OptionNames<GlobalPoolingOptions> {
    return { dataFormat: false, keepDims: false, ...layerOptionNames };
  }

  constructor(options?: GlobalPoolingOptions) {
    super(3, options);
  }

  override call(x: Tensor): Tensor {
    return max(x, { axis: [1, 2, 3], keepDims: this.keepDims });
  }
}

/** The class of layers created by `globalAveragePooling3d`, which documents shapes and errors. */
export class GlobalAveragePooling3D extends GlobalPooling {
  static override readonly className: string = 'GlobalAveragePooling3D';

  static override get optionNames(): OptionNames<GlobalPoolingOptions> {
    return { dataFormat: false, keepDims: false, ...layerOptionNames };
  }

  constructor(options?: GlobalPoolingOptions) {
    super(3, options);
  }

  override call(x: Tensor): Tensor {
    return mean(x, { axis: [1, 2, 3], keepDims: this.keepDims });
  }
}

/**
 * The largest value of each channel of a sequence. Shapes: [batch, steps, channels] → [batch, channels], or [batch, 1,
 * channels] where `keepDims`. Errors: ValueError for invalid options; ShapeError for inputs of another rank.
 */
export function globalMaxPooling1d(options?: GlobalPoolingOptions): GlobalMaxPooling1D;
export function globalMaxPooling1d(...args: unknown[]): GlobalMaxPooling1D {
  return make(GlobalMaxPooling1D, args);
}

/**
 * The largest value of each channel of an image. Shapes: [batch, height, width, channels] → [batch, channels], or [batch,
 * 1, 1, channels] where `keepDims`. Errors: ValueError for invalid options; ShapeError for inputs of another rank.
 */
export function globalMaxPooling2d(options?: GlobalPoolingOptions): GlobalMaxPooling2D;
export function globalMaxPooling2d(...args: unknown[]): GlobalMaxPooling2D {
  return make(GlobalMaxPooling2D, args);
}

/**
 * The mean of each channel over the unmasked steps of a sequence. Shapes:
 * [batch, steps, channels] → [batch, channels], or [batch, 1, channels] where `keepDims`.
 * Errors: ValueError for invalid options; ShapeError for inputs of another rank.
 */
export function globalAveragePooling1d(options?: GlobalPoolingOptions): GlobalAveragePooling1D;
export function globalAveragePooling1d(...args: unknown[]): GlobalAveragePooling1D {
  return make(GlobalAveragePooling1D, args);
}

/**
 * The mean of each channel of an image. Shapes: [batch, height, width, channels] → [batch, channels], or [batch, 1, 1,
 * channels] where `keepDims`. Errors: ValueError for invalid options; ShapeError for inputs of another rank.
 */
export function globalAveragePooling2d(options?: GlobalPoolingOptions): GlobalAveragePooling2D;
export function globalAveragePooling2d(...args: unknown[]): GlobalAveragePooling2D {
  return make(GlobalAveragePooling2D, args);
}

/**
 * The largest value of each channel of a volume. Shapes: [batch, depth, height, width, channels] → [batch, channels], or [batch,
 * 1, 1, 1, channels] where `keepDims`. Errors: ValueError for invalid options; ShapeError for inputs of another rank.
 */
export function globalMaxPooling3d(options?: GlobalPoolingOptions): GlobalMaxPooling3D;
export function globalMaxPooling3d(...args: unknown[]): GlobalMaxPooling3D {
  return make(GlobalMaxPooling3D, args);
}

/**
 * The mean of each channel of a volume. Shapes: [batch, depth, height, width, channels] → [batch, channels], or [batch, 1, 1, 1,
 * channels] where `keepDims`. Errors: ValueError for invalid options; ShapeError for inputs of another rank.
 */
export function globalAveragePooling3d(options?: GlobalPoolingOptions): GlobalAveragePooling3D;
export function globalAveragePooling3d(...args: unknown[]): GlobalAveragePooling3D {
  return make(GlobalAveragePooling3D, args);
}
