/** @file DepthwiseConv1D, DepthwiseConv2D: layers that convolve each channel separately. */
import { activationTable, Convolution, type ConvolutionOptions, windowTable } from './baseConvolution.ts';
import type { OpenShape } from '../../../core/shape.ts';
import { depthwiseConv2d as depthwise } from '../../../ops/convolution/depthwiseConv2d.ts';
import type { Tensor } from '../../../tensor/tensor.ts';
import type { Variable } from '../../../tensor/variable.ts';
import type { ConstraintLike } from '../../constraints/index.ts';
import type { InitializerLike } from '../../initializers/index.ts';
import type { RegularizerLike } from '../../regularizers/index.ts';
import type { Pair, Single } from '../base/dataFormat.ts';
import { factoryOf, integer, layer, weights } from '../base/declare.ts';

export interface DepthwiseOptions<Size> extends ConvolutionOptions<Size> {
  /** Channels of the result for each channel of the input. Default 1. */
  depthMultiplier?: number;
  /** Initial values of the depthwise kernel. Default 'glorotUniform'. */
  depthwiseInitializer?: InitializerLike;
  /** Penalty on the depthwise kernel, added to the loss. Default: none. */
  depthwiseRegularizer?: RegularizerLike | null;
  /** Applied to the depthwise kernel after each step. Default: none. */
  depthwiseConstraint?: ConstraintLike | null;
}

export type DepthwiseConv1DOptions = DepthwiseOptions<Single>;
export type DepthwiseConv2DOptions = DepthwiseOptions<Pair>;

const table = <R extends 1 | 2>(rank: R) => ({
  depthMultiplier: integer({ default: 1 }),
  ...windowTable(rank),
  ...activationTable(),
  ...weights({ depthwise: 'glorotUniform', bias: 'zeros' }),
});

abstract class Depthwise extends Convolution {
  declare readonly depthMultiplier: number;
  kernel: Variable | null = null;

  /** @internal */
  override needsFloats(): boolean {
    return true;
  }

  override build(inputShape: OpenShape): void {
    const channels = this.channelsOf(inputShape);
    const shape = [...this.kernelSize, channels, this.depthMultiplier];
    this.kernel = this.addWeight('kernel', { shape, ...this.weightRules('depthwise') });
    this.addBias(channels * this.depthMultiplier);
  }

  override call(x: Tensor): Tensor {
    const images = depthwise(this.asImages(x), this.asImageKernel(this.kernel), this.imageOptions);
    return this.activation(this.withBias(this.fromImages(images)));
  }
}

export class DepthwiseConv1D extends /* @__PURE__ */ layer<DepthwiseConv1DOptions, Depthwise>(
  'DepthwiseConv1D',
  () => table(1),
  Depthwise,
) {}

export class DepthwiseConv2D extends /* @__PURE__ */ layer<DepthwiseConv2DOptions, Depthwise>(
  'DepthwiseConv2D',
  () => table(2),
  Depthwise,
) {}

/**
 * A depthwise convolution of sequences: each channel is convolved separately. Shapes: [batch, steps, channels] → [batch,
 * steps', channels · depthMultiplier]. Weights: kernel [kernelSize, channels, depthMultiplier] and bias [channels ·
 * depthMultiplier].
 * Errors: ValueError for invalid options; ShapeError for inputs that aren't sequences, or whose channels don't fit.
 */
export const depthwiseConv1d = /* @__PURE__ */ factoryOf(DepthwiseConv1D, [
  'kernelSize',
  'strides',
  'padding',
]);

/**
 * A depthwise convolution of images: each channel is convolved separately. Shapes: [batch, height, width, channels] → [batch,
 * height', width', channels · depthMultiplier]. Weights: kernel [kernelHeight, kernelWidth, channels, depthMultiplier] and bias
 * [channels · depthMultiplier].
 * Errors: ValueError for invalid options; ShapeError for inputs that aren't images, or whose channels don't fit.
 */
export const depthwiseConv2d = /* @__PURE__ */ factoryOf(DepthwiseConv2D, [
  'kernelSize',
  'strides',
  'padding',
]);
