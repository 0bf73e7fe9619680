/** @file Conv3DTranspose: learned upsampling of volumes, which reverses the size change of a strided convolution. */
import type { OptionNames } from '../../../core/options.ts';
import { conv3dTranspose as transposed } from '../../../ops/conv3dTranspose.ts';
import type { Tensor } from '../../../tensor/tensor.ts';
import type { Triple } from '../base/dataFormat.ts';
import { make } from '../base/layerOptions.ts';
import { ConvTranspose, type ConvTransposeOptions, transposeOptionNames } from './convTranspose.ts';

/** Options of `conv3dTranspose`. */
export type Conv3DTransposeOptions = ConvTransposeOptions<Triple>;

/** The class of layers created by `conv3dTranspose`, which documents shapes, weights and errors. */
export class Conv3DTranspose extends ConvTranspose {
  static override readonly className: string = 'Conv3DTranspose';

  static override get optionNames(): OptionNames<Conv3DTransposeOptions> {
    return transposeOptionNames;
  }

  constructor(options: Conv3DTransposeOptions) {
    super(3, options);
  }

  override call(x: Tensor): Tensor {
    const { outputPadding, strides, dilationRate } = this;
    const padding = this.padding as 'valid' | 'same';
    const y = transposed(x, this.kernel as Tensor, { strides, padding, dilationRate, outputPadding });
    return this.activation(this.withBias(y));
  }
}

/**
 * A transposed convolution of volumes. Shapes: [batch, depth, height, width, channels] → [batch, depth', height', width',
 * filters], with the sizes of conv2dTranspose. Weights: kernel [kernelDepth, kernelHeight, kernelWidth, filters, channels]
 * and bias [filters].
 * Errors: ValueError for invalid options; ShapeError for inputs that aren't volumes, or whose channels don't fit.
 */
export function conv3dTranspose(options: Conv3DTransposeOptions): Conv3DTranspose;
export function conv3dTranspose(...args: unknown[]): Conv3DTranspose {
  return make(Conv3DTranspose, args);
}
