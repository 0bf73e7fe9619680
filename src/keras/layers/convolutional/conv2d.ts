/** @file Conv2D: a convolution of images with a learned kernel, with bias and activation. */
import { GroupedConvolution, type GroupedConvolutionOptions } from './conv.ts';
import type { Pair } from '../base/layerOptions.ts';

export type Conv2DOptions = GroupedConvolutionOptions<Pair>;

export class Conv2D extends GroupedConvolution {
  static override readonly className: string = 'Conv2D';

  constructor(options: Conv2DOptions) {
    super(2, options);
  }
}

/**
 * A convolution of images with a learned kernel. Shapes: [batch, height, width, channels] → [batch, height', width',
 * filters]. Weights: kernel [kernelHeight, kernelWidth, channels / groups, filters] and bias [filters].
 * Errors: ValueError for bad options; ShapeError for inputs that aren't images, or whose channels don't fit.
 */
export function conv2d(options: Conv2DOptions): Conv2D {
  return new Conv2D(options);
}
