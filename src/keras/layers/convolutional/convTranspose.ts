/**
 * @file Conv1DTranspose, Conv2DTranspose: learned upsampling of sequences and images, which reverses the size change of a
 * strided convolution.
 */
import type { OptionNames, Positions } from '../../../core/options.ts';
import { make } from '../base/layerOptions.ts';
import { kernelOptionNames, type KernelOptions } from '../base/weightOptions.ts';
import { Convolution, convolutionOptionNames, type ConvolutionOptions } from './baseConvolution.ts';
import { ValueError } from '../../../core/errors.ts';
import { describe, type OpenShape, requireInteger } from '../../../core/shape.ts';
import { conv2dTranspose as transposed } from '../../../ops/conv2dTranspose.ts';
import type { Tensor } from '../../../tensor/tensor.ts';
import type { Variable } from '../../../tensor/variable.ts';
import type { Pair, Single } from '../base/dataFormat.ts';
import { rulesConfig, type WeightRules, weightRules } from '../base/weightRules.ts';

/** Options of transposed convolutions. */
export interface ConvTransposeOptions<Size> extends ConvolutionOptions<Size>, KernelOptions {
  /** Channels of the result. */
  filters: number;
  /** Steps, or rows and columns, added at the end; fewer than the strides. Default null: determined by the padding. */
  outputPadding?: Size | null;
}

/** Options of `conv1dTranspose`. */
export type Conv1DTransposeOptions = ConvTransposeOptions<Single>;
/** Options of `conv2dTranspose`. */
export type Conv2DTransposeOptions = ConvTransposeOptions<Pair>;

export const transposeOptionNames: OptionNames<ConvTransposeOptions<unknown>> = {
  filters: true,
  ...convolutionOptionNames,
  outputPadding: false,
  ...kernelOptionNames,
};

export abstract class ConvTranspose extends Convolution {
  static override get optionNames(): OptionNames<ConvTransposeOptions<unknown>> {
    return transposeOptionNames;
  }

  kernel: Variable | null = null;
  readonly filters: number;
  readonly outputPadding: readonly number[] | null;
  readonly #kernelRules: WeightRules;

  constructor(rank: 1 | 2 | 3, options: ConvTransposeOptions<unknown>) {
    super(rank, options);
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
    const options = {
      strides: this.#ofImage(strides, 1),
      padding: this.padding as 'valid' | 'same',
      dilationRate: this.#ofImage(dilationRate, 1),
      outputPadding: outputPadding && this.#ofImage(outputPadding, 0),
    };
    const y = this.fromImages(transposed(this.asImages(x), this.asImageKernel(this.kernel), options));
    return this.activation(this.withBias(y));
  }

  /** A sequence is an image of one row. */
  #ofImage(values: readonly number[], ofRow: number): readonly number[] {
    return this.rank === 1 ? [ofRow, ...values] : values;
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

/** The class of layers created by `conv1dTranspose`, which documents shapes, weights and errors. */
export class Conv1DTranspose extends ConvTranspose {
  static override readonly className: string = 'Conv1DTranspose';

  static override get optionNames(): OptionNames<Conv1DTransposeOptions> {
    return transposeOptionNames;
  }

  constructor(options: Conv1DTransposeOptions) {
    super(1, options);
  }
}

/** The class of layers created by `conv2dTranspose`, which documents shapes, weights and errors. */
export class Conv2DTranspose extends ConvTranspose {
  static override readonly className: string = 'Conv2DTranspose';

  static override get optionNames(): OptionNames<Conv2DTransposeOptions> {
    return transposeOptionNames;
  }

  constructor(options: Conv2DTransposeOptions) {
    super(2, options);
  }
}

function outputPaddingOf(op: string, value: unknown, strides: readonly number[]) {
  if (value === null) return null;
  const sizes: readonly unknown[] = Array.isArray(value) ? value : strides.map(() => value);
  const fits = sizes.every(
    (n, i) => Number.isInteger(n) && (n as number) >= 0 && (n as number) < (strides[i] as number),
  );
  if (sizes.length === strides.length && fits) return sizes as readonly number[];
  throw new ValueError({
    op,
    rule: '`outputPadding` is an integer of at least 0 and below the stride, or one for each axis.',
    received: `outputPadding: ${describe(value)} with strides: ${describe(strides)}`,
    hint: 'leave it out, or pass less than the stride.',
  });
}

/**
 * A transposed convolution of sequences. Shapes: [batch, steps, channels] → [batch, steps', filters], where steps' is steps ·
 * stride ('same'), or steps · stride + max(window - stride, 0) ('valid'), and with `outputPadding` (steps - 1) · stride +
 * (window, or window % 2 for 'same') + outputPadding. Weights: kernel [kernelSize, filters, channels] and bias [filters].
 * Errors: ValueError for invalid options; ShapeError for inputs that aren't sequences, or whose channels don't fit.
 */
export function conv1dTranspose(options: Conv1DTransposeOptions): Conv1DTranspose;
export function conv1dTranspose(
  ...settings: Positions<Conv1DTransposeOptions, ['filters', 'kernelSize', 'strides', 'padding']>
): Conv1DTranspose;
export function conv1dTranspose(...args: unknown[]): Conv1DTranspose {
  return make(Conv1DTranspose, args);
}

/**
 * A transposed convolution of images. Shapes: [batch, height, width, channels] → [batch, height', width', filters], where
 * height' is height · stride ('same'), or height · stride + max(window - stride, 0) ('valid'), and with `outputPadding`
 * (height - 1) · stride + (window, or window % 2 for 'same') + outputPadding. Weights: kernel [kernelHeight,
 * kernelWidth, filters, channels] and bias [filters].
 * Errors: ValueError for invalid options; ShapeError for inputs that aren't images, or whose channels don't fit.
 */
export function conv2dTranspose(options: Conv2DTransposeOptions): Conv2DTranspose;
export function conv2dTranspose(
  ...settings: Positions<Conv2DTransposeOptions, ['filters', 'kernelSize', 'strides', 'padding']>
): Conv2DTranspose;
export function conv2dTranspose(...args: unknown[]): Conv2DTranspose {
  return make(Conv2DTranspose, args);
}
