/** @file SeparableConv1D, SeparableConv2D: a convolution of each channel, then one that mixes the channels at each position. */
import { activationTable, Convolution, windowTable } from './baseConvolution.ts';
import type { OpenShape } from '../../../core/shape.ts';
import { depthwiseConv2d } from '../../../ops/convolution/depthwiseConv2d.ts';
import { fusedConv2d } from '../../../ops/convolution/fusedConv2d.ts';
import type { Tensor } from '../../../tensor/tensor.ts';
import type { Variable } from '../../../tensor/variable.ts';
import { splitActivation } from '../../activations.ts';
import type { ConstraintLike } from '../../constraints/index.ts';
import type { InitializerLike } from '../../initializers/index.ts';
import type { RegularizerLike } from '../../regularizers/index.ts';
import type { DepthwiseOptions } from './depthwiseConv.ts';
import type { Pair, Single } from '../base/dataFormat.ts';
import { factoryOf, integer, layer, weights } from '../base/declare.ts';

export interface SeparableOptions<Size> extends DepthwiseOptions<Size> {
  /** Channels of the result. */
  filters: number;
  /** Initial values of the pointwise kernel, which mixes channels. Default 'glorotUniform'. */
  pointwiseInitializer?: InitializerLike;
  /** Penalty on the pointwise kernel, added to the loss. Default: none. */
  pointwiseRegularizer?: RegularizerLike | null;
  /** Applied to the pointwise kernel after each step. Default: none. */
  pointwiseConstraint?: ConstraintLike | null;
}

export type SeparableConv1DOptions = SeparableOptions<Single>;
export type SeparableConv2DOptions = SeparableOptions<Pair>;

const table = <R extends 1 | 2>(rank: R) => ({
  depthMultiplier: integer({ default: 1 }),
  filters: integer(),
  ...windowTable(rank),
  ...activationTable(),
  ...weights({ depthwise: 'glorotUniform', pointwise: 'glorotUniform', bias: 'zeros' }),
});

abstract class Separable extends Convolution {
  declare readonly filters: number;
  declare readonly depthMultiplier: number;
  depthwiseKernel: Variable | null = null;
  pointwiseKernel: Variable | null = null;

  /** @internal */
  override needsFloats(): boolean {
    return true;
  }

  override build(inputShape: OpenShape): void {
    const channels = this.channelsOf(inputShape);
    const { filters, depthMultiplier, kernelSize } = this;
    this.depthwiseKernel = this.addWeight('depthwise_kernel', {
      shape: [...kernelSize, channels, depthMultiplier],
      ...this.weightRules('depthwise'),
    });
    this.pointwiseKernel = this.addWeight('pointwise_kernel', {
      shape: [...kernelSize.map(() => 1), channels * depthMultiplier, filters],
      ...this.weightRules('pointwise'),
    });
    this.addBias(filters);
  }

  override call(x: Tensor): Tensor {
    const { fused: activation, after } = splitActivation(this.activation);
    const depthwiseKernel = this.asImageKernel(this.depthwiseKernel);
    const filtered = depthwiseConv2d(this.asImages(x), depthwiseKernel, this.imageOptions);
    const mixed = fusedConv2d(filtered, this.asImageKernel(this.pointwiseKernel), this.bias, { activation });
    return after(this.fromImages(mixed));
  }
}

export class SeparableConv1D extends /* @__PURE__ */ layer<SeparableConv1DOptions, Separable>(
  'SeparableConv1D',
  () => table(1),
  Separable,
) {}

export class SeparableConv2D extends /* @__PURE__ */ layer<SeparableConv2DOptions, Separable>(
  'SeparableConv2D',
  () => table(2),
  Separable,
) {}

/**
 * A depthwise convolution of sequences, then one that mixes the channels of each step. Shapes: [batch, steps, channels] →
 * [batch, steps', filters]. Weights: depthwise_kernel [kernelSize, channels, depthMultiplier], pointwise_kernel [1,
 * channels · depthMultiplier, filters] and bias [filters].
 * Errors: ValueError for invalid options; ShapeError for inputs that aren't sequences, or whose channels don't fit.
 */
export const separableConv1d = /* @__PURE__ */ factoryOf(SeparableConv1D, [
  'filters',
  'kernelSize',
  'strides',
  'padding',
]);

/**
 * A depthwise convolution of images, then one that mixes the channels of each pixel. Shapes: [batch, height, width,
 * channels] → [batch, height', width', filters]. Weights: depthwise_kernel [kernelHeight, kernelWidth, channels,
 * depthMultiplier], pointwise_kernel [1, 1, channels · depthMultiplier, filters] and bias [filters].
 * Errors: ValueError for invalid options; ShapeError for inputs that aren't images, or whose channels don't fit.
 */
export const separableConv2d = /* @__PURE__ */ factoryOf(SeparableConv2D, [
  'filters',
  'kernelSize',
  'strides',
  'padding',
]);
