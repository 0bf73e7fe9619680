/** @file conv2d and its gradients. */
import {
  type ConvolutionGeometry,
  convolutionGeometry,
  type ConvolutionOptions,
  resultShape,
} from '../../core/convolution.ts';
import { requireDType } from '../../core/dtype.ts';
import type { TensorSpec } from '../../core/spec.ts';
import { kernels } from '../../kernels/loading/loadKernels.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import {
  convolutionOptionNames,
  type ConvolutionFamily,
  defineFilterGrad,
  defineForward,
  defineInputGrad,
  type FilterGradOptions,
  type InputGradOptions,
  type ConvolutionPositions,
} from './convolution.ts';
import { convolutionCost } from '../define/cost.ts';
import type { Op } from '../define/define.ts';

export type Conv2dOptions = ConvolutionOptions;
export type Conv2dInputGradOptions = InputGradOptions;
export type Conv2dFilterGradOptions = FilterGradOptions;

const floats = ['float32', 'float16'] as const;

/** The geometry of a convolution of `x` with `kernel`. Errors: ShapeError, DTypeError, ValueError. */
export function planConv2d(
  op: string,
  x: TensorSpec,
  kernel: TensorSpec,
  options: ConvolutionOptions,
): { geometry: ConvolutionGeometry; result: number[] } {
  requireDType(op, 'x', x.dtype, floats);
  requireDType(op, 'kernel', kernel.dtype, floats);
  const geometry = convolutionGeometry(op, x.shape, kernel.shape, options);
  return { geometry, result: resultShape(geometry) };
}

export const conv2dFamily: ConvolutionFamily<ConvolutionGeometry> = {
  name: 'conv2d',
  options: convolutionOptionNames,
  acceptsFloat16: true,
  plan: planConv2d,
  launch: {
    forward: (op, geometry, x, kernel) => kernels().conv2dKernel(op, geometry, x, kernel),
    inputGrad: (op, geometry, dy, kernel) => kernels().conv2dInputGradKernel(op, geometry, dy, kernel),
    filterGrad: (op, geometry, x, dy) => kernels().conv2dFilterGradKernel(op, geometry, x, dy),
  },
  cost: convolutionCost,
  ops: () => ({ forward: conv2d, inputGrad: conv2dInputGrad, filterGrad: conv2dFilterGrad }),
};

/**
 * The 2D convolution (cross-correlation) of images with a kernel.
 * Shapes: x [batch, height, width, channels], kernel [height, width, channels / groups, filters]
 * → [batch, outHeight, outWidth, filters]. float32; a float16 image or kernel is widened as it is read, and its gradient is
 * float32. `padding` is 'same' (ceil(size / stride) windows, with any odd row of padding at the end), 'valid', or
 * [[top, bottom], [left, right]].
 * Errors: ShapeError for ranks, channels that don't fit, a kernel larger than the padded image; DTypeError; ValueError.
 */
export const conv2d: Op<
  [x: Tensor, kernel: Tensor],
  Conv2dOptions,
  Tensor<'float32'>,
  'unknown',
  ConvolutionPositions
> = /* @__PURE__ */ defineForward(conv2dFamily);

/**
 * The gradient of conv2d for its image, of shape `inputShape`, from the cotangent `dy` of its result. Also what a
 * transposed convolution computes.
 * Errors: as conv2d; ShapeError if `dy` doesn't have the shape of the convolution's result.
 * Dtype: float32.
 */
export const conv2dInputGrad: Op<
  [dy: Tensor, kernel: Tensor],
  Conv2dInputGradOptions,
  Tensor<'float32'>,
  'unknown',
  ['inputShape', ...ConvolutionPositions]
> = /* @__PURE__ */ defineInputGrad(conv2dFamily);

/**
 * The gradient of conv2d for its kernel, of shape `kernelShape`, from the image and the cotangent `dy` of its result.
 * Errors: as conv2d; ShapeError where `dy` isn't the shape of the convolution's result.
 * Dtype: float32.
 */
export const conv2dFilterGrad: Op<
  [x: Tensor, dy: Tensor],
  Conv2dFilterGradOptions,
  Tensor<'float32'>,
  'unknown',
  ['kernelShape', ...ConvolutionPositions]
> = /* @__PURE__ */ defineFilterGrad(conv2dFamily);
