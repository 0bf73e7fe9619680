/** @file Conv3D: a convolution of volumes with a learned kernel, in groups of channels. */
import { conv3d as convolve } from '../../../ops/convolution/conv3d.ts';
import type { Tensor } from '../../../tensor/tensor.ts';
import type { Triple } from '../base/dataFormat.ts';
import { GroupedConvolution, type GroupedConvolutionOptions, groupedTable } from './conv.ts';
import { factoryOf, layer } from '../base/declare.ts';

export type Conv3DOptions = GroupedConvolutionOptions<Triple>;

export class Conv3D extends /* @__PURE__ */ layer<Conv3DOptions, GroupedConvolution>(
  'Conv3D',
  () => groupedTable(3),
  GroupedConvolution,
) {
  /** @internal */
  override needsFloats(): boolean {
    return true;
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
export const conv3d = /* @__PURE__ */ factoryOf(Conv3D, ['filters', 'kernelSize', 'strides', 'padding']);
