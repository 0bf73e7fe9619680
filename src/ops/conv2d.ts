/**
 * @file conv2d and its gradients. Each of the three is the gradient of the others, so that derivatives of any order
 * exist.
 */
import {
  type ConvolutionGeometry,
  convolutionGeometry,
  type ConvolutionOptions,
  requireCotangent,
  resultShape,
} from '../core/convolution.ts';
import { requireDType } from '../core/dtype.ts';
import { checkShape, type Shape } from '../core/shape.ts';
import type { TensorSpec } from '../core/spec.ts';
import { core } from '../kernels/loadCore.ts';
import type { Tensor } from '../tensor/tensor.ts';
import { convolutionCost } from './cost.ts';
import { defineOp, type Op } from './define.ts';

export type Conv2dOptions = ConvolutionOptions;

export interface Conv2dInputGradOptions extends ConvolutionOptions {
  /** Shape of the image whose gradient is wanted. */
  inputShape: Shape;
}

export interface Conv2dFilterGradOptions extends ConvolutionOptions {
  /** Shape of the kernel whose gradient is wanted. */
  kernelShape: Shape;
}

const floats = ['float32', 'float16'] as const;

/** The geometry of a convolution of `x` with `kernel`. Errors: ShapeError, DTypeError, ValueError. */
export function planConv2d(
  op: string,
  x: TensorSpec,
  kernel: TensorSpec,
  options: ConvolutionOptions,
): ConvolutionGeometry {
  requireDType(op, 'x', x.dtype, floats);
  requireDType(op, 'kernel', kernel.dtype, floats);
  return convolutionGeometry(op, x.shape, kernel.shape, options);
}

function planInputGrad(
  dy: TensorSpec,
  kernel: TensorSpec,
  options: Conv2dInputGradOptions,
): ConvolutionGeometry {
  const op = 'conv2dInputGrad';
  checkShape(op, options.inputShape);
  const x: TensorSpec = { shape: options.inputShape, dtype: 'float32' };
  const geometry = planConv2d(op, x, kernel, options);
  requireCotangent(op, dy, resultShape(geometry));
  return geometry;
}

function planFilterGrad(
  x: TensorSpec,
  dy: TensorSpec,
  options: Conv2dFilterGradOptions,
): ConvolutionGeometry {
  const op = 'conv2dFilterGrad';
  checkShape(op, options.kernelShape);
  const kernel: TensorSpec = { shape: options.kernelShape, dtype: 'float32' };
  const geometry = planConv2d(op, x, kernel, options);
  requireCotangent(op, dy, resultShape(geometry));
  return geometry;
}

/** Only what describes the convolution itself, to hand on to another direction. */
const own = ({ strides, padding, dilationRate, groups }: ConvolutionOptions): ConvolutionOptions => ({
  ...(strides === undefined ? {} : { strides }),
  ...(padding === undefined ? {} : { padding }),
  ...(dilationRate === undefined ? {} : { dilationRate }),
  ...(groups === undefined ? {} : { groups }),
});

/** The gradients of a convolution for its image and its kernel; null where one isn't needed. */
export function conv2dGradients(
  x: Tensor,
  kernel: Tensor,
  dy: Tensor,
  specs: readonly TensorSpec[],
  needs: readonly boolean[],
  options: ConvolutionOptions,
): [Tensor | null, Tensor | null] {
  const [xSpec, kernelSpec] = specs as [TensorSpec, TensorSpec];
  return [
    needs[0] ? conv2dInputGrad(dy, kernel, { ...own(options), inputShape: xSpec.shape }) : null,
    needs[1] ? conv2dFilterGrad(x, dy, { ...own(options), kernelShape: kernelSpec.shape }) : null,
  ];
}

/**
 * The 2D convolution (cross-correlation) of images with a kernel.
 * Shapes: x [batch, height, width, channels], kernel [height, width, channels / groups, filters]
 * → [batch, outHeight, outWidth, filters]. float32; a float16 image or kernel is widened as it is read, and its gradient is
 * float32. `padding` is 'same' (ceil(size / stride) windows, the odd row of
 * padding behind), 'valid', or [[top, bottom], [left, right]].
 * Errors: ShapeError for ranks, channels that don't fit, a kernel larger than the padded image; DTypeError; ValueError.
 */
