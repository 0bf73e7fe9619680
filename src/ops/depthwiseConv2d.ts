/**
 * @file depthwiseConv2d and its gradients: each channel is convolved with filters of its own. Each of the three is the
 * gradient of the others, so that derivatives of any order exist.
 */
import {
  type ConvolutionOptions,
  convolutionWindows,
  requireCotangent,
  requireKernelSize,
} from '../core/convolution.ts';
import { requireDType } from '../core/dtype.ts';
import { ShapeError } from '../core/errors.ts';
import { checkShape, requireRank, type Shape } from '../core/shape.ts';
import { formatSpec, type TensorSpec } from '../core/spec.ts';
import {
  depthwiseFilterGradKernel,
  depthwiseInputGradKernel,
  depthwiseKernel,
} from '../kernels/depthwise.ts';
import type { DepthwiseGeometry } from '../kernels/depthwiseGeometry.ts';
import type { Tensor } from '../tensor/tensor.ts';
import { depthwiseCost } from './cost.ts';
import { defineOp, type Op } from './define.ts';

export type DepthwiseConv2dOptions = Omit<ConvolutionOptions, 'groups'>;

export interface DepthwiseConv2dInputGradOptions extends DepthwiseConv2dOptions {
  /** Shape of the image whose gradient is wanted. */
  inputShape: Shape;
}

export interface DepthwiseConv2dFilterGradOptions extends DepthwiseConv2dOptions {
  /** Shape of the kernel whose gradient is wanted. */
  kernelShape: Shape;
}

interface Plan {
  geometry: DepthwiseGeometry;
  result: number[];
}

