/** @file conv1d: a 2D convolution of images one row high. */
import { ShapeError } from '../core/errors.ts';
import { requireRank, type Shape } from '../core/shape.ts';
import { formatSpec, type TensorSpec } from '../core/spec.ts';
import { checkPadding, type Padding, perAxis } from '../core/windows.ts';
import type { Tensor } from '../tensor/tensor.ts';
import { type Conv2dOptions, conv2d, conv2dFilterGrad, conv2dInputGrad, planConv2d } from './conv2d.ts';
import { defineOp, type Op } from './define.ts';
import { reshape } from './reshape.ts';

export interface Conv1dOptions {
  /** Steps between windows. Default 1. */
  strides?: number | readonly number[];
  /** 'causal' pads in front alone, so that a result depends on what came before it. Default 'valid'. */
  padding?: Padding | 'causal';
  /** Steps between the taps of a kernel. Default 1. */
  dilationRate?: number | readonly number[];
  /** Groups of channels that are convolved apart. Default 1. */
  groups?: number;
}

/** A sequence as an image of one row: [batch, width, c] → [batch, 1, width, c]. */
const asImage = ([batch, width, channels]: Shape): number[] => [batch, 1, width, channels] as number[];
/** A kernel as one of a single row: [width, i, o] → [1, width, i, o]. */
const asImageKernel = (kernel: Shape): number[] => [1, ...kernel];

function rowOptions(kernel: Shape, options: Conv1dOptions): Conv2dOptions {
  const op = 'conv1d';
  const { strides = 1, padding = 'valid', dilationRate = 1, groups = 1 } = options;
  const [stride] = perAxis(op, 'strides', strides, 1) as [number];
  const [dilation] = perAxis(op, 'dilationRate', dilationRate, 1) as [number];
  return {
    strides: [1, stride],
    padding: rowPadding(kernel, padding, dilation),
    dilationRate: [1, dilation],
    groups,
  };
}

function rowPadding(kernel: Shape, padding: Padding | 'causal', dilation: number): Padding {
  if (padding === 'causal')
    return [
      [0, 0],
      [((kernel[0] as number) - 1) * dilation, 0],
    ];
  checkPadding('conv1d', padding, 1);
  return typeof padding === 'string' ? padding : [[0, 0], padding[0] as readonly [number, number]];
}

function plan(
  x: TensorSpec,
  kernel: TensorSpec,
  options: Conv1dOptions,
): { shape: Shape; row: Conv2dOptions } {
  requireRank('conv1d', 'x', x.shape, 3);
  requireRank('conv1d', 'kernel', kernel.shape, 3);
  if ((kernel.shape[0] as number) < 1) {
    throw new ShapeError({
      op: 'conv1d',
      rule: 'a kernel covers at least one step.',
      received: `kernel ${formatSpec(kernel)}`,
      hint: 'pass a kernel with a width of at least 1.',
    });
  }
  const row = rowOptions(kernel.shape, options);
  const { batch, columns, outputs } = planConv2d(
    'conv1d',
    { shape: asImage(x.shape), dtype: x.dtype },
    { shape: asImageKernel(kernel.shape), dtype: kernel.dtype },
    row,
  );
  return { shape: [batch, columns.output, outputs], row };
}

/**
 * The 1D convolution (cross-correlation) of sequences with a kernel.
 * Shapes: x [batch, width, channels], kernel [width, channels / groups, filters] → [batch, outWidth, filters]. float32.
 * `padding` is 'same', 'valid', 'causal', or [[before, after]].
 * Errors: ShapeError for ranks, channels that don't fit, a kernel wider than the padded sequence; DTypeError; ValueError.
 */
export const conv1d: Op<[x: Tensor, kernel: Tensor], Conv1dOptions, Tensor> = /* @__PURE__ */ defineOp<
  [x: Tensor, kernel: Tensor],
  Conv1dOptions
>({
  name: 'conv1d',
  inputs: ['x', 'kernel'],
  infer: ([x, kernel], options) => ({
    shape: plan(x as TensorSpec, kernel as TensorSpec, options).shape,
    dtype: 'float32',
  }),
  forward: (inputs, options) => {
    const [x, kernel] = inputs as [Tensor, Tensor];
    const { shape, row } = plan(x, kernel, options);
    const image = reshape(x, { shape: asImage(x.shape) });
    return reshape(conv2d(image, reshape(kernel, { shape: asImageKernel(kernel.shape) }), row), { shape });
  },
  backward: ([cotangent], { inputs, inputSpecs, needs }, options) => {
    const [x, kernel] = inputs as [Tensor, Tensor];
    const [xShape, kernelShape] = inputSpecs.map(({ shape }) => shape) as [Shape, Shape];
    const row = rowOptions(kernelShape, options);
    const dy = reshape(cotangent as Tensor, { shape: asImage((cotangent as Tensor).shape) });
    const dx = () => {
      const imageKernel = reshape(kernel, { shape: asImageKernel(kernelShape) });
      return reshape(conv2dInputGrad(dy, imageKernel, { ...row, inputShape: asImage(xShape) }), {
        shape: xShape,
      });
    };
    const dk = () => {
      const image = reshape(x, { shape: asImage(xShape) });
      return reshape(conv2dFilterGrad(image, dy, { ...row, kernelShape: asImageKernel(kernelShape) }), {
        shape: kernelShape,
      });
    };
    return [needs[0] ? dx() : null, needs[1] ? dk() : null];
  },
});
