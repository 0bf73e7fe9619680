/** @file Adaptive pools: a given number of windows along each axis, for any input size. */
import type { OptionNames, Positions } from '../../../core/options.ts';
import { ValueError } from '../../../core/errors.ts';
import { describe, type OpenShape } from '../../../core/shape.ts';
import type { Tensor } from '../../../tensor/tensor.ts';
import { adaptiveAveragePool, adaptiveMaxPool } from '../../ops/adaptivePool.ts';
import {
  type DataFormatOptions,
  type Pair,
  requireChannelsLast,
  type Single,
  type Triple,
} from '../base/dataFormat.ts';
import { Layer, type LayerOptions } from '../base/layer.ts';
import { layerOptionNames, make } from '../base/layerOptions.ts';

interface AdaptivePoolingOptions<Size> extends LayerOptions, DataFormatOptions {
  /** Windows along each axis. */
  outputSize: Size;
}

/** Options of `adaptiveAveragePooling1d` and `adaptiveMaxPooling1d`. */
export type AdaptivePooling1DOptions = AdaptivePoolingOptions<Single>;
/** Options of `adaptiveAveragePooling2d` and `adaptiveMaxPooling2d`. */
export type AdaptivePooling2DOptions = AdaptivePoolingOptions<Pair>;
/** Options of `adaptiveAveragePooling3d` and `adaptiveMaxPooling3d`. */
export type AdaptivePooling3DOptions = AdaptivePoolingOptions<Triple>;

const optionNames: OptionNames<AdaptivePoolingOptions<unknown>> = {
  outputSize: true,
  dataFormat: false,
  ...layerOptionNames,
};

abstract class AdaptivePooling extends Layer {
  readonly outputSize: readonly number[];
  readonly dataFormat = 'channelsLast';
  readonly #pool: typeof adaptiveMaxPool;

  constructor(rank: 1 | 2 | 3, options: AdaptivePoolingOptions<unknown>, pool: typeof adaptiveMaxPool) {
    super(options);
    requireChannelsLast(this.name, options.dataFormat);
    this.outputSize = sizesOf(this.name, options.outputSize, rank);
    this.inputSpec = [{ rank: rank + 2 }];
    this.#pool = pool;
  }

  override call(x: Tensor): Tensor {
    return this.#pool(x, { outputSize: this.outputSize });
  }

  override computeOutputShape(inputShape: OpenShape): OpenShape {
    return [inputShape[0] ?? null, ...this.outputSize, inputShape.at(-1) ?? null];
  }

  override getConfig(): Record<string, unknown> {
    const { outputSize, dataFormat } = this;
    return { ...super.getConfig(), outputSize, dataFormat };
  }
}

function sizesOf(op: string, given: unknown, rank: number): readonly number[] {
  const list: readonly unknown[] = Array.isArray(given) ? given : new Array(rank).fill(given);
  if (list.length === rank && list.every((n) => Number.isInteger(n) && (n as number) >= 1)) {
    return list as readonly number[];
  }
  throw new ValueError({
    op,
    rule: `\`outputSize\` is a positive integer${rank === 1 ? '' : `, or a list of ${rank} of them`}.`,
    received: `outputSize: ${describe(given)}`,
    hint: 'pass 4 for four windows along each axis.',
  });
}

/** The class of layers created by `adaptiveAveragePooling1d`, which documents shapes, weights and errors. */
export class AdaptiveAveragePooling1D extends AdaptivePooling {
  static override readonly className: string = 'AdaptiveAveragePooling1D';

  static override get optionNames(): OptionNames<AdaptivePooling1DOptions> {
    return optionNames;
  }

  constructor(options: AdaptivePooling1DOptions) {
    super(1, options, adaptiveAveragePool);
  }
}

/** The class of layers created by `adaptiveAveragePooling2d`, which documents shapes, weights and errors. */
export class AdaptiveAveragePooling2D extends AdaptivePooling {
  static override readonly className: string = 'AdaptiveAveragePooling2D';

  static override get optionNames(): OptionNames<AdaptivePooling2DOptions> {
    return optionNames;
  }

  constructor(options: AdaptivePooling2DOptions) {
    super(2, options, adaptiveAveragePool);
  }
}

/** The class of layers created by `adaptiveMaxPooling1d`, which documents shapes, weights and errors. */
export class AdaptiveMaxPooling1D extends AdaptivePooling {
  static override readonly className: string = 'AdaptiveMaxPooling1D';

  static override get optionNames(): OptionNames<AdaptivePooling1DOptions> {
    return optionNames;
  }

  constructor(options: AdaptivePooling1DOptions) {
    super(1, options, adaptiveMaxPool);
  }
}

/** The class of layers created by `adaptiveMaxPooling2d`, which documents shapes, weights and errors. */
export class AdaptiveMaxPooling2D extends AdaptivePooling {
  static override readonly className: string = 'AdaptiveMaxPooling2D';

  static override get optionNames(): OptionNames<AdaptivePooling2DOptions> {
    return optionNames;
  }