function plan(op: string, x: TensorSpec, kernel: TensorSpec, options: DepthwiseConv2dOptions): Plan {
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

function planInputGrad(
  dy: TensorSpec,
  kernel: TensorSpec,
  options: DepthwiseConv2dInputGradOptions,
): DepthwiseGeometry {
  const op = 'depthwiseConv2dInputGrad';
  checkShape(op, options.inputShape);
  const { geometry, result } = plan(op, { shape: options.inputShape, dtype: 'float32' }, kernel, options);
  requireCotangent(op, dy, result);
  return geometry;
}

function planFilterGrad(
  x: TensorSpec,
  dy: TensorSpec,
  options: DepthwiseConv2dFilterGradOptions,
): DepthwiseGeometry {
  const op = 'depthwiseConv2dFilterGrad';
  checkShape(op, options.kernelShape);
  const { geometry, result } = plan(op, x, { shape: options.kernelShape, dtype: 'float32' }, options);
  requireCotangent(op, dy, result);
  return geometry;
}

/** Only what describes the convolution itself, to hand on to another direction. */
const own = ({ strides, padding, dilationRate }: DepthwiseConv2dOptions): DepthwiseConv2dOptions => ({
  ...(strides === undefined ? {} : { strides }),
  ...(padding === undefined ? {} : { padding }),
  ...(dilationRate === undefined ? {} : { dilationRate }),
});

/**
 * The depthwise 2D convolution: channel c of the image gives channels c · multiplier … of the result.
 * Shapes: x [batch, height, width, channels], kernel [height, width, channels, multiplier] → [batch, outHeight,
 * outWidth, channels · multiplier]. float32. Options as those of conv2d.
 * Errors: ShapeError, DTypeError, ValueError.
 */
export const depthwiseConv2d: Op<[x: Tensor, kernel: Tensor], DepthwiseConv2dOptions, Tensor> =
  /* @__PURE__ */ defineOp<[x: Tensor, kernel: Tensor], DepthwiseConv2dOptions>({
    name: 'depthwiseConv2d',
    inputs: ['x', 'kernel'],
    infer: ([x, kernel], options) => ({
      shape: plan('depthwiseConv2d', x as TensorSpec, kernel as TensorSpec, options).result,
      dtype: 'float32',
    }),
    forward: ([x, kernel], options, { outputs: [spec] }) => {
      const { geometry } = plan('depthwiseConv2d', x as Tensor, kernel as Tensor, options);
      return depthwiseKernel('depthwiseConv2d', geometry, x as Tensor, kernel as Tensor, spec as TensorSpec);
    },
    backward: ([dy], { inputs: [x, kernel], inputSpecs, needs }, options) => {
      const [xSpec, kernelSpec] = inputSpecs as [TensorSpec, TensorSpec];
      return [
        needs[0]
          ? depthwiseConv2dInputGrad(dy as Tensor, kernel as Tensor, {
              ...own(options),
              inputShape: xSpec.shape,
            })
          : null,
        needs[1]
          ? depthwiseConv2dFilterGrad(x as Tensor, dy as Tensor, {
              ...own(options),
              kernelShape: kernelSpec.shape,
            })
          : null,
      ];
    },
    cost: ([, kernel], [result]) => depthwiseCost(result, kernel),
  });

/**
 * The gradient of depthwiseConv2d for its image, of shape `inputShape`, from the cotangent `dy` of its result.
 * Errors: as depthwiseConv2d; ShapeError where `dy` isn't the shape of its result.
 */
export const depthwiseConv2dInputGrad: Op<
  [dy: Tensor, kernel: Tensor],
  DepthwiseConv2dInputGradOptions,
  Tensor
> = /* @__PURE__ */ defineOp<[dy: Tensor, kernel: Tensor], DepthwiseConv2dInputGradOptions>({
  name: 'depthwiseConv2dInputGrad',
  inputs: ['dy', 'kernel'],
  infer: ([dy, kernel], options) => {
    planInputGrad(dy as TensorSpec, kernel as TensorSpec, options);
    return { shape: [...options.inputShape], dtype: 'float32' };
  },
  forward: ([dy, kernel], options, { outputs: [spec] }) => {
    const geometry = planInputGrad(dy as Tensor, kernel as Tensor, options);
    return depthwiseInputGradKernel(
      'depthwiseConv2dInputGrad',
      geometry,
      dy as Tensor,
      kernel as Tensor,
      spec as TensorSpec,
    );
  },
  backward: ([dx], { inputs: [dy, kernel], inputSpecs, needs }, options) => [
    needs[0] ? depthwiseConv2d(dx as Tensor, kernel as Tensor, own(options)) : null,
    needs[1]
      ? depthwiseConv2dFilterGrad(dx as Tensor, dy as Tensor, {
          ...own(options),
          kernelShape: (inputSpecs[1] as TensorSpec).shape,
        })
      : null,
  ],
  cost: ([dy, kernel]) => depthwiseCost(dy, kernel),
});

/**
 * The gradient of depthwiseConv2d for its kernel, of shape `kernelShape`, from the image and the cotangent `dy`.
 * Errors: as depthwiseConv2d; ShapeError where `dy` isn't the shape of its result.
 */
export const depthwiseConv2dFilterGrad: Op<
  [x: Tensor, dy: Tensor],
  DepthwiseConv2dFilterGradOptions,
  Tensor
> = /* @__PURE__ */ defineOp<[x: Tensor, dy: Tensor], DepthwiseConv2dFilterGradOptions>({
  name: 'depthwiseConv2dFilterGrad',
  inputs: ['x', 'dy'],
  infer: ([x, dy], options) => {
    planFilterGrad(x as TensorSpec, dy as TensorSpec, options);
    return { shape: [...options.kernelShape], dtype: 'float32' };
  },
  forward: ([x, dy], options, { outputs: [spec] }) => {
    const geometry = planFilterGrad(x as Tensor, dy as Tensor, options);
    return depthwiseFilterGradKernel(
      'depthwiseConv2dFilterGrad',
      geometry,
      x as Tensor,
      dy as Tensor,
      spec as TensorSpec,
    );
  },
  backward: ([dk], { inputs: [x, dy], inputSpecs, needs }, options) => [
    needs[0]
      ? depthwiseConv2dInputGrad(dy as Tensor, dk as Tensor, {
          ...own(options),
          inputShape: (inputSpecs[0] as TensorSpec).shape,
        })
      : null,
    needs[1] ? depthwiseConv2d(x as Tensor, dk as Tensor, own(options)) : null,
  ],
  cost: ([, dy], [kernel]) => depthwiseCost(dy, kernel),
});
