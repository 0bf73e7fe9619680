/** @file depthwiseConv2d and its gradients: each channel is convolved with its own filters. */
import { type ConvolutionOptions, convolutionWindows, requireKernelSize } from '../../core/convolution.ts';
import { requireDType } from '../../core/dtype.ts';
import { ShapeError } from '../../core/errors.ts';
import type { OptionNames } from '../../core/options.ts';
import { requireRank, type Shape } from '../../core/shape.ts';
import { formatSpec, type TensorSpec } from '../../core/spec.ts';
import {
  depthwiseFilterGradKernel,
  depthwiseInputGradKernel,
  depthwiseKernel,
} from '../../kernels/depthwise/depthwise.ts';
import type { DepthwiseGeometry } from '../../kernels/depthwise/depthwiseGeometry.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import {
  type ConvolutionFamily,
  defineFilterGrad,
  defineForward,
  defineInputGrad,
  type ConvolutionPositions,
} from './convolution.ts';
import { depthwiseCost } from '../define/cost.ts';
import type { Op } from '../define/define.ts';

export type DepthwiseConv2dOptions = Omit<ConvolutionOptions, 'groups'>;

export interface DepthwiseConv2dInputGradOptions extends DepthwiseConv2dOptions {
  /** Shape of the image whose gradient is computed. */
  inputShape: Shape;
}

export interface DepthwiseConv2dFilterGradOptions extends DepthwiseConv2dOptions {
  /** Shape of the kernel whose gradient is computed. */
  kernelShape: Shape;
}

const optionNames: OptionNames<DepthwiseConv2dOptions, ConvolutionPositions[number]> = {
  strides: true,
  padding: true,
  dilationRate: false,
};

function plan(
  op: string,
  x: TensorSpec,
  kernel: TensorSpec,
  options: DepthwiseConv2dOptions,
): { geometry: DepthwiseGeometry; result: number[] } {
  requireDType(op, 'x', x.dtype, ['float32']);
  requireDType(op, 'kernel', kernel.dtype, ['float32']);
  requireRank(op, 'x', x.shape, 4);
  requireRank(op, 'kernel', kernel.shape, 4);
  requireKernelSize(op, kernel.shape);
  const [batch, height, width, channels] = x.shape as [number, number, number, number];
  const [kernelHeight, kernelWidth, kernelChannels, multiplier] = kernel.shape as [
    number,
    number,
    number,
    number,
  ];
  if (channels !== kernelChannels) {
    throw new ShapeError({
      op,
      rule: 'a depthwise kernel is [height, width, channels of x, multiplier].',
      received: `x ${formatSpec(x)}, kernel ${formatSpec(kernel)}`,
      hint: 'check the layout: the third axis of the kernel counts the channels of the image.',
    });
  }
  const [rows, columns] = convolutionWindows(op, [height, width], [kernelHeight, kernelWidth], options);
  return {
    geometry: { batch, rows, columns, channels, multiplier },
    result: [batch, rows.output, columns.output, channels * multiplier],
  };
}

const family: ConvolutionFamily<DepthwiseGeometry> = {
  name: 'depthwiseConv2d',
  // It has no `groups`, unlike the family.
  options: optionNames as OptionNames<ConvolutionOptions, ConvolutionPositions[number]>,
  acceptsFloat16: false,
  plan,
  launch: {
    forward: depthwiseKernel,
    inputGrad: depthwiseInputGradKernel,
    filterGrad: depthwiseFilterGradKernel,
  },
  cost: depthwiseCost,
  ops: () => ({
    forward: depthwiseConv2d,
    inputGrad: depthwiseConv2dInputGrad,
    filterGrad: depthwiseConv2dFilterGrad,
  }),
};

/**
 * The depthwise 2D convolution: channel c of the image gives channels c · multiplier … of the result.
 * Shapes: x [batch, height, width, channels], kernel [height, width, channels, multiplier] → [batch, outHeight,
 * outWidth, channels · multiplier]. float32. Options as for conv2d.
 * Errors: ShapeError, DTypeError, ValueError.
 */
export const depthwiseConv2d: Op<
  [x: Tensor, kernel: Tensor],
  DepthwiseConv2dOptions,
  Tensor<'float32'>,
  'unknown',
  ConvolutionPositions
> = /* @__PURE__ */ defineForward(family);

/**
 * The gradient of depthwiseConv2d for its image, of shape `inputShape`, from the cotangent `dy` of its result.
 * Errors: as depthwiseConv2d; ShapeError where `dy` isn't the shape of its result.
 * Dtype: float32.
 */
export const depthwiseConv2dInputGrad: Op<
  [dy: Tensor, kernel: Tensor],
  DepthwiseConv2dInputGradOptions,
  Tensor<'float32'>,
  'unknown',
  ['inputShape', ...ConvolutionPositions]
> = /* @__PURE__ */ defineInputGrad(family);

/**
 * The gradient of depthwiseConv2d for its kernel, of shape `kernelShape`, from the image and the cotangent `dy`.
 * Errors: as depthwiseConv2d; ShapeError where `dy` isn't the shape of its result.
 * Dtype: float32.
 */
export const depthwiseConv2dFilterGrad: Op<
  [x: Tensor, dy: Tensor],
  DepthwiseConv2dFilterGradOptions,
  Tensor<'float32'>,
  'unknown',
  ['kernelShape', ...ConvolutionPositions]
> = /* @__PURE__ */ defineFilterGrad(family);