  constructor(options: AdaptivePooling2DOptions) {
    super(2, options, adaptiveMaxPool);
  }
}

/**
 * The means of `outputSize` windows over a sequence; windows overlap where the steps can't be divided evenly. Shapes: [batch,
 * steps, channels] → [batch, outputSize, channels].
 * Errors: ValueError for invalid options; ShapeError for inputs of another rank.
 */
export function adaptiveAveragePooling1d(options: AdaptivePooling1DOptions): AdaptiveAveragePooling1D;
export function adaptiveAveragePooling1d(
  ...settings: Positions<AdaptivePooling1DOptions, ['outputSize']>
): AdaptiveAveragePooling1D;
export function adaptiveAveragePooling1d(...args: unknown[]): AdaptiveAveragePooling1D {
  return make(AdaptiveAveragePooling1D, args);
}

/**
 * The means of windows over an image, `outputSize` along each axis; windows overlap where the size can't be divided evenly.
 * Shapes: [batch, height, width, channels] → [batch, rows, columns, channels].
 * Errors: ValueError for invalid options; ShapeError for inputs of another rank.
 */
export function adaptiveAveragePooling2d(options: AdaptivePooling2DOptions): AdaptiveAveragePooling2D;
export function adaptiveAveragePooling2d(
  ...settings: Positions<AdaptivePooling2DOptions, ['outputSize']>
): AdaptiveAveragePooling2D;
export function adaptiveAveragePooling2d(...args: unknown[]): AdaptiveAveragePooling2D {
  return make(AdaptiveAveragePooling2D, args);
}

/**
 * The maxima of `outputSize` windows over a sequence. Shapes: as `adaptiveAveragePooling1d`.
 * Errors: ValueError for invalid options; ShapeError for inputs of another rank.
 */
export function adaptiveMaxPooling1d(options: AdaptivePooling1DOptions): AdaptiveMaxPooling1D;
export function adaptiveMaxPooling1d(
  ...settings: Positions<AdaptivePooling1DOptions, ['outputSize']>
): AdaptiveMaxPooling1D;
export function adaptiveMaxPooling1d(...args: unknown[]): AdaptiveMaxPooling1D {
  return make(AdaptiveMaxPooling1D, args);
}

/**
 * The maxima of windows over an image, `outputSize` along each axis. Shapes: as `adaptiveAveragePooling2d`.
 * Errors: ValueError for invalid options; ShapeError for inputs of another rank.
 */
export function adaptiveMaxPooling2d(options: AdaptivePooling2DOptions): AdaptiveMaxPooling2D;
export function adaptiveMaxPooling2d(
  ...settings: Positions<AdaptivePooling2DOptions, ['outputSize']>
): AdaptiveMaxPooling2D;
export function adaptiveMaxPooling2d(...args: unknown[]): AdaptiveMaxPooling2D {
  return make(AdaptiveMaxPooling2D, args);
}

/** The class of layers created by `adaptiveAveragePooling3d`, which documents shapes and errors. */
export class AdaptiveAveragePooling3D extends AdaptivePooling {
  static override readonly className: string = 'AdaptiveAveragePooling3D';

  static override get optionNames(): OptionNames<AdaptivePooling3DOptions> {
    return optionNames;
  }

  constructor(options: AdaptivePooling3DOptions) {
    super(3, options, adaptiveAveragePool);
  }
}

/**
 * The mean of each of `outputSize` windows along the axes of a volume, which share it evenly. Shapes: [batch, depth, height,
 * width, channels] → [batch, ...outputSize, channels]. float32.
 * Errors: ValueError for invalid options; ShapeError for inputs of another rank.
 */
export function adaptiveAveragePooling3d(options: AdaptivePooling3DOptions): AdaptiveAveragePooling3D;
export function adaptiveAveragePooling3d(...args: unknown[]): AdaptiveAveragePooling3D {
  return make(AdaptiveAveragePooling3D, args);
}

/** The class of layers created by `adaptiveMaxPooling3d`, which documents shapes and errors. */
export class AdaptiveMaxPooling3D extends AdaptivePooling {
  static override readonly className: string = 'AdaptiveMaxPooling3D';

  static override get optionNames(): OptionNames<AdaptivePooling3DOptions> {
    return optionNames;
  }

  constructor(options: AdaptivePooling3DOptions) {
    super(3, options, adaptiveMaxPool);
  }
}

/**
 * The largest value of each of `outputSize` windows along the axes of a volume, which share it evenly. Shapes: [batch, depth,
 * height, width, channels] → [batch, ...outputSize, channels]. float32.
 * Errors: ValueError for invalid options; ShapeError for inputs of another rank.
 */
export function adaptiveMaxPooling3d(options: AdaptivePooling3DOptions): AdaptiveMaxPooling3D;
export function adaptiveMaxPooling3d(...args: unknown[]): AdaptiveMaxPooling3D {
  return make(AdaptiveMaxPooling3D, args);
}
