/** @file Conv2DTranspose: a learned enlargement of images, which undoes the change of size of a strided Conv2D. */
import type { OptionNames } from '../../../core/options.ts';
import { make } from '../base/layerOptions.ts';
import { kernelOptionNames } from '../base/weightOptions.ts';
import { convolutionOptionNames } from './baseConvolution.ts';
import { ValueError } from '../../../core/errors.ts';
import { describe, type OpenShape, requireInteger } from '../../../core/shape.ts';
import { conv2dTranspose as transposed } from '../../../ops/conv2dTranspose.ts';
import type { Tensor } from '../../../tensor/tensor.ts';
import type { Variable } from '../../../tensor/variable.ts';
import { Convolution, type ConvolutionOptions } from './baseConvolution.ts';
import type { KernelOptions } from '../base/weightOptions.ts';
import type { Pair } from '../base/dataFormat.ts';
import { rulesConfig, type WeightRules, weightRules } from '../base/weightRules.ts';

/** Options of `conv2dTranspose`. */
export interface Conv2DTransposeOptions extends ConvolutionOptions<Pair>, KernelOptions {
  /** Channels of the result. */
  filters: number;
  /** Rows and columns added behind, fewer than the strides. Default null: as the padding wants. */
  outputPadding?: Pair | null;
}

/** The layer of `conv2dTranspose`, where shapes, weights and errors are described. */
export class Conv2DTranspose extends Convolution {
  static override readonly className: string = 'Conv2DTranspose';

  static override get optionNames(): OptionNames<Conv2DTransposeOptions> {
    return { filters: true, ...convolutionOptionNames, outputPadding: false, ...kernelOptionNames };
  }

  kernel: Variable | null = null;
  readonly filters: number;
  readonly outputPadding: readonly [number, number] | null;
  readonly #kernelRules: WeightRules;

  constructor(options: Conv2DTransposeOptions) {
    super(2, options);
    requireInteger(this.name, 'filters', options.filters, 1);
    this.filters = options.filters;
    this.outputPadding = outputPaddingOf(this.name, options.outputPadding ?? null, this.strides);
    this.#kernelRules = weightRules(options, 'kernel', 'glorotUniform');
  }

  override build(inputShape: OpenShape): void {
    const shape = [...this.kernelSize, this.filters, this.channelsOf(inputShape)];
    this.kernel = this.addWeight('kernel', { shape, ...this.#kernelRules });
    this.addBias(this.filters);
  }

  override call(x: Tensor): Tensor {
    const { outputPadding, strides, dilationRate } = this;
    const padding = this.padding as 'valid' | 'same';
    const options = { strides, padding, dilationRate, outputPadding };
    return this.activation(this.withBias(transposed(x, this.kernel as Tensor, options)));
  }

  override getConfig(): Record<string, unknown> {
    const { kernelSize, strides, padding, dataFormat, dilationRate, outputPadding, filters } = this;
    return {
      ...super.getConfig(),
      filters,
      kernelSize,
      strides,
      padding,
      outputPadding,
      dataFormat,
      dilationRate,
      ...this.activationConfig,
      ...rulesConfig({ kernel: this.#kernelRules, bias: this.biasRules }),
    };
  }
}

function outputPaddingOf(op: string, value: unknown, strides: readonly number[]) {
  if (value === null) return null;
  const sizes = Array.isArray(value) ? value : [value, value];
  const fits = sizes.every((n, i) => Number.isInteger(n) && n >= 0 && n < (strides[i] as number));
  if (sizes.length === 2 && fits) return sizes as unknown as readonly [number, number];
  throw new ValueError({
    op,
    rule: '`outputPadding` is a whole number of at least 0 and below the stride, or a pair of them.',
    received: `outputPadding: ${describe(value)} with strides: ${describe(strides)}`,
    hint: 'leave it out, or pass less than the stride.',
  });
}

/**
 * A transposed convolution of images. Shapes: [batch, height, width, channels] → [batch, height', width', filters], where
 * height' is height · stride ('same'), or height · stride + max(window - stride, 0) ('valid'), and with `outputPadding`
 * (height - 1) · stride + (window, or window % 2 for 'same') + outputPadding. Weights: kernel [kernelHeight,
 * kernelWidth, filters, channels] and bias [filters].
 * Errors: ValueError for invalid options; ShapeError for inputs that aren't images, or whose channels don't fit.
 */
export function conv2dTranspose(options: Conv2DTransposeOptions): Conv2DTranspose;
export function conv2dTranspose(...args: unknown[]): Conv2DTranspose {
  return make(Conv2DTranspose, args);
}
