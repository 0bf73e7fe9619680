/** @file Conv3DTranspose: learned upsampling of volumes, which reverses the size change of a strided convolution. */
import { conv3dTranspose as transposed } from '../../../ops/convolution/conv3dTranspose.ts';
import type { Tensor } from '../../../tensor/tensor.ts';
import type { Triple } from '../base/dataFormat.ts';
import { ConvTranspose, type ConvTransposeOptions, transposeTable } from './convTranspose.ts';
import { factoryOf, layer } from '../base/declare.ts';

export type Conv3DTransposeOptions = ConvTransposeOptions<Triple>;

export class Conv3DTranspose extends /* @__PURE__ */ layer<Conv3DTransposeOptions, ConvTranspose>(
  'Conv3DTranspose',
  () => transposeTable(3),
  ConvTranspose,
) {
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
export const conv3dTranspose = /* @__PURE__ */ factoryOf(Conv3DTranspose);
