/**
 * @file Conv1DTranspose, Conv2DTranspose: learned upsampling of sequences and images, which reverses the size change of a
 * strided convolution.
 */
import type { KernelOptions } from '../base/weightOptions.ts';
import { activationTable, Convolution, type ConvolutionOptions, windowTable } from './baseConvolution.ts';
import { ValueError } from '../../../core/errors.ts';
import { describe, type OpenShape } from '../../../core/shape.ts';
import { conv2dTranspose as transposed } from '../../../ops/convolution/conv2dTranspose.ts';
import type { Tensor } from '../../../tensor/tensor.ts';
import type { Variable } from '../../../tensor/variable.ts';
import type { Pair, Single } from '../base/dataFormat.ts';
import { factoryOf, integer, layer, weights } from '../base/declare.ts';
import type { OptionPlace } from '../../options/option.ts';

/** Options of transposed convolutions. */
export interface ConvTransposeOptions<Size> extends ConvolutionOptions<Size>, KernelOptions {
  /** Channels of the result. */
  filters: number;
  /** Steps, or rows and columns, added at the end; fewer than the strides. Default null: determined by the padding. */
  outputPadding?: Size | null;
}

export type Conv1DTransposeOptions = ConvTransposeOptions<Single>;
export type Conv2DTransposeOptions = ConvTransposeOptions<Pair>;

/** The table of transposed convolutions along `rank` axes. */
export const transposeTable = <R extends 1 | 2 | 3>(rank: R) => {
  const { dataFormat, dilationRate, ...window } = windowTable(rank);
  return {
    filters: integer(),
    ...window,
    outputPadding: {
      read: (given: unknown = null, { op, values }: OptionPlace) =>
        outputPaddingOf(op, given, values.strides as readonly number[]) as never,
    },
    dataFormat,
    dilationRate,
    ...activationTable(),
    ...weights({ kernel: 'glorotUniform', bias: 'zeros' }),
  };
};

export abstract class ConvTranspose extends Convolution {
  declare readonly filters: number;
  declare readonly outputPadding: readonly number[] | null;
  kernel: Variable | null = null;

  /** @internal */
  override needsFloats(): boolean {
    return true;
  }

  override build(inputShape: OpenShape): void {
    const shape = [...this.kernelSize, this.filters, this.channelsOf(inputShape)];
    this.kernel = this.addWeight('kernel', { shape, ...this.weightRules('kernel') });
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
}

export class Conv1DTranspose extends /* @__PURE__ */ layer<Conv1DTransposeOptions, ConvTranspose>(
  'Conv1DTranspose',
  () => transposeTable(1),
  ConvTranspose,
) {}

export class Conv2DTranspose extends /* @__PURE__ */ layer<Conv2DTransposeOptions, ConvTranspose>(
  'Conv2DTranspose',
  () => transposeTable(2),
  ConvTranspose,
) {}

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
export const conv1dTranspose = /* @__PURE__ */ factoryOf(Conv1DTranspose, [
  'filters',
  'kernelSize',
  'strides',
  'padding',
]);

/**
 * A transposed convolution of images. Shapes: [batch, height, width, channels] → [batch, height', width', filters], where
 * height' is height · stride ('same'), or height · stride + max(window - stride, 0) ('valid'), and with `outputPadding`
 * (height - 1) · stride + (window, or window % 2 for 'same') + outputPadding. Weights: kernel [kernelHeight,
 * kernelWidth, filters, channels] and bias [filters].
 * Errors: ValueError for invalid options; ShapeError for inputs that aren't images, or whose channels don't fit.
 */
export const conv2dTranspose = /* @__PURE__ */ factoryOf(Conv2DTranspose, [
  'filters',
  'kernelSize',
  'strides',
  'padding',
]);
