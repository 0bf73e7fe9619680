/** @file Conv3D: a convolution of volumes with a learned kernel, in groups of channels. */
import type { OptionNames, Positions } from '../../../core/options.ts';
import { conv3d as convolve } from '../../../ops/conv3d.ts';
import type { Tensor } from '../../../tensor/tensor.ts';
import { adapterOptionNames } from '../base/adapter.ts';
import type { Triple } from '../base/dataFormat.ts';
import { make } from '../base/layerOptions.ts';
import { kernelOptionNames } from '../base/weightOptions.ts';
import { convolutionOptionNames } from './baseConvolution.ts';
import { GroupedConvolution, type GroupedConvolutionOptions } from './conv.ts';

/** Options of `conv3d`. */
export type Conv3DOptions = GroupedConvolutionOptions<Triple>;

/** The class of layers created by `conv3d`, which documents shapes, weights and errors. */
export class Conv3D extends GroupedConvolution {
  static override readonly className: string = 'Conv3D';

  static override get optionNames(): OptionNames<Conv3DOptions> {
    return {
      filters: true,
      ...convolutionOptionNames,
      groups: false,
      ...kernelOptionNames,
      ...adapterOptionNames,
    };
  }

  constructor(options: Conv3DOptions) {
    super(3, options);
  }

  override call(x: Tensor): Tensor {
    const { strides, dilationRate, groups } = this;
    // 'causal' is for sequences only.
    const padding = this.padding === 'same' ? 'same' : 'valid';
    const volumes = convolve(x, this.adapted(), { strides, padding, dilationRate, groups });
    return this.activation(this.withBias(volumes));
  }
}

/**
 * A convolution of volumes with a learned kernel. Shapes: [batch, depth, height, width, channels] → [batch, depth', height',
 * width', filters]. Weights: kernel [kernelDepth, kernelHeight, kernelWidth, channels / groups, filters] and bias [filters].
 * Errors: ValueError for invalid options; ShapeError for inputs of another rank or with other channels.
 */
export function conv3d(options: Conv3DOptions): Conv3D;
export function conv3d(
  ...settings: Positions<Conv3DOptions, ['filters', 'kernelSize', 'strides', 'padding']>
): Conv3D;
export function conv3d(...args: unknown[]): Conv3D {
  return make(Conv3D, args);
}