export const conv2d: Op<[x: Tensor, kernel: Tensor], Conv2dOptions, Tensor> = /* @__PURE__ */ defineOp<
  [x: Tensor, kernel: Tensor],
  Conv2dOptions
>({
  name: 'conv2d',
  inputs: ['x', 'kernel'],
  acceptsFloat16: true,
  infer: ([x, kernel], options) => ({
    shape: resultShape(planConv2d('conv2d', x as TensorSpec, kernel as TensorSpec, options)),
    dtype: 'float32',
  }),
  forward: ([x, kernel], options) =>
    core().conv2dKernel(
      'conv2d',
      planConv2d('conv2d', x as Tensor, kernel as Tensor, options),
      x as Tensor,
      kernel as Tensor,
    ),
  backward: ([dy], { inputs: [x, kernel], inputSpecs, needs }, options) =>
    conv2dGradients(x as Tensor, kernel as Tensor, dy as Tensor, inputSpecs, needs, options),
  cost: ([, kernel], [result]) => convolutionCost(result, kernel),
});

/**
 * The gradient of conv2d for its image, of shape `inputShape`, from the cotangent `dy` of its result. Also what a
 * transposed convolution computes.
 * Errors: as conv2d; ShapeError where `dy` isn't the shape of the convolution's result.
 */
export const conv2dInputGrad: Op<[dy: Tensor, kernel: Tensor], Conv2dInputGradOptions, Tensor> =
  /* @__PURE__ */ defineOp<[dy: Tensor, kernel: Tensor], Conv2dInputGradOptions>({
    name: 'conv2dInputGrad',
    inputs: ['dy', 'kernel'],
    acceptsFloat16: true,
    infer: ([dy, kernel], options) => {
      planInputGrad(dy as TensorSpec, kernel as TensorSpec, options);
      return { shape: [...options.inputShape], dtype: 'float32' };
    },
    forward: ([dy, kernel], options) =>
      core().conv2dInputGradKernel(
        'conv2dInputGrad',
        planInputGrad(dy as Tensor, kernel as Tensor, options),
        dy as Tensor,
        kernel as Tensor,
      ),
    backward: ([dx], { inputs: [dy, kernel], inputSpecs, needs }, options) => [
      needs[0] ? conv2d(dx as Tensor, kernel as Tensor, own(options)) : null,
      needs[1]
        ? conv2dFilterGrad(dx as Tensor, dy as Tensor, {
            ...own(options),
            kernelShape: (inputSpecs[1] as TensorSpec).shape,
          })
        : null,
    ],
    cost: ([dy, kernel]) => convolutionCost(dy, kernel),
  });

/**
 * The gradient of conv2d for its kernel, of shape `kernelShape`, from the image and the cotangent `dy` of its result.
 * Errors: as conv2d; ShapeError where `dy` isn't the shape of the convolution's result.
 */
export const conv2dFilterGrad: Op<[x: Tensor, dy: Tensor], Conv2dFilterGradOptions, Tensor> =
  /* @__PURE__ */ defineOp<[x: Tensor, dy: Tensor], Conv2dFilterGradOptions>({
    name: 'conv2dFilterGrad',
    inputs: ['x', 'dy'],
    acceptsFloat16: true,
    infer: ([x, dy], options) => {
      planFilterGrad(x as TensorSpec, dy as TensorSpec, options);
      return { shape: [...options.kernelShape], dtype: 'float32' };
    },
    forward: ([x, dy], options) =>
      core().conv2dFilterGradKernel(
        'conv2dFilterGrad',
        planFilterGrad(x as Tensor, dy as Tensor, options),
        x as Tensor,
        dy as Tensor,
      ),
    backward: ([dk], { inputs: [x, dy], inputSpecs, needs }, options) => [
      needs[0]
        ? conv2dInputGrad(dy as Tensor, dk as Tensor, {
            ...own(options),
            inputShape: (inputSpecs[0] as TensorSpec).shape,
          })
        : null,
      needs[1] ? conv2d(x as Tensor, dk as Tensor, own(options)) : null,
    ],
    cost: ([, dy], [kernel]) => convolutionCost(dy, kernel),
  });
